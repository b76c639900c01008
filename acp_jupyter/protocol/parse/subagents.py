"""Child sessions of subagents: each becomes a tool call that owns all its updates.

ACP: subagent_update, session_message, session_message_chunk (unstable), and the updates of child
sessions, which have ids of their own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache

from pydantic import JsonValue, TypeAdapter

from acp_jupyter.protocol.content import read_block
from acp_jupyter.protocol.objects import Obj, items, obj, text
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentThoughtChunk,
    PermissionRequest,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.protocol.parse.packet import Packet, parse_packet
from acp_jupyter.protocol.parse.tool_calls import PARENT_ID, ParseState
from acp_jupyter.protocol.session_packets import NoticePacket

SUBAGENT_UPDATE = "subagent_update"
SUBAGENT_UPDATES = frozenset({SUBAGENT_UPDATE, "session_message", "session_message_chunk"})

_MAX_CHILDREN = 200
"""Children in one session; the oldest are forgotten first."""
_MAX_MESSAGES = 200
_TEXT_CHARS = 20_000
"""Characters of the messages to and from a child, and of its titles."""
_TITLE_CHARS = 300
_STATUSES = {"running": "in_progress", "requires_action": "in_progress", "idle": "completed"}
_ENDS = {"error": "failed", "refusal": "failed", "cancelled": "cancelled"}


@dataclass
class _Child:
    """A child session, as its parent has described it so far."""

    parent_id: str
    """The tool call of the parent session, if that is a child, too."""
    session_id: str = ""
    can_cancel: bool = False
    """Whether the client may cancel it now."""
    number: int = 0
    """Of its current call."""
    title: str = ""
    role: str = ""
    prompt: str = ""
    answer: str = ""
    status: str = "in_progress"
    turn: int = -1
    """The turn of its call; in a later turn it gets a new one."""

    def learn(self, update: Obj) -> None:
        """Apply the fields of a ``subagent_update``; null clears, absence keeps."""
        if "title" in update:
            self.title = text(update["title"])[:_TITLE_CHARS]
        if "description" in update:
            self.role = text(update["description"])[:_TITLE_CHARS]
        if "capabilities" in update:
            self.can_cancel = isinstance(obj(update["capabilities"]).get("cancel"), dict)
        state = obj(update.get("state"))
        status = _STATUSES.get(text(state.get("state")))
        if status is not None:
            self.status = _ENDS.get(text(state.get("stopReason")), status)
        failure = text(obj(state.get("error")).get("message"))
        if failure:
            self.answer = _fitted(self.answer, failure)

    def begin_again(self) -> None:
        """Forget its call, since it gets a new task."""
        self.turn = -1
        self.prompt = self.answer = ""


@dataclass
class _Message:
    """A message between sessions; its chunks have only text."""

    sender: str = ""
    recipient: str = ""


@dataclass
class _Saved:
    turn: int
    count: int
    children: dict[str, _Child]
    messages: dict[str, _Message]


@cache
def _adapter() -> TypeAdapter[_Saved]:
    return TypeAdapter(_Saved)


class Subagents:
    """Parses what concerns child sessions. Owned by the reader of one session's traffic."""

    def __init__(self, state: ParseState) -> None:
        self._state = state
        self._children: OrderedDict[str, _Child] = OrderedDict()
        self._messages: OrderedDict[str, _Message] = OrderedDict()
        self._turn = 0
        self._count = 0

    def saved(self) -> Obj:
        """Return the state as JSON."""
        saved = _Saved(self._turn, self._count, dict(self._children), dict(self._messages))
        return asdict(saved)

    def load(self, saved: Obj) -> None:
        """Restore a saved state."""
        known = _adapter().validate_python(saved)
        self._turn, self._count = known.turn, known.count
        self._children.update(known.children)
        self._messages.update(known.messages)

    def next_turn(self) -> None:
        """Begin a turn: what children send in it belongs to new calls."""
        self._turn += 1

    def call_of(self, session_id: str) -> str:
        """Return the id of a child's call; empty if the session is not a child."""
        child = self._children.get(session_id)
        return "" if child is None or child.turn < 0 else f"subagent-{child.number}"

    def read(self, session_id: str, update: Obj) -> list[Packet]:
        """Parse one of `SUBAGENT_UPDATES`, sent on the session ``session_id``."""
        kind = text(update.get("sessionUpdate"))
        if kind == SUBAGENT_UPDATE:
            return list(self._announced(session_id, update))
        if session_id in self._children:
            return []  # the other side of a message that its parent has sent already
        return list(self._message(update, whole=kind == "session_message"))

    def placed(self, session_id: str, packet: Packet) -> list[Packet]:
        """Return a child's packet as one of its parent: it belongs to the child's call."""
        child = self._children.get(session_id)
        if child is None:
            return [packet]
        parent = self._call_id(child)
        match packet:
            case AgentMessageChunk() | AgentThoughtChunk() | ToolCallStart() | ToolCallProgress():
                # Claude also names a call in the older way, which does not exist.
                return [*self._call(child), packet.model_copy(update={"parent_id": parent})]
            case PermissionRequest():
                call = packet.tool_call.model_copy(update={"parent_id": parent})
                return [*self._call(child), packet.model_copy(update={"tool_call": call})]
            case NoticePacket():
                return [packet]
            case _:
                return []  # title, plan, mode, options and usage are the child's own

    def _announced(self, session_id: str, update: Obj) -> Iterator[Packet]:
        name = text(update.get("sessionId"))
        if not name:
            return
        child = self._children.get(name) or self._create(session_id, name)
        was = child.status
        has_call = self._has_call(child) or (child.turn >= 0 and was == "in_progress")
        child.learn(update)
        if was != "in_progress" and child.status == "in_progress":
            child.begin_again()
            has_call = False
        if has_call:
            yield self._packet("tool_call_update", child)
        elif child.status == "in_progress":
            yield from self._call(child)

    def _create(self, session_id: str, name: str) -> _Child:
        owner = self._children.get(session_id)
        child = _Child("" if owner is None else self._call_id(owner), name)
        self._children[name] = child
        if len(self._children) > _MAX_CHILDREN:
            self._children.popitem(last=False)
        return child

    def _message(self, update: Obj, *, whole: bool) -> Iterator[Packet]:
        name = text(update.get("messageId"))
        message = self._messages.setdefault(name, _Message())
        if len(self._messages) > _MAX_MESSAGES:
            self._messages.popitem(last=False)
        if "senderSessionId" in update:
            message.sender = text(update["senderSessionId"])
        if "recipientSessionId" in update:
            message.recipient = text(update["recipientSessionId"])
        content = update.get("content")
        blocks = map(read_block, items(content) if whole else [content])
        said = "".join(block.text for block in blocks if block is not None)
        child = self._children.get(message.recipient)
        if child is not None and said:
            child.prompt = _fitted(child.prompt, said, apart=whole)
            yield from self._changed(child)
        answering = self._children.get(message.sender)
        if answering is not None and said:
            answering.answer = _fitted(answering.answer, said, apart=whole)
            yield from self._changed(answering)

    def _changed(self, child: _Child) -> Iterator[Packet]:
        if self._has_call(child):
            yield self._packet("tool_call_update", child)
        else:
            yield from self._call(child)

    def _call(self, child: _Child) -> Iterator[Packet]:
        """Give the child a call in this turn, unless it has one.

        Its updates belong to a turn, so its call in the previous turn ends.
        """
        if not self._has_call(child):
            if child.turn >= 0 and child.status == "in_progress":
                yield self._packet("tool_call_update", replace(child, status="completed"))
            child.turn = self._turn
            self._count += 1
            child.number = self._count
            yield self._packet("tool_call", child)

    def _has_call(self, child: _Child) -> bool:
        return child.turn == self._turn

    def _call_id(self, child: _Child) -> str:
        number = child.number if self._has_call(child) else self._count + 1
        return f"subagent-{number}"

    def _packet(self, kind: str, child: _Child) -> Packet:
        described: Obj = {"description": child.title, "prompt": child.prompt}
        if child.role:
            described["subagent_type"] = child.role
        raw: Obj = {
            "sessionUpdate": kind,
            # Its own, even if this packet ends it.
            "toolCallId": f"subagent-{child.number}",
            "title": child.title or "Subagent",
            "name": "task",
            "kind": "think",
            "status": child.status,
            "rawInput": described,
            "_meta": {PARENT_ID: child.parent_id},
        }
        if child.answer:
            answer: list[JsonValue] = [{"type": "content", "content": child.answer}]
            raw["content"] = answer
        own = {"subagent_session_id": child.session_id, "can_cancel": child.can_cancel}
        return parse_packet(raw, self._state, is_clean=True).model_copy(update=own)


def _fitted(old: str, new: str, *, apart: bool = True) -> str:
    if apart and new.startswith(old):
        return new[:_TEXT_CHARS]  # it was sent whole again
    return (old + ("\n\n" if apart else "") + new)[:_TEXT_CHARS]
