"""The last error of a kernel: the variables of its frames, bounded, whatever they do."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_jupyter.kernel.last_error import last_error_json, read_last_error
from acp_jupyter.kernel.values import NO_REPR
from acp_jupyter.notebook_tools.kernel_runner import LastError

pytestmark = pytest.mark.timeout(method="thread")
"""The other method has the process's one timer, which the code under test needs."""


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """A shell in which nothing has failed."""
    made = InteractiveShell()  # type: ignore[no-untyped-call]
    yield made
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        vars(sys).pop(name, None)


def _failed(shell: InteractiveShell, *cells: str) -> LastError:
    for cell in cells:
        shell.run_cell(cell)  # type: ignore[no-untyped-call]
    return read_last_error(shell)


def test_nothing_is_told_where_nothing_has_failed(shell: InteractiveShell) -> None:
    assert _failed(shell, "fine = 1") == LastError()


def test_each_frame_has_its_variables(shell: InteractiveShell) -> None:
    found = _failed(
        shell,
        "rows = [1, 2]\nunrelated = 3",
        "def mean(values, count):\n    total = sum(values)\n    return total / count\n",
        "mean(rows, len(rows) - 2)",
    )
    assert found.words == "ZeroDivisionError: division by zero"
    outer, inner = found.frames
    assert outer.function == "<module>"
    assert outer.code == "mean(rows, len(rows) - 2)"
    # Of the user's namespace only what the cell names.
    assert [each.name for each in outer.variables] == ["mean", "rows"]
    assert inner.function == "mean"
    assert inner.code == "return total / count"
    assert inner.place.endswith("line 3")
    told = {each.name: each.preview for each in inner.variables}
    assert told == {"values": "[1, 2]", "count": "0", "total": "3"}


def test_an_error_of_a_library_begins_with_the_users_code(shell: InteractiveShell) -> None:
    found = _failed(shell, "import json\ntext = '{'\njson.loads(text)")
    assert found.frames[0].code == "json.loads(text)"
    assert found.frames[-1].place.split(", line")[0].endswith("decoder.py")
    assert {each.name for each in found.frames[0].variables} == {"json", "text"}
    # What a package holds may be what nobody meant to show.
    assert found.frames[-1].variables == ()


def test_it_is_bounded_whatever_the_frames_hold(shell: InteractiveShell) -> None:
    _failed(
        shell,
        "class Raises:\n    def __repr__(self):\n        raise ValueError\n",
        "class Endless:\n    def __repr__(self):\n        while True: pass\n",
        "def deeper(depth):\n    bad = Raises()\n    slow = [Endless() for _ in range(9)]\n"
        "    return deeper(depth + 1) if depth < 50 else 1 / 0\n",
        "deeper(0)",
    )
    begun = time.thread_time()
    found = read_last_error(shell)
    assert time.thread_time() - begun < 8
    assert len(found.frames) == 12
    assert found.left_out == 52 - 12
    outermost = {each.name: each.preview for each in found.frames[1].variables}
    assert outermost["bad"] == NO_REPR
    assert "its repr takes too long" in outermost["slow"]
    # No time is left for the innermost; its variables are told all the same.
    innermost = {each.name: each.preview for each in found.frames[-1].variables}
    assert innermost == {"depth": "", "bad": "", "slow": ""}


def test_a_hundred_variables_are_not_too_many_and_any_text_can_be_sent(
    shell: InteractiveShell,
) -> None:
    sources = "\n".join(f"    v{number} = {number}" for number in range(100))
    found = _failed(shell, f"def many():\n{sources}\n    raise KeyError('\\ud800')\nmany()")
    assert len(found.frames[-1].variables) == 30
    assert found.frames[-1].more == 70
    assert json.loads(last_error_json(shell))["words"].startswith("KeyError")


def test_no_name_is_rebound_and_an_error_of_syntax_has_no_frames(shell: InteractiveShell) -> None:
    found = _failed(shell, "a = 1", "a = (")
    assert found.words.splitlines()[-1].startswith("_IncompleteInputError") or (
        "SyntaxError" in found.words
    )
    assert found.frames == ()
    assert shell.user_ns["a"] == 1
