"""The same batch on the workers that a Slurm of this machine starts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.batches.support.jobs import starts
from tests.features.batches.support.on_dask import ended, numbers, start
from tests.features.batches.support.questions import asking_folder, meeting, run_questions
from tests.features.batches.support.slurm import one_node_slurm
from tests.support.wait import eventually

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.long, pytest.mark.timeout(900)]
SECONDS = 400.0
QUESTIONS = 4
JOBS = 2 * QUESTIONS


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables by which its programs find a Slurm of one node."""
    with one_node_slurm(tmp_path / "slurm") as variables:
        yield variables


def _running(variables: dict[str, str]) -> list[str]:
    words = ("squeue", "--noheader", "--states=RUNNING", "--format=%i")
    done = subprocess.run(
        words, env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_the_same_numbers_on_slurm_though_one_of_its_jobs_is_cancelled(
    folder: Path, tmp_path: Path, slurm: dict[str, str]
) -> None:
    asking_folder(folder)
    log = tmp_path / "log"
    program = start("slurm", log, folder / "slurm.batch", QUESTIONS, slurm)
    eventually(lambda: starts(log).total() >= 2 and len(_running(slurm)) == 2, seconds=SECONDS)
    subprocess.run(("scancel", _running(slurm)[0]), env={**os.environ, **slurm}, check=True)
    found = ended(program)
    assert len(found) == JOBS
    assert JOBS <= starts(log).total() <= JOBS + 1
    eventually(lambda: not _running(slurm))
    here = numbers(run_questions(log, QUESTIONS, workers=2))
    assert here == found
    grades = [row[3] for row in here.values()]
    assert (grades.count(1.0), grades.count(0.0)) == (QUESTIONS, QUESTIONS)


def test_as_many_jobs_as_workers_run_at_once(
    folder: Path, tmp_path: Path, slurm: dict[str, str]
) -> None:
    """Each worker is a job of Slurm."""
    asking_folder(folder, meeting(2))
    found = ended(start("slurm", tmp_path / "log", folder / "slurm.batch", 1, slurm))
    assert [row[2] for row in found.values()] == ["done", "done"]
