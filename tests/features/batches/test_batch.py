"""Batches: jobs in folders of their own, which run once, and go on with the same call."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import psutil
import pytest

import acp_jupyter
from acp_jupyter.errors import BadRequest, FileMissing
from acp_jupyter.features.batches.jobs import JobOutcome, JobSpec, TurnRecord
from acp_jupyter.features.batches.results import BatchResults, JobResult
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.transcript.model.use import Cost, Use
from tests.features.batches.support.jobs import Answering, job_notebook, starts
from tests.support.kernel.notebook_file import new_notebook, read_notebook, write_notebook
from tests.support.wait import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.filterwarnings("default")
long = pytest.mark.long


def _done(spec: JobSpec) -> JobOutcome:
    turn = TurnRecord(agent=spec.agent, session_id="s", stop_reason="end_turn", text="42")
    return JobOutcome(key=spec.key, finished=True, turns=(turn,), seconds=1.0)


def test_each_combination_is_a_job_and_equal_ones_are_one(folder: Path) -> None:
    with Answering(_done) as executor:
        results = acp_jupyter.batch(
            "Say {a}",
            [{"a": 1}, {"a": 2}, {"a": 1}],
            ["demo", "claude"],
            policy=["ask", "deny"],
            sandbox=["folder", "read-only"],
            network="hosts",
            seeds=iter([1, 2, 3]),
            executor=executor,
        )
    assert len(results) == len(executor.specs) == 2 * 2 * 2 * 2 * 3
    assert len({result.key for result in results}) == len(results)
    assert {spec.network for spec in executor.specs} == {"hosts"}
    assert {result.status for result in results} == {"done"}
    row = results[0].row()
    assert (row["a"], row["agent"], row["policy"], row["seed"]) == (1, "demo", "ask", 1)
    assert [result.sandbox for result in results[:4]] == [*["folder"] * 3, "read-only"]
    lines = (folder / "prompt.batch" / "results.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == [result.key for result in results]


def test_an_agents_login_is_used_by_no_more_jobs_than_was_said(folder: Path) -> None:
    both = threading.Barrier(2, timeout=PATIENCE_SECONDS)

    def answer(spec: JobSpec) -> JobOutcome:
        if spec.agent == "a":
            both.wait()  # so two do run at once
        return _done(spec)

    with Answering(answer) as executor:
        acp_jupyter.batch(
            *("Say {n}", [{"n": n} for n in range(6)], ["a", "b", "c"]),
            executor=executor,
            at_once={"a": 2, "b": 1},
        )
    assert (executor.most["a"], executor.most["b"]) == (2, 1)
    with Answering(_done) as executor:
        acp_jupyter.batch("Do", agents=["a"], seeds=range(5), at_once=1, executor=executor)
    assert executor.most["a"] == 1
    with pytest.raises(BadRequest):
        acp_jupyter.batch("Do", at_once=0)


def test_an_agent_that_needs_a_login_is_not_tried_by_each_job(folder: Path) -> None:
    def answer(spec: JobSpec) -> JobOutcome:
        if spec.agent == "a":
            words = "TurnError: Log in first."
            return JobOutcome(key=spec.key, finished=False, error=words, reason="login_needed")
        return _done(spec)

    with Answering(answer) as executor:
        results = acp_jupyter.batch(
            "Do", agents=["a", "b"], seeds=range(4), at_once=1, executor=executor
        )
    assert [spec.agent for spec in executor.specs].count("a") == 1
    assert all(result.status == "done" for result in results if result.agent == "b")
    others = [result for result in results if result.agent == "a"]
    assert sorted(result.status for result in others) == ["failed", *["not run"] * 3]
    assert {result.error for result in others} == {"TurnError: Log in first."}


def test_all_jobs_together_have_a_limit_and_each_gets_what_is_left(folder: Path) -> None:
    def answer(spec: JobSpec) -> JobOutcome:
        spent = Use(turns=1, calls=4, costs=(Cost(amount=0.25, currency="USD"),))
        return _done(spec).model_copy(update={"use": spent})

    with Answering(answer) as executor:
        results = acp_jupyter.batch(
            *("Do", (), ["demo"]),
            seeds=range(5),
            executor=executor,
            workers=1,
            limit="10 min, 9 calls",
            total_limit="10 calls, 20 USD",
        )
    assert [spec.limit for spec in executor.specs] == [
        "600 s, 9 calls, 20 USD",
        "600 s, 6 calls, 19.75 USD",
        "600 s, 2 calls, 19.5 USD",
    ]
    assert [result.status for result in results] == ["done"] * 3 + ["not run"] * 2
    assert {result.reason for result in results[3:]} == {"limit"}
    assert results[4].error == (
        "The batch has reached its limit of 10 tool calls. Used: 12 tool calls. Call batch again "
        "for the jobs that are left."
    )
    with Answering(answer) as executor:
        acp_jupyter.batch("Do", (), ["demo"], seeds=range(5), executor=executor, limit="9 calls")
    assert {spec.limit for spec in executor.specs} == {"9 calls"}


def test_a_job_that_reaches_its_limit_fails_and_says_so(folder: Path) -> None:
    (result,) = acp_jupyter.batch("list", (), ["demo"], workers=1, limit="0.001 s", progress=False)
    assert (result.status, result.reason) == ("failed", "limit")
    assert result.stop_reason == "cancelled"
    assert result.error == (
        "Stopped at its limit of 0.001 seconds for this job. Call batch again with a higher limit: "
        "the job begins again then."
    )
    (again,) = acp_jupyter.batch("list", (), ["demo"], workers=1, limit="9 h", progress=False)
    assert (again.status, again.error) == ("done", "")


def test_grades_are_of_the_users_function_and_its_errors_stop_nothing(folder: Path) -> None:
    def grade(result: JobResult) -> float | None:
        if result.seed == 3:
            raise ValueError("no answer")
        return None if result.seed == 2 else result.text == "42"

    def answer(spec: JobSpec) -> JobOutcome:
        return _done(spec) if spec.seed else JobOutcome(key=spec.key, finished=False, error="x")

    with Answering(answer) as executor:
        results = acp_jupyter.batch("Do", seeds=range(4), executor=executor, grade=grade)
    assert [result.grade for result in results] == [None, 1.0, None, None]
    assert results[3].notes == ("It could not be graded: ValueError: no answer",)


def test_an_executor_that_is_gone_is_said_for_each_job(folder: Path) -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    results = acp_jupyter.batch("Do", seeds=[1, 2], executor=executor)
    assert [result.status for result in results] == ["not run"] * 2
    assert "has lost its workers" in results[0].error
    assert results[0].reason == results[1].reason == "executor"


def test_what_there_is_not(folder: Path) -> None:
    with pytest.raises(FileMissing):
        acp_jupyter.batch("none.ipynb")
    (folder / "broken.ipynb").write_text("{")
    with pytest.raises(BadRequest):
        acp_jupyter.batch("broken.ipynb")
    for wrong in (
        {"agents": ["demo", 1]},
        {"policy": "everything"},
        {"sandbox": "everything"},
        {"seeds": ["one"]},
        {"limit": "ten calls"},
        {"total_limit": "0 min"},
    ):
        with pytest.raises(BadRequest):
            acp_jupyter.batch("Do", **wrong)
    for empty in ("", "  "):
        with pytest.raises(BadRequest):
            acp_jupyter.batch(empty)
    assert not list(folder.glob("*.batch"))


@pytest.mark.long
@pytest.mark.skipif(find_level().level == "none", reason="no sandbox here")
def test_a_job_in_a_copy_leaves_its_files_and_has_its_patch(folder: Path) -> None:
    def run(**more: object) -> BatchResults:
        return acp_jupyter.batch(
            "create made.txt rate=0",
            agents="demo",
            policy="accept-edits",
            sandbox="copy",
            **more,  # type: ignore[arg-type]
        )

    (result,) = run()
    assert (result.status, result.sandbox, result.sandbox_level) == (
        "done",
        "copy",
        find_level().level,
    )
    assert "+++ b/made.txt" in result.patch
    assert not result.files.exists()
    (replayed,) = run(replay=True)
    assert replayed.patch == result.patch


@pytest.mark.long
def test_a_prompt_for_two_policies(folder: Path) -> None:
    """What `batch` is for, in one: parameters, a policy, patch, recording, and the next call."""
    (folder / "notes.txt").write_text("mine\n")

    def run(**more: object) -> BatchResults:
        return acp_jupyter.batch(
            "create {name} rate=0",
            {"name": "made.txt"},
            "demo",
            policy=["accept-edits", "ask"],
            grade=lambda result: (result.files / "made.txt").is_file(),
            workers=2,
            **more,  # type: ignore[arg-type]
        )

    allowed, asked = results = run()
    assert (allowed.status, allowed.stop_reason, allowed.grade) == ("done", "end_turn", 1.0)
    assert "Created `made.txt`" in allowed.text
    assert "+++ b/made.txt" in allowed.patch
    assert (allowed.folder / "patch.diff").read_text() == allowed.patch
    assert sorted(path.name for path in allowed.files.iterdir()) == ["made.txt"]
    assert (asked.status, asked.reason) == ("failed", "nobody_to_ask")
    assert asked.error.startswith("NobodyToAsk: Nobody could be asked")
    assert len(results.failed) == 1
    assert not (folder / "made.txt").exists()
    cells = read_notebook(allowed.notebook).cells
    assert any('name = "made.txt"' in cell.source for cell in cells)
    assert "path" not in cells[0].source  # of this machine

    before = allowed.notebook.stat().st_mtime_ns
    again = run()
    assert again[0].notebook.stat().st_mtime_ns == before  # it was not run again
    assert again[0] == allowed
    replayed = run(replay=True)
    assert replayed[0].grade == 1.0
    assert replayed[0].folder.parent.name == "replayed"
    assert "Demo (replayed)" in replayed[0].notebook.read_text()
    assert replayed[0].patch == allowed.patch


@long
def test_a_notebook_in_a_clean_copy_with_notes(folder: Path) -> None:
    """No parameters cell, cells of another session, files that it made, a seed."""
    write_notebook(
        folder / "n.ipynb",
        new_notebook(
            "total = 0",
            "print(word, seed, open('data.csv').read())",
            "%load_ext acp_jupyter",
            "%%acp --format\ncreate {word}.txt rate=0",
            "%%acp --session other\ncreate other.txt rate=0",
            "open('own.txt', 'w').close()",
        ),
    )
    (folder / "data.csv").write_text("a,b")
    with pytest.warns(UserWarning, match="No cell of this notebook has the tag"):
        (result,) = acp_jupyter.batch(
            "n.ipynb", {"word": "x"}, "demo", policy="accept-edits", seeds=[7]
        )
    assert (result.status, result.error) == ("done", "")
    assert "papermill put the parameters at the top" in result.notes[0]
    text = result.notebook.read_text()
    assert "x 7 a,b" in text
    assert sorted(path.name for path in result.files.iterdir()) == [
        *("other.txt", "own.txt", "x.txt"),
    ]
    assert len(result.turns) == 2
    assert "own.txt" not in result.patch  # the notebook made it, no turn
    assert len(list(result.recording.iterdir())) == 2


@long
def test_any_executor_and_one_that_loses_its_workers(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    job_notebook(folder / "n.ipynb")
    params = [{"log": str(log), "name": f"n{n}"} for n in range(4)]
    with ThreadPoolExecutor(2) as threads:
        results = acp_jupyter.batch("n.ipynb", params[:2], executor=threads)
    assert [result.error for result in results] == ["", ""]
    assert starts(log) == {"n0": 1, "n1": 1}

    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        first = processes.submit(int, 1)
        first.result()

        def kill() -> None:
            eventually(lambda: len(starts(log)) == 3)
            for process in psutil.Process().children():
                if "spawn_main" in " ".join(process.cmdline()):
                    process.kill()

        killing = threading.Thread(target=kill)
        killing.start()
        results = acp_jupyter.batch("n.ipynb", params, executor=processes)
        killing.join()
    lost = [result for result in results if result.status == "not run"]
    assert lost
    assert all("has lost its workers" in result.error for result in lost)
    assert [result.status for result in acp_jupyter.batch("n.ipynb", params)] == ["done"] * 4
    assert (starts(log)["n0"], starts(log)["n1"]) == (1, 1)
