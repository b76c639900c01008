"""A session: one conversation with one agent, in one folder."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

from acp.interfaces import Client
from pydantic import JsonValue

from acp_jupyter.errors import AcpError, AgentStartError, BadRequest
from acp_jupyter.host.client import SessionClient
from acp_jupyter.host.connection import AgentConnection
from acp_jupyter.host.documents import Documents
from acp_jupyter.host.file_changes_turn import TurnFiles
from acp_jupyter.host.files import WorkspaceFiles
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.prompting import Link, Prompting
from acp_jupyter.host.recording import Recording, Replaying, SessionRecord
from acp_jupyter.host.recording_wish import RecordWish
from acp_jupyter.host.registry import AgentSpec
from acp_jupyter.host.traffic_log import TrafficLog
from acp_jupyter.packets.notes import (
    AgentExited,
    AgentStarting,
    HostNotice,
    PolicyChanged,
    SessionOpened,
    StartFailed,
    TitleChanged,
    TurnFailed,
)
from acp_jupyter.transcript.events import Origin, Policy, SessionState
from acp_jupyter.transcript.redact import Redactor
from acp_jupyter.transcript.state import Transcript

__all__ = ["Session"]

_SHOWN_STDERR_LINES = 10
_WITHOUT_HISTORY = (
    "The agent was started again without history: it does not remember what is above."
)


class Session:
    """Owns an agent process, the journal and the turns. Lives on the host's loop.

    Parameters
    ----------
    opening
        Who, where and by which policy.
    spec
        The agent.
    log
        Of the traffic; owned from now on.
    documents
        Open documents, read before the disk.
    limits
        See `Limits`.
    changed
        Called after each change of the session's state or turns.
    """

    def __init__(
        self,
        opening: SessionOpened,
        spec: AgentSpec,
        log: TrafficLog,
        documents: Documents,
        limits: Limits,
        changed: Callable[[], None],
    ) -> None:
        self.spec = spec
        self.redactor = Redactor()
        """Knows the secrets of the agent's surroundings."""
        self.kernel_id = ""
        self.label = ""
        self.record: SessionRecord | None = None
        """Where it is recorded, or what it is played from."""
        self._cwd = Path(opening.cwd)
        self._limits = limits
        self.journal = Journal(opening, log, limits, changed)
        self.turn_files = TurnFiles(self.journal, self._cwd, limits)
        self._turns = Prompting(self.journal, self._linked, self._drop, self.turn_files, limits)
        files = WorkspaceFiles(self._cwd, limits)
        self._client = SessionClient(self._turns.asking, files, documents)
        self._start: asyncio.Task[Link] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._closing = False
        self._started_before = False

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.journal.session_id

    @property
    def transcript(self) -> Transcript:
        """Everything known of the session."""
        return self.journal.transcript

    @property
    def state(self) -> SessionState:
        """What is true of the session as a whole."""
        return self.journal.transcript.session

    # -- what its users do -----------------------------------------------

    async def start(self) -> None:
        """Start the agent and open its session, unless it runs.

        Raises
        ------
        AgentStartError
            It did not start.
        """
        await self._linked()

    def start_in_background(self) -> None:
        """Start the agent; a failure is told in the transcript."""
        task = self._starting()
        task.add_done_callback(self._tell_failed_start)

    def suits(self, wish: RecordWish | None) -> bool:
        """Tell whether it can be used for a wish: what is played is never taken for an agent."""
        return wish is None if self.record is None else self.record.suits(wish)

    def prompt(
        self,
        prompt: str | tuple[dict[str, JsonValue], ...],
        *,
        policy: Policy | None = None,
        origin: Origin | None = None,
        can_ask: bool = True,
    ) -> str:
        """Queue a prompt; return its turn's id."""
        return self._turns.put(
            prompt, policy=policy or self.state.policy, origin=origin, can_ask=can_ask
        )

    def cancel(self, turn_id: str | None = None) -> None:
        """Stop the running turn, or take a queued prompt back."""
        if turn_id is not None and turn_id not in self.transcript.turns:
            raise BadRequest(f"There is no turn {turn_id!r} in this session.")
        self._turns.stop(turn_id)

    def answer(self, request_id: str, option_id: str | None) -> str:
        """Answer a permission request; return what was chosen, in words."""
        return self._turns.asking.answer(request_id, option_id)

    def attach(self) -> None:
        """Remember that somebody can see the session: its questions wait for them."""
        self._turns.someone_attached = True

    def rename(self, title: str) -> None:
        """Give the session a title."""
        self.journal.note(TitleChanged(title=title.strip()[:200]))

    def set_policy(self, policy: Policy) -> None:
        """Change the policy of turns to come."""
        self.journal.note(PolicyChanged(policy=policy))

    async def set_mode(self, mode_id: str) -> None:
        """ACP: session/set_mode."""
        link = await self._linked()
        await link.connection.set_mode(link.agent_session_id, mode_id)

    async def set_config(self, config_id: str, value: str | bool) -> None:
        """ACP: session/set_config_option."""
        link = await self._linked()
        await link.connection.set_config(link.agent_session_id, config_id, value)

    async def close(self) -> None:
        """End the turns, the agent and the log."""
        self._closing = True
        await self._turns.close()
        await self._drop()
        try:
            await asyncio.to_thread(self.journal.close)
        except RuntimeError:
            # The interpreter is ending: there are no more threads, and nobody is held up.
            self.journal.close()
        if isinstance(self.record, Recording):
            await self.record.close()

    # -- the agent -------------------------------------------------------

    async def _linked(self) -> Link:
        return await asyncio.shield(self._starting())

    def _starting(self) -> asyncio.Task[Link]:
        if self._start is None or _failed(self._start):
            self._start = asyncio.create_task(self._open(), name=f"acp-start-{self.session_id}")
        return self._start

    async def _open(self) -> Link:
        self.journal.note(AgentStarting())
        if isinstance(self.record, Replaying):
            await asyncio.to_thread(self.record.answers.load)
            self._turns.asking.recorded = self.record.answers
            self._turns.said = self.record.said
        connection = await AgentConnection.open(
            self.spec,
            cwd=self._cwd,
            # Only what is advertised; for the rest the SDK answers "method not found".
            client=cast(Client, self._client),
            on_entry=self.journal.enter,
            limits=self._limits,
            sequence=self.journal.sequence,
        )
        try:
            result = await connection.new_session(self._cwd)
        except BaseException:
            await connection.close()
            raise
        if self._started_before:
            self.journal.note(HostNotice(severity="warning", text=_WITHOUT_HISTORY))
        self._started_before = True
        link = Link(connection, str(result["sessionId"]))
        self._watch = asyncio.create_task(
            self._watch_exit(link), name=f"acp-watch-{self.session_id}"
        )
        return link

    async def _watch_exit(self, link: Link) -> None:
        """Tell at once when the process ends, whoever ended it."""
        reason = await link.connection.wait_closed()
        self._start = None
        stderr = tuple(link.connection.stderr_tail()[-_SHOWN_STDERR_LINES:])
        self._turns.asking.expire_all()
        active = self.state.active_turn_id
        self.journal.note(AgentExited(words=reason.words(), stderr=stderr, expected=self._closing))
        if active is not None and not self._closing:
            message = (
                f"{self.state.agent_info.name} stopped during the turn: it {reason.words()}. "
                "Your next message starts it again."
            )
            self.journal.note(
                TurnFailed(
                    turn_id=active,
                    message=message,
                    detail="\n".join(stderr),
                    reason="agent_died",
                )
            )

    async def _drop(self) -> None:
        """End the process, if one runs, and wait until it is gone."""
        start, self._start = self._start, None
        if start is not None:
            self._ending = asyncio.create_task(_end(start), name=f"acp-end-{self.session_id}")
        if self._ending is not None:
            # Whoever waits may be cancelled; the next one waits for the same.
            await asyncio.shield(self._ending)
        if self._watch is not None:
            await asyncio.gather(self._watch, return_exceptions=True)

    def _tell_failed_start(self, task: asyncio.Task[Link]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, AgentStartError) and self.state.active_turn_id is None:
            self.journal.note(StartFailed(message=error.message, detail=error.detail))


async def _end(start: asyncio.Task[Link]) -> None:
    """End an agent that was started, or is being started."""
    if not start.done():
        start.cancel()
    with contextlib.suppress(asyncio.CancelledError, AcpError):
        link = await start
        await link.connection.close()


def _failed(task: asyncio.Task[Link]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
