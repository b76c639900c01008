"""Worker processes that die: what has finished stays, what was interrupted starts afresh."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import acp_jupyter
from acp_jupyter.features.batches.jobs import BatchFolder
from tests.features.batches.support.jobs import job_notebook, starts
from tests.support.wait import eventually

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.long]
SECONDS = 300.0
JOBS = 6
KILLS = 2
PROGRAM = """\
import sys, acp_jupyter
log, count = sys.argv[1:]
params = [{"log": log, "name": f"n{n}"} for n in range(int(count))]
results = acp_jupyter.batch("n.ipynb", params, "demo", workers=2, policy="accept-edits")
print(*(f"{r.params['name']} {r.status} {len(r.turns)}" for r in results), sep="\\n")
"""
TURN = "%%acp\ncreate made.txt rate=5"


def _workers(program: subprocess.Popen[str]) -> list[psutil.Process]:
    found = []
    for process in psutil.Process(program.pid).children():
        try:
            if "acp_jupyter.features.batches.workers" in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


def _program(log: Path, count: int) -> subprocess.Popen[str]:
    words = (sys.executable, "-c", PROGRAM, str(log), str(count))
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def _finished(folder: Path) -> set[str]:
    """Return the keys of jobs whose result is in its place."""
    batch = BatchFolder(folder / "n.batch")
    keys = [path.name for path in (batch.path / "jobs").glob("*")]
    return {key for key in keys if (found := batch.outcome(key)) is not None and found.finished}


@pytest.mark.parametrize("seed", range(2))
def test_workers_killed_at_random(folder: Path, tmp_path: Path, seed: int) -> None:
    """Each job is in the results once, and none is run again once it has a result."""
    dice, log = random.Random(seed), tmp_path / "log"
    job_notebook(folder / "n.ipynb", TURN)
    program = _program(log, JOBS)
    # Not so many that one job could be hit three times, which is when it counts as failed.
    at = sorted(dice.sample(range(1, JOBS + 1), KILLS))
    for number in at:
        eventually(lambda wanted=number: starts(log).total() >= wanted, seconds=SECONDS)  # type: ignore[misc]
        dice.choice(eventually(lambda: _workers(program))).kill()
    said, _ = program.communicate()
    assert sorted(said.splitlines()) == [f"n{n} done 1" for n in range(JOBS)]
    assert len(_finished(folder)) == JOBS
    assert JOBS <= starts(log).total() <= JOBS + KILLS


def test_the_whole_batch_killed_and_called_again(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    job_notebook(folder / "n.ipynb", TURN)
    program = _program(log, JOBS)
    eventually(lambda: len(_finished(folder)) >= 3, seconds=SECONDS)
    workers = _workers(program)
    program.send_signal(signal.SIGKILL)
    program.communicate()
    # They end with the program, so that nothing of it works on beside the next one.
    eventually(lambda: not any(w.is_running() and w.status() != "zombie" for w in workers))
    finished, before = _finished(folder), starts(log)

    params = [{"log": str(log), "name": f"n{n}"} for n in range(JOBS)]
    results = acp_jupyter.batch("n.ipynb", params, "demo", policy="accept-edits", workers=2)
    assert [result.status for result in results] == ["done"] * JOBS
    again = starts(log) - before
    known = {result.key: result.params["name"] for result in results}
    assert not {known[key] for key in finished} & set(again)
    assert again.total() == JOBS - len(finished)
