"""``python -m tests.features.batches.support.on_dask`` runs the questions on a dask cluster.

Its arguments are the cluster, the log of jobs' starts, the batch's folder and how many questions.
It writes the table of results as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp_jupyter.features.batches.results import BatchResults
from tests.features.batches.support.questions import run_questions

__all__ = ["ended", "numbers", "start"]

ROOT = Path(__file__).parents[4]
Numbers = dict[str, list[Any]]


def start(
    cluster: str, log: Path, out: Path, count: int, variables: Mapping[str, str] = {}
) -> subprocess.Popen[str]:
    """Start the program in the current folder."""
    words = (
        sys.executable,
        "-m",
        "tests.features.batches.support.on_dask",
        cluster,
        str(log),
        str(out),
        str(count),
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)


def ended(program: subprocess.Popen[str]) -> Numbers:
    """Wait for the program, and return its numbers."""
    said, _ = program.communicate()
    assert program.returncode == 0
    return dict(json.loads(said.splitlines()[-1]))


def numbers(results: BatchResults) -> Numbers:
    """Return what must be the same wherever a job runs, by its key."""
    names = ("id", "agent", "status", "grade", "stop_reason", "turns", "tokens", "error")
    return {row["key"]: [row[name] for name in names] for row in results.rows()}


def _cluster(name: str) -> Any:
    if name == "local":
        from distributed import LocalCluster

        return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(
        **{"cores": 1, "processes": 1, "memory": "1GB", "walltime": "00:30:00"},
        interface="lo",
        scheduler_options={"dashboard_address": None},
    )
    cluster.scale(jobs=2)
    return cluster


def main() -> None:
    """Run the questions."""
    name, log, out, count = sys.argv[1:]
    with _cluster(name) as cluster, cluster.get_client() as client:
        executor = client.get_executor()
        results = run_questions(Path(log), int(count), executor=executor, out=out)
    print(json.dumps(numbers(results)))


if __name__ == "__main__":
    main()
