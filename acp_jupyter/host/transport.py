"""The messages of one agent, in wire order, between its pipes and the ACP SDK."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from acp_jupyter.errors import AgentDied
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.lines import LineSplitter, OverlongLine
from acp_jupyter.host.process import AgentProcess
from acp_jupyter.host.requests import OurRequests, TheirRequests
from acp_jupyter.packets.json_shape import clean_json, read_json
from acp_jupyter.packets.normalise import normalise_clean
from acp_jupyter.packets.traffic import Direction, TrafficEntry

__all__ = ["BeforeAnswer", "LineTransport", "OnEntry"]

OnEntry = Callable[[TrafficEntry], None]
BeforeAnswer = Callable[[], Awaitable[None]]

_log = logging.getLogger(__name__)
_YIELD_EVERY = 50
_EXIT_AFTER_EOF_SECONDS = 1.0
_NEXT = "The next prompt starts it again."
_NOT_FOR_THE_SDK = frozenset({"session/update", "$/cancel_request"})
_BUSY = {"error": {"code": -32603, "message": "Too many requests are open"}}
_NO_METHOD = {"error": {"code": -32601, "message": "Method not found"}}


class LineTransport:
    """The SDK's ``Transport`` (`send`, `receive`, `close`) over an agent process.

    Every line of either direction is numbered and handed to ``on_entry`` before anything else
    is done with it. ``session/update`` goes there only: the SDK runs each in a task of its own,
    which reorders them, and its models drop what they do not know. Answers to our requests go to
    `request`. The SDK gets what it is good at: the agent's requests and other notifications.

    Parameters
    ----------
    process
        Owned by the caller.
    on_entry
        Called in wire order, in the loop. It must not block.
    limits
        See `Limits`.
    sequence
        Where the numbers of the lines come from.
    """

    def __init__(
        self,
        process: AgentProcess,
        on_entry: OnEntry,
        limits: Limits,
        *,
        name: str = "The agent",
        sequence: Iterator[int] | None = None,
    ) -> None:
        self.ended = asyncio.Event()
        self._process = process
        self._on_entry = on_entry
        self._limits = limits
        self._name = name
        self._sequence = sequence if sequence is not None else itertools.count(1)
        self._splitter = LineSplitter(limits.line_bytes)
        self._ready: deque[dict[str, Any]] = deque()
        self._lines = 0
        self._noise = 0
        self._ours = OurRequests()
        self._before: dict[int, BeforeAnswer] = {}
        self._theirs = TheirRequests(limits.open_requests)

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        seconds: float | None,
        before_answer: BeforeAnswer | None = None,
    ) -> Any:
        """Send a request and return the raw result.

        Parameters
        ----------
        before_answer
            Awaited when the answer has come and has not been told yet; nothing else of the
            agent is read meanwhile. It must not raise.

        Raises
        ------
        AgentRequestError
            The agent answered with an error.
        AgentDied
            It ended, or stopped reading.
        TimeoutError
            No answer within ``seconds``.
        """
        seq = next(self._sequence)
        future = self._ours.open(seq)
        if before_answer is not None:
            self._before[seq] = before_answer
        message = {"jsonrpc": "2.0", "id": seq, "method": method, "params": dict(params)}
        try:
            async with asyncio.timeout(seconds):
                self._put(message, seq)
                await self._flush()
                return await future
        finally:
            self._before.pop(seq, None)
            self._ours.forget(seq, future)

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification. It is queued at once, behind what the agent has yet to read."""
        message = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        self._put(message, next(self._sequence))
        await self._flush()

    async def send(self, message: dict[str, Any]) -> None:
        """Send the SDK's answer to a request of the agent; a dead agent gets none."""
        if self.ended.is_set():
            return
        with contextlib.suppress(AgentDied):
            self._answer(message)
            await self._flush()

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message for the SDK, or None when the agent has ended."""
        while not self._ready:
            if self.ended.is_set():
                return None
            chunk = await self._process.stdout.read()
            for line in self._splitter.feed(chunk) if chunk else self._splitter.finish():
                value = self._value_of(line)
                before = self._before_answer(value)
                if before is not None:
                    await before()
                self._on_value(value)
                self._lines += 1
                if self._lines % _YIELD_EVERY == 0:
                    await asyncio.sleep(0)
            if not chunk:
                await self._on_end()
        return self._ready.popleft()

    async def close(self) -> None:
        """Fail what waits. The process belongs to the caller."""
        self._fail(f"The connection to {self._name} was closed.")

    def fail_deaf(self, why: str) -> AgentDied:
        """End the conversation with an agent that lives and does not listen."""
        if not self.ended.is_set():
            self._enter("!", {"note": "deaf", "text": why})
        return self._fail(f"{self._name} {why}. {_NEXT}")

    def _answer(self, message: dict[str, Any]) -> None:
        """Queue an answer whose id is the number of the request's line."""
        answer = self._theirs.answer(message)
        if answer is not None:
            self._put(answer, next(self._sequence), message["id"])

    def _put(self, message: dict[str, Any], seq: int, request_seq: int | None = None) -> None:
        """Tell and queue one line; nothing comes between the two."""
        message = clean_json(message)
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._tell(TrafficEntry(seq, time.time(), ">", message, request_seq))
        try:
            self._process.stdin.write(data)
        except ConnectionError as error:
            raise self.fail_deaf(str(error)) from None

    async def _flush(self) -> None:
        try:
            await self._process.stdin.flush(self._limits.send_seconds)
        except ConnectionError as error:
            # An agent that exits closes its pipes first; its exit says more than that.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), _EXIT_AFTER_EOF_SECONDS)
            raise self.fail_deaf(str(error)) from None
        except TimeoutError:
            seconds = f"{self._limits.send_seconds:g} s"
            raise self.fail_deaf(f"has read nothing for {seconds} and counts as dead") from None

    async def _on_end(self) -> None:
        """Nothing more will come: say how it ended, then fail what waits."""
        reason = self._process.exit_reason
        with contextlib.suppress(TimeoutError):
            reason = await asyncio.wait_for(self._process.wait_exit(), _EXIT_AFTER_EOF_SECONDS)
        tail = self._process.stderr_tail()
        if reason is None:
            self._enter("!", {"note": "output_closed", "stderr": tail})
            self._fail(f"{self._name} closed its output. {_NEXT}", tail)
            return
        exited = {"exit_code": reason.exit_code, "signal": reason.signal, "text": reason.words()}
        self._enter("!", {"note": "exit", **exited, "stderr": tail})
        self._fail(f"{self._name} {reason.words()}. {_NEXT}", tail)

    def _fail(self, text: str, stderr: Sequence[str] = ()) -> AgentDied:
        error = self._ours.close(AgentDied(text, "\n".join(stderr)))
        self.ended.set()
        return error

    def _value_of(self, line: bytes | OverlongLine) -> object:
        """Decode a line; None for one that says nothing, which may be noted as noise."""
        if isinstance(line, OverlongLine):
            start = line.start.decode("utf-8", "replace")
            self._on_noise(f"A line of {line.size} bytes was dropped. It began: {start}")
            return None
        text = line.decode("utf-8", "replace").strip()
        if not text:
            return None
        try:
            return read_json(text)
        except (ValueError, RecursionError):
            self._on_noise(text)
            return None

    def _before_answer(self, value: object) -> BeforeAnswer | None:
        """Return what has to be awaited before ``value`` is told."""
        if not self._before or not isinstance(value, dict) or "method" in value:
            return None
        answered = (self._ours.asked(part) for part in normalise_clean(value))
        return next((self._before.pop(seq) for seq in answered if seq in self._before), None)

    def _on_value(self, value: object) -> None:
        """Take one message, each of a batch, or what is no message at all."""
        if isinstance(value, dict):
            self._on_message(value)
        elif isinstance(value, list):
            for item in value:
                self._on_value(item)
        elif value is not None:
            self._on_noise(json.dumps(value))

    def _on_noise(self, text: str) -> None:
        self._noise += 1
        if self._noise <= self._limits.noise_notes:
            self._enter("!", {"note": "noise", "text": text[: self._limits.noise_chars]})

    def _on_message(self, message: dict[str, Any]) -> None:
        if message.get("method") == "session/update" and "id" not in message:
            self._enter("<", message)
            return
        normal = normalise_clean(message)
        answered = (self._ours.asked(part) for part in normal)
        seq = self._enter("<", message, next((seq for seq in answered if seq is not None), None))
        for part in normal:
            self._hand_on(part, seq)

    def _hand_on(self, message: dict[str, Any], seq: int) -> None:
        """Give one well-formed message to the one who deals with it."""
        method = message.get("method")
        if method is None:
            self._ours.settle(message)
        elif "id" not in message:
            if method not in _NOT_FOR_THE_SDK:
                self._ready.append(_for_handler(message, seq))
        else:
            full = self._theirs.full()
            request = _for_handler(self._theirs.open(seq, message), seq)
            outcome = _BUSY if full else _outcome_without_handler(method)
            if outcome is None:
                self._ready.append(request)
                return
            with contextlib.suppress(AgentDied):
                self._answer({"jsonrpc": "2.0", "id": seq, **outcome})

    def _enter(
        self, direction: Direction, message: dict[str, Any], request_seq: int | None = None
    ) -> int:
        seq = next(self._sequence)
        self._tell(TrafficEntry(seq, time.time(), direction, message, request_seq))
        return seq

    def _tell(self, entry: TrafficEntry) -> None:
        try:
            self._on_entry(entry)
        except Exception:  # noqa: BLE001 - a fault above must not end the conversation
            _log.exception("A line of the agent could not be taken in (seq %s)", entry.seq)


def _for_handler(message: dict[str, Any], seq: int) -> dict[str, Any]:
    """Replace the root ``_meta``, whose keys the SDK passes as arguments, by the line's number."""
    return {**message, "params": {**message["params"], "_meta": {"request_seq": seq}}}


def _outcome_without_handler(method: str) -> dict[str, Any] | None:
    """Return the answer to a request that the SDK would answer wrongly, or not at all."""
    if method in _NOT_FOR_THE_SDK:
        return {"result": None}
    # The SDK answers null to terminals that nobody handles; we have not announced them.
    return _NO_METHOD if method.startswith("terminal/") else None
