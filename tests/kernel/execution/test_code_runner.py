"""What a kernel does for the notebook tools, and what it answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_jupyter.kernel import nested_run
from acp_jupyter.kernel.code_runner import do_work
from acp_jupyter.notebook_tools.kernel_runner import Completion, Inspection, RunResult
from acp_jupyter.notebook_tools.kernel_work import (
    CompleteCode,
    FinishedWork,
    InspectCode,
    KernelWork,
    ReadVariables,
    RunCodeWork,
)
from tests.support.kernel.own_shell import own_shell
from tests.support.wait import PATIENCE_SECONDS


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[InteractiveShell]:
    with own_shell(tmp_path, monkeypatch) as shell:
        yield shell


def done(shell: InteractiveShell | None, work: KernelWork) -> FinishedWork:
    finished = do_work(shell, work, lambda _words: None)
    assert finished.work_id == work.work_id
    return finished


def ran(shell: InteractiveShell, code: str, seconds: float = 30.0) -> RunResult:
    result = done(shell, RunCodeWork(work_id="w", code=code, timeout_seconds=seconds)).ran
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("x = 1", "ok"),
        ("import asyncio\nawait asyncio.sleep(0)", "ok"),
        ("1 / 0", "error"),
        ("x =", "error"),
        ("raise KeyboardInterrupt", "interrupted"),
    ],
)
def test_how_code_ends(shell: InteractiveShell, code: str, status: str) -> None:
    assert ran(shell, code).status == status


def test_code_that_takes_too_long_is_interrupted(shell: InteractiveShell) -> None:
    assert ran(shell, "import time\ntime.sleep(600)", 0.2).status == "timeout"


def test_a_limit_that_is_over_before_the_code_begins_interrupts_nothing_else(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt comes while its own thread starts, as on a busy machine."""
    interrupts: list[threading.Thread] = []
    interrupted = threading.Event()

    def interrupt() -> None:
        interrupts.append(threading.current_thread())
        interrupt_main()
        interrupted.set()

    class Slow(threading.Thread):
        def start(self) -> None:
            super().start()
            if self.name == "acp-tool-time":
                interrupted.wait(PATIENCE_SECONDS)

    interrupt_main = nested_run.interrupt_main
    monkeypatch.setattr(nested_run, "interrupt_main", interrupt)
    monkeypatch.setattr(
        nested_run, "threading", SimpleNamespace(**{**vars(threading), "Thread": Slow})
    )
    assert ran(shell, "made = 1", 1e-9).status == "timeout"
    assert "made" not in shell.user_ns
    (alarm,) = interrupts
    alarm.join()
    assert len(interrupts) == 1


def test_what_code_puts_out_is_kept_in_its_order(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    result = ran(shell, "print('one')\nimport sys\nprint('two', file=sys.stderr)\n6 * 7")
    told = [(each["output_type"], each.get("text") or each["data"]) for each in result.outputs]
    assert told == [
        ("stream", "one\n"),
        ("stream", "two\n"),
        ("display_data", {"text/plain": "42"}),
    ]
    assert not result.truncated
    assert capsys.readouterr().out == ""
    (error,) = ran(shell, "1 / 0").outputs
    assert error["ename"] == "ZeroDivisionError"


def test_names_are_completed_and_explained(shell: InteractiveShell) -> None:
    ran(shell, "some_value = {'a': 1}")
    completed = done(shell, CompleteCode(work_id="w", code="some_va", position=7)).completion
    assert completed == Completion(matches=("some_value",), start=0, end=7)
    nothing = done(shell, CompleteCode(work_id="w", code="no_such_na", position=99)).completion
    assert nothing == Completion(start=10, end=10)
    found = done(shell, InspectCode(work_id="w", code="some_value", position=3)).inspection
    assert found is not None
    assert "dict" in found.text
    for code in ("no_such_name", ""):
        unknown = done(shell, InspectCode(work_id="w", code=code, position=3)).inspection
        assert unknown == Inspection(found=False)
    listed = done(shell, ReadVariables(work_id="w")).variables
    assert listed is not None
    assert [each.name for each in listed.variables] == ["some_value"]


def test_a_script_has_no_kernel() -> None:
    trouble = done(None, ReadVariables(work_id="w")).trouble
    assert trouble is not None
    assert trouble.trouble == "no_kernel"
