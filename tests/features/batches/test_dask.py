"""The same batch on dask: the same numbers, though workers die."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterable
from pathlib import Path

import psutil
import pytest

from acp_jupyter.features.batches.jobs import BatchFolder
from tests.features.batches.support.jobs import starts
from tests.features.batches.support.on_dask import ended, numbers, start
from tests.features.batches.support.questions import asking_folder, meeting, run_questions
from tests.support.wait import eventually

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.long, pytest.mark.timeout(900)]
SECONDS = 400.0
QUESTIONS = 4
JOBS = 2 * QUESTIONS
KILLS = 2


def _workers(program: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the processes of the cluster in which jobs run."""
    found = []
    for process in psutil.Process(program.pid).children():
        try:
            if "spawn_main" in " ".join(process.cmdline()) and process.children():
                found.append(process)
        except psutil.Error:
            continue
    return found


def _are_gone(processes: Iterable[psutil.Process]) -> bool:
    return not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes)


@pytest.mark.parametrize("seed", range(2))
def test_the_same_numbers_on_dask_though_workers_are_killed_at_random(
    folder: Path, tmp_path: Path, seed: int
) -> None:
    """Each job is in the results once, none is run again once it has one, and none runs on."""
    asking_folder(folder)
    dice, log, out = random.Random(seed), tmp_path / "log", folder / "dask.batch"
    program = start("local", log, out, QUESTIONS)
    killed: list[psutil.Process] = []
    for number in sorted(dice.sample(range(1, JOBS + 1), KILLS)):
        eventually(lambda wanted=number: starts(log).total() >= wanted, seconds=SECONDS)  # type: ignore[misc]
        worker = dice.choice(eventually(lambda: _workers(program)))
        killed += worker.children(recursive=True)
        worker.kill()
    found = ended(program)
    assert len(found) == JOBS
    assert len([*(BatchFolder(out).path / "jobs").iterdir()]) == JOBS
    assert JOBS <= starts(log).total() <= JOBS + KILLS
    eventually(lambda: _are_gone(killed))

    before = starts(log)
    assert ended(start("local", log, out, QUESTIONS)) == found
    assert starts(log) == before
    here = numbers(run_questions(log, QUESTIONS, workers=2))
    assert here == found
    grades = [row[3] for row in here.values()]
    assert (grades.count(1.0), grades.count(0.0)) == (QUESTIONS, QUESTIONS)


def test_as_many_jobs_as_workers_run_at_once(folder: Path, tmp_path: Path) -> None:
    asking_folder(folder, meeting(2))
    found = ended(start("local", tmp_path / "log", folder / "dask.batch", 1))
    assert [row[2] for row in found.values()] == ["done", "done"]
