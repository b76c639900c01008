"""Turns with tool calls of any agent: kinds, contents, questions, ends without words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from acp.schema import ToolKind

from tests.support.transcript.traffic import Script

__all__ = ["CALL_TURNS", "KINDS", "OPTIONS"]

Json = dict[str, Any]

KINDS: tuple[str, ...] = get_args(ToolKind)
"""The protocol's ten."""
PIXEL = "iVBORw0KGgo="
OPTIONS: list[Json] = [
    {"optionId": "y1", "name": "Yes, this time", "kind": "allow_once"},
    {"optionId": "y2", "name": "Yes, in this session", "kind": "allow_always"},
    {"optionId": "n1", "name": "No", "kind": "reject_once"},
    {"optionId": "n2", "name": "No, never", "kind": "reject_always"},
    {"optionId": "m", "name": "Ask Ada", "kind": "perhaps"},
]
WANTED: Json = {
    "toolCallId": "c1",
    "title": "Copying the report",
    "kind": "other",
    "status": "pending",
    "locations": [{"path": "/ws/out/report.txt", "line": 7}],
    "rawInput": {"target": "/ws/out/report.txt", "overwrite": True},
}


def _turn() -> Script:
    script = Script(cwd="/ws")
    script.turn("Look after my files.")
    return script


def _said(text: str) -> list[Json]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def kinds() -> Script:
    """One call of each kind, one of a kind that nobody knows, one of none; without titles."""
    script = _turn()
    for kind in (*KINDS, "hologram", None):
        script.update("tool_call", toolCallId=f"c-{kind}", title="", kind=kind)
    return script


def never_seen() -> Script:
    """A tool that nobody has heard of, of which only the start was told."""
    script = _turn()
    call = {**WANTED, "title": "frobnicate_widget", "kind": None}
    script.update("tool_call", **call)
    return script


def contents() -> Script:
    """A result with each of the content blocks, and two of some."""
    blocks: list[Json] = [
        {"type": "text", "text": "Two pictures and a sound."},
        {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        {"type": "image", "data": PIXEL, "mimeType": "image/png", "uri": "file:///ws/b.png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///ws/data.csv", "name": "data.csv", "size": 1024},
        {"type": "resource", "resource": {"uri": "file:///ws/notes.md", "text": "# Notes"}},
    ]
    script = _turn()
    script.update("tool_call", toolCallId="c1", title="Painting", kind="other")
    wrapped = [{"type": "content", "content": block} for block in blocks]
    script.update("tool_call_update", toolCallId="c1", status="completed", content=wrapped)
    return script


def announced() -> Script:
    """A call before anything of it runs."""
    script = _turn()
    script.update("tool_call", **WANTED)
    return script


def asked() -> Script:
    """The same, and the agent asks; options of every kind."""
    script = announced()
    script.ask(WANTED, OPTIONS)
    return script


def asked_without_options() -> Script:
    """A question to which there is no answer."""
    script = announced()
    script.ask(WANTED, [])
    return script


def proposed() -> Script:
    """An edit that is announced with its new text, before there is a diff."""
    script = _turn()
    call: Json = {"toolCallId": "e1", "title": "Edit main.py", "kind": "edit", "status": "pending"}
    wanted = {"path": "/ws/src/main.py", "content": "print('new')\n"}
    script.update("tool_call", **call, locations=[{"path": wanted["path"]}], rawInput=wanted)
    return script


def streamed() -> Script:
    """Long work that tells its progress, the whole text each time."""
    script = _turn()
    script.update("tool_call", toolCallId="c1", title="Baking", kind="other", status="in_progress")
    text = ""
    for piece in ("Mixing…\n", "Heating…\n", "Baking…\n"):
        text += piece
        script.update("tool_call_update", toolCallId="c1", content=_said(text))
    return script


def few_words() -> Script:
    """A read that ends with a count of bytes, a rejected edit that ends with nothing."""
    script = _turn()
    place = [{"path": "/ws/a.txt"}]
    read = {"toolCallId": "r", "title": "Reading /ws/a.txt", "kind": "read", "locations": place}
    edit = {"toolCallId": "e", "title": "Editing /ws/a.txt", "kind": "edit", "locations": place}
    script.update("tool_call", **read, status="in_progress")
    script.update("tool_call_update", toolCallId="r", status="completed", rawOutput={"bytes": 5})
    script.update("tool_call", **edit, status="in_progress")
    script.answer(script.ask({**edit, "status": "in_progress"}, OPTIONS), "n1")
    script.update("tool_call_update", toolCallId="e", status="failed")
    return script


def ended() -> Script:
    """Two calls that end with their raw output, completed and failed; each is told more later."""
    script = _turn()
    ends = {"completed": {"copied": 3}, "failed": {"reason": "disk full"}}
    for status, raw in ends.items():
        call: Json = {"toolCallId": status, "title": f"Copying, {status}", "kind": "other"}
        script.update("tool_call", **call, status="in_progress", rawInput={"to": "/ws/b"})
        end: Json = {"toolCallId": status, "status": status}
        script.update("tool_call_update", **end, rawOutput=raw)
    for status in ends:
        more: Json = {"rawOutput": {"more": f"later {status}"}, "content": _said("Told late.")}
        script.update("tool_call_update", toolCallId=status, **more)
    return script


def subagents() -> Script:
    """Two subagents at once, one with a subagent of its own; the other asks."""
    script = _turn()
    for number, kind in (("1", "Explore"), ("2", "general-purpose")):
        asked = {"description": f"Task {number}", "prompt": "Look.", "subagent_type": kind}
        call = {"toolCallId": f"t{number}", "title": "Task", "kind": "think"}
        script.update("tool_call", **call, status="in_progress", rawInput=asked)
    one, two = (Json({"_meta": {"claudeCode": {"parentToolUseId": name}}}) for name in ("t1", "t2"))
    read: Json = {"toolCallId": "r1", "title": "Read", "kind": "read", **one}
    script.update("tool_call", **read, rawInput={"file_path": "/ws/a.py"})
    script.text("Only in ", **one)
    script.text("Nothing here.", **two)
    script.text("a.py.", **one)
    deeper = {"description": "Task 3", "prompt": "Look closer.", "subagent_type": "Explore"}
    inner: Json = {"toolCallId": "t3", "title": "Task", "kind": "think", **one}
    script.update("tool_call", **inner, status="in_progress", rawInput=deeper)
    deepest = {"_meta": {"parentToolCallId": "t3"}}
    script.update("tool_call", toolCallId="g1", title="Grep", kind="search", **deepest)
    script.update("tool_call_update", toolCallId="r1", status="completed", **one)
    script.ask({"toolCallId": "x1", "title": "ls", "kind": "execute", **two}, OPTIONS)
    return script


CALL_TURNS: dict[str, Callable[[], Script]] = {
    "call_kinds": kinds,
    "call_never_seen": never_seen,
    "call_contents": contents,
    "call_announced": announced,
    "call_asked": asked,
    "call_asked_without_options": asked_without_options,
    "call_proposed": proposed,
    "call_streamed": streamed,
    "call_few_words": few_words,
    "call_ended": ended,
    "call_subagents": subagents,
}
