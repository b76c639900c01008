"""What was said in a session, read from the lines of its log."""

from __future__ import annotations

import json

from acp_jupyter.host.store.log_reader import read_said


def line(side: str, message: dict[str, object]) -> bytes:
    entry = {"seq": 1, "t": 1.5, "d": side, "m": message}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def note(name: str, **fields: object) -> bytes:
    return line("!", {"note": name, **fields})


def update(kind: str, **fields: object) -> bytes:
    told = {"sessionUpdate": kind, **fields}
    return line("<", {"method": "session/update", "params": {"sessionId": "s", "update": told}})


def chunk(text: str, kind: str = "agent_message_chunk") -> bytes:
    return update(kind, content={"type": "text", "text": text})


def prompt(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def test_prompts_that_were_sent_and_answers_between_tool_calls() -> None:
    lines = [
        note("turn_queued", turn_id="a", prompt=prompt("first")),
        note("turn_queued", turn_id="b", prompt=prompt("taken back")),
        note("turn_edited", turn_id="a", prompt=prompt("edited")),
        note("turn_removed", turn_id="b"),
        note("turn_started", turn_id="a"),
        chunk("One "),
        chunk("think", "agent_thought_chunk"),
        chunk("thing."),
        update("tool_call", title="Read"),
        chunk("Done."),
        b"{torn",
    ]
    assert list(read_said(lines)) == [
        ("a", "prompt", "edited"),
        ("a", "answer", "One thing."),
        ("a", "answer", "Done."),
    ]


def test_what_an_agent_repeats_counts_once() -> None:
    lines = [
        note("replay_started", keep=True),
        chunk("kept"),
        note("replay_ended"),
        note("turn_queued", turn_id="a", prompt=prompt("go")),
        note("turn_started", turn_id="a"),
        note("replay_started", keep=False),
        chunk("kept"),
        note("replay_ended"),
        chunk("new"),
    ]
    assert list(read_said(lines)) == [
        ("", "answer", "kept"),
        ("a", "prompt", "go"),
        ("a", "answer", "new"),
    ]
