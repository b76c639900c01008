"""A turn as Markdown and as plain text, for readers without our views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from acp_jupyter.transcript.diff_text import line_counts, unified_diff
from acp_jupyter.transcript.elicitation_text import elicitation_markdown
from acp_jupyter.transcript.items import (
    AgentMessage,
    Artifact,
    ContentBlockItem,
    Elicitation,
    ErrorItem,
    FileWriteItem,
    Item,
    Notice,
    Plan,
    Thought,
    ToolCall,
    TrustRequest,
    TurnEnd,
    UserMessage,
)
from acp_jupyter.transcript.markdown import (
    agent_markdown,
    details,
    fence,
    inert,
    inert_html,
    one_line,
    quote,
)
from acp_jupyter.transcript.session_state import SessionState, TurnState
from acp_jupyter.transcript.terminal_text import terminal_tail

__all__ = [
    "OUTPUT_CHARS",
    "capped",
    "outcome_facts",
    "running_words",
    "session_markdown",
    "shown_output",
    "to_markdown",
    "to_plain",
]

OUTPUT_CHARS = 2_000
"""Of a tool's output; the whole is in the session."""
_TEXT_CHARS = 256 * 1024
_TURN_CHARS = 512 * 1024
_PLAIN_LINES = 20
_PLAIN_CHARS = 200
_OPEN_DIFF_LINES = 60


def to_markdown(
    turn: TurnState,
    items: Iterable[Item],
    *,
    thoughts: bool = False,
    footer: Sequence[str] = (),
) -> str:
    """Return the whole answer of a turn; tool calls are foldable.

    Parameters
    ----------
    turn, items
        The turn and what belongs to it.
    thoughts
        Whether the agent's reasoning is part of it.
    footer
        Facts for the last line.
    """
    parts = [_item(item, thoughts=thoughts) for item in items]
    if turn.status != "done":
        parts.append(f"*{running_words(turn)}*")
    if footer:
        parts.append(f"<sub>{' · '.join(inert_html(fact) for fact in footer)}</sub>")
    return "\n\n".join(_fitting([part for part in parts if part]))


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
        parts.append(quote(agent_markdown(turn.prompt)))
        parts.append(to_markdown(turn, items.get(turn.turn_id, ()), thoughts=thoughts))
    return "\n\n".join(part for part in parts if part) + "\n"


def to_plain(turn: TurnState, items: Sequence[Item], *, footer: Sequence[str] = ()) -> str:
    """Return at most 20 lines: the answer's beginning, the tool calls, how it ended."""
    answer = _plain_lines(item.text for item in items if isinstance(item, AgentMessage))
    tools = [_plain_call(item) for item in items if isinstance(item, ToolCall)]
    end = [one_line(text, _PLAIN_CHARS) for text in _endings(turn, items) if text]
    end += [one_line(" · ".join(footer), _PLAIN_CHARS)] if footer else []
    room = _PLAIN_LINES - len(end)
    tools = _cut(tools, max(room - len(answer), room // 2), "more tool calls")
    answer = _cut(answer, room - len(tools), "more lines")
    return "\n".join([*answer, *tools, *end])


def capped(text: str) -> str:
    """Return a tool's output, cut in the middle: how it began and how it ended."""
    if len(text) <= OUTPUT_CHARS:
        return text
    note = f"\n… {len(text) - OUTPUT_CHARS} characters left out …\n"
    half = (OUTPUT_CHARS - len(note)) // 2
    return text[:half] + note + text[-half:]


def shown_output(call: ToolCall) -> str:
    """Return what is shown of a call's output: a terminal's end, of anything else both ends."""
    if call.terminal is not None:
        return terminal_tail(call.output, OUTPUT_CHARS)
    return capped(call.output)


# -- Markdown ----------------------------------------------------------------


def _item(item: Item, *, thoughts: bool) -> str:  # noqa: C901 - one flat match
    match item:
        case UserMessage():
            return ""  # the cell's source, or the heading of the turn
        case AgentMessage():
            return agent_markdown(_cut_text(item.text))
        case Thought():
            return details("Thought", agent_markdown(_cut_text(item.text))) if thoughts else ""
        case ContentBlockItem():
            return _block(item)
        case ToolCall():
            return _tool_call(item)
        case Elicitation():
            return elicitation_markdown(item)
        case TrustRequest():
            return f"*{inert(item.title)} {inert(item.outcome)}*" if item.outcome else ""
        case Plan():
            return _plan(item)
        case Artifact():
            return _made("Artifact", item.name, f"{item.type_name}, {item.size}".rstrip(", "))
        case FileWriteItem():
            return _made(item.title, item.path, item.size)
        case Notice():
            words = quote(inert(" ".join(filter(None, (item.title, item.text))), 1_000))
            return f"{words}\n\n{fence(capped(item.detail))}" if item.detail else words
        case ErrorItem():
            message = quote(f"**Error:** {inert(item.message, 1_000)}")
            return message + (f"\n\n{fence(capped(item.detail))}" if item.detail else "")
        case TurnEnd():
            told = item.stop_reason == "error"  # by its own item
            ends = (item.summary, "" if told else item.words)
            return "\n\n".join(f"*{inert(words)}*" for words in ends if words)
        case _:
            assert_never(item)


def _made(what: str, name: str, facts: str) -> str:
    told = f" ({inert(facts)})" if facts else ""
    return f"{inert(what)}: {inert(name)}{told}"


def _cut_text(text: str) -> str:
    return text if len(text) <= _TEXT_CHARS else f"{text[:_TEXT_CHARS]}\n\n… cut here …"


def _fitting(parts: list[str]) -> list[str]:
    """Return the newest parts that fit; parts stay whole, so that no block is left open."""
    room = _TURN_CHARS
    for count, part in enumerate(reversed(parts)):
        room -= len(part)
        if room < 0:
            left_out = len(parts) - count
            return [f"*… {left_out} earlier parts are left out …*", *parts[left_out:]]
    return parts


def _block(item: ContentBlockItem) -> str:
    name = inert(item.name or item.uri or item.mime_type or item.type)
    return f"{item.type.replace('_', ' ').capitalize()}: {name}"


def _plan(plan: Plan) -> str:
    if not plan.entries:
        return agent_markdown(plan.text)
    lines = []
    for entry in plan.entries:
        box = "x" if entry.status == "completed" else " "
        now = " *(in progress)*" if entry.status == "in_progress" else ""
        lines.append(f"- [{box}] {inert(entry.content)}{now}")
    return "**Plan**\n\n" + "\n".join(lines)


def _tool_call(call: ToolCall) -> str:
    diffs = [unified_diff(diff) for diff in call.diffs]
    body = [fence(diff, "diff") for diff in diffs]
    if call.command:
        body.append(fence(capped(call.command), "sh"))
    if call.tool_kind == "read":
        body.append("*What was read is not shown here.*")
    elif call.output and not (call.diffs and call.permission):
        body.append(fence(shown_output(call)))
    body += [_block(block) for block in call.blocks]
    short = sum(diff.count("\n") for diff in diffs) <= _OPEN_DIFF_LINES
    return details(
        _summary(call), "\n\n".join(body) or "*No output.*", opened=bool(diffs) and short
    )


def _summary(call: ToolCall) -> str:
    parts = [f"<b>{inert_html(call.title)}</b>"]
    if call.description and call.description not in call.title:
        parts.append(f"<code>{inert_html(call.description)}</code>")
    outcome = " · ".join(inert_html(fact) for fact in outcome_facts(call))
    return " ".join(parts) + (f" · {outcome}" if outcome else "")


# -- both --------------------------------------------------------------------


def outcome_facts(call: ToolCall) -> list[str]:
    """Return what became of a call: lines changed, permission, exit code, status."""
    facts = [line_counts(diff) for diff in call.diffs]
    permission = call.permission
    if permission is not None:
        facts.append(permission.outcome or "Waiting for an answer")
    if call.exit_code is not None:
        facts.append(f"exit code {call.exit_code}")
    refused = permission is not None and permission.state not in {"pending", "allowed"}
    if call.status in {"failed", "cancelled"} and not refused:
        facts.append(call.status)
    return [fact for fact in facts if fact]


def running_words(turn: TurnState) -> str:
    """Say what a turn is doing; nothing for one that is done."""
    match turn.status:
        case "queued":
            return "Queued. The turn runs when the one before it has ended."
        case "requires_action":
            return "Waiting for your answer."
        case "running":
            return "Turn running…"
        case "done":
            return ""
        case _:
            assert_never(turn.status)


# -- plain -------------------------------------------------------------------


def _plain_lines(texts: Iterable[str]) -> list[str]:
    lines = (one_line(line, _PLAIN_CHARS) for text in texts for line in text.splitlines())
    return [line for line in lines if line]


def _plain_call(call: ToolCall) -> str:
    parts = [call.title, "" if call.description in call.title else call.description]
    return one_line("- " + " · ".join(filter(None, [*parts, *outcome_facts(call)])), _PLAIN_CHARS)


def _endings(turn: TurnState, items: Sequence[Item]) -> list[str]:
    if turn.status != "done":
        return [running_words(turn)]
    errors = [f"Error: {item.message}" for item in items if isinstance(item, ErrorItem)]
    return errors[:3] or [turn.words]


def _cut(lines: list[str], room: int, what: str) -> list[str]:
    if len(lines) <= room:
        return lines
    kept = max(0, room - 1)
    return [*lines[:kept], f"… {len(lines) - kept} {what}"]
