"""What seed 004's handler does, as items of a transcript."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter import packets
from acp_jupyter.packets import gen_id, parse_packet
from acp_jupyter.protocol.packets import AgentMessageChunk, AgentThoughtChunk
from acp_jupyter.protocol.tools.table import TOOLS as TABLE
from acp_jupyter.transcript.model.items import AgentMessage, ErrorItem, Thought
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance import golden
from tests.acceptance.shown import only, shown
from tests.acceptance.turns_and_ends import ENDED_TURNS
from tests.acceptance.turns_of_tools import TOOL_TURNS, TOOLS, play
from tests.support.transcript.traffic import Script

PACKAGE = Path(packets.__file__).parent / "protocol"
PARSING = {"parse.packet", "parse.tool_calls", "parse.session", "traffic_reader"}


def imports_of(module: str) -> set[str]:
    """Return the modules of the package that a module of it imports."""
    tree = ast.parse((PACKAGE / f"{module.replace('.', '/')}.py").read_text())
    names = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    return {name.removeprefix("acp_jupyter.protocol.") for name in names if "acp_jupyter" in name}


def test_views_hold_no_title_and_no_detector() -> None:
    """S5.1, S5.47: what a tool is called and how it is told are decided once, in Python."""
    front_end = Path(__file__).parents[2] / "labextension/src"
    files = [f for f in front_end.rglob("*.ts*") if ".test." not in f.name and f.name != "types.ts"]
    assert len(files) > 50
    titles = {words for row in TABLE.values() for words in (row.title, row.edit_title)}
    detectors = {"todo_write", "todowrite", "subagentType", "sessionUpdate", "rawInput"}
    for file in files:
        text = file.read_text()
        assert [word for word in {*titles, *detectors} - {""} if word in text] == [], file


def test_the_layers_are_apart() -> None:
    """S5.3: cleaning, formatting and extracting import no layer above them."""
    assert not imports_of("files") & {*PARSING, "tools.titles", "tools.inputs"}
    assert not imports_of("tools.titles") & PARSING
    assert not imports_of("tools.inputs") & {*PARSING, "tools.titles"}
    assert not imports_of("tools.read_outputs") & {*PARSING, "tools.titles"}
    assert "tools.titles" not in imports_of("parse.tool_calls")


def test_the_public_names() -> None:
    """S5.3: parsing, extracting, formatting and cleaning are each there, and by name."""
    assert sorted(packets.__all__) == sorted(set(packets.__all__))
    for name in ("parse_packet", "get_file_path", "format_tool_output", "get_relative_path"):
        assert callable(getattr(packets, name))
        assert name in packets.__all__


@pytest.mark.parametrize(
    ("name", "kind", "item"),
    [
        ("agent_message_chunk", AgentMessageChunk, AgentMessage),
        ("agent_thought_chunk", AgentThoughtChunk, Thought),
    ],
)
def test_chunks_live_and_from_history(name: str, kind: type, item: Any) -> None:
    """S5.31: a message is text, a thought is thinking, on both ways."""
    raw = golden.read(f"s1-{name}")
    assert isinstance(parse_packet(raw), kind)
    live = Script()
    live.turn()
    live.update("", **raw)
    history = play(f"s1-{name}", end="")
    assert only(live, item).text == only(history, item).text == raw["content"]["text"]
    assert [len(shown(live, AgentMessage)), len(shown(live, Thought))].count(1) == 1


def test_a_start_of_todos_is_an_empty_list() -> None:
    """S5.32: with the id of its call; any other start is a pending card."""
    calls = {c.tool_name: c for c in shown(TOOL_TURNS["tools_started"](), ToolCall)}
    assert calls["todowrite"].todos == ()
    assert calls["todowrite"].tool_call_id == "toolu_01RcpWgYMMtMch3XPebkLwcp"
    for tool in set(TOOLS) - {"todowrite"}:
        card = calls[tool]
        assert card.todos is None
        assert (card.status, card.command, card.output) == ("pending", "", "")
        assert card.description in {"", "Running subagent"}
        assert card.title


def test_todos_are_replaced() -> None:
    """S5.33: whole, and with no card beside them."""
    script = TOOL_TURNS["todo_started"]()
    assert len(only(script, ToolCall).todos or ()) == 3
    script.imported(golden.read("s1-tool_call_progress-todowrite"))
    assert len(only(script, ToolCall).todos or ()) == 6
    one = golden.read("s1-tool_call_progress-todowrite")
    one["rawInput"] = {"todos": [{"content": "last", "status": "completed", "activeForm": ""}]}
    one["rawOutput"] = None
    script.imported(one)
    assert [todo.content for todo in only(script, ToolCall).todos or ()] == ["last"]


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("bash_done", {"command": "pytest -q", "output": "....\n4 passed in 0.12s\n"}),
        ("task_subagent", {"subagent_type": "Explore", "command": ""}),
        ("read_wrapped", {"description": "outputs/prepare.py", "first_line": 1}),
        ("edit_existing", {"description": "/path/to/file.ts", "tool_kind": "edit"}),
    ],
)
def test_progress_updates_the_same_card(turn: str, expected: dict[str, Any]) -> None:
    """S5.34: status, description, command, output, and the subagent of a task."""
    card = only(TOOL_TURNS[turn](), ToolCall)
    assert card.status == "completed"
    assert {name: getattr(card, name) for name in expected} == expected
    assert bool(card.subagent_type) == (turn == "task_subagent")


@pytest.mark.parametrize("turn", ["stop_end_turn", "error"])
def test_a_turn_completes_or_fails(turn: str) -> None:
    """S5.35: nothing streams on; an error is told."""
    script = ENDED_TURNS[turn]()
    assert [message.open for message in shown(script, AgentMessage)] == [False]
    state = script.transcript.turns["t1"]
    assert state.status == "done"
    assert script.transcript.session.status == "idle"
    if turn == "error":
        assert state.failure is not None
        assert "Too many requests" in state.failure.message
        assert only(script, ErrorItem).message == state.failure.message
    else:
        assert state.failure is None
        assert state.stop_reason == "end_turn"


@pytest.mark.parametrize(
    ("turn", "is_new", "old", "new"),
    [
        ("write_new", True, None, "// new file content..."),
        ("edit_existing", False, "const x = 1;", "const x = 2;\nconst y = 3;"),
        ("write_existing_empty", False, None, "one\n"),
    ],
)
def test_a_card_has_both_texts(turn: str, is_new: bool, old: str | None, new: str) -> None:
    """S5.42: new or not, the text before and after; none before is empty."""
    card = only(TOOL_TURNS[turn](), ToolCall)
    (diff,) = card.diffs
    assert (card.is_new_file, diff.is_new_file) == (is_new, is_new)
    assert (diff.old_text, diff.new_text) == (old, new)
    assert only(TOOL_TURNS["bash_done"](), ToolCall).is_new_file is None


def test_new_ids() -> None:
    """S5.46: short, plain, and safe in a file name or an URL."""
    assert gen_id().isalnum()
