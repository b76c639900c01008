"""Turns of what is no tool and no end: steps, plans, modes, notices, blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.acceptance.golden import read
from tests.acceptance.turns_of_tools import imported, play
from tests.support.transcript.traffic import Script

__all__ = ["SEED_TURNS"]


def _step(kind: str, step: str, **more: str) -> dict[str, Any]:
    return {"type": f"step_{kind}", "step_id": step, **more}


def steps() -> Script:
    """Named steps, one within the other, and a thought that no step opened."""
    return imported(
        _step("start", "planning", step_name="Planning Implementation"),
        _step("delta", "planning", content="First the data, "),
        _step("start", "data", step_name="Looking at the data"),
        _step("delta", "data", content="Three files."),
        _step("end", "data", status="completed"),
        _step("delta", "planning", content="then the page."),
        _step("end", "planning", status="completed"),
        _step("delta", "thinking", content="I need to first understand the codebase structure..."),
        {"type": "output_start"},
        {"type": "output_delta", "content": "I've updated the file to include "},
        {"type": "output_delta", "content": "a chart."},
        {"type": "output_end"},
    )


def _tests_run(*more: dict[str, Any]) -> list[dict[str, Any]]:
    bash = {"tool_call_id": "tc_123", "tool_name": "Bash"}
    command = {"command": "pytest", "description": "Run the tests"}
    half = {"status": "in_progress", "progress": 0.5, "message": "Running tests..."}
    start = {"type": "tool_start", **bash, "tool_input": command, "title": "Bash"}
    return [start, {"type": "tool_progress", **bash, **half}, *more]


def progress() -> Script:
    """A command that is half done."""
    return imported(*_tests_run(), end="")


def progress_done() -> Script:
    """The same command, done."""
    bash = {"tool_call_id": "tc_123", "tool_name": "Bash"}
    return imported(
        *_tests_run({"type": "tool_end", **bash, "status": "success", "result": "4 passed"})
    )


def plan_text() -> Script:
    """Plans of seed 002: one with entries, one that is text alone."""
    entry = {"id": "1", "description": "Read the file", "status": "pending", "priority": 1}
    words = "1. Read the file\n2. Make changes\n3. Run tests"
    script = imported({"type": "plan", "plan": words, "entries": [entry]}, end="")
    script.imported({"type": "done", "stop_reason": "end_turn"})
    script.turn("Again", "t2")
    script.imported({"type": "plan", "plan": words, "entries": []})
    script.imported({"type": "done", "stop_reason": "end_turn"})
    return script


def mode_line() -> Script:
    """The agent changes its mode."""
    words = "Starting implementation"
    return imported({"type": "mode_update", "mode": "implement", "description": words})


def commands() -> Script:
    """The agent names its commands."""
    return play("s4-available_commands_update")


def hooks() -> Script:
    """Hooks of the Claude CLI: one that went well, one that did not."""
    script = Script()
    prompt = script.turn()
    detail = {"_meta": {"acp-jupyter/detail": "ready"}}
    script.update("notice", severity="info", title="SessionStart:startup", message="ok", **detail)
    failed = {"_meta": {"acp-jupyter/detail": "jq: command not found"}}
    words = {"title": "PreToolUse:Bash", "message": "ended with exit code 127"}
    script.update("notice", severity="warning", **words, **failed)
    script.text("Done.")
    script.end(prompt)
    return script


def session_details() -> Script:
    """An agent that tells its model and its tools."""
    script = Script()
    told = {"acp-jupyter/session": {"model": "claude-opus-4-5", "tools": ["Read", "Edit", "Bash"]}}
    script.update("session_info_update", _meta=told)
    prompt = script.turn()
    script.text("Hello!")
    script.end(prompt)
    return script


def blocks() -> Script:
    """Content that is not text: image, audio, a file and a link to one."""
    kinds = ("image", "audio", "resource", "resource_link")
    names = (f"acp-agent_message_chunk-{kind}" for kind in kinds)
    return play(*names, "s4-agent_message_chunk-image")


def spoken() -> Script:
    """Pieces of a thought and of a message."""
    script = play("s1-agent_thought_chunk", "s1-agent_message_chunk", end="")
    for piece in (" a dashboard", " with **three**", " charts."):
        content = {**read("s1-agent_message_chunk")["content"], "text": piece}
        script.imported({**read("s1-agent_message_chunk"), "content": content})
    script.imported(read("s1-prompt_response"))
    return script


def unknown() -> Script:
    """Packets that nobody knows, between two that everybody knows."""
    script = play("s1-agent_message_chunk", "acp-hologram", end="")
    script.imported({"type": "teleport", "to": "moon"})
    script.imported(read("s1-agent_message_chunk"))
    script.imported(read("s1-prompt_response"))
    return script


SEED_TURNS: dict[str, Callable[[], Script]] = {
    "steps": steps,
    "progress": progress,
    "progress_done": progress_done,
    "plan_text": plan_text,
    "mode_line": mode_line,
    "commands": commands,
    "hooks": hooks,
    "session_details": session_details,
    "blocks": blocks,
    "spoken": spoken,
    "unknown": unknown,
}
