"""Inbound lines of an agent: each is logged, then dispatched.

Surrogate pairs that an agent split are joined: JavaScript counts an emoji as two characters, and
an agent may send each in a chunk of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from pydantic import JsonValue
from pydantic_core import to_json

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.lines import OverlongLine
from acp_jupyter.host.rpc.agent_answers import Received
from acp_jupyter.host.rpc.log_router import LogRouter, Mark, SessionLog, session_named
from acp_jupyter.host.rpc.open_requests import (
    DelayedAnswers,
    ReceivedRequests,
    SentRequest,
    SentRequests,
)
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.large.long_json import TooManyParts, read_long_json
from acp_jupyter.protocol.large.messages import MAX_PARTS, cut_message, is_cut
from acp_jupyter.protocol.normalise import normalise_clean
from acp_jupyter.protocol.objects import first, obj
from acp_jupyter.protocol.traffic import LONG_CHARS
from acp_jupyter.protocol.version_2 import Version2
from acp_jupyter.protocol.version_2.meta_keys import CUT

OnWithdrawn = Callable[[str, int], None]
"""Called with our id of the session and the number of the request's line."""

_ASKS = "session/request_permission"
_WITHOUT_HANDLER = frozenset({"session/update", "$/cancel_request"})
_ONLY_REQUESTS = frozenset({"mcp/message"})
_MAX_TOLD = 3
_NOISE_CHARS = 500
"""Characters that are kept of a line without a protocol message."""
_LEFT_OUT = "The agent sent a message that is too large ({mb:.1f} MB). It was left out."
_SHORTENED = (
    "The agent sent a message that is too large to be shown whole ({mb:.1f} MB). The traffic of "
    "this session has all of it."
)
_BUSY = {"error": {"code": -32603, "message": "Too many requests are open"}}
_ID = re.compile(r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,100}")')
_METHOD = re.compile(r'"method"\s*:\s*"([^"\\]{1,100})"')
_TOO_LARGE = {"error": {"code": -32602, "message": "The request is too large"}}
_NO_METHOD = {"error": {"code": -32601, "message": "Method not found"}}
_NO_SERVER = {"error": {"code": -33001, "message": "There is no such MCP server here"}}
_NO_SESSION = {"error": {"code": -32602, "message": "There is no such session here"}}


class Inbound:
    """Logs and dispatches the lines of one agent in wire order.

    Parameters
    ----------
    hand_on
        Called with the requests and notifications that may have a handler; their ``params`` are
        `Received`.
    """

    def __init__(
        self,
        log_router: LogRouter,
        ours: SentRequests,
        theirs: ReceivedRequests,
        limits: Limits,
        hand_on: Callable[[dict[str, Any]], None],
        answer: Callable[[dict[str, Any]], None],
        version_2: Version2,
    ) -> None:
        self.on_withdrawn: OnWithdrawn | None = None
        self._log_router = log_router
        self._ours = ours
        self._theirs = theirs
        self._limits = limits
        self._hand_on_message = hand_on
        self._answer = answer
        self._version_2 = version_2
        self._noise = 0
        self._told: Counter[str] = Counter()
        """How many notices about messages that are too large each session has."""
        self._halves = SurrogatePairs()
        self._held = DelayedAnswers(log_router, self._answered, self._handle)

    async def receive(self, line: bytes | OverlongLine) -> None:
        """Handle one line; never raises because of its content.

        A long line is read in a thread, in steps, and the lines after it wait. What is too much of
        its message goes no further than the log.
        """
        if isinstance(line, bytes) and len(line) > LONG_CHARS:
            await self._receive_long(line)
        else:
            text = self._text_of(line)
            self._pass(self._value_of(text), text)

    async def _receive_long(self, line: bytes) -> None:
        try:
            parts = await asyncio.to_thread(_read_long, line)
        except TooManyParts:
            self._on_unreadable(line)
            return
        except ValueError:
            self._on_noise(line[:_NOISE_CHARS].decode("utf-8", "replace"))
            return
        for part in parts:
            is_object = isinstance(part.message, dict)
            log = self._log_router.log_of(part.message) if is_object else None
            clean = part.message
            if log is not None:
                clean = await asyncio.to_thread(log.without_known, part.message)
            self._pass(clean, part.raw)
            if is_object and is_cut(obj(part.message.get("params"))):
                self._tell(_SHORTENED.format(mb=len(part.raw) / 1e6), [] if log is None else [log])

    def _on_unreadable(self, line: bytes) -> None:
        self._on_noise(line[:_NOISE_CHARS].decode("utf-8", "replace"))
        self._leave_out(line[:_NOISE_CHARS], len(line))

    def _leave_out(self, start: bytes, size: int) -> None:
        """Tell that a message was left out; if it is a request, refuse it."""
        self._tell(_LEFT_OUT.format(mb=size / 1e6), self._log_router.joined)
        # Those who write JSON put the parameters last; what is in another object does not count.
        head, has_params, _ = start.decode("utf-8", "replace").partition('"params"')
        request_id, method = _ID.search(head), _METHOD.search(head)
        is_request = bool(has_params) and head.count("{") == 1
        if is_request and request_id is not None and method is not None:
            message = {"jsonrpc": "2.0", "id": json.loads(request_id[1]), "method": method[1]}
            self._on_message({**message, "params": {"_meta": {CUT: True}}})

    def _tell(self, words: str, logs: Sequence[SessionLog]) -> None:
        """Say where its user sees it that not all is shown."""
        few = [log for log in logs if self._told[log.session_id] < _MAX_TOLD]
        self._told.update(log.session_id for log in few)
        notice = HostNotice(severity="warning", text=words)
        self._log_router.write("!", notice.model_dump(mode="json"), few)

    async def settled(self) -> None:
        """Wait until no line is held back."""
        self._handle_all(self._halves.lost())
        await self._held.settled()

    def note(self, note: dict[str, Any]) -> None:
        """Write a note about the connection into the logs of all sessions."""
        self._log_router.write("!", note, self._log_router.joined)

    # -- from a line to messages ---------------------------------------------------

    def _pass(self, value: object, text: str) -> None:
        """Handle what was read from a line, after the other half of a pair that it splits."""
        if not self._halves.concern(text):
            self._handle_all(((value, text),))
        elif value is not None:
            self._handle_all(self._halves.joined(value, text))

    def _handle_all(self, values: Iterable[tuple[object, str]]) -> None:
        """Handle values, each after the answers that are delayed."""
        for value, text in values:
            if not self._held.hold(value, text):
                self._handle(value, text)

    def _handle(self, value: object, text: str = "") -> None:
        """Handle a message, a batch of messages, or another JSON value, and the line it was."""
        if _is_update(value):
            self._log_router.update(value, text)
            for answer in self._version_2.ended_by(value):
                self._ours.resolve(answer)
        elif isinstance(value, dict):
            self._on_message(value, text if len(text) > LONG_CHARS else "")
        elif isinstance(value, list):
            for item in value:
                self._handle(item)
        elif value is not None:
            self._on_noise(json.dumps(value))

    def _text_of(self, line: bytes | OverlongLine) -> str:
        """Decode a line; one that is too long is noted and gives an empty text."""
        if isinstance(line, OverlongLine):
            start = line.start.decode("utf-8", "replace")
            self._on_noise(f"A line of {line.size} bytes was dropped. It began: {start}")
            self._leave_out(line.start, line.size)
            return ""
        return line.decode("utf-8", "replace").strip()

    def _value_of(self, text: str) -> object:
        """Parse a line; None if it is no JSON, which may be noted as noise."""
        if not text:
            return None
        try:
            return read_json(text)
        except (ValueError, RecursionError):
            self._on_noise(text)
            return None

    def _on_noise(self, text: str) -> None:
        self._noise += 1
        if self._noise <= self._limits.noise_notes:
            self.note({"note": "noise", "text": text[:_NOISE_CHARS]})

    def _on_message(self, message: dict[str, Any], raw: str = "") -> None:
        accepted = self._ours.answered_by(message) if self._version_2.accepts(message) else None
        if accepted is not None:
            self._version_2.received(message)
            theirs = [mark.log for mark in accepted.marks]
            self._log_router.write("<", message, theirs, accepted.marks, raw)
            return
        normal = self._normal(message)
        answered = self._first_answered(normal)
        if answered is not None:
            self._on_answer(message, normal, answered, raw)
            return
        if "id" not in message and normal and _is_updates(normal):
            self._log_router.update(message, raw)
            return
        logs = self._logs_of(normal[0] if normal else message)
        marks = self._log_router.write("<", message, logs, raw=raw)
        for part in normal:
            self._hand_on(part, marks)

    def _normal(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        parts = self._version_2.received(message)
        return [normal for part in parts for normal in normalise_clean(part)]

    def _answered(self, message: Mapping[str, Any]) -> SentRequest | None:
        """Return our request that a message answers."""
        if "method" in message:
            return self._ours.of_id(self._version_2.ends(message))
        if self._version_2.accepts(message):
            return None
        return self._first_answered(normalise_clean(message))

    def _first_answered(self, normal: Sequence[dict[str, Any]]) -> SentRequest | None:
        return next((r for r in map(self._ours.answered_by, normal) if r is not None), None)

    def _on_answer(
        self,
        message: dict[str, Any],
        normal: Sequence[dict[str, Any]],
        request: SentRequest,
        raw: str,
    ) -> None:
        """Write the answer into its request's log, and resolve the request."""
        opened = first(obj(obj(message).get("result")), "sessionId", "session_id")
        if request.opens and request.log is not None and isinstance(opened, str) and opened:
            self._log_router.bind(opened, request.log)
        logs = [mark.log for mark in request.marks]
        self._log_router.write("<", message, logs, request.marks, raw)
        if request.log is None and "protocolVersion" in obj(message.get("result")):
            self._log_router.remember_handshake("<", message)
        for part in normal:
            self._ours.resolve(part)

    def _logs_of(self, message: Mapping[str, Any]) -> Sequence[SessionLog]:
        """Return the logs of a message: of the session or request that it names, or all."""
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
                return self._log_router.joined
        log = self._log_router.log_of(message)
        return () if log is None else (log,)

    def _hand_on(self, message: dict[str, Any], marks: tuple[Mark, ...]) -> None:
        """Dispatch one well-formed message."""
        method = message.get("method")
        if method is None:
            return  # an answer without an open request
        if method == "$/cancel_request":
            self._withdraw(obj(message.get("params")))
        elif "id" not in message:
            for mark in () if method in _WITHOUT_HANDLER | _ONLY_REQUESTS else marks:
                self._hand_on_message(_received(message, mark))
        else:
            full = self._theirs.full()
            request = self._theirs.open(message, marks)
            outcome = _BUSY if full else _outcome_without_handler(message, marks)
            if outcome is None:
                self._hand_on_message(_received(request, marks[0]))
            else:
                self._answer({"jsonrpc": "2.0", "id": request["id"], **outcome})

    def _withdraw(self, params: dict[str, JsonValue]) -> None:
        request = self._theirs.of_id(first(params, "requestId", "request_id"))
        if request is not None and self.on_withdrawn is not None:
            for mark in request.marks:
                self.on_withdrawn(mark.log.session_id, mark.seq)


def _received(message: dict[str, Any], mark: Mark) -> dict[str, Any]:
    params = Received(obj(message.get("params")), mark.log.session_id, mark.seq)
    return {**message, "params": params}


def _is_update(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and value.get("method") == "session/update" and "id" not in value


def _is_updates(messages: Sequence[Mapping[str, Any]]) -> bool:
    return all(message.get("method") == "session/update" for message in messages)


def _outcome_without_handler(
    message: Mapping[str, Any], marks: tuple[Mark, ...]
) -> dict[str, Any] | None:
    """Return the answer to a request that no handler may see."""
    method = message["method"]
    params = obj(message.get("params"))
    if is_cut(params) and (method != _ASKS or "sessionId" not in params):
        return _TOO_LARGE
    if method in _WITHOUT_HANDLER:
        return {"result": None}
    if not marks and method == "mcp/message":
        return _NO_SERVER
    if not marks:
        return _NO_METHOD if method.startswith("_") else _NO_SESSION
    return None


class _Part(NamedTuple):
    """A message of a long line."""

    message: Any
    raw: str


def _read_long(line: bytes) -> list[_Part]:
    """Read a long line, as far as its messages are read: see `cut_message`."""
    text = line.decode("utf-8", "replace").strip()
    if not text:
        return []
    value = read_long_json(text)
    if not isinstance(value, list):
        return [_Part(cut_message(value), text)]
    return [_Part(cut_message(each), to_json(each).decode()) for each in value[:MAX_PARTS]]


_LOST = "\ufffd"
"""Half a surrogate pair after parsing JSON."""
_FIRST = re.compile(r'\\u(d[89ab][\da-f]{2})"', re.IGNORECASE)
_SECOND = re.compile(r'"\\u(d[c-f][\da-f]{2})', re.IGNORECASE)


class SurrogatePairs:
    """Joins surrogate pairs that are split over two chunks of a message.

    The first half waits for the agent's next line in that session. If the second half does not
    come, the first becomes U+FFFD.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[dict[str, Any], str]] = {}

    def concern(self, line: str) -> bool:
        """Return whether a line may have halves in it, or come after one."""
        return bool(self._waiting) or "\\ud" in line or "\\uD" in line

    def joined(self, value: object, line: str) -> Iterator[tuple[object, str]]:
        """Yield what was read, whole; with the line that it was read from if it is the same."""
        text = _text_of(value)
        if text is None or not isinstance(value, dict):
            yield from self.lost()
            yield value, line
            return
        session_id = value["params"]["sessionId"]
        before, first = self._waiting.pop(session_id, (None, ""))
        halves = _FIRST.findall(line) if text.endswith(_LOST) else []
        second = _SECOND.search(line) if text.startswith(_LOST) else None
        if before is not None and second and _with_text(before, text) == value:
            pair = bytes.fromhex(first + second[1]).decode("utf-16-be")
            value, line, text = _with_text(value, pair + text[1:]), "", pair + text[1:]
        elif before is not None:
            yield _with_text(before, _LOST), ""
        if halves:
            self._waiting[session_id] = value, halves[-1]
            value, line = _with_text(value, text[:-1]), ""
        if text[: len(text) - len(halves[-1:])]:
            yield value, line

    def lost(self) -> Iterator[tuple[object, str]]:
        """Yield the halves that wait for nothing any more."""
        while self._waiting:
            before, _ = self._waiting.pop(next(iter(self._waiting)))
            yield _with_text(before, _LOST), ""


def _text_of(value: object) -> str | None:
    match value:
        case {
            "method": "session/update",
            "params": {
                "sessionId": str(),
                "update": {"sessionUpdate": str(), "content": {"type": "text", "text": str(text)}},
            },
        } if text:
            return text
        case _:
            return None


def _with_text(message: dict[str, Any], text: str) -> dict[str, Any]:
    params = message["params"]
    update = params["update"]
    content = {**update["content"], "text": text}
    return {**message, "params": {**params, "update": {**update, "content": content}}}
