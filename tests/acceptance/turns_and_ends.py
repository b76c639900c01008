"""Turns by how they end."""

from __future__ import annotations

from collections.abc import Callable

from tests.acceptance.turns_of_tools import imported, play
from tests.support.transcript.traffic import Script

__all__ = ["ENDED_TURNS"]

_REASONS = [
    "max_tokens",
    "max_turn_requests",
    "refusal",
    "cancelled",
    "stop_sequence",
    "end_turn",
    "moon",
]


def done_usage() -> Script:
    """An end with summary and tokens."""
    usage = {"input_tokens": 1000, "output_tokens": 500}
    script = imported({"type": "output_delta", "content": "All done."}, end="")
    done = {"type": "done", "summary": "Task completed successfully", "stop_reason": "end_turn"}
    script.imported({**done, "usage": usage, "timestamp": "2026-01-22T19:13:12.500Z"})
    return script


def _stops(reason: str) -> Callable[[], Script]:
    return lambda: play("s1-agent_message_chunk", end=reason)


def stop_budget() -> Script:
    """A turn of the Claude CLI whose budget is used up."""
    script = play("s1-agent_message_chunk", end="")
    meta = {"claudeCode": {"subtype": "error_max_budget_usd", "durationMs": 1234}}
    script.imported({"type": "done", "stop_reason": "max_turn_requests", "_meta": meta})
    return script


def error() -> Script:
    """A turn that ends in an error with a code that is a word."""
    return play("s1-agent_message_chunk", "s1-error-code", end="")


def error_number() -> Script:
    """The same with a code that is a number."""
    words = "Failed to read file: File not found"
    return imported({"type": "error", "message": words, "code": -1}, end="")


ENDED_TURNS: dict[str, Callable[[], Script]] = {
    "done_usage": done_usage,
    **{f"stop_{reason}": _stops(reason) for reason in _REASONS},
    "stop_budget": stop_budget,
    "error": error,
    "error_number": error_number,
}
