"""Traffic logs of a host of ours, imported again."""

from __future__ import annotations

import pytest

from tests.support.log.imported import import_lines
from tests.support.log.written_log import Log


def test_notes_of_a_host_are_kept_with_ids_of_this_import() -> None:
    log = Log()
    log.note(
        note="session_opened",
        session_id="old",
        agent_id="x",
        agent_name="Xavier",
        cwd="/w",
        folder="~",
    )
    origin = {"notebook_path": "mine.ipynb", "cell_id": "c1", "source": "%%acp"}
    prompt = [{"type": "text", "text": "Go"}]
    log.note(note="turn_queued", turn_id="t-old", prompt=prompt, origin=origin)
    log.note(note="turn_started", turn_id="t-old")
    log.prompt(1, "Go")
    log.ask(
        7, "session/request_permission", sessionId="s", toolCall={"toolCallId": "c"}, options=[]
    )
    number = len(log.lines)
    log.note(note="permission_settled", request_id=f"p{number}", by="turn_cancelled")
    log.answer(7, outcome={"outcome": "cancelled"})
    log.note(note="turn_stopped", turn_id="t-old")
    log.note(note="log_full", bytes=9)
    lines = [
        line if "d" in line else {"seq": place, "t": 1e9, "d": side, "m": line} | answer
        for place, line in enumerate(log.lines, 1)
        for side, answer in [
            (">", {"re": number}) if "result" in line else ("<" if line.get("id") == 7 else ">", {})
        ]
    ]
    imported = import_lines(lines)
    assert imported.problems == []
    assert (imported.facts.own, imported.facts.agent_name, imported.facts.cwd) == (
        True,
        "Xavier",
        "/w",
    )
    (turn_id,) = imported.transcript.turn_order
    turn = imported.transcript.turns[turn_id]
    assert turn_id != "t-old"
    assert (turn.origin, turn.prompt, turn.stop_reason) == (None, "Go", "cancelled")
    (call,) = imported.calls()
    assert call.permission is not None
    assert call.permission.outcome == "Not answered: turn stopped"
    notice = next(item for item in imported.items() if item.kind == "notice")
    assert "Lines are missing" in notice.text
    assert [entry.message["note"] for entry in imported.entries if entry.direction == "!"].count(
        "session_opened"
    ) == 0


@pytest.mark.parametrize(
    ("number", "imported_as"), [("9" * 15, "p0"), ("9" * 16, "p" + "9" * 16), ("\u0663", "p\u0663")]
)
def test_a_request_that_the_log_does_not_have_is_none_of_this_import(
    number: str, imported_as: str
) -> None:
    """What is no number of a line is left as it is."""
    log = Log()
    opened = {"session_id": "old", "agent_id": "x", "agent_name": "X", "cwd": "/w", "folder": "~"}
    log.note(note="session_opened", **opened)
    log.note(note="permission_settled", request_id=f"p{number}", by="turn_cancelled")
    imported = import_lines(log.lines)
    messages = [entry.message for entry in imported.entries]
    assert [each["request_id"] for each in messages if "request_id" in each] == [imported_as]
