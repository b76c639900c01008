"""What the replay itself asks: a policy, a rule or the user decides, as for any agent."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from acp_jupyter.agents.replay.answers import LiveAnswer, is_allowed, is_cancelled
from acp_jupyter.agents.replay.steps import Ask
from acp_jupyter.agents.rpc import Json, Peer, RpcError

__all__ = ["NotAllowedError", "ShownChange", "StoppedError", "ask_for_changes", "tell_done"]

_OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
_SHOWN_CHARS = 200_000
_NAMED = 3


class NotAllowedError(Exception):
    """It is not allowed now; the message is for the user."""


class StoppedError(Exception):
    """The turn was stopped instead of an answer."""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change of a file, as it is asked for.

    Attributes
    ----------
    name
        Relative to the session's folder.
    old, new
        Texts; None for a file that is not there, or is no text.
    removes
        Whether the file is deleted.
    """

    path: Path
    name: str
    old: str | None
    new: str | None
    removes: bool = False


async def ask_for_changes(
    peer: Peer,
    session_id: str,
    kind: Literal["edit", "delete", "other"],
    title: str,
    changes: Sequence[ShownChange],
) -> str:
    """Return the id of the tool call by which changes were allowed.

    ACP: session/request_permission. Of the kind ``other`` no policy and no rule may be.

    Raises
    ------
    NotAllowedError
        They were not.
    StoppedError
        The turn was stopped.
    """
    # Nobody who wrote a log knows the id: nothing in it can change this call.
    call_id = f"replay-{uuid.uuid4().hex}"
    call: Json = {
        "toolCallId": call_id,
        "title": f"{title} {named(change.name for change in changes)}",
        "kind": kind,
        "status": "pending",
        "locations": [{"path": str(change.path)} for change in changes],
        "content": _content(changes),
    }
    peer.notify(
        "session/update",
        {"sessionId": session_id, "update": {"sessionUpdate": "tool_call", **call}},
    )
    params: Json = {"sessionId": session_id, "toolCall": call, "options": _OPTIONS}
    ask = Ask(0.0, 0, {"method": "session/request_permission", "params": params})
    try:
        live = LiveAnswer(await peer.request(ask.method, params))
    except RpcError as error:
        live = LiveAnswer({}, error.message)
    if is_allowed(ask, live):
        return call_id
    tell_done(peer, session_id, call_id, "failed")
    if is_cancelled(ask, live):
        raise StoppedError
    raise NotAllowedError(named(change.name for change in changes))


def tell_done(
    peer: Peer, session_id: str, call_id: str, status: Literal["completed", "failed"] = "completed"
) -> None:
    """Tell what became of changes that were asked for."""
    update = {"sessionUpdate": "tool_call_update", "toolCallId": call_id, "status": status}
    peer.notify("session/update", {"sessionId": session_id, "update": update})


def named(names: Iterable[str]) -> str:
    """Return some names in words."""
    known = list(names)
    more = len(known) - _NAMED
    return ", ".join(known[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _content(changes: Iterable[ShownChange]) -> list[object]:
    """Return the changes as they are drawn, within bounds; all are in the locations."""
    room = _SHOWN_CHARS
    content: list[object] = []
    for change in changes:
        size = len(change.old or "") + len(change.new or "")
        if change.removes:
            continue
        if change.new is None or size > room:
            words = f"{change.name} is not shown: it is no text, or too long."
            content.append({"type": "content", "content": {"type": "text", "text": words}})
            continue
        room -= size
        diff = {"type": "diff", "path": str(change.path), "newText": change.new}
        content.append(diff if change.old is None else {**diff, "oldText": change.old})
    return content
