"""One prompt turn: everything that a task can send to the client or ask of it."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal

from acp_jupyter.agents.demo.session import Session
from acp_jupyter.agents.rpc import Json, Peer, RpcError, encode

__all__ = ["Answer", "Kind", "Status", "Turn", "TurnCancelledError", "text_content"]

Kind = Literal["read", "edit", "search", "execute", "think", "other"]
Status = Literal["pending", "in_progress", "completed", "failed"]
Step = Literal["pending", "in_progress", "completed"]

_CHUNKS_PER_WRITE = 64
_PIECE = re.compile(r"(?:\S+\s*|\s+)(?:\S+\s*){0,2}")
_PERMISSION_KINDS = {"once": "allow_once", "session": "allow_always", "no": "reject_once"}
_NAMES = {"once": "Allow once", "session": "Allow all edits this session", "no": "Reject"}


class TurnCancelledError(Exception):
    """A permission request was answered ``cancelled``: the whole turn is."""


class Answer(StrEnum):
    """What the user said to a permission request."""

    ONCE = "allow_once"
    ALWAYS = "allow_always"
    REJECTED = "reject_once"

    @property
    def allows(self) -> bool:
        """Whether the tool call may go ahead."""
        return self is not Answer.REJECTED


class Turn:
    """The agent's side of a prompt turn.

    Parameters
    ----------
    rate
        Chunks per second; 0 is flat out.
    """

    def __init__(self, peer: Peer, session: Session, rate: float) -> None:
        self.peer = peer
        self.session = session
        self.rate = rate
        self.meta: Json = {}  # goes with the answer to the prompt
        self._mark: Json = {}  # goes with every update of a subagent

    def for_call(self, call_id: str) -> Turn:
        """Return the same turn for the subagent that a tool call has started."""
        turn = Turn(self.peer, self.session, self.rate)
        # As Claude's agent names it; the protocol has no word for it yet.
        turn._mark = {"_meta": {"claudeCode": {"parentToolUseId": call_id}}}
        return turn

    def update(self, session_update: str, /, **fields: object) -> None:
        """Send one ``session/update``."""
        update: Json = {"sessionUpdate": session_update, **fields, **self._mark}
        self.peer.notify("session/update", {"sessionId": self.session.id, "update": update})

    async def say(self, text: str) -> None:
        """Stream a message of the agent's."""
        await self.stream(_PIECE.findall(text))

    async def think(self, text: str) -> None:
        """Stream a thought."""
        await self.stream(_PIECE.findall(text), "agent_thought_chunk")

    async def stream(self, chunks: Iterable[str], kind: str = "agent_message_chunk") -> None:
        """Stream chunks as one message, exactly as they are."""
        blank = {
            **self._mark,
            "sessionUpdate": kind,
            "messageId": str(uuid.uuid4()),
            "content": {"type": "text", "text": ""},
        }
        params = {"sessionId": self.session.id, "update": blank}
        line = encode({"jsonrpc": "2.0", "method": "session/update", "params": params})
        # All lines of a message differ in the text alone: building each anew would halve the flow.
        head, tail = (part.encode() for part in line.rsplit('""', 1))
        tail += b"\n"
        loop = asyncio.get_running_loop()
        start, batch = loop.time(), [b""]
        for sent, chunk in enumerate(chunks, 1):
            batch += (head, encode(chunk).encode(), tail)
            self.session.characters += len(chunk)
            if self.rate:
                self._put(batch)
                await asyncio.sleep(max(0.0, start + sent / self.rate - loop.time()))
            elif sent % _CHUNKS_PER_WRITE == 0:
                self._put(batch)
                await asyncio.sleep(0)
                await self.peer.stdio.drain()
        self._put(batch)
        await self.peer.stdio.drain()

    def _put(self, batch: list[bytes]) -> None:
        self.peer.stdio.put(b"".join(batch))
        batch.clear()

    def plan(self, steps: Sequence[str], done: int, *, working: bool = True) -> None:
        """Send the whole plan with the first `done` steps ticked off."""

        def status(number: int) -> Step:
            if number < done:
                return "completed"
            return "in_progress" if working and number == done else "pending"

        entries = [
            {
                "content": step,
                "priority": "high" if number == 0 else "medium",
                "status": status(number),
            }
            for number, step in enumerate(steps)
        ]
        self.update("plan", entries=entries)

    def tool_call(self, title: str, kind: Kind, status: Status, **fields: object) -> str:
        """Announce a tool call and return its id."""
        call_id = self.session.next_tool_id()
        self.update(
            "tool_call", toolCallId=call_id, title=title, kind=kind, status=status, **fields
        )
        return call_id

    def tool_update(self, call_id: str, status: Status, **fields: object) -> None:
        """Change a tool call; a field replaces what it had."""
        self.update("tool_call_update", toolCallId=call_id, status=status, **fields)

    async def ask(self, tool_call: Json, *, edit: bool) -> Answer:
        """Ask the user whether a tool call may go ahead (ACP: session/request_permission).

        "Selected" alone allows nothing: the chosen option's kind is looked up among the options
        that were offered (C20). An answer that can't be understood rejects.

        Parameters
        ----------
        edit
            Whether the answer may hold for the rest of the session.

        Raises
        ------
        TurnCancelledError
            The client answered ``cancelled``.
        """
        if edit and self.session.edits_allowed:
            return Answer.ALWAYS
        offered = {key: kind for key, kind in _PERMISSION_KINDS.items() if edit or key != "session"}
        options = [
            {"optionId": key, "name": _NAMES[key], "kind": kind} for key, kind in offered.items()
        ]
        asked = {**tool_call, **self._mark}
        params: Json = {"sessionId": self.session.id, "toolCall": asked, "options": options}
        try:
            result = await self.peer.request("session/request_permission", params)
        except RpcError:
            return Answer.REJECTED
        outcome = result.get("outcome")
        match outcome:
            case {"outcome": "cancelled"}:
                raise TurnCancelledError
            case {"outcome": "selected", "optionId": str(option_id)}:
                answer = Answer(offered.get(option_id, Answer.REJECTED))
            case _:
                answer = Answer.REJECTED
        if answer is Answer.ALWAYS:
            self.session.edits_allowed = True
        return answer


def text_content(text: str) -> Json:
    """Return text as the content of a tool call."""
    return {"type": "content", "content": {"type": "text", "text": text}}
