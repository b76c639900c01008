"""Branches: sessions that continue from an earlier turn of another session.

The protocol can't take turns back, so the agent opens a new session. The conversation up to that
turn is put before the first prompt, as text.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from functools import partial

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.sessions.opening import AgentSessionOpener, SessionConnection
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.formatting import shorten_end
from acp_jupyter.protocol.host_events.session import SessionBranched
from acp_jupyter.transcript.model.items import AgentMessage, Item, UserMessage
from acp_jupyter.transcript.model.session_state import STEERED, ConfigOption, TurnState
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall

_OUTPUT_CHARS = 2_000
_HISTORY_CHARS = 100_000
"""Characters of an earlier conversation for an agent that does not remember it."""
_INTRODUCTION = (
    "This conversation goes on from an earlier one. What was said there, from its beginning:"
)
_OLDEST_LEFT_OUT = (
    "This conversation goes on from an earlier one. What was said there, without its beginning, "
    "which is too long:"
)
_MODE = "mode"


def goes_on_from_branch(transcript: Transcript) -> bool:
    """Return whether the agent still needs the history of a branch: no prompt has carried it."""
    branch = transcript.session.branch
    if branch is None:
        return False
    order = list(transcript.turn_order)
    if branch.told_in not in order:
        return True
    turns = (transcript.turns[turn_id] for turn_id in order[order.index(branch.told_in) :])
    return not any(turn.copy_of is None and _was_taken(turn) for turn in turns)


def _was_taken(turn: TurnState) -> bool:
    """Return whether the agent got the prompt: it may have failed before that."""
    begun = turn.started_at is not None
    return turn.status == "done" and begun and turn.stop_reason != "error"


async def open_branch(attaching: AgentSessionOpener, journal: Journal) -> SessionConnection:
    """Open a new session at the agent, with the history of the branch before the first prompt.

    The model and other options are set as before. The mode is not: the agent may ask less in it,
    so the session opens in the agent's default.
    """
    transcript = journal.transcript
    wanted = transcript.session.config_options
    history = await asyncio.to_thread(history_text, transcript, _HISTORY_CHARS)
    connection = await (attaching.new_with_history(history) if history else attaching.new())
    connection.on_first_prompt = partial(_note_sent, journal)
    await set_options_again(connection, journal, wanted)
    return connection


async def set_options_again(
    connection: SessionConnection, journal: Journal, wanted: tuple[ConfigOption, ...]
) -> None:
    """Set a new session's model and other options as before, except for the mode."""
    for option in _differing(wanted, journal.transcript.session.config_options):
        with contextlib.suppress(AgentRequestError):  # the error is in the traffic
            await connection.set_config(option.id, option.current_value)


def _note_sent(journal: Journal) -> None:
    """Note which turn carries the history: a turn that is stopped earlier does not."""
    session = journal.transcript.session
    if session.branch is not None and session.active_turn_id is not None:
        branch = session.branch.model_copy(update={"told_in": session.active_turn_id})
        journal.note(SessionBranched(branch=branch, reverted=session.reverted))


def _differing(
    wanted: tuple[ConfigOption, ...], there: tuple[ConfigOption, ...]
) -> list[ConfigOption]:
    now = {option.id: option for option in there if option.category != _MODE}
    return [
        option
        for option in wanted
        if option.id in now
        and now[option.id].current_value != option.current_value
        and (
            option.type == "boolean"
            or any(choice.value == option.current_value for choice in now[option.id].choices)
        )
    ]


def history_text(transcript: Transcript, max_chars: int) -> str:
    """Return the conversation of the copied turns as text; empty if there are none.

    If it is too long, the oldest turns are left out.
    """
    turns = [transcript.turns[turn_id] for turn_id in transcript.turn_order]
    told = [turn for turn in turns if turn.copy_of is not None and turn.stop_reason != STEERED]
    parts: deque[str] = deque()
    room = max_chars
    for turn in reversed(told):
        part = _turn_text(turn, transcript.turn_items(turn.turn_id))
        if parts and len(part) > room:
            break
        parts.appendleft(shorten_end(part, max_chars))
        room -= len(part)
    if not parts:
        return ""
    introduction = _INTRODUCTION if len(parts) == len(told) else _OLDEST_LEFT_OUT
    return "\n\n".join((introduction, *parts))


def _turn_text(turn: TurnState, items: tuple[Item, ...]) -> str:
    said = [f"User: {turn.prompt}"]
    for item in items:
        match item:
            case UserMessage() if item.text != turn.prompt:
                said.append(f"User: {item.text}")
            case AgentMessage():
                said.append(f"You: {item.text}")
            case ToolCall():
                said.append(_call_text(item))
            case _:
                pass
    if turn.stop_reason == "cancelled":
        said.append("(The user stopped this turn.)")
    return "\n\n".join(said)


def _call_text(call: ToolCall) -> str:
    what = call.command or " ".join(filter(None, (call.title, call.description or call.path)))
    changed = [diff.path for diff in call.diffs]
    lines = [f"Your tool call ({call.status}): {what}"]
    if changed:
        lines.append(f"Changed: {', '.join(dict.fromkeys(changed))}")
    if call.output:
        lines.append(shorten_end(call.output, _OUTPUT_CHARS))
    return "\n".join(lines)
