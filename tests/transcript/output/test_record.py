"""What is saved of a turn, and that the page reads the whole of it.

``ACP_WRITE_GOLDEN=1 pytest`` on this file writes ``tests/golden/records.json`` anew, which
``saved_record.test.ts`` reads.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from acp_jupyter.transcript.model.items import AgentMessage, Item, Thought, TurnEnd
from acp_jupyter.transcript.model.session_state import AgentInfo, TurnState
from acp_jupyter.transcript.model.tool_items import Diff, TerminalView, ToolCall
from acp_jupyter.transcript.output.diff_text import trimmed_diff, unified_diff
from acp_jupyter.transcript.output.record import TurnSnapshot, run_mark, saved_record

GOLDEN = Path(__file__).parents[2] / "golden"
NAMES = ("call_subagents", "call_contents", "call_ended", "blocks", "artifacts", "bash_exit_3")
ITEMS: TypeAdapter[tuple[Item, ...]] = TypeAdapter(tuple[Item, ...])


def _golden(name: str) -> TurnSnapshot:
    file = json.loads((GOLDEN / "turns" / f"{name}.json").read_text())
    turns = [TurnState(**event["turn"]) for event in file["events"] if "turn" in event]
    return _snapshot(turns[-1], ITEMS.validate_python(file["items"]))


def _snapshot(turn: TurnState, items: tuple[Item, ...]) -> TurnSnapshot:
    return TurnSnapshot(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        final=turn.status == "done",
        agent=AgentInfo(id="demo", name="Demo", version="1"),
        turn=turn,
        items=tuple(item for item in items if item.kind != "user_message"),
        footer=("Demo 1",),
    )


def _turn(number: int) -> TurnSnapshot:
    """Return the same turn as it comes in another run."""
    at = 1_000_000.25 * number
    turn = TurnState(
        turn_id=f"t{number}",
        session_id=f"s{number}",
        status="done",
        stop_reason="end_turn",
        queued_at=at,
        started_at=at + 0.01,
        ended_at=at + 2.5 + number,
    )
    call = ToolCall(
        id=f"i{number}1",
        tool_call_id=f"call-{number}",
        title="Run pytest",
        tool_kind="execute",
        ui_kind="execute",
        status="completed",
        command="pytest",
        terminal=TerminalView(terminal_id=f"terminal-{number}", command="pytest", running=False),
        diffs=(Diff(path="a.py", old_text=None, new_text="x", old_line=None, new_line=9),),
        started_at=at + 0.5,
        ended_at=at + 0.75 * number,
        turn_id=turn.turn_id,
    )
    step = Thought(id=f"i{number}2", text="Hm", parent_id=call.id, started_at=at + 0.6)
    answer = AgentMessage(id=f"i{number}3", text="Done.", open=False)
    end = TurnEnd(id=f"i{number}4", stop_reason="end_turn", duration_seconds=2.4 * number)
    return _snapshot(turn, (call, step, answer, end))


def test_equal_turns_give_equal_records_and_their_run_is_one_line() -> None:
    first, again = _turn(1), _turn(2)
    assert saved_record(first) == saved_record(again)
    assert run_mark(first.turn, first.items) == {
        "acp_jupyter": {"t1": "s1 1000000250 10 3500 2400 500 750 600 -"}
    }


def test_a_change_is_saved_with_the_lines_around_it() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 101))
    diff = Diff(path="a", old_text=old, new_text=old.replace("line 50\n", "other\n"))
    short = trimmed_diff(diff)
    assert (short.old_line, short.new_line) == (47, 47)
    assert short.old_text == "".join(f"line {n}\n" for n in range(47, 54))
    assert unified_diff(short) == unified_diff(diff)


def test_the_page_reads_the_same_records() -> None:
    snapshots = {name: _golden(name) for name in NAMES} | {"run again": _turn(2)}
    golden: dict[str, Any] = {
        name: {
            "whole": snapshot.model_dump(mode="json"),
            "record": saved_record(snapshot),
            "metadata": run_mark(snapshot.turn, snapshot.items),
        }
        for name, snapshot in snapshots.items()
    }
    file = GOLDEN / "records.json"
    if os.environ.get("ACP_WRITE_GOLDEN"):
        file.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n")
    assert json.loads(file.read_text()) == golden
