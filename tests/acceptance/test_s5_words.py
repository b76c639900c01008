"""What people read on a card: the seeds' words, and the agent's own."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only
from tests.support.transcript.traffic import Script

Json = dict[str, Any]


def card(**fields: Any) -> ToolCall:
    """Draw a tool call in the folder /ws."""
    script = Script(cwd="/ws")
    script.turn()
    script.update("tool_call", toolCallId="c", **fields)
    return only(script, ToolCall)


FILE = {"file_path": "/ws/src/a.py"}


@pytest.mark.parametrize(
    ("title", "shown_as", "description"),
    [
        ("read", "Reading file", "src/a.py"),
        ("Read", "Reading file", "src/a.py"),
        ("src/a.py", "Reading file", "src/a.py"),
        ("a.py", "Reading file", "src/a.py"),
        (".py", ".py", "src/a.py"),
        ("/ws/src/a.py", "Reading file", "src/a.py"),
        ("/somewhere/else", "Reading file", "src/a.py"),
        ("…", "Reading file", "src/a.py"),
        ("  ", "Reading file", "src/a.py"),
        ("Read /ws/src/a.py", "Read src/a.py", ""),
        ("Look at the loader", "Look at the loader", "src/a.py"),
        ("either/or", "either/or", "src/a.py"),
    ],
)
def test_an_agents_own_title(title: str, shown_as: str, description: str) -> None:
    """S5.21, S5.24, C17, C24: shown, unless it is a bare name or a path."""
    call = card(title=title, kind="read", rawInput=FILE)
    assert (call.title, call.description, call.path) == (shown_as, description, "src/a.py")


def test_the_command_is_no_title() -> None:
    """S5.21, S5.25, C24: it is the description, unless the agent describes it."""
    raw: Json = {"command": "pytest -q"}
    bare = card(title="pytest -q", kind="execute", rawInput=raw)
    assert (bare.title, bare.description) == ("Running command", "pytest -q")
    raw["description"] = "Run the tests"
    told = card(title="bash", kind="execute", rawInput=raw)
    assert (told.title, told.description) == ("Running command", "Run the tests")


def test_the_path_is_that_of_input_diff_or_location() -> None:
    """S1.52, C17: in this order, relative to the folder."""
    diff = {"type": "diff", "path": "/ws/d.py", "oldText": "a", "newText": "b"}
    places = [{"path": "/ws/l.py"}]
    whole: Json = {"title": "edit", "kind": "edit", "locations": places, "content": [diff]}
    assert card(**whole, rawInput=FILE).path == "src/a.py"
    assert card(**whole).path == "d.py"
    del whole["content"]
    assert card(**whole).path == "l.py"
    del whole["locations"]
    assert card(**whole).path == ""
    titled = card(title="/ws/l.py", kind="delete", locations=places)
    assert (titled.title, titled.description) == ("Deleting file", "l.py")


@pytest.mark.parametrize(
    ("raw", "description"),
    [
        ({"pattern": "*.py", "query": "q", "url": "u", "description": "d"}, "*.py"),
        ({"query": "q", "url": "u", "description": "d"}, "q"),
        ({"url": "u", "description": "d"}, "u"),
        ({"description": "d"}, "d"),
        ({"pattern": 5, "description": "d"}, "d"),
        ({"path": "/ws/a", "pattern": "*.py"}, "a"),
        ({"other": "o"}, ""),
    ],
    ids=str,
)
def test_what_an_unknown_tool_is_about(raw: Json, description: str) -> None:
    """S5.26: the first thing that its input names."""
    call = card(title="mytool", rawInput=raw)
    assert (call.description, call.tool_kind, call.ui_kind) == (description, "other", "other")


@pytest.mark.parametrize(
    ("told", "kind"), [(None, "think"), ("other", "think"), ("search", "search"), ("read", "read")]
)
def test_the_more_specific_kind_counts(told: str | None, kind: str) -> None:
    """S1.45, C19: the icon's; the kind for views is the name's."""
    call = card(title="task", kind=told)
    assert (call.tool_kind, call.ui_kind) == (kind, "task")
