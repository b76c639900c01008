"""A connection to a fake agent, with all that went over it."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.rpc.log_router import LogRouter
from acp_jupyter.host.sessions.opening import SessionConnection
from acp_jupyter.protocol.normalise import normalise
from acp_jupyter.protocol.traffic import TrafficEntry
from tests.support.agents.recording_client import RecordingClient
from tests.support.host.limits import PATIENT

__all__ = ["FAST", "RecordedConnection", "talk_to"]

OnEntry = Callable[[TrafficEntry], None]

FAST = replace(PATIENT, stdin_eof_seconds=0.3, term_seconds=0.3)


@dataclass(eq=False)
class RecordedConnection:
    """What a test looks at."""

    client: RecordingClient
    entries: list[TrafficEntry] = field(default_factory=list)
    connection: AgentConnection = field(init=False)
    session_id: str = ""
    on_entry: OnEntry | None = None
    lines: LogRouter = field(default_factory=LogRouter)
    sequence: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.lines.join(self)

    def without_known(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        return message

    def enter(self, entry: TrafficEntry) -> None:
        self.entries.append(entry)
        if self.on_entry is not None:
            self.on_entry(entry)

    async def say(self, text: str) -> dict[str, Any]:
        result: dict[str, Any] = await self.session.prompt([{"type": "text", "text": text}])
        return result

    @property
    def session(self) -> SessionConnection:
        return SessionConnection(self.connection, self.session_id, self)

    def updates(self) -> list[Mapping[str, Any]]:
        """Return the updates in wire order, normalised."""
        messages = [
            part for e in self.entries if e.direction == "<" for part in normalise(e.message)
        ]
        return [
            message["params"]["update"]
            for message in messages
            if message.get("method") == "session/update"
        ]

    def text(self) -> str:
        """Return what the agent said."""
        return "".join(
            update["content"]["text"]
            for update in self.updates()
            if update["sessionUpdate"] == "agent_message_chunk"
            and update["content"]["type"] == "text"
        )

    def notes(self, name: str) -> list[Mapping[str, Any]]:
        return [e.message for e in self.entries if e.message.get("note") == name]


@asynccontextmanager
async def talk_to(
    spec: AgentSpec,
    cwd: Path,
    *,
    choice: str | None = None,
    limits: Limits = FAST,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[RecordedConnection]:
    """Open a connection and a session, and end the process afterwards."""
    talk = RecordedConnection(RecordingClient(choice))
    talk.connection = await AgentConnection.open(
        spec,
        cwd=cwd,
        client_of=lambda _: talk.client,
        log_router=talk.lines,
        limits=limits,
        environment=environment,
    )
    try:
        result = await talk.connection.new_session({"cwd": str(cwd), "mcpServers": []}, talk)
        talk.session_id = result["sessionId"]
        yield talk
    finally:
        await talk.connection.close()
