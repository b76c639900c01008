"""A turn as at most 20 lines of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acp_jupyter.transcript.model.items import AgentMessage, ErrorItem, Item
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.outcomes import (
    duration_words,
    nested,
    outcome_facts,
    running_words,
    step_count_words,
    turn_seconds,
)
from acp_jupyter.transcript.safe_text.escaping import one_line

_PLAIN_LINES = 20
_PLAIN_CHARS = 200
_READ_CHARS = 10_000


def turn_plain_text(turn: TurnState, items: Sequence[Item], *, footer: Sequence[str] = ()) -> str:
    """Return at most 20 lines: the answer's beginning, the tool calls, how it ended.

    Without a footer the last line says how long the turn took.
    """
    footer = footer or list(filter(None, [duration_words(turn_seconds(turn, items))]))
    rows = nested(items)
    answer = _plain_lines(item.text for item, _ in rows if isinstance(item, AgentMessage))
    tools = [_plain_call(item, steps) for item, steps in rows if isinstance(item, ToolCall)]
    end = [one_line(text, _PLAIN_CHARS) for text in _outcome_lines(turn, items) if text]
    end += [one_line(" · ".join(footer), _PLAIN_CHARS)] if footer else []
    room = _PLAIN_LINES - len(end)
    tools = _cut_lines(tools, max(room - len(answer), room // 2), "more tool calls")
    answer = _cut_lines(answer, room - len(tools), "more lines")
    return "\n".join([*answer, *tools, *end])


def _plain_lines(texts: Iterable[str]) -> list[str]:
    # Of a line of megabytes the beginning is enough to find what is shown of it.
    whole = (line for text in texts for line in text.splitlines())
    lines = (one_line(line[:_READ_CHARS], _PLAIN_CHARS) for line in whole)
    return [line for line in lines if line]


def _plain_call(call: ToolCall, steps: Sequence[Item]) -> str:
    parts = [call.title, "" if call.description in call.title else call.description]
    parts.append(step_count_words(steps))
    return one_line("- " + " · ".join(filter(None, [*parts, *outcome_facts(call)])), _PLAIN_CHARS)


def _outcome_lines(turn: TurnState, items: Sequence[Item]) -> list[str]:
    if turn.status != "done":
        return [running_words(turn)]
    errors = [f"Error: {item.message}" for item in items if isinstance(item, ErrorItem)]
    return errors[:3] or [turn.words]


def _cut_lines(lines: list[str], room: int, what: str) -> list[str]:
    if len(lines) <= room:
        return lines
    kept = max(0, room - 1)
    return [*lines[:kept], f"… {len(lines) - kept} {what}"]
