"""A turn or a session as Markdown, for readers without our views; a turn as plain text.

Plain text has at most 20 lines.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from acp_jupyter.protocol.formatting import shorten_middle
from acp_jupyter.protocol.host_events.notes import CellError
from acp_jupyter.protocol.tools.inputs import TodoItem
from acp_jupyter.transcript.escaping import (
    agent_markdown,
    details,
    inert,
    inert_html,
    one_line,
    printable_block,
    quote,
)
from acp_jupyter.transcript.model.items import (
    AgentMessage,
    Artifact,
    Elicitation,
    ErrorItem,
    FileWriteItem,
    Item,
    Notice,
    Plan,
    PlanEntry,
    Thought,
    TrustRequest,
    TurnEnd,
    UserMessage,
)
from acp_jupyter.transcript.model.session_state import STEERED, SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall
from acp_jupyter.transcript.output.diff_text import unified_diff
from acp_jupyter.transcript.output.plain_text import (
    duration_text,
    item_times,
    other_details,
    outcome_facts,
    running_text,
    turn_seconds,
)
from acp_jupyter.transcript.output.terminal_screen import terminal_tail
from acp_jupyter.transcript.view import nested, step_count_text

OUTPUT_CHARS = 2_000
"""Limit of a tool's output; the whole is in the session."""
_TEXT_CHARS = 256 * 1024
_TURN_CHARS = 512 * 1024
_OPEN_DIFF_LINES = 60
_MAX_STEPS = 100
_STEP_CHARS = 300


def turn_markdown(
    turn: TurnState,
    items: Iterable[Item],
    *,
    thoughts: bool = False,
    footer: Sequence[str] = (),
) -> str:
    """Return a turn's answer as Markdown, with foldable tool calls.

    Parameters
    ----------
    footer
        Facts for the last line; by default the duration of the turn.
    """
    items = tuple(items)
    footer = footer or list(filter(None, [duration_text(turn_seconds(turn, items))]))
    parts = deque(
        [f"<sub>{' · '.join(inert_html(fact) for fact in footer)}</sub>"] if footer else []
    )
    if turn.status != "done":
        parts.appendleft(f"*{running_text(turn)}*")
    rows = nested(items)
    room = _TURN_CHARS
    # Keep the newest parts that fit, each complete, so that no block is left open.
    while rows:
        item, steps = rows[-1]
        more = _steps(steps, thoughts=thoughts)
        part = (
            _tool_call(item, more) if isinstance(item, ToolCall) else _item(item, thoughts=thoughts)
        )
        room -= len(part)
        if room < 0:
            parts.appendleft(f"*… {len(rows)} earlier parts are left out …*")
            break
        if part:
            parts.appendleft(part)
        rows.pop()
    if turn.origin is not None and turn.origin.error is not None:
        parts.appendleft(f"*{_about(turn.origin.error)}*")
    return "\n\n".join(parts)


_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _about(error: CellError) -> str:
    """Return which error the prompt is about, with a link to the cell."""
    head = inert(error.head)
    if _CELL_ID.fullmatch(error.cell_id):
        head = f"[{head}](#cell-id={error.cell_id})"
    return f"{head}: {inert(error.words)}"


def session_markdown(
    session: SessionState,
    turns: Iterable[TurnState],
    items: Mapping[str, Sequence[Item]],
    *,
    thoughts: bool = False,
) -> str:
    """Return a session for export: each turn below its prompt."""
    parts = [f"# {inert(session.title or session.agent_info.name)}"]
    for turn in turns:
        if turn.stop_reason == STEERED:
            continue
        parts.append(quote(agent_markdown(turn.prompt)))
        parts.append(turn_markdown(turn, items.get(turn.turn_id, ()), thoughts=thoughts))
    return "\n\n".join(part for part in parts if part) + "\n"


def shown_output(call: ToolCall) -> str:
    """Return the shown part of a call's output: the end of a terminal, else both ends."""
    if call.terminal is not None:
        return terminal_tail(call.output, OUTPUT_CHARS)
    return shorten_middle(call.output, OUTPUT_CHARS)


# -- Markdown ----------------------------------------------------------------


def _item(item: Item, *, thoughts: bool) -> str:  # noqa: C901 - one flat match
    match item:
        case UserMessage(steered=True):
            return quote(agent_markdown(item.text))
        case UserMessage():
            return ""  # the cell's source, or the heading of the turn
        case AgentMessage():
            return agent_markdown(cut_text(item.text))
        case Thought():
            return details("Thought", agent_markdown(cut_text(item.text))) if thoughts else ""
        case ContentBlockItem():
            return _block(item)
        case ToolCall():
            return _tool_call(item)
        case Elicitation():
            return _elicitation(item)
        case TrustRequest():
            return f"*{inert(item.title)} {inert(item.outcome)}*" if item.outcome else ""
        case Plan():
            return _plan(item)
        case Artifact():
            return _file_line("Artifact", item.name, f"{item.type_name}, {item.size}".rstrip(", "))
        case FileWriteItem():
            return _file_line(item.title, item.path, item.size)
        case Notice():
            words = quote(inert(" ".join(filter(None, (item.title, item.text))), 1_000))
            return (
                f"{words}\n\n{printable_block(shorten_middle(item.detail, OUTPUT_CHARS))}"
                if item.detail
                else words
            )
        case ErrorItem():
            message = quote(f"**Error:** {inert(item.message, 1_000)}")
            return message + (
                f"\n\n{printable_block(shorten_middle(item.detail, OUTPUT_CHARS))}"
                if item.detail
                else ""
            )
        case TurnEnd():
            has_error_item = item.stop_reason == "error"  # by its own item
            ends = (item.summary, "" if has_error_item else item.words)
            return "\n\n".join(f"*{inert(words)}*" for words in ends if words)
        case _:
            assert_never(item)


def _file_line(what: str, name: str, facts: str) -> str:
    suffix = f" ({inert(facts)})" if facts else ""
    return f"{inert(what)}: {inert(name)}{suffix}"


def cut_text(text: str, most: int = _TEXT_CHARS) -> str:
    """Return the first characters of a longer text, with a note that it is cut."""
    return text if len(text) <= most else f"{text[:most]}\n\n… cut here …"


def _block(item: ContentBlockItem) -> str:
    name = inert(item.name or item.uri or item.mime_type or item.type)
    return f"{item.type.replace('_', ' ').capitalize()}: {name}"


def _plan(plan: Plan) -> str:
    if not plan.entries:
        return agent_markdown(plan.text)
    return f"**Plan**\n\n{_checklist(plan.entries)}"


def _checklist(entries: Iterable[PlanEntry | TodoItem]) -> str:
    lines = []
    for entry in entries:
        box = "x" if entry.status == "completed" else " "
        now = " *(in progress)*" if entry.status == "in_progress" else ""
        lines.append(f"- [{box}] {inert(entry.content)}{now}")
    return "\n".join(lines)


def _steps(steps: Sequence[Item], *, thoughts: bool) -> str:
    """Return the steps of a subagent: its text and changes in full, other steps as one line."""
    text, after_line = "", False
    for step in steps[:_MAX_STEPS]:
        part, is_line = _step(step, thoughts=thoughts)
        if part:
            gap = "\n" if is_line and after_line else "\n\n"
            text += f"{gap}{part}" if text else part
            after_line = is_line
    left_out = len(steps) - _MAX_STEPS
    return f"{text}\n\n*… {left_out} more steps …*" if left_out > 0 else text


def _step(step: Item, *, thoughts: bool) -> tuple[str, bool]:
    """Return a step of a subagent, and whether it is a list item."""
    match step:
        case ToolCall() if not step.diffs:
            return f"- {_summary(step)}", True
        case AgentMessage():
            return quote(agent_markdown(cut_text(step.text, OUTPUT_CHARS))), False
        case Thought():
            return f"- *{inert(step.text, _STEP_CHARS)}*" if thoughts else "", True
        case _:
            return _item(step, thoughts=thoughts), False


def _tool_call(call: ToolCall, steps: str = "") -> str:
    diffs = [unified_diff(diff) for diff in call.diffs]
    body = [steps] if steps else []
    body += [_monospaced(diff, "diff") for diff in diffs]
    if call.command:
        body.append(_monospaced(shorten_middle(call.command, OUTPUT_CHARS), "sh"))
    beside = [f"- {inert(name)}: {inert(value, 1_000)}" for name, value in other_details(call)]
    body += ["\n".join(beside)] if beside else []
    if call.tool_kind == "read":
        pass  # the file has the text that was read
    elif call.todos:
        body.append(_checklist(call.todos))
    elif call.output and not (call.diffs and call.permission):
        body.append(printable_block(shown_output(call)))
    body += [_block(block) for block in call.blocks]
    short = sum(diff.count("\n") for diff in diffs) <= _OPEN_DIFF_LINES
    if times := item_times(call):
        body.append(f"*{', '.join(f'{time.name} {time.words}' for time in times)}.*")
    if not body:
        return _summary(call)
    return details(_summary(call), "\n\n".join(body), opened=bool(diffs) and short)


def _monospaced(text: str, language: str) -> str:
    """Return a code block that nbconvert's HTML shows in a monospaced font, as all others do.

    Its style sheet gives highlighted code the font of what is around it. GitHub keeps the element.
    """
    return f"<samp>\n\n{printable_block(text, language)}\n\n</samp>"


def _summary(call: ToolCall) -> str:
    parts = [f"<b>{inert_html(call.title)}</b>"]
    if call.description and call.description not in call.title:
        parts.append(f"<code>{inert_html(call.description)}</code>")
    outcome = " · ".join(inert_html(fact) for fact in outcome_facts(call))
    return " ".join(parts) + (f" · {outcome}" if outcome else "")


_MESSAGE_CHARS = 4_000
_ANSWER_CHARS = 1_000


def _elicitation(item: Elicitation) -> str:
    """Return a question with its answers and its outcome."""
    lines = [f"**{inert(item.title)}**"]
    lines += [inert(words, _MESSAGE_CHARS) for words in (item.heading, item.message) if words]
    if item.url:
        lines.append(f"Page: {inert(item.url, _MESSAGE_CHARS)}")
    lines += [
        f"{inert(answer.label)}: **{inert(answer.text, _ANSWER_CHARS)}**" for answer in item.answers
    ]
    if item.state != "accepted" or not item.answers:
        lines.append(f"*{inert(item.outcome or 'Waiting for an answer')}*")
    return quote("\n\n".join(lines))


_PLAIN_LINES = 20
_PLAIN_CHARS = 200
_READ_CHARS = 10_000
_LINE = re.compile("[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
"""Lines as `str.splitlines` finds them, without empty ones."""


def turn_plain_text(turn: TurnState, items: Sequence[Item], *, footer: Sequence[str] = ()) -> str:
    """Return at most 20 lines: the beginning of the answer, the tool calls and the outcome.

    Without a footer the last line is the duration of the turn.
    """
    footer = footer or list(filter(None, [duration_text(turn_seconds(turn, items))]))
    rows = nested(items)
    answer = _plain_lines(item.text for item, _ in rows if isinstance(item, AgentMessage))
    tools = [_plain_call(item, steps) for item, steps in rows if isinstance(item, ToolCall)]
    end = [one_line(text, _PLAIN_CHARS) for text in _outcome_lines(turn, items) if text]
    end += [one_line(" · ".join(footer), _PLAIN_CHARS)] if footer else []
    error = None if turn.origin is None else turn.origin.error
    about = [one_line(f"{error.head}: {error.words}", _PLAIN_CHARS)] if error else []
    room = _PLAIN_LINES - len(end) - len(about)
    tools = _cut_lines(tools, max(room - len(answer), room // 2), "more tool calls")
    answer = _cut_lines(answer, room - len(tools), "more lines")
    return "\n".join([*about, *answer, *tools, *end])


def _plain_lines(texts: Iterable[str]) -> list[str]:
    # Lazily: a list of a million lines would block other threads. Of a very long line, only the
    # beginning is read, as no more is shown.
    whole = (match[0] for text in texts for match in _LINE.finditer(text))
    lines = (one_line(line[:_READ_CHARS], _PLAIN_CHARS) for line in whole)
    return [line for line in lines if line]


def _plain_call(call: ToolCall, steps: Sequence[Item]) -> str:
    parts = [call.title, "" if call.description in call.title else call.description]
    parts.append(step_count_text(steps))
    return one_line("- " + " · ".join(filter(None, [*parts, *outcome_facts(call)])), _PLAIN_CHARS)


def _outcome_lines(turn: TurnState, items: Sequence[Item]) -> list[str]:
    if turn.status != "done":
        return [running_text(turn)]
    errors = [f"Error: {item.message}" for item in items if isinstance(item, ErrorItem)]
    return errors[:3] or [turn.words]


def _cut_lines(lines: list[str], room: int, what: str) -> list[str]:
    if len(lines) <= room:
        return lines
    head = max(0, room - 1)
    return [*lines[:head], f"… {len(lines) - head} {what}"]
