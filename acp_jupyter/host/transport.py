"""The messages of one agent, in wire order, between its pipes and the ACP SDK."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeGuard

from pydantic import JsonValue

from acp_jupyter.errors import AgentDied
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.lines import LineSplitter, OverlongLine
from acp_jupyter.host.process import AgentProcess
from acp_jupyter.host.requests import OurRequest, OurRequests, TheirRequests
from acp_jupyter.host.routing import Lines, Mark, SessionLog, session_named
from acp_jupyter.packets.json_fields import first, obj
from acp_jupyter.packets.json_shape import clean_json, read_json
from acp_jupyter.packets.normalise import normalise_clean

__all__ = ["BeforeAnswer", "LineTransport", "OnWithdrawn"]

BeforeAnswer = Callable[[], Awaitable[None]]
OnWithdrawn = Callable[[str, int], None]
"""Gets our id of the session and the number of the request's line."""

_YIELD_EVERY = 50
_EXIT_AFTER_EOF_SECONDS = 1.0
_NEXT = "The next prompt starts it again."
_NOT_FOR_THE_SDK = frozenset({"session/update", "$/cancel_request"})
_HANDSHAKE = "initialize"
_BUSY = {"error": {"code": -32603, "message": "Too many requests are open"}}
_NO_METHOD = {"error": {"code": -32601, "message": "Method not found"}}
_NO_SESSION = {"error": {"code": -32602, "message": "There is no such session here"}}


class LineTransport:
    """The SDK's ``Transport`` (`send`, `receive`, `close`) over an agent process.

    Every line of either direction is written into the logs it belongs to before anything else is
    done with it. ``session/update`` goes there only: the SDK runs each in a task of its own,
    which reorders them, and its models drop what they do not know. Answers to our requests go to
    `request`. The SDK gets what it is good at: the agent's requests and other notifications.

    Parameters
    ----------
    process
        Owned by the caller.
    lines
        Where lines are written.
    limits
        See `Limits`.
    name
        Of the agent, for words.
    """

    def __init__(
        self, process: AgentProcess, lines: Lines, limits: Limits, *, name: str = "The agent"
    ) -> None:
        self.ended = asyncio.Event()
        self.fault = ""
        """Why the conversation with a living agent was ended, e.g. ``has closed its stdin``."""
        self.on_withdrawn: OnWithdrawn | None = None
        """Called when the agent takes a request back (ACP: $/cancel_request)."""
        self._process = process
        self._lines = lines
        self._limits = limits
        self._name = name
        self._splitter = LineSplitter(limits.line_bytes)
        self._ready: deque[dict[str, Any]] = deque()
        self._count = 0
        self._noise = 0
        self._ours = OurRequests()
        self._theirs = TheirRequests(limits.open_requests)

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        seconds: float | None,
        *,
        log: SessionLog | None = None,
        opens: bool = False,
        before_answer: BeforeAnswer | None = None,
    ) -> Any:
        """Send a request and return the raw result.

        Parameters
        ----------
        log
            Of the session that it is for; without one it goes into the logs of all.
        opens
            Whether the answer names a session that is the log's from then on.
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
        request = self._ours.open(log, opens=opens)
        request.before_answer = before_answer
        message = {"jsonrpc": "2.0", "id": request.id, "method": method, "params": dict(params)}
        try:
            async with asyncio.timeout(seconds):
                message = clean_json(message)
                request.marks = self._lines.write(">", message, self._logs(log))
                if method == _HANDSHAKE:
                    self._lines.keep_handshake(">", message)
                self._put(message)
                await self._flush()
                return await request.future
        finally:
            if self._ours.forget(request) and method != "session/prompt":
                self._give_up(request)

    async def notify(
        self, method: str, params: Mapping[str, Any], log: SessionLog | None = None
    ) -> None:
        """Send a notification. It is queued at once, behind what the agent has yet to read."""
        message = clean_json({"jsonrpc": "2.0", "method": method, "params": dict(params)})
        self._lines.write(">", message, self._logs(log))
        self._put(message)
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
                text = self._text_of(line)
                value = self._value_of(text)
                if _is_update(value):
                    self._lines.update(value, text)
                else:
                    before = self._before_answer(value)
                    if before is not None:
                        await before()
                    self._on_value(value)
                self._count += 1
                if self._count % _YIELD_EVERY == 0:
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
            self.fault = why
            self._note({"note": "deaf", "text": why})
        return self._fail(f"{self._name} {why}. {_NEXT}")

    def _logs(self, log: SessionLog | None) -> Sequence[SessionLog]:
        return self._lines.joined if log is None else (log,)

    def _note(self, note: dict[str, Any]) -> None:
        self._lines.write("!", note, self._lines.joined)

    def _give_up(self, request: OurRequest) -> None:
        """ACP: $/cancel_request. Who does not know it may ignore it."""
        if self.ended.is_set():
            return
        message = {
            "jsonrpc": "2.0",
            "method": "$/cancel_request",
            "params": {"requestId": request.id},
        }
        self._lines.write(">", message, [mark.log for mark in request.marks])
        with contextlib.suppress(AgentDied):
            self._put(message)

    def _answer(self, message: dict[str, Any]) -> None:
        """Queue an answer, under the agent's own id."""
        asked = self._theirs.take(message["id"])
        if asked is None:
            return
        message = clean_json({**message, "id": asked.id})
        self._lines.write(">", message, [mark.log for mark in asked.marks], asked.marks)
        self._put(message)

    def _put(self, message: dict[str, Any]) -> None:
        """Queue one line that was written into the logs."""
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
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
            self.fault = "has closed its output"
            self._note({"note": "output_closed", "stderr": tail})
            self._fail(f"{self._name} {self.fault}. {_NEXT}", tail)
            return
        exited = {"exit_code": reason.exit_code, "signal": reason.signal, "text": reason.words()}
        self._note({"note": "exit", **exited, "stderr": tail})
        self._fail(f"{self._name} {reason.words()}. {_NEXT}", tail)

    def _fail(self, text: str, stderr: Sequence[str] = ()) -> AgentDied:
        error = self._ours.close(AgentDied(text, "\n".join(stderr)))
        self.ended.set()
        return error

    def _text_of(self, line: bytes | OverlongLine) -> str:
        """Decode a line; one that is too long is noted and says nothing."""
        if isinstance(line, OverlongLine):
            start = line.start.decode("utf-8", "replace")
            self._on_noise(f"A line of {line.size} bytes was dropped. It began: {start}")
            return ""
        return line.decode("utf-8", "replace").strip()

    def _value_of(self, text: str) -> object:
        """Read a line; None for one that says nothing, which may be noted as noise."""
        if not text:
            return None
        try:
            return read_json(text)
        except (ValueError, RecursionError):
            self._on_noise(text)
            return None

    def _before_answer(self, value: object) -> BeforeAnswer | None:
        """Return what has to be awaited before ``value`` is told."""
        if not isinstance(value, dict) or "method" in value:
            return None
        for part in normalise_clean(value):
            request = self._ours.asked(part)
            if request is not None and request.before_answer is not None:
                before, request.before_answer = request.before_answer, None
                return before
        return None

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
            self._note({"note": "noise", "text": text[: self._limits.noise_chars]})

    def _on_message(self, message: dict[str, Any]) -> None:
        if _is_update(message):
            self._lines.update(message)
            return
        normal = normalise_clean(message)
        answered = next((r for r in map(self._ours.asked, normal) if r is not None), None)
        if answered is not None:
            self._on_answer(message, normal, answered)
            return
        if "id" not in message and normal and _is_updates(normal):
            self._lines.update(message)
            return
        logs = self._logs_of(normal[0] if normal else message)
        marks = self._lines.write("<", message, logs)
        for part in normal:
            self._hand_on(part, marks)

    def _on_answer(
        self, message: dict[str, Any], normal: Sequence[dict[str, Any]], request: OurRequest
    ) -> None:
        """Write the answer where its request stands, and hand it to whoever waits."""
        opened = first(obj(obj(message).get("result")), "sessionId", "session_id")
        if request.opens and request.log is not None and isinstance(opened, str) and opened:
            self._lines.bind(opened, request.log)
        logs = [mark.log for mark in request.marks]
        self._lines.write("<", message, logs, request.marks)
        if request.log is None and "protocolVersion" in obj(message.get("result")):
            self._lines.keep_handshake("<", message)
        for part in normal:
            self._ours.settle(part)

    def _logs_of(self, message: Mapping[str, Any]) -> Sequence[SessionLog]:
        """Return whose line it is: that of a named session, of a named request, or everyone's."""
        if not session_named(message):
            named = first(obj(message.get("params")), "requestId", "request_id")
            request = self._ours.of_id(named)
            if request is not None and request.log is not None:
                return (request.log,)
            if message.get("method") == "$/cancel_request":
                theirs = self._theirs.of_id(named)
                if theirs is not None:
                    return [mark.log for mark in theirs.marks]
            if "id" not in message:
                return self._lines.joined
        log = self._lines.log_of(message)
        return () if log is None else (log,)

    def _hand_on(self, message: dict[str, Any], marks: tuple[Mark, ...]) -> None:
        """Give one well-formed message to the one who deals with it."""
        method = message.get("method")
        if method is None:
            return  # an answer that nobody waits for
        if method == "$/cancel_request":
            self._withdraw(obj(message.get("params")))
        elif "id" not in message:
            if method not in _NOT_FOR_THE_SDK and marks:
                self._ready.append(_for_handler(message, marks))
        else:
            full = self._theirs.full()
            request = self._theirs.open(message, marks)
            outcome = _BUSY if full else _outcome_without_handler(method, marks)
            if outcome is None:
                self._ready.append(_for_handler(request, marks))
                return
            with contextlib.suppress(AgentDied):
                self._answer({"jsonrpc": "2.0", "id": request["id"], **outcome})

    def _withdraw(self, params: dict[str, JsonValue]) -> None:
        asked = self._theirs.of_id(first(params, "requestId", "request_id"))
        if asked is not None and self.on_withdrawn is not None:
            for mark in asked.marks:
                self.on_withdrawn(mark.log.session_id, mark.seq)


def _is_update(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and value.get("method") == "session/update" and "id" not in value


def _is_updates(messages: Sequence[Mapping[str, Any]]) -> bool:
    return all(message.get("method") == "session/update" for message in messages)


def _for_handler(message: dict[str, Any], marks: tuple[Mark, ...]) -> dict[str, Any]:
    """Replace the root ``_meta``, whose keys the SDK passes as arguments, by the line's place."""
    where = {"request_seq": marks[0].seq, "log_of": marks[0].log.session_id}
    return {**message, "params": {**message["params"], "_meta": where}}


def _outcome_without_handler(method: str, marks: tuple[Mark, ...]) -> dict[str, Any] | None:
    """Return the answer to a request that the SDK would answer wrongly, or not at all."""
    if method in _NOT_FOR_THE_SDK:
        return {"result": None}
    if not marks:
        return _NO_METHOD if method.startswith("_") else _NO_SESSION
    return None
