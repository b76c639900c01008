"""`Player`: replays the parts of one session, in order and at their pace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TypeVar

from acp_jupyter.agents.replay.file_changes import ChangeFailedError, FileChangeError
from acp_jupyter.agents.replay.file_writes import WRITE, SessionFiles
from acp_jupyter.agents.replay.permissions import (
    LiveAnswer,
    NotAllowedError,
    StoppedError,
    difference,
    is_allowed,
    is_cancelled,
    is_rejected,
)
from acp_jupyter.agents.replay.recording import (
    AgentRequest,
    Answered,
    Cancelled,
    Localiser,
    Object,
    Part,
    RecordedReply,
    Send,
    Step,
)
from acp_jupyter.agents.replay.terminals import CommandRunner
from acp_jupyter.agents.rpc import Peer, RpcError

_T = TypeVar("_T")


class DivergedError(Exception):
    """The replay can't continue as recorded; the message is for the user."""


class TurnCancelledError(Exception):
    """The client cancelled the turn, and the recording has nothing for that."""


class Player:
    """Replays parts for one session, one at a time."""

    def __init__(
        self,
        peer: Peer,
        localiser: Localiser,
        speed: float | None,
        commands: CommandRunner,
        work: SessionFiles,
    ) -> None:
        self.localiser = localiser
        self._peer = peer
        self._commands = commands
        self._work = work
        self._pace = Pace(speed)
        self._interrupt = asyncio.Event()
        self._turn: PlayedTurn | None = None
        self._waiting = 0
        self._cancelled = False
        self._requests: dict[int, tuple[AgentRequest, asyncio.Task[LiveAnswer]]] = {}

    def wait_for(self) -> None:
        """Note that another part is waiting, so that late steps need not keep their times."""
        self._waiting += 1
        if self._turn is not None and self._turn.is_answered:
            self._interrupt.set()

    def skip(self) -> None:
        """Undo `wait_for`."""
        self._waiting -= 1

    def cancel(self) -> None:
        """Stop the current turn."""
        if self._turn is not None and not self._turn.is_answered:
            self._cancelled = True
            self._interrupt.set()

    async def play(self, part: Part, request_id: object) -> None:
        """Replay the part that was waited for, and answer its request."""
        self._waiting -= 1
        self._cancelled = False
        self._requests.clear()
        self._interrupt.clear()
        self._work.begin()
        self._pace.restart(part.at)
        turn = self._turn = PlayedTurn(part)
        while (step := turn.next()) is not None:
            await self._pace.reach(step.at, self._interrupt)
            if self._is_stopped(turn):
                if not turn.skip_to_cancel():
                    raise TurnCancelledError
            else:
                await self._step(step, turn, request_id)
                await self._peer.stdio.drain()
        if self._is_stopped(turn):
            raise TurnCancelledError
        if not turn.is_answered:
            raise DivergedError("The recording ends before this turn does.")

    def _is_stopped(self, turn: PlayedTurn) -> bool:
        return self._cancelled and not turn.is_past_cancel and not turn.is_answered

    async def flush(self, part: Part) -> None:
        """Send what was recorded after a request that the client has not made."""
        for step in part.steps:
            if isinstance(step, Send):
                self._send(step)
        await self._peer.stdio.drain()

    async def _step(self, step: Step, turn: PlayedTurn, request_id: object) -> None:
        match step:
            case Send():
                if not turn.is_left_out(step):
                    self._send(step)
            case AgentRequest() if self._commands.replays(step) and await self._is_due(step, turn):
                task = asyncio.create_task(self._request(step))
                self._requests[step.seq] = (step, task)
                await asyncio.sleep(0)  # it is sent now, in its turn
            case AgentRequest():
                pass  # what stands in for it is sent
            case Answered():
                await self._answered(step, turn)
            case Cancelled():
                pass  # the client has not cancelled this time
            case RecordedReply():
                await self._reply(step, turn, request_id)

    async def _is_due(self, ask: AgentRequest, turn: PlayedTurn) -> bool:
        """Return whether to make a request; for a write, after comparing the file."""
        if ask.method != WRITE:
            return True
        look = asyncio.create_task(self._work.may_write(ask, turn.part))
        try:
            return bool(await self._finish(look))
        except DivergedError:
            if turn.is_past_cancel or turn.is_answered:
                return False  # its turn is over
            raise

    def _send(self, step: Send) -> None:
        message = self._commands.message(step)
        if message is not None:
            live = dict(self.localiser.value(message))
            self._work.consent.record(Send(step.at, live).update)
            self._peer.send(live)

    async def _request(self, ask: AgentRequest) -> LiveAnswer:
        params = self.localiser.value(ask.params)
        if ask.method == "session/request_permission":
            self._work.consent.remember_request(ask.seq, params)
        try:
            return LiveAnswer(await self._peer.request(ask.method, params))
        except RpcError as error:
            return LiveAnswer({}, error.message)

    async def _answered(self, step: Answered, turn: PlayedTurn) -> None:
        """Wait for the answer to a question, as the recorded agent did."""
        if step.seq not in self._requests:
            return  # it was left out
        ask, task = self._requests[step.seq]
        await self._wait(task)
        if not task.done():
            return  # the turn was cancelled or has ended; the next step finds that out
        del self._requests[step.seq]
        live = task.result()
        self._take_in(ask, live)
        if not turn.is_past_cancel and not turn.is_answered:
            self._check(ask, live)
        self._remember_terminal(ask, live)
        self._pace.restart(step.at)

    def _take_in(self, ask: AgentRequest, live: LiveAnswer) -> None:
        if is_allowed(ask, live):
            self._work.consent.allowed(ask.seq)

    async def _finish(self, work: asyncio.Task[_T]) -> _T | None:
        """Wait for file operations; return None if the turn is cancelled or ends first."""
        await self._wait(work)
        if not work.done():
            work.cancel()
            return None
        try:
            return work.result()
        except StoppedError:
            raise TurnCancelledError from None
        except ChangeFailedError as error:
            raise DivergedError(str(error)) from error
        except (FileChangeError, NotAllowedError) as error:
            fate = "" if self._work.wrote else " Nothing was written."
            raise DivergedError(f"{error}{fate}") from error

    async def _wait(self, task: asyncio.Task[_T]) -> None:
        """Wait for a response, or until the turn is cancelled or over."""
        interrupted = asyncio.create_task(self._interrupt.wait())
        await asyncio.wait({task, interrupted}, return_when=asyncio.FIRST_COMPLETED)
        interrupted.cancel()

    def _check(self, ask: AgentRequest, live: LiveAnswer) -> None:
        words = difference(ask, live)
        if words is None:
            return
        if is_cancelled(ask, live):
            raise TurnCancelledError
        raise DivergedError(words)

    def _remember_terminal(self, ask: AgentRequest, live: LiveAnswer) -> None:
        if ask.method != "terminal/create" or ask.answer is None:
            return
        recorded = ask.answer.get("result")
        then = recorded.get("terminalId") if isinstance(recorded, Mapping) else None
        now = live.result.get("terminalId")
        if isinstance(then, str) and isinstance(now, str):
            self.localiser.terminals[then] = now

    async def _reply(self, step: RecordedReply, turn: PlayedTurn, request_id: object) -> None:
        if not turn.is_past_cancel:
            # A stopped turn may never have asked for its changes.
            await self._change_files(turn)
        self._requests.clear()
        turn.is_answered = True
        if self._waiting:
            self._interrupt.set()
        self._peer.send({"id": request_id, **self._body(step.message)})

    async def _change_files(self, turn: PlayedTurn) -> None:
        """Make the recorded changes, if they are to be made and no answer forbids it."""
        changes = turn.part.files and self._work.makes_changes
        for ask, task in self._requests.values():
            if changes:
                await self._wait(task)
            if task.done():
                self._take_in(ask, task.result())
                _check_open_question(ask, task.result())
        if changes and not self._is_stopped(turn):
            await self._finish(asyncio.create_task(self._work.apply(turn.part.files)))
        if self._is_stopped(turn):
            raise TurnCancelledError

    def _body(self, message: Object) -> dict[str, object]:
        return {
            key: self.localiser.value(message[key]) for key in ("result", "error") if key in message
        }


def _check_open_question(ask: AgentRequest, live: LiveAnswer) -> None:
    """Stop at a response that the recorded client gave later or never, unless it allows all."""
    if is_cancelled(ask, live):
        raise TurnCancelledError
    if is_rejected(ask, live):
        raise DivergedError("A question that was open when this was recorded was rejected.")


class PlayedTurn:
    """The player's position in a part."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.is_answered = False
        self.is_past_cancel = False
        self._index = 0
        self._left_out: set[str] = set()

    def next(self) -> Step | None:
        """Return the next step, None at the end."""
        if self._index >= len(self.part.steps):
            return None
        step = self.part.steps[self._index]
        self._index += 1
        return step

    def skip_to_cancel(self) -> bool:
        """Continue where the recorded client cancelled; return whether that comes later."""
        rest = range(self._index - 1, len(self.part.steps))
        found = next((n for n in rest if isinstance(self.part.steps[n], Cancelled)), None)
        if found is None:
            return False
        skipped = self.part.steps[self._index - 1 : found]
        updates = [step.update for step in skipped if isinstance(step, Send)]
        begun = [update for update in updates if update.get("sessionUpdate") == "tool_call"]
        self._left_out |= {str(update.get("toolCallId")) for update in begun}
        self._index = found + 1
        self.is_past_cancel = True
        return True

    def is_left_out(self, step: Send) -> bool:
        """Return whether an update belongs to a skipped tool call."""
        return bool(self._left_out) and str(step.update.get("toolCallId")) in self._left_out


_MAX_GAP_SECONDS = 10.0


class Pace:
    """Waits as long as the recorded agent did.

    Parameters
    ----------
    speed
        How many times as fast; None for no waiting at all.
    """

    def __init__(self, speed: float | None) -> None:
        self._speed = speed
        self._recorded_at = 0.0
        self._due = 0.0

    def restart(self, recorded: float) -> None:
        """Set the current time as the time ``recorded``."""
        self._recorded_at = recorded
        self._due = asyncio.get_running_loop().time()

    async def reach(self, recorded: float, interrupt: asyncio.Event) -> None:
        """Wait until a step ``recorded`` at that time is due, or until ``interrupt`` is set.

        Steps are due by the clock, so that many short gaps do not add up to a long delay.
        """
        gap = min(max(0.0, recorded - self._recorded_at), _MAX_GAP_SECONDS)
        self._recorded_at = recorded
        if self._speed is None:
            await asyncio.sleep(0)  # lets the client's messages in
            return
        self._due += gap / self._speed
        seconds = self._due - asyncio.get_running_loop().time()
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(seconds):
                await interrupt.wait()
        except TimeoutError:
            pass
