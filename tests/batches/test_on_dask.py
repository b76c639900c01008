"""The same batch on dask, with workers of this machine and with workers that Slurm starts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import acp_jupyter
from tests.support.batches import job_notebook, starts
from tests.support.second_environment import dask_environment
from tests.support.slurm import one_node_slurm
from tests.support.wait import eventually

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.long,
    pytest.mark.timeout(900),
]
SECONDS = 600.0
JOBS = 4
CLUSTERS = {
    "local": "from distributed import LocalCluster\n"
    "    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)",
    "slurm": "from dask_jobqueue import SLURMCluster\n"
    "    cluster = SLURMCluster(cores=1, processes=1, memory='1GB', walltime='00:30:00',\n"
    "        interface='lo', scheduler_options={{'dashboard_address': None}})\n"
    "    cluster.scale(jobs=2)",
}
PROGRAM = """\
import json, sys
import acp_jupyter

def grade(result):
    return len(result.patch)

def main():
    {cluster}
    log, out, count = sys.argv[1:]
    params = [{{"log": log, "name": f"n{{n}}"}} for n in range(int(count))]
    with cluster, cluster.get_client() as client:
        results = acp_jupyter.batch("n.ipynb", params, "demo", policy="accept-edits",
            executor=client.get_executor(), out=out, grade=grade, progress=False)
    print(json.dumps(results.rows()))

if __name__ == "__main__":
    main()
"""
TURN = "%%acp --format\ncreate {name}.txt rate=5"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dask_environment(tmp_path_factory.mktemp("dask"))


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables by which its programs find a Slurm of one node."""
    with one_node_slurm(tmp_path / "slurm") as variables:
        yield variables


def _start(
    python: Path, folder: Path, cluster: str, log: Path, **more: str
) -> subprocess.Popen[str]:
    program = folder.parent / f"on_{cluster}.py"
    program.write_text(PROGRAM.format(cluster=CLUSTERS[cluster].format()))
    words = (str(python), str(program), str(log), str(folder / f"{cluster}.batch"), str(JOBS))
    path = os.pathsep.join((str(python.parent), os.environ["PATH"]))
    # The packages are those of the other environment, this one too.
    known = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = {**known, "PATH": path, **more}
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)


def _end(program: subprocess.Popen[str]) -> dict[str, list[Any]]:
    said, _ = program.communicate(timeout=SECONDS)
    assert program.returncode == 0
    return _numbers(json.loads(said.splitlines()[-1]))


def _numbers(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = ("name", "status", "grade", "stop_reason", "turns", "tokens", "error")
    return {row["key"]: [row[name] for name in names] for row in rows}


def _here(folder: Path, log: Path) -> dict[str, list[Any]]:
    params = [{"log": str(log), "name": f"n{n}"} for n in range(JOBS)]
    results = acp_jupyter.batch(
        *("n.ipynb", params, "demo"),
        policy="accept-edits",
        workers=2,
        grade=lambda result: len(result.patch),
    )
    numbers = _numbers(results.rows())
    assert [number[1] for number in numbers.values()] == ["done"] * JOBS
    return numbers


def test_the_same_numbers_on_dask_though_it_loses_a_worker(
    folder: Path, tmp_path: Path, python: Path
) -> None:
    log = tmp_path / "log"
    job_notebook(folder / "n.ipynb", TURN)
    program = _start(python, folder, "local", log)
    eventually(lambda: starts(log).total() >= 1, SECONDS)
    below = psutil.Process(program.pid).children(recursive=True)
    kernels = [p for p in below if "ipykernel_launcher" in " ".join(p.cmdline())]
    worker = kernels[0].parent()
    assert worker is not None
    worker.kill()
    numbers = _end(program)
    assert JOBS <= starts(log).total() <= JOBS + 2  # a job that it had got beforehand, too
    before = starts(log)
    assert _end(_start(python, folder, "local", log)) == numbers
    assert starts(log) == before  # nothing has run again
    (tmp_path / "log").rename(tmp_path / "log-of-dask")
    assert _here(folder, log) == numbers


@pytest.mark.skipif(shutil.which("slurmctld") is None, reason="Slurm is not installed")
def test_the_same_numbers_on_slurm(
    folder: Path, tmp_path: Path, python: Path, slurm: dict[str, str]
) -> None:
    log = tmp_path / "log"
    job_notebook(folder / "n.ipynb", TURN)
    numbers = _end(_start(python, folder, "slurm", log, **slurm))
    assert starts(log) == {f"n{n}": 1 for n in range(JOBS)}
    (tmp_path / "log").rename(tmp_path / "log-of-slurm")
    assert _here(folder, log) == numbers
