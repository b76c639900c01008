"""The turns of a session: sends prompts one at a time, stops and ends turns.

A note is logged if the agent is silent for long during a turn. If nobody can be asked, a request
that needs an answer ends the turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Literal

from acp_jupyter.errors import (
    AcpError,
    AgentDied,
    AgentRequestError,
    FolderNotTrusted,
    NobodyToAsk,
    NotAllowed,
)
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.requests.elicitation import Elicitations
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.policy import (
    CHANGES_NOTHING,
    allows_no_more,
    denials,
    follow_up_policy,
)
from acp_jupyter.host.sessions.agent import SessionAgent
from acp_jupyter.host.sessions.bound import Bound, bounds_of
from acp_jupyter.host.sessions.earlier_runs import remembered_notice
from acp_jupyter.host.sessions.limited_turn import LimitedTurn
from acp_jupyter.host.sessions.modes import SessionModes
from acp_jupyter.host.sessions.opening import SessionConnection
from acp_jupyter.host.sessions.outside_runs import OutsideRuns
from acp_jupyter.host.sessions.prompts import (
    Blocks,
    QueuedTurn,
    TurnQueue,
    fitted_blocks,
    pictures_with_text,
)
from acp_jupyter.host.sessions.walls_met import WallsMet
from acp_jupyter.host.sessions.write_watcher import WriteWatcher
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.protocol.content import in_copy
from acp_jupyter.protocol.host_events.notes import (
    HostNotice,
    ImportedPacket,
    StopCause,
    TurnFailed,
    TurnStartedNote,
    TurnStopped,
    TurnTimeUp,
)
from acp_jupyter.protocol.host_events.session import (
    AgentSilentNote,
    MessageHeld,
    Policy,
    Rule,
)
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.parse.steering import TAKEN, Outcome
from acp_jupyter.transcript.model.tool_items import ToolCall

_LOG_SECONDS = 2.0
"""Longest time that a prompt waits for the log if the disk does not respond."""
_ALLOWS_MORE = (
    "The message waits for its own turn: the running one allows more without asking than the "
    "message's policy and rules do, or more than its sandbox."
)


REFUSED = NobodyToAsk(
    "Nobody could be asked, so this was rejected.",
    "Run the cell where someone can answer, or give it a --policy that allows this, for example "
    "accept-edits.",
)
REFUSED_OF_RECORDING = NobodyToAsk(
    REFUSED.message,
    f"{REFUSED.detail} What configures what runs later, for example conftest.py, is written from "
    "a recording only after someone's answer.",
)
UNANSWERED = NobodyToAsk(
    "The agent asked a question, and nobody could be asked.",
    "Run the cell where someone can answer, or say in the prompt what the agent needs to know. "
    "No policy answers questions.",
)


class CurrentTurn:
    """The running turn, and whether a user can answer its agent's requests."""

    def __init__(self, journal: Journal, *, played: bool) -> None:
        self.turn: QueuedTurn | None = None
        """None between turns."""
        self.someone_attached = False
        """Whether somebody can see the session; its requests then wait for an answer."""
        self._journal = journal
        self._refused = REFUSED_OF_RECORDING if played else REFUSED

    def nobody_to_ask(self) -> bool:
        """Return whether no user can answer a question of the running turn."""
        return self.turn is not None and not self.turn.can_ask and not self.someone_attached

    def nobody_to_answer(self) -> bool:
        """Return whether no user can answer a permission request, also between turns."""
        return self.nobody_to_ask() if self.turn is not None else not self.someone_attached

    def refuse(self) -> None:
        """End the turn: a permission was refused because nobody could be asked."""
        self._end(self._refused)

    def leave_unanswered(self) -> None:
        """End the turn: a question was not answered because nobody could be asked."""
        self._end(UNANSWERED)

    def fail(self, turn: QueuedTurn, error: AcpError) -> None:
        """Note that a turn ended in an error."""
        self._journal.note(
            TurnFailed(
                turn_id=turn.turn_id,
                message=error.message,
                detail=error.detail,
                reason=error.reason,
            )
        )

    def _end(self, error: NobodyToAsk) -> None:
        if self.turn is not None:
            # First, as the agent may answer the prompt as soon as it gets the refusal.
            self.fail(self.turn, error)
            self.turn.stop.set()


class TurnRunner:
    """Runs queued prompts in order, and stops them."""

    def __init__(
        self,
        journal: Journal,
        agent: SessionAgent,
        files: TurnFiles,
        limits: Limits,
        current: CurrentTurn,
        permissions: PermissionRequests,
        elicitations: Elicitations,
        modes: SessionModes,
        walls_met: WallsMet,
        outside_runs: OutsideRuns,
        rewrite_prompt: Callable[[Blocks], Blocks] | None = None,
        after_turn: Callable[[], Awaitable[None]] | None = None,
        more_bounds: Callable[[], tuple[Bound, ...]] = tuple,
    ) -> None:
        self._journal = journal
        self._agent = agent
        self._files = files
        self._limits = limits
        self.queue = TurnQueue(journal, limits)
        self._current = current
        self._closing = False
        self.permissions = permissions
        self.elicitations = elicitations
        self._modes = modes
        self.walls_met = walls_met
        self.outside_runs = outside_runs
        self._rewrite_prompt = rewrite_prompt
        self._silent = WriteWatcher(journal, agent.disk_writes)
        self._after_turn = after_turn
        self._more_bounds = more_bounds
        self._task = asyncio.create_task(self._run(), name=f"acp-turns-{journal.session_id}")

    def follow_up(self) -> tuple[Policy, tuple[Rule, ...]]:
        """Return the policy and rules for a user's follow-up to the running turn."""
        transcript, running = self._journal.transcript, self._current.turn
        if running is None:
            return transcript.session.policy, ()
        turn = transcript.turns[running.turn_id]
        if running.kernel_id:
            return follow_up_policy(turn, transcript.session)
        return turn.policy, denials(turn)

    @property
    def sent(self) -> Blocks:
        """The prompt of the running turn, with what was sent into it; empty between turns."""
        running = self._current.turn
        return () if running is None else (*running.blocks, *running.steered)

    def stop(self, turn_id: str | None, cause: StopCause = "user") -> None:
        """Stop the running turn, or the given one; ignore one that has ended."""
        self.queue.remove(turn_id)
        running = self._current.turn
        if running is None or turn_id not in {None, running.turn_id}:
            return
        self.permissions.hold_back()
        if cause == "nobody":
            self._current.refuse()
        elif cause == "time_limit" and not running.stop.is_set():
            self._journal.note(TurnTimeUp(turn_id=running.turn_id))
        running.stop.set()

    def send_now(self, turn_id: str) -> None:
        """Stop the running turn, and send a queued prompt next."""
        self.queue.to_front(turn_id)
        self.stop(None)

    async def steer(self, turn_id: str) -> Outcome | Literal["queued"]:
        """Put a queued prompt into the running turn, which keeps its policy and its rules.

        If these allow more than the prompt's own, or if the agent refuses it, the prompt stays in
        the queue, and a notice says so.
        """
        transcript = self._journal.transcript
        with self.queue.hold(turn_id) as waiting:
            running = self._current.turn
            if running is None:
                return "queued"  # the prompt is about to be sent
            sender = transcript.turns[running.turn_id].user
            if sender not in {"", transcript.turns[turn_id].user}:
                raise NotAllowed(
                    f"Only {sender} can steer this turn: the prompt is theirs. You can stop it."
                )
            if not allows_no_more(transcript.turns[running.turn_id], transcript.turns[turn_id]):
                self._journal.note(HostNotice(text=_ALLOWS_MORE))
                return "queued"
            try:
                outcome = await self._offered(running, waiting)
            except AcpError:
                outcome = "failed"  # the error is in the traffic
            if outcome in TAKEN:
                running.steered = (*running.steered, *waiting.blocks)
                self.queue.pop_steered(waiting)
        if not self._closing:
            self._note_steered(outcome)
        return outcome if outcome in TAKEN else "queued"

    async def _offered(self, running: QueuedTurn, waiting: QueuedTurn) -> Outcome:
        """Offer a queued prompt to the agent for the running turn."""
        connection = self._agent.connection
        if connection is None or running.stop.is_set() or not connection.can("steering"):
            return "failed"
        return await connection.steer(
            await self._fitted(waiting.blocks), self._limits.steer_seconds
        )

    def _note_steered(self, outcome: Outcome) -> None:
        name = self._journal.transcript.session.agent_info.name
        match outcome:
            case "injected":
                return
            case "startedNewTurn":
                words = f"{name} treated the message as a separate turn, after the running one."
            case "promptRequired":
                words = f"{name}'s turn had ended, so the message is sent as the next one."
            case "failed":
                words = (
                    f"{name} did not accept the message during the turn. It is queued, and sent "
                    "when the turn has ended."
                )
        self._journal.note(HostNotice(text=words))

    async def close(self, *, with_server: bool = False) -> None:
        """Stop everything; the session then ends the agent and scans the folder."""
        if not with_server:
            self.queue.clear()
        self._closing = True  # a turn that is just ending may swallow the cancellation
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self._current.turn is not None:
            self._cancel_requests()
            if not with_server:
                self._journal.note(TurnStopped(turn_id=self._current.turn.turn_id))

    def _limit(self, turn: QueuedTurn) -> LimitedTurn:
        """Begin to hold a turn to all limits that it has."""
        state = self._journal.transcript.session
        bounds = (*bounds_of(turn.limit, state), *self._more_bounds())
        limited = LimitedTurn(self._journal, turn.turn_id, bounds, partial(self.stop, turn.turn_id))
        limited.begin()
        return limited

    async def _run(self) -> None:
        """Run one turn after the other; every failure is reported in the transcript."""
        while not self._closing:
            turn = self._current.turn = await self.queue.next()
            self._journal.note(TurnStartedNote(turn_id=turn.turn_id))
            self._note_remembered(turn.turn_id)
            stop = asyncio.ensure_future(turn.stop.wait())
            work = asyncio.ensure_future(self._work(turn))
            limited = self._limit(turn)
            try:
                await asyncio.wait((stop, work), return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    await self._stop_turn(turn, work)
                await work
            except AgentRequestError as error:
                # The log has the error already, unless it came before the prompt was sent.
                self._current.fail(turn, error)
            except AgentDied as error:
                # Its process exits first: the exit is noted with the end of its stderr.
                await self._agent.drop()
                self._current.fail(turn, error)
            except AcpError as error:
                self._current.fail(turn, error)
            except asyncio.CancelledError:
                if not work.cancelled():
                    raise
            finally:
                stop.cancel()
                limited.end()
                await self._silent.stop()
                # An agent may end its turn without waiting for an answer.
                self._cancel_requests()
                if not work.done():
                    work.cancel()
                    await asyncio.gather(work, return_exceptions=True)
            await self._files.finish()
            if self._after_turn is not None:
                await self._after_turn()
            self._current.turn = None
            self._agent.start_idle_timer()

    def _note_remembered(self, turn_id: str) -> None:
        """Add a notice if the agent remembers an earlier run of the cell and later turns."""
        # A recording that is played remembers nothing.
        if self._rewrite_prompt is None:
            notice = remembered_notice(self._journal.transcript, turn_id)
            if notice is not None:
                self._journal.note(notice)

    async def _work(self, turn: QueuedTurn) -> None:
        self._files.begin(turn.turn_id)
        if turn.work is not None:
            await self._files.must_be_there()
            await self._files.scanned()
            await turn.work()
            await self._files.hold_end(turn.stop)
            self._journal.note(ImportedPacket(packet=_END))
            return
        if self.permissions.trust is not None and not turn.kernel_id:
            try:
                await self.permissions.trust.require_from_user()
            except FolderNotTrusted:
                if not turn.stop.is_set():
                    raise
                self._journal.note(TurnStopped(turn_id=turn.turn_id))
                return
        requests = self.permissions.requests
        restricted = requests.policy() in CHANGES_NOTHING or requests.denies()
        if restricted:
            # In a shared process, the agent could act in the name of another session.
            await self._agent.move_to_own_process()
        await self._files.must_be_there()
        state = self._journal.transcript
        await self._agent.leave_replaced()
        await self._agent.apply_sandbox(state.turns[turn.turn_id].sandbox, requests.policy())
        connection = await self._agent.open()
        await self._files.scanned()
        # If the server is killed later, the log must say whose the agent's changes are.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LOG_SECONDS):
                await self._journal.flushed()
        if turn.stop.is_set():
            self._journal.note(TurnStopped(turn_id=turn.turn_id))
            return

        async def end() -> None:
            await self._silent.stop()
            await self.walls_met.settled()
            await self._files.hold_end(turn.stop)

        await self._modes.apply(connection, requests.policy())
        await self._silent.start(turn.turn_id)
        fitted = await self._fitted(turn.blocks)
        results = self.outside_runs.pop_results()
        connection.before_prompt = (*connection.before_prompt, *results)
        await connection.prompt(fitted, end)

    async def _fitted(self, blocks: Blocks) -> Blocks:
        """Convert a prompt to the content blocks that the connected agent supports."""
        if self._rewrite_prompt is not None:
            return await asyncio.to_thread(self._rewrite_prompt, blocks)
        session = self._journal.transcript.session
        if session.copied:
            blocks = in_copy(blocks, session.copied, session.cwd)
        pictures = pictures_with_text(blocks)
        if pictures and "image" not in session.prompt_capabilities:
            self._journal.note(HostNotice(text=_as_text(session.agent_info.name, len(pictures))))
        return await asyncio.to_thread(
            fitted_blocks,
            blocks,
            session.prompt_capabilities,
            Path(session.cwd),
            session.agent_info.name,
        )

    async def _stop_turn(self, turn: QueuedTurn, work: asyncio.Future[None]) -> None:
        """Cancel a turn: for the user it ends soon, even if the agent is slow to answer."""
        connection = self._agent.connection
        if connection is None:
            # Cancel a start that waits for trust; a process that is starting serves the next turn.
            self._agent.stop_preparing()
            work.cancel()
            self._cancel_requests()
            self._journal.note(TurnStopped(turn_id=turn.turn_id))
            return
        # In a task: an agent that does not read must not delay the stop. The line for the cancel
        # is logged at once, before the answers that it explains.
        sent = asyncio.ensure_future(self._cancel(connection, turn.turn_id))
        await asyncio.sleep(0)
        self._cancel_requests()
        await asyncio.wait((work,), timeout=self._limits.stop_seconds)
        if not work.done():
            self._journal.note(TurnStopped(turn_id=turn.turn_id))
            self._hold()
            await asyncio.wait((work,), timeout=self._limits.cancel_grace_seconds)
        if not work.done():
            # The agent neither answers nor stops: end it. The next prompt starts it again.
            await self._agent.drop()
            work.cancel()
        if self._journal.transcript.session.held:
            self._journal.note(MessageHeld())
        sent.cancel()
        await asyncio.gather(sent, return_exceptions=True)

    async def _cancel(self, connection: SessionConnection, turn_id: str) -> None:
        """Cancel the agent's turn, and its subagents that can be cancelled."""
        items = self._journal.transcript.turn_items(turn_id)
        subagents = [
            item.subagent_session_id
            for item in items
            if isinstance(item, ToolCall) and item.is_open and item.can_cancel
        ]
        await connection.cancel()
        for session_id in filter(None, subagents):
            await connection.cancel_subagent(session_id)

    def _hold(self) -> None:
        """Note why the next message waits: the agent has not yet answered the cancel."""
        limits = self._limits
        seconds = limits.cancel_grace_seconds + limits.stdin_eof_seconds + limits.term_seconds
        name = self._journal.transcript.session.agent_info.name
        words = (
            f"{name} was asked to stop, and has not answered yet. The next message is sent once it "
            f"does. After {seconds:.0f} s, {name} is restarted."
        )
        self._journal.note(MessageHeld(words=words))

    def _cancel_requests(self) -> None:
        self.permissions.cancel_all()
        self.elicitations.cancel_all()


def _as_text(agent: str, pictures: int) -> str:
    which = "the picture" if pictures == 1 else f"{pictures} pictures"
    return f"{agent} takes no images, so it got {which} as text."


_END: Obj = {"type": "prompt_response", "stopReason": "end_turn"}
"""The end of a turn without a prompt, which no agent answers."""


class SilentTurnTimer:
    """Notes when the agent of a running turn is silent for long. Costs nothing per line."""

    def __init__(
        self, journal: Journal, limits: Limits, clock: Callable[[], float] = time.time
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._seconds = limits.silent_seconds
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._check)

    def close(self) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def _check(self) -> None:
        session, since = self._journal.transcript.session, self._journal.last_line_at
        left = since + self._seconds - self._clock()
        turn_id = session.active_turn_id if session.status == "running" else None
        if left <= 0 and turn_id is not None and session.silent_since is None:
            self._journal.note(AgentSilentNote(turn_id=turn_id, since=since))
        # A turn that begins before the next check can't be silent for much longer than allowed.
        wait = left if 0 < left < self._seconds else self._seconds
        self._timer = asyncio.get_running_loop().call_later(wait, self._check)
