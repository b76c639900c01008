"""The steps of the fake agent ``plays``, and agents and folders that play scenes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.support.agents.fake_agent import script

__all__ = [
    "NO",
    "ONCE",
    "Step",
    "ask",
    "call",
    "die",
    "diff",
    "fail",
    "go_on",
    "hold",
    "plan",
    "player",
    "put_scene",
    "rest",
    "say",
    "text",
    "think",
    "update",
    "used",
    "write",
]

Step = dict[str, Any]

ONCE: Step = {"optionId": "once", "name": "Allow once", "kind": "allow_once"}
NO: Step = {"optionId": "no", "name": "Reject", "kind": "reject_once"}


def player(name: str, version: str = "2.0.31") -> dict[str, Any]:
    """An entry of ``c.AcpJupyter.agents``."""
    return {**script("plays", name, version), "name": name}


def put_scene(folder: Path, steps: list[Step]) -> None:
    """Write what turns from now on do."""
    shutil.rmtree(_signs(folder), ignore_errors=True)
    (folder / ".scene.json").write_text(json.dumps(steps))


def go_on(folder: Path, name: str) -> None:
    """End a `hold`."""
    _signs(folder).mkdir(exist_ok=True)
    (_signs(folder) / name).touch()


def _signs(folder: Path) -> Path:
    # Beside the folder: what is in it counts as changed by the turn.
    return folder.with_name(f".go-{folder.name}")


def say(words: str) -> Step:
    return update("agent_message_chunk", content=text(words))


def think(words: str) -> Step:
    return update("agent_thought_chunk", content=text(words))


def plan(done: int, *steps: str) -> Step:
    """A plan whose first steps are done, and the next is being done."""
    statuses = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
    entries = [
        {"content": step, "priority": "medium", "status": status}
        for step, status in zip(steps, statuses, strict=False)
    ]
    return update("plan", entries=entries)


def call(
    name: str,
    tool: str,
    kind: str,
    given: Mapping[str, Any],
    *shown: Step,
    status: str = "completed",
    more: Iterable[str] = (),
    **fields: Any,
) -> Step:
    """A tool call of this id; ``tool`` is its name as claude spells it."""
    content = [
        each if "type" in each and each["type"] == "diff" else _block(each) for each in shown
    ]
    return update(
        "tool_call",
        toolCallId=name,
        title=fields.pop("title", " ".join([tool, *more])),
        kind=kind,
        status=status,
        rawInput=dict(given),
        content=content,
        _meta={"claudeCode": {"toolName": tool}} if tool else {},
        **fields,
    )


def text(words: str) -> Step:
    return {"type": "text", "text": words}


def diff(path: str, old: str | None, new: str) -> Step:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def ask(*requests: tuple[Step, list[Step]]) -> Step:
    """Ask about tool calls, each with its options; all at once."""
    asked = [{"toolCall": tool_call, "options": options} for tool_call, options in requests]
    return {"ask": asked}


def write(path: str, content: str) -> Step:
    return {"write": path, "text": content}


def hold(name: str) -> Step:
    return {"hold": name}


def fail(words: str) -> Step:
    return {"fail": words}


def die(words: str) -> Step:
    return {"die": words}


def rest(seconds: float) -> Step:
    return {"rest": seconds}


def used(tokens: int, size: int, dollars: float) -> Step:
    return update(
        "usage_update", used=tokens, size=size, cost={"amount": dollars, "currency": "USD"}
    )


def update(kind: str, /, **fields: Any) -> Step:
    return {"update": {"sessionUpdate": kind, **fields}}


def _block(block: Step) -> Step:
    return {"type": "content", "content": block}
