"""`HostClient`: the kernel's interface to a host in the server or in this process."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, ClassVar, Literal

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from acp_jupyter.api.models.command_table import Command, of_feature, row_of
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.sessions import (
    AgentEntry,
    CloseSession,
    CreateSession,
    DeleteSession,
    ForkSession,
    GetRegistry,
    GetSession,
    ListAgents,
    ListSessions,
    RegistryReply,
    ResumeSession,
    RewindReply,
    ServeAgent,
    SetConfig,
)
from acp_jupyter.api.models.traffic import (
    CancelImport,
    GetImport,
    GetTraffic,
    GetTranscript,
    ImportState,
    StartImport,
    TrafficPage,
)
from acp_jupyter.api.models.turns import (
    Cancel,
    ChangesReply,
    GetCell,
    GetChanges,
    GetContext,
    GetTurn,
    KeepVariant,
    NotebookContext,
    PromptSession,
    RevertReply,
    RevertTurn,
    Steer,
    TurnDetail,
)
from acp_jupyter.errors import NotQueued
from acp_jupyter.notebook_tools.kernel_work import FinishedWork, PrintedSoFar, WorkReply
from acp_jupyter.protocol.host_events.notes import Origin, StopCause
from acp_jupyter.protocol.host_events.session import FileHunks
from acp_jupyter.transcript.model.events import Event, Snapshot
from acp_jupyter.transcript.model.session_state import SessionState, TurnState

QUICK_SECONDS = 30.0
_START_SECONDS = 150.0
"""Timeout for an agent to start and open its session."""
_LONG_SECONDS = 600.0
"""Timeout for a whole log or transcript."""
_NO_ITEMS = 2**31 - 1
"""An index that no item has."""


class HostClient(ABC):
    """The kernel's client of a host. May be used from any thread.

    Attributes
    ----------
    location
        ``server`` if the host is in the Jupyter server, ``kernel`` if it is in this process.
    may_answer
        Whether the user may answer permission requests here. With a host in the server they are
        answered in the page only: code in the kernel may be an agent's.
    behind_gateway
        Whether this kernel runs behind a gateway, where agents may not see its files.
    """

    location: ClassVar[Literal["server", "kernel"]]
    may_answer: ClassVar[bool]
    behind_gateway = False

    @abstractmethod
    def call(self, command: Command, seconds: float) -> Any:
        """Carry out a command; return its result as a model or as JSON."""

    def run(self, command: Command, seconds: float = _START_SECONDS) -> Any:
        """Carry out a command; return its result as the type that the command table names."""
        return row_of(command).read_result(self.call(command, seconds))

    @abstractmethod
    def traffic(self, session_id: str) -> Iterator[bytes]:
        """Yield a session's traffic log, in pieces of any length."""

    @abstractmethod
    def events(self, session_id: str) -> Generator[tuple[Event, ...]]:
        """Yield the events of a session, from a snapshot on, until the session is closed.

        While nothing happens, yields an empty list at intervals. A follower can't answer requests.
        """

    def turns(self, session_id: str) -> tuple[TurnState, ...]:
        """Return the newest turns of a session, whoever sent them, oldest first."""
        with closing(self.events(session_id)) as events:
            for event in next(events, ()):
                if isinstance(event, Snapshot):
                    return event.turns
        return ()

    def turn_state(self, turn_id: str) -> TurnState:
        """Return the state of a turn, without its items."""
        command = GetTurn(turn_id=turn_id, start=_NO_ITEMS)
        detail: TurnDetail = self.run(command, QUICK_SECONDS)
        return detail.turn

    @abstractmethod
    def close(self) -> None:
        """Close the client."""

    @property
    @abstractmethod
    def notebook_path(self) -> str:
        """The path of this kernel's notebook as pages know it; empty if unknown."""

    def agents(self) -> tuple[AgentEntry, ...]:
        """Return the configured agents."""
        command = ListAgents(notebook_path=self.notebook_path)
        agents: tuple[AgentEntry, ...] = self.run(command, QUICK_SECONDS)
        return agents

    def serve_agent(self, name: str, address: str, key: str) -> AgentEntry:
        """Offer an agent of this kernel to the notebook's sessions."""
        command = ServeAgent(agent=name, address=address, key=key)
        agent: AgentEntry = self.run(command, QUICK_SECONDS)
        return agent

    def registry(self) -> RegistryReply:
        """Return the list of the public registry that is in use."""
        reply: RegistryReply = self.run(GetRegistry(), QUICK_SECONDS)
        return reply

    def sessions(self) -> tuple[SessionState, ...]:
        """Return the sessions of this kernel."""
        sessions: tuple[SessionState, ...] = self.run(ListSessions(), QUICK_SECONDS)
        return sessions

    def session(self, session_id: str) -> SessionState:
        """Return one session's state."""
        command = GetSession(session_id=session_id)
        state: SessionState = self.run(command, QUICK_SECONDS)
        return state

    def cell(self, session_id: str, number: int) -> Cell:
        """Return a cell of a session's notebook as a page shows it, counted from 1."""
        command = GetCell(session_id=session_id, number=number)
        cell: Cell = self.run(command, QUICK_SECONDS)
        return cell

    def cell_contexts(self) -> NotebookContext:
        """Return which cells of this kernel's notebook are pinned, and which are left out."""
        command = GetContext(notebook_path=self.notebook_path)
        context: NotebookContext = self.run(command, QUICK_SECONDS)
        return context

    def resume(self, session_id: str) -> SessionState:
        """Start a session's agent, unless it runs. ACP: session/resume, session/load."""
        command = ResumeSession(session_id=session_id)
        state: SessionState = self.run(command)
        return state

    def fork(self, session_id: str) -> SessionState:
        """Create a session that continues a copy of another. ACP: session/fork."""
        command = ForkSession(session_id=session_id)
        state: SessionState = self.run(command)
        return state

    def rewind(self, session_id: str, turn_id: str, *, files: bool) -> RewindReply:
        """Go back to before a turn; a new session continues from there."""
        command = of_feature("rewind_session", session_id=session_id, turn_id=turn_id, files=files)
        reply: RewindReply = self.run(command)
        return reply

    def undo_rewind(self, session_id: str, *, files: bool) -> RewindReply:
        """Undo going back: continue the earlier session."""
        command = of_feature("undo_rewind", session_id=session_id, files=files)
        reply: RewindReply = self.run(command)
        return reply

    def close_session(self, session_id: str) -> None:
        """Close a session; it stays saved. ACP: session/close."""
        self.call(CloseSession(session_id=session_id), _START_SECONDS)

    def delete_session(self, session_id: str) -> None:
        """Close a session and delete its files. ACP: session/delete."""
        self.call(DeleteSession(session_id=session_id), _START_SECONDS)

    def set_config(self, command: SetConfig) -> SessionState:
        """Change mode, options or title; the agent is started for it. ACP: session/set_mode."""
        state: SessionState = self.run(command)
        return state

    def traffic_lines(self, command: GetTraffic) -> TrafficPage:
        """Return some lines of a session's traffic."""
        page: TrafficPage = self.run(command, QUICK_SECONDS)
        return page

    def create_session(self, command: CreateSession) -> SessionState:
        """Create a session, or find an existing one. ACP: session/new."""
        state: SessionState = self.run(command)
        return state

    def steer(self, message: PromptSession) -> bool:
        """Send a message into the running turn; return whether the agent took it, else it waits."""
        # Without a cell, as no cell shows the turn that the message may become.
        origin = Origin(notebook_path=self.notebook_path, view_id=uuid.uuid4().hex)
        message = message.model_copy(update={"origin": origin})
        turn_id = str(self.call(message, QUICK_SECONDS)["turn_id"])
        try:
            steered: dict[str, str] = self.run(Steer(turn_id=turn_id))
        except NotQueued:
            return False  # the turn had ended: it is sent already
        return steered["outcome"] != "queued"

    def turn(self, turn_id: str, wait_seconds: float = 0) -> TurnDetail:
        """Return a turn, at its end or after ``wait_seconds``."""
        command = GetTurn(turn_id=turn_id, wait_seconds=wait_seconds)
        return self.whole(self.run(command, wait_seconds + QUICK_SECONDS))

    def whole(self, detail: TurnDetail) -> TurnDetail:
        """Return a turn with the items that were left out of it."""
        items, more = list(detail.items), detail.more
        while more is not None:
            command = GetTurn(turn_id=detail.turn.turn_id, start=more)
            part: TurnDetail = self.run(command, QUICK_SECONDS)
            items += part.items
            more = part.more
        update = {"items": tuple(items), "more": None}
        return detail if detail.more is None else detail.model_copy(update=update)

    def follow(self, turn_id: str, wait_seconds: float) -> WorkReply:
        """Wait for the end of a turn, or for work of its agent's tools for this cell.

        Returns the turn at its end or after ``wait_seconds``, or earlier some work, which must be
        finished before the next call.
        """
        return WorkReply(detail=self.turn(turn_id, wait_seconds))

    def print(self, printed: PrintedSoFar) -> None:
        """Report the printed output of running work."""
        raise NotImplementedError(printed.work_id)

    def finish(self, finished: FinishedWork) -> bool:
        """Report the outcome of work; return True if a tool, not the user, interrupted it."""
        raise NotImplementedError(finished.work_id)

    def cancel(self, session_id: str, turn_id: str, reason: StopCause = "user") -> None:
        """Stop a turn, running or queued. ACP: session/cancel."""
        self.call(Cancel(session_id=session_id, turn_id=turn_id, reason=reason), QUICK_SECONDS)

    def changes(
        self, turn_id: str, path: str | None = None, form: Literal["texts", "patch"] = "texts"
    ) -> ChangesReply:
        """Return what a turn changed in its folder."""
        command = GetChanges(turn_id=turn_id, path=path, form=form)
        reply: ChangesReply = self.run(command, QUICK_SECONDS)
        return reply

    def revert(
        self,
        turn_id: str,
        paths: tuple[str, ...] | None,
        *,
        hunks: tuple[FileHunks, ...] = (),
        partial: bool = False,
        unknown: bool = False,
    ) -> RevertReply:
        """Revert a turn's changes; those of unknown authors only if asked for."""
        authors: tuple[Literal["agent", "unknown"], ...] = ("agent", "unknown")
        command = RevertTurn(
            turn_id=turn_id,
            paths=paths,
            hunks=hunks,
            partial=partial,
            authors=authors[: 1 + unknown],
        )
        reply: RevertReply = self.run(command, _LONG_SECONDS)
        return reply

    def keep(
        self, turn_id: str, paths: tuple[str, ...] | None, hunks: tuple[FileHunks, ...] = ()
    ) -> RevertReply:
        """Put what a turn has changed in a copy into the folder that was copied."""
        command = KeepVariant(turn_id=turn_id, paths=paths, hunks=hunks)
        reply: RevertReply = self.run(command, _LONG_SECONDS)
        return reply

    def start_import(self, command: StartImport) -> ImportState:
        """Begin to create a session from a log."""
        state: ImportState = self.run(command, _LONG_SECONDS)
        return state

    def import_state(self, import_id: str, wait_seconds: float) -> ImportState:
        """Return how far an import is, at its end or after ``wait_seconds``."""
        command = GetImport(import_id=import_id, wait_seconds=wait_seconds)
        state: ImportState = self.run(command, wait_seconds + QUICK_SECONDS)
        return state

    def cancel_import(self, import_id: str) -> None:
        """Stop an import; nothing of it is kept."""
        self.call(CancelImport(import_id=import_id), _START_SECONDS)

    def transcript(
        self,
        session_id: str,
        form: Literal["json", "markdown", "html", "shared"],
        *,
        turn_id: str = "",
        thoughts: bool = False,
    ) -> dict[str, JsonValue]:
        """Return the transcript of a session or turn: its text under the form's name, or JSON."""
        command = GetTranscript(
            session_id=session_id, turn_id=turn_id, format=form, thoughts=thoughts
        )
        result = to_jsonable_python(self.call(command, _LONG_SECONDS))
        transcript: dict[str, JsonValue] = row_of(command).read_result(result)
        return transcript

    def shared_page(self, session_id: str, turn_id: str, *, thoughts: bool) -> str:
        """Return a session or a turn as a page for others; the turn ``last`` is its newest."""
        shared = self.transcript(session_id, "shared", turn_id=turn_id, thoughts=thoughts)
        return str(shared["shared"])
