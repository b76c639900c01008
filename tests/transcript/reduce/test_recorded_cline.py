"""What Cline sends reads like what other agents send: recorded turns, as their readers see them."""

from __future__ import annotations

import pytest

from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only, shown
from tests.support.host.permission_answers import answer, asked, rule
from tests.support.log.recorded import recording


def test_an_edit_by_patch_is_a_diff() -> None:
    read, edit = shown(recording("cline-edit_file").script, ToolCall)
    assert (read.title, read.description, read.output.splitlines()[0]) == (
        "Reading file",
        "hello.py",
        "def main():",
    )
    assert (edit.title, edit.path, edit.is_new_file) == ("Editing file", "hello.py", False)
    (diff,) = edit.diffs
    assert (diff.added, diff.removed) == (1, 1)
    assert read.permission is not None
    assert read.permission.details == ()


def test_a_command_has_its_output_and_its_exit_code() -> None:
    call = only(recording("cline-fail_command").script, ToolCall)
    assert (call.title, call.command) == ("Running command", "echo before; exit 3")
    assert call.exit_code == 3
    assert "before" in call.output


def test_many_tools() -> None:
    calls = shown(recording("cline-many_tools").script, ToolCall)
    assert [(call.title, call.description) for call in calls] == [
        ("Reading file", "hello.py"),
        ("Running command", "echo one"),
        ("Running command", "echo two"),
        ("Running command", "grep -rn hello . || ls"),
        ("Writing file", "many.py"),
        ("Reading file", "many.py"),
        ("Editing file", "many.py"),
        ("Running command", "python3 many.py || true"),
    ]
    assert calls[3].output == './hello.py:2:    print("hello from mock")\n'


@pytest.mark.parametrize(
    ("commands", "rule_text"),
    [
        (["make test"], "execute:make test"),
        ([{"command": "make", "args": ["test"]}], "execute:make test"),
    ],
    ids=str,
)
def test_a_rule_covers_one_command(commands: list[object], rule_text: str) -> None:
    call = asked("execute", {"commands": commands})
    assert call.command == "make test"
    expected = "once" if commands == ["make test"] else None
    assert answer(call, rule(rule_text)) == expected


def test_no_rule_covers_several_commands() -> None:
    # Each is run by itself, so a quote that one opens does not reach into the next.
    call = asked("execute", {"commands": ['echo "', 'rm -r . #"']})
    assert answer(call, rule("execute:echo *")) is None
    assert call.permission is not None
    assert [detail.name for detail in call.permission.details] == ["commands"]
