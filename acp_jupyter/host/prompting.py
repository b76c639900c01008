"""The prompts of one session, one turn at a time."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from acp_jupyter.errors import AcpError, AgentDied, AgentRequestError, BadRequest, EmptyPrompt
from acp_jupyter.host.asking import Asking
from acp_jupyter.host.connection import AgentConnection
from acp_jupyter.host.file_changes_turn import TurnFiles
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.packets.notes import (
    TurnFailed,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnStopped,
)
from acp_jupyter.transcript.events import Origin, Policy

__all__ = ["Link", "Prompting", "content_blocks"]


_Blocks = tuple[dict[str, JsonValue], ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A running agent and the session's id there."""

    connection: AgentConnection
    agent_session_id: str


@dataclass(slots=True)
class _Turn:
    turn_id: str
    blocks: _Blocks
    can_ask: bool
    stop: asyncio.Event = field(default_factory=asyncio.Event)


class Prompting:
    """Runs queued prompts in order, and stops them.

    Parameters
    ----------
    journal
        Of the session.
    asking
        Its permission requests.
    link
        Returns the running agent, started if need be.
    drop
        Ends an agent that does not stop.
    files
        Looks at the session's folder before and after each turn.
    limits
        See `Limits`.
    """

    def __init__(
        self,
        journal: Journal,
        link: Callable[[], Awaitable[Link]],
        drop: Callable[[], Awaitable[None]],
        files: TurnFiles,
        limits: Limits,
    ) -> None:
        self._journal = journal
        self._link = link
        self._drop = drop
        self._files = files
        self._limits = limits
        self._queue: deque[_Turn] = deque()
        self._running: _Turn | None = None
        self._more = asyncio.Event()
        self._closing = False
        self.asking = Asking(journal, self._nobody_to_ask, self._refuse)
        self.someone_attached = False
        self.said: Callable[[_Blocks], _Blocks] | None = None
        """What is done to a prompt before it is sent; set while a record is played."""
        self._task = asyncio.create_task(self._run(), name=f"acp-turns-{journal.session_id}")

    def put(
        self,
        prompt: str | tuple[dict[str, JsonValue], ...],
        *,
        policy: Policy,
        origin: Origin | None,
        can_ask: bool,
    ) -> str:
        """Queue a prompt; return its turn's id.

        Raises
        ------
        EmptyPrompt
            There is nothing to send.
        BadRequest
            Too many prompts wait already.
        """
        blocks = content_blocks(prompt)
        if len(self._queue) >= self._limits.queued_prompts:
            raise BadRequest(
                f"{self._limits.queued_prompts} prompts wait in this session already. "
                "Wait for some to end, or remove some."
            )
        turn = _Turn(turn_id=uuid.uuid4().hex, blocks=blocks, can_ask=can_ask)
        self._queue.append(turn)
        self._journal.note(
            TurnQueued(
                turn_id=turn.turn_id,
                prompt=blocks,
                policy=policy,
                origin=origin,
            )
        )
        self._more.set()
        return turn.turn_id

    def stop(self, turn_id: str | None) -> None:
        """Stop the running turn, or the named one; a done one stays as it is."""
        for turn in tuple(self._queue):
            if turn.turn_id == turn_id:
                self._queue.remove(turn)
                self._journal.note(TurnRemoved(turn_id=turn.turn_id))
        running = self._running
        if running is not None and turn_id in {None, running.turn_id}:
            running.stop.set()

    async def close(self) -> None:
        """Stop everything; the agent is ended by the session."""
        for turn in tuple(self._queue):
            self.stop(turn.turn_id)
        self._closing = True  # a turn that ends meanwhile may swallow the cancellation
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._files.close()
        if self._running is not None:
            self.asking.cancel_all()
            self._journal.note(TurnStopped(turn_id=self._running.turn_id))

    async def _run(self) -> None:
        while not self._closing:
            while not self._queue:
                self._more.clear()
                await self._more.wait()
            turn = self._running = self._queue.popleft()
            self._journal.note(TurnStartedNote(turn_id=turn.turn_id))
            await self._run_turn(turn)
            await self._files.finish()
            self._running = None

    async def _run_turn(self, turn: _Turn) -> None:
        """Run one turn to its end; every failure ends in the transcript."""
        stop = asyncio.ensure_future(turn.stop.wait())
        work = asyncio.ensure_future(self._work(turn))
        try:
            await asyncio.wait((stop, work), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await self._stop_turn(turn, work)
            await work
        except AgentRequestError as error:
            # The error was in the traffic, unless it came before the prompt was sent.
            self._fail(turn, error)
        except AgentDied as error:
            # The session says what the process left behind.
            await self._drop()
            self._fail(turn, error)
        except AcpError as error:
            self._fail(turn, error)
        except asyncio.CancelledError:
            if not work.cancelled():
                raise
        finally:
            stop.cancel()
            # An agent may end its turn without waiting for an answer.
            self.asking.cancel_all()
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)

    async def _work(self, turn: _Turn) -> None:
        self._files.begin(turn.turn_id)
        link = await self._link()
        await self._files.looked()
        if turn.stop.is_set():
            self._journal.note(TurnStopped(turn_id=turn.turn_id))
            return

        async def end() -> None:
            await self._files.hold_end(turn.stop)

        blocks = turn.blocks if self.said is None else self.said(turn.blocks)
        await link.connection.prompt(link.agent_session_id, blocks, end)

    async def _stop_turn(self, turn: _Turn, work: asyncio.Future[None]) -> None:
        """ACP: session/cancel. The turn ends for its user at once, for the agent in its time."""
        link = await self._started_link(work)
        if link is None:
            work.cancel()
            self._journal.note(TurnStopped(turn_id=turn.turn_id))
            return
        # An agent that does not read must not hold up the stop. The line is written at once and
        # so before the answers: it says why these come.
        sent = asyncio.ensure_future(link.connection.cancel(link.agent_session_id))
        await asyncio.sleep(0)
        self.asking.cancel_all()
        await asyncio.wait((work,), timeout=self._limits.stop_seconds)
        if not work.done():
            self._journal.note(TurnStopped(turn_id=turn.turn_id))
            await asyncio.wait((work,), timeout=self._limits.cancel_grace_seconds)
        if not work.done():
            # It neither answers nor stops: the next prompt starts it anew.
            await self._drop()
            work.cancel()
        sent.cancel()
        await asyncio.gather(sent, return_exceptions=True)

    async def _started_link(self, work: asyncio.Future[None]) -> Link | None:
        link = asyncio.ensure_future(self._link())
        await asyncio.wait((link, work), timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
        if link.done() and not link.cancelled() and link.exception() is None:
            return link.result()
        link.cancel()
        return None

    def _nobody_to_ask(self) -> bool:
        turn = self._running
        return turn is not None and not turn.can_ask and not self.someone_attached

    def _refuse(self) -> None:
        """A request was refused for want of anyone to ask: the turn ends in an error."""
        if self._running is not None:
            # Before the agent hears of it: its answer to the prompt may come at once.
            self._fail_refused(self._running)
            self._running.stop.set()

    def _fail_refused(self, turn: _Turn) -> None:
        self._journal.note(
            TurnFailed(
                turn_id=turn.turn_id,
                message="Nobody could be asked, so this was refused.",
                detail="Run the cell where someone can answer, or give it a --policy that allows "
                "this, for example accept-edits.",
                reason="nobody_to_ask",
            )
        )

    def _fail(self, turn: _Turn, error: AcpError) -> None:
        self._journal.note(
            TurnFailed(
                turn_id=turn.turn_id,
                message=error.message,
                detail=error.detail,
                reason=error.reason,
            )
        )


def content_blocks(
    prompt: str | tuple[dict[str, JsonValue], ...],
) -> tuple[dict[str, Any], ...]:
    """Return ACP content blocks for a prompt.

    Raises
    ------
    EmptyPrompt
        No text and no other block.
    """
    if isinstance(prompt, str):
        prompt = ({"type": "text", "text": prompt},)
    said = any(
        str(block.get("text", "")).strip() if block.get("type") == "text" else True
        for block in prompt
    )
    if not said:
        raise EmptyPrompt("The prompt is empty. Write what the agent shall do.")
    return prompt
