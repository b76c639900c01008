"""The folders that jobs run in, where whoever made them is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

from acp_jupyter.features.batches.jobs import BatchFolder, JobOutcome, JobSpec
from acp_jupyter.features.batches.run_job import run_job
from acp_jupyter.features.batches.workers import LocalWorkers
from tests.support.wait import eventually

SECONDS = 120.0
PROGRAM = """\
import sys
from pathlib import Path
from acp_jupyter.features.batches.run_job import run_job
from acp_jupyter.features.batches.workers import LocalWorkers
order, log = sys.argv[1:]
(LocalWorkers(1, Path(log)).run if log else run_job)(order)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this process and those that it starts."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def spec(out: Path, key: str, code: str) -> str:
    batch = BatchFolder(out)
    batch.open()
    notebook = batch.notebook(key)
    notebook.parent.mkdir(parents=True, exist_ok=True)
    cells = [nbformat.v4.new_code_cell(code)]  # type: ignore[no-untyped-call]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}
    made = nbformat.v4.new_notebook(cells=cells, metadata=metadata)  # type: ignore[no-untyped-call]
    nbformat.write(made, notebook)  # type: ignore[no-untyped-call]
    batch.inputs("i").mkdir(parents=True, exist_ok=True)
    found = JobSpec(key=key, out=str(out), notebook=key, inputs="i", name="n.ipynb")
    return found.model_dump_json()


@contextmanager
def program(job: str, log: str, begun: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a job that waits in a process of its own."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, job, log])
    try:
        # It is there for a moment before its text is.
        eventually(lambda: begun.exists() and begun.read_text(), seconds=SECONDS)
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("is_local", [True, False], ids=["workers", "executor"])
def test_the_folders_of_a_killed_batch_go_and_those_of_one_that_runs_stay(
    tmp_path: Path, temporary: Path, is_local: bool
) -> None:
    def waiting(name: str) -> tuple[str, str, Path]:
        begun, log = tmp_path / name, str(tmp_path / f"{name}.log") if is_local else ""
        code = (
            f"import sys\nfrom pathlib import Path\nPath('made').touch()\n"
            f"Path({str(begun)!r}).write_text(str(Path.cwd()))\nimport threading\n"
            "threading.Event().wait()"
        )
        return spec(tmp_path / "out", name, code), log, begun

    mine = temporary / "acp-batch-of-somebody"
    mine.mkdir()
    with program(*waiting("lives")) as alive, program(*waiting("dies")) as killed:
        lives, dies = (Path((tmp_path / name).read_text()).parent for name in ("lives", "dies"))
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert (dies / "work" / "made").exists()

        job = spec(tmp_path / "out", "next", "1")
        if is_local:
            workers = LocalWorkers(1, tmp_path / "log")
            try:
                answer = workers.run(job)
            finally:
                workers.close()
        else:
            answer = run_job(job)
        assert JobOutcome.model_validate_json(answer).finished
        assert alive.poll() is None
        assert (lives / "work" / "made").exists()
        assert not dies.exists()
        assert sorted(temporary.glob("acp-batch-*")) == sorted([lives, mine])
