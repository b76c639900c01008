"""A session with its options, and its turns: everything that a task can send or ask."""

from __future__ import annotations

import asyncio
import os
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from acp_jupyter.agents.demo.mcp_client import Toolbox
from acp_jupyter.agents.demo.workspace import Files, Workspace
from acp_jupyter.agents.rpc import INVALID_PARAMS, Json, Peer, RpcError, encode

_SPEEDS: dict[str, tuple[str, float]] = {
    "slow": ("Slow", 20.0),
    "normal": ("Normal", 60.0),
    "fast": ("Fast", 400.0),
    "flat": ("Flat out", 0.0),
}
_RATE_VARIABLE = "ACP_DEMO_RATE"


def _command(name: str, description: str, hint: str | None = None) -> Json:
    command: Json = {"name": name, "description": description}
    return command | ({"input": {"hint": hint}} if hint else {})


COMMANDS: list[Json] = [
    _command("explore", "List the folder and read a file", "names of files"),
    _command("delegate", "Have a subagent look around"),
    _command("plan", "Make a plan and tick it off"),
    _command("edit", "Propose an edit and ask before writing", "name of a file"),
    _command("create", "Write a new file after asking", "name of the file"),
    _command("run", "Run a harmless command after asking"),
    _command("look at", "Say what a variable of the kernel is", "name of a variable"),
    _command("plot", "Plot a variable in a cell below", "name of a variable"),
    _command("edit the notebook", "Edit one cell of the notebook"),
    _command("markdown", "Write formulas, a table, code and a diagram"),
    _command("slow", "Stream a long answer", "rate=20"),
    _command("bench", "Stream an exact number of chunks", "N=5000 size=20 rate=0"),
    _command("help", "Say what this agent can do"),
]


def environment_rate() -> float | None:
    """Return the chunks per second from the environment; None if it is not set."""
    try:
        rate = float(os.environ[_RATE_VARIABLE])
    except (KeyError, ValueError):
        return None
    return rate if 0 <= rate < float("inf") else None


def _described(rate: float) -> str:
    return f"{rate:g} chunks per second" if rate else "As fast as possible"


@dataclass(slots=True)
class DemoSession:
    """One ACP session."""

    id: str
    workspace: Workspace
    files: Files
    client_has_terminal: bool
    tools: Toolbox
    start_rate: float | None = None
    speed: str = "normal"
    edits_allowed: bool = False
    title: str | None = None
    characters: int = 0
    turn: asyncio.Task[str] | None = None
    _used_ids: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        if self.start_rate is not None:
            self.speed = "environment"

    @property
    def rate(self) -> float:
        """Chunks per second; 0 is unlimited."""
        if self.speed in _SPEEDS:
            return _SPEEDS[self.speed][1]
        return self.start_rate or 0.0

    def next_tool_id(self) -> str:
        """Return a new id for a tool call of the session."""
        self._used_ids += 1
        return f"call_{self._used_ids}"

    def config_options(self) -> list[Json]:
        """Return the session's options with their current values (ACP: configOptions)."""
        options: list[Json] = [
            {"value": value, "name": name, "description": _described(rate)}
            for value, (name, rate) in _SPEEDS.items()
        ]
        if self.start_rate is not None:
            described = f"{_described(self.start_rate)}, by {_RATE_VARIABLE}"
            options.insert(
                0, {"value": "environment", "name": "As started", "description": described}
            )
        return [
            {
                "id": "speed",
                "name": "Stream speed",
                "description": "How fast the demo agent writes",
                "type": "select",
                "currentValue": self.speed,
                "options": options,
            }
        ]

    def set_option(self, config_id: object, value: object) -> None:
        """Change an option (ACP: session/set_config_option)."""
        if config_id != "speed":
            raise RpcError(
                INVALID_PARAMS, "There is no such config option.", {"configId": config_id}
            )
        allowed = set(_SPEEDS) | ({"environment"} if self.start_rate is not None else set())
        if not isinstance(value, str) or value not in allowed:
            raise RpcError(INVALID_PARAMS, "The option has no such value.", {"value": value})
        self.speed = value


Kind = Literal["read", "edit", "search", "execute", "think", "other"]
Status = Literal["pending", "in_progress", "completed", "failed"]
Step = Literal["pending", "in_progress", "completed"]

_CHUNKS_PER_WRITE = 64
_PIECE = re.compile(r"(?:\S+\s*|\s+)(?:\S+\s*){0,2}")
_PERMISSION_KINDS = {"once": "allow_once", "session": "allow_always", "no": "reject_once"}
_NAMES = {"once": "Allow once", "session": "Allow all edits this session", "no": "Reject"}


class TurnCancelledError(Exception):
    """A permission request was answered ``cancelled``, which cancels the turn."""


class Answer(StrEnum):
    """The user's answer to a permission request."""

    ONCE = "allow_once"
    ALWAYS = "allow_always"
    REJECTED = "reject_once"

    @property
    def allows(self) -> bool:
        """Whether the tool call may go ahead."""
        return self is not Answer.REJECTED


class DemoTurn:
    """The agent's side of a prompt turn.

    Parameters
    ----------
    rate
        Chunks per second; 0 is flat out.
    """

    def __init__(self, peer: Peer, session: DemoSession, rate: float) -> None:
        self.peer = peer
        self.session = session
        self.rate = rate
        self.meta: Json = {}  # goes with the answer to the prompt
        self._mark: Json = {}  # goes with every update of a subagent

    def for_call(self, call_id: str) -> DemoTurn:
        """Return the same turn for the subagent of a tool call."""
        turn = DemoTurn(self.peer, self.session, self.rate)
        # As Claude's agent names it; the protocol has no word for it yet.
        turn._mark = {"_meta": {"claudeCode": {"parentToolUseId": call_id}}}
        return turn

    def update(self, session_update: str, /, **fields: object) -> None:
        """Send one ``session/update``."""
        update: Json = {"sessionUpdate": session_update, **fields, **self._mark}
        self.peer.notify("session/update", {"sessionId": self.session.id, "update": update})

    async def say(self, text: str) -> None:
        """Stream an agent message."""
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
        # All lines of a message differ only in the text: building each would halve the speed.
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
        """Update a tool call; a field replaces its old value."""
        self.update("tool_call_update", toolCallId=call_id, status=status, **fields)

    async def ask(self, tool_call: Json, *, edit: bool) -> Answer:
        """Ask the user whether a tool call may go ahead (ACP: session/request_permission).

        "Selected" alone allows nothing: the chosen option's kind is looked up among the offered
        options. A response that can't be understood rejects.
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
