"""Turns with the tools of the seeds, made of golden packets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.acceptance.golden import read
from tests.support.transcript.traffic import Script

__all__ = ["TOOLS", "TOOL_TURNS", "imported", "play"]

TOOLS = (
    "glob",
    "grep",
    "read",
    "write",
    "edit",
    "bash",
    "task",
    "todowrite",
    "webfetch",
    "websearch",
)
"""Every tool that seed 000 names."""

BOX = "/workspace/sandboxes/7f3c"
"""The folder of seed 000's session."""
AT = 1_769_109_180.0
"""Shortly before the times in seed 000's packets."""


def play(*names: str, prompt: str = "Build a dashboard.", end: str = "end_turn") -> Script:
    """Play one turn of an imported log: golden packets, and how the turn ends."""
    script = Script(cwd=BOX, start=AT)
    script.turn(prompt)
    for name in names:
        script.imported(read(name))
    if end:
        script.imported({"type": "prompt_response", "stopReason": end, "_meta": {}})
    return script


def imported(*packets: dict[str, Any], end: str = "end_turn") -> Script:
    """Play one turn of seed 002's packets."""
    script = play(prompt="Build a dashboard.", end="")
    for packet in packets:
        script.imported({"timestamp": "2026-01-22T19:13:10.000Z", **packet})
    if end:
        script.imported({"type": "done", "stop_reason": end})
    return script


def _tool(tool: str, *ends: str) -> Callable[[], Script]:
    names = (f"s1-tool_call_progress-{tool}{end}" for end in ends or ("",))
    return partial(play, f"s1-tool_call_start-{tool}", *names)


def _search(*ends: str) -> Callable[[], Script]:
    return _tool("glob", *ends)


def started() -> Script:
    """Every tool of the seeds, of which nothing but the start was told."""
    tools = [
        "glob",
        "grep",
        "read",
        "write",
        "edit",
        "bash",
        "task",
        "todowrite",
        "webfetch",
        "websearch",
    ]
    return play(*(f"s1-tool_call_start-{tool}" for tool in tools), end="")


def finished() -> Script:
    """Every tool of the seeds, one after the other."""
    tools = [
        "glob",
        "grep",
        "read",
        "write-new",
        "edit",
        "bash",
        "task",
        "todowrite",
        "webfetch",
        "websearch",
    ]
    names = (
        (f"s1-tool_call_start-{tool.removesuffix('-new')}", f"s1-tool_call_progress-{tool}")
        for tool in tools
    )
    return play(*(name for pair in names for name in pair))


def nothing_but_nulls() -> Script:
    """A call of which every field that may say nothing says nothing."""
    script = play("s1-tool_call_start-glob", end="")
    nulls: dict[str, Any] = dict.fromkeys(("content", "rawInput", "rawOutput", "locations"))
    packet = {**read("s1-tool_call_progress-glob"), **nulls, "title": None}
    script.imported(packet)
    return script


def edit_unchanged_lines() -> Script:
    """An edit in the middle of a long file: what is around it did not change."""
    old = [f"line {n}" for n in range(1, 41)]
    new = [*old[:19], "line 20, changed", "one more line", *old[20:]]
    script = Script(cwd="/ws")
    prompt = script.turn("Change line 20.")
    diff = {"type": "diff", "path": "/ws/src/long.txt"}
    diff |= {"oldText": "\n".join(old) + "\n", "newText": "\n".join(new) + "\n"}
    script.update("tool_call", toolCallId="c1", title="edit", kind="edit", content=[diff])
    script.update("tool_call_update", toolCallId="c1", status="completed")
    script.end(prompt)
    return script


def locations() -> Script:
    """A call that names places in files: one with a line, one without, one elsewhere."""
    script = Script(cwd="/ws")
    prompt = script.turn("Where is it?")
    places = [
        {"_meta": None, "path": "/ws/src/a.py", "line": 12},
        {"_meta": None, "path": "/ws/src/b/index.ts", "line": None},
        {"_meta": None, "path": "/etc/hosts", "line": 1},
    ]
    call = {"toolCallId": "c1", "title": "Looking around", "kind": "read"}
    script.update("tool_call", **call, locations=places)
    script.update("tool_call_update", toolCallId="c1", status="completed", locations=None)
    script.end(prompt)
    return script


def todo_started() -> Script:
    """A list of todos that has only begun."""
    names = ("s1-tool_call_start-todowrite", "s1-tool_call_progress-todowrite-in_progress")
    return play(*names, end="")


def plan_beside_todos() -> Script:
    """A plan and a list of todos in one turn."""
    return play(
        "s1-agent_plan_update",
        "s1-tool_call_start-todowrite",
        "s1-tool_call_progress-todowrite",
    )


TOOL_TURNS: dict[str, Callable[[], Script]] = {
    "tools_started": started,
    "tools_finished": finished,
    "tool_nothing_but_nulls": nothing_but_nulls,
    "search_found": _search("-in_progress", ""),
    "search_none": _search("-none"),
    "search_truncated": _search("-truncated"),
    "grep_found": _tool("grep"),
    "read_wrapped": _tool("read"),
    "read_truncated": _tool("read", "-truncated"),
    "write_new": _tool("write", "-new"),
    "write_existing_empty": _tool("write", "-existing_empty"),
    "edit_existing": _tool("edit"),
    "edit_diagnostics": _tool("edit", "-diagnostics"),
    "edit_unchanged_lines": edit_unchanged_lines,
    "bash_done": _tool("bash"),
    "bash_exit_3": _tool("bash", "-failed"),
    "task_subagent": _tool("task"),
    "todo_started": todo_started,
    "todo_titles": _tool("todowrite", "-in_progress", ""),
    "plan_beside_todos": plan_beside_todos,
    "locations": locations,
}
