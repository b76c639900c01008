"""One job, where another process may have been first."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from acp_jupyter.features.batches.jobs import (
    TURNS,
    BatchFolder,
    JobOutcome,
    JobSpec,
    KeptTurns,
    TurnRecord,
)
from acp_jupyter.features.batches.run_job import run_job
from acp_jupyter.features.batches.workers import LocalWorkers

FIRST = JobOutcome(key="k", finished=True, notes=("It was first.",))
TURN = TurnRecord(agent="demo", session_id="s", stop_reason="end_turn")


@pytest.fixture
def batch(tmp_path: Path) -> BatchFolder:
    made = BatchFolder(tmp_path / "out")
    made.open()
    return made


def finish(batch: BatchFolder) -> str:
    """Return code that puts another process's result into place."""
    place, result = batch.job("k"), FIRST.model_dump_json()
    return (
        f"from pathlib import Path\nplace = Path({str(place)!r})\nplace.mkdir(parents=True)\n"
        f"(place / 'result.json').write_text({result!r})"
    )


def job(batch: BatchFolder, code: str) -> str:
    """Return the order of a job whose notebook is this code."""
    notebook = batch.notebook("n")
    notebook.parent.mkdir(parents=True, exist_ok=True)
    cells = [nbformat.v4.new_code_cell(code)]  # type: ignore[no-untyped-call]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}
    made = nbformat.v4.new_notebook(cells=cells, metadata=metadata)  # type: ignore[no-untyped-call]
    nbformat.write(made, notebook)  # type: ignore[no-untyped-call]
    batch.inputs("i").mkdir(parents=True, exist_ok=True)
    spec = JobSpec(key="k", out=str(batch.path), notebook="n", inputs="i", name="n.ipynb")
    return spec.model_dump_json()


def ran(batch: BatchFolder, code: str) -> JobOutcome:
    return JobOutcome.model_validate_json(run_job(job(batch, code)))


def test_a_job_that_is_finished_is_not_run_again(batch: BatchFolder) -> None:
    batch.job("k").mkdir(parents=True)
    (batch.job("k") / "result.json").write_text(FIRST.model_dump_json())
    spec = JobSpec(key="k", out=str(batch.path), notebook="none", inputs="none", name="n.ipynb")
    assert JobOutcome.model_validate_json(run_job(spec.model_dump_json())) == FIRST


def test_the_result_that_was_there_first_stays(batch: BatchFolder) -> None:
    assert ran(batch, finish(batch)) == FIRST
    assert batch.outcome("k") == FIRST


def test_what_a_job_says_of_its_turns_is_kept(batch: BatchFolder) -> None:
    kept = KeptTurns(turns=(TURN,)).model_dump_json()
    code = f"from pathlib import Path\nPath('..', {TURNS!r}).write_text({kept!r})"
    outcome = ran(batch, code)
    assert (outcome.finished, outcome.turns) == (True, (TURN,))
    assert batch.outcome("k") == outcome


def test_a_job_whose_process_dies_is_run_by_another(batch: BatchFolder, tmp_path: Path) -> None:
    died = tmp_path / "died"
    code = (
        f"import os, signal\nfrom pathlib import Path\ndied = Path({str(died)!r})\n"
        "if not died.exists():\n    died.touch()\n    os.kill(os.getppid(), signal.SIGKILL)"
    )
    workers = LocalWorkers(1, tmp_path / "log")
    try:
        outcome = JobOutcome.model_validate_json(workers.run(job(batch, code)))
    finally:
        workers.close()
    assert died.exists()
    assert outcome.finished
