"""The envelope of a logged message, and its direction.

The direction follows from the method, from the request that it answers, or from the writer's mark.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.normalise import text_or_json

Side = Literal[">", "<"]
"""``>`` from the client, ``<`` from the agent."""

Mark = Literal[">", "<", "out", "in", "!"]
"""How a writer marks a line; ``out`` and ``in`` are seen from the writer, who may be either
side."""

_MAX_OPEN = 10_000

_CLIENT_NAMES = (
    "initialize authenticate logout session/new session/load session/list session/resume "
    "session/fork session/close session/delete session/prompt session/cancel session/set_mode "
    "session/set_model session/set_config_option auth/login auth/logout tool_call/cancel "
    "terminal/cancel"
)
_AGENT_NAMES = (
    "session/update session/notification acp/notification/session_update session_update "
    "session/request_permission request_permission session_request_permission fs/read_text_file "
    "fs/write_text_file terminal/create terminal/output terminal/wait_for_exit terminal/kill "
    "terminal/release elicitation/create elicitation/complete"
)
_CLIENT_CALLS = frozenset(_CLIENT_NAMES.split())
_AGENT_CALLS = frozenset(_AGENT_NAMES.split())
_RESULT_KEYS = {
    "initialize": "protocolVersion",
    "session/new": "sessionId",
    "session/prompt": "stopReason",
    "session/request_permission": "outcome",
    "fs/read_text_file": "content",
    "terminal/create": "terminalId",
    "terminal/output": "output",
    "terminal/wait_for_exit": "exitCode",
    "elicitation/create": "action",
}

_NOT_A_MARK = re.compile(r"[^a-z2<>→←!]")
_WORDS: tuple[tuple[Mark, str], ...] = (
    (">", "> >> >>> → client fromclient editor ide stdin c2a c>a c→a"),
    ("<", "< << <<< ← agent fromagent server stdout a2c a>c a→c"),
    ("out", "out outgoing outbound send sent tx downstream"),
    ("in", "in incoming inbound recv received receive rx upstream"),
    ("!", "! stderr system log note"),
)
_SENDER = {word: mark for mark, words in _WORDS for word in words.split()}
_RECEIVER = re.compile(r"(?:[a-z]*(?:to|2|>|→))?(agent|server|client|editor|ide|desktop)")
_ARROW = re.compile(r"-{0,2}>{1,3}|→|<{1,3}-{0,2}|←|\b(?:sen[dt]|recv|received)\b", re.IGNORECASE)


def read_mark(text: str, *, names_receiver: bool = False) -> Mark | None:
    """Read a word such as ``client_to_agent``, ``>>>`` or ``incoming``; None for any other."""
    if len(text) > 40:
        return None
    word = _NOT_A_MARK.sub("", text.lower())
    route = _RECEIVER.fullmatch(word)
    if route and (names_receiver or route[0] != route[1]):
        return ">" if route[1] in ("agent", "server") else "<"
    return _SENDER.get(word)


def mark_in_text(text: str) -> Mark | None:
    """Read the text before a message in a plain log: an arrow, or a word."""
    found = _ARROW.search(text)
    return read_mark(found[0]) if found else None


def side_of_call(message: Mapping[str, Any]) -> Side | None:
    """Return who sent ``message``, a request or notification, if the protocol determines it."""
    match message.get("method"):
        case str(method):
            return ">" if method in _CLIENT_CALLS else "<" if method in _AGENT_CALLS else None
        case None:
            return "<"  # the bare update of an old agent
        case _:
            return None


def side_of_result(message: Mapping[str, Any]) -> Side:
    """Guess who sent ``message``, a response to a request that is not in the log."""
    result = message.get("result")
    keys = result.keys() if isinstance(result, Mapping) else frozenset[str]()
    return ">" if keys & {"outcome", "content", "terminalId", "output", "action"} else "<"


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A request that waits for its response."""

    seq: int
    method: str


_ANSWERS: tuple[tuple[Side, Side], ...] = (("<", ">"), (">", "<"))
"""Matches responses to requests."""


class OpenRequests:
    """The open requests of both sides, each with ids of its own.

    Only the newest are kept, so that a log full of unanswered requests takes no memory.
    """

    def __init__(self) -> None:
        self._open: dict[Side, OrderedDict[int | str, OpenRequest]] = {
            ">": OrderedDict(),
            "<": OrderedDict(),
        }

    def add(self, side: Side, message: Mapping[str, Any], seq: int) -> None:
        """Remember a request."""
        if message.get("method") == "initialize" and side == ">":
            for requests in self._open.values():
                requests.clear()  # a new process, which knows of none of them
        request_id = _id(message)
        if request_id is None:
            return
        asked = self._open[side]
        asked.pop(request_id, None)
        asked[request_id] = OpenRequest(seq, str(message.get("method")))
        if len(asked) > _MAX_OPEN:
            asked.popitem(last=False)

    def answered(self, side: Side, message: Mapping[str, Any]) -> OpenRequest | None:
        """Return, and forget, the request that ``side`` answers."""
        asker: Side = "<" if side == ">" else ">"
        key = self._key(asker, message)
        return None if key is None else self._open[asker].pop(key)

    def side_of(self, message: Mapping[str, Any]) -> Side | None:
        """Return who sent a response; None if both or neither may have."""
        agent, client = self._key(">", message), self._key("<", message)
        if (agent is None) == (client is None):
            return None
        return "<" if client is None else ">"

    def likelier(self, message: Mapping[str, Any]) -> Side | None:
        """Return who sent a response that either side may have, by its content; else None."""
        found = [
            (side, self._open[asker][key])
            for side, asker in _ANSWERS
            if (key := self._key(asker, message)) is not None
        ]
        result = message.get("result")
        keys = result if isinstance(result, Mapping) else {}
        fitting = [pair for pair in found if _RESULT_KEYS.get(pair[1].method) in keys]
        # A request inside another one's turn is answered first.
        best = max(fitting or found, key=lambda pair: pair[1].seq, default=None)
        return None if best is None else best[0]

    def _key(self, sender: Side, message: Mapping[str, Any]) -> int | str | None:
        """Return the id as the request wrote it, since some answer 2 with "2"."""
        given = _id(message)
        asked = self._open[sender]
        if given is None or given in asked:
            return given
        other: int | str = str(given)
        if isinstance(given, str):
            if not (given.isascii() and given.isdigit() and len(given) < 19):
                return None
            other = int(given)
        return other if other in asked else None


def _id(message: Mapping[str, Any]) -> int | str | None:
    given = message.get("id")
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given if isinstance(given, int | str) and not isinstance(given, bool) else None


Object = Mapping[str, Any]

_MAX_LAYERS = 5
_SENDER_NAMES = (
    "d dir direction _direction flow way from sender source side origin stream type kind"
)
_TIME_NAMES = (
    "t ts time timestamp @timestamp ts_ms t_ms time_ms timestamp_ms timestampMs epoch_ms at date "
    "datetime created_at createdAt sent_at sentAt occurred_at elapsed elapsed_ms elapsedMs offset "
    "offset_ms"
)
_MESSAGE_NAMES = (
    "m message msg payload data body frame object rpc parsed json line raw content entry event "
    "params"
)
_SENDERS = tuple(_SENDER_NAMES.split())
_RECEIVERS = ("to", "target", "destination", "receiver")
_KINDS = ("_type", "type", "kind", "envelope")
_TIMES = tuple(_TIME_NAMES.split())
_MESSAGES = tuple(_MESSAGE_NAMES.split())
_BESIDE = frozenset({*_SENDERS, *_RECEIVERS, *_KINDS, *_TIMES, "seq", "sequence", "index", "label"})


@dataclass(frozen=True, slots=True)
class Envelope:
    """The content of a log line.

    Attributes
    ----------
    message
        The JSON-RPC message; None where the line has none.
    mark
        How its direction was marked.
    time, time_key
        When it was written, as it stands there, and under which name.
    text
        In place of a message, what somebody wrote that is none.
    """

    message: Object | None = None
    mark: Mark | None = None
    time: object = None
    time_key: str = ""
    text: str = ""


def is_message(value: Object) -> bool:
    """Return whether it is a JSON-RPC message, or a bare update as old agents write."""
    if "jsonrpc" in value:
        return True
    if isinstance(value.get("method"), str):
        return "params" in value or "id" in value
    if "id" in value and ("result" in value or "error" in value):
        return True
    update = value.get("update", value)
    return isinstance(update, Mapping) and isinstance(update.get("sessionUpdate"), str)


def open_envelope(source: Object) -> Envelope:
    """Remove the wrappers from a line's object."""
    found = Envelope()
    layer: object = source
    for _ in range(_MAX_LAYERS):
        if not isinstance(layer, Mapping):
            break
        beside = _mark(layer)
        found = _timed(found, layer)
        if is_message(layer) and (beside != "!" or "jsonrpc" in layer):
            mark = found.mark or beside
            message = _flat(layer) if beside else layer
            return replace(found, message=message, mark=None if mark == "!" else mark, text="")
        layer = _content(layer)
        found = replace(found, mark=found.mark or beside)
        if found.mark == "!" and not found.text:
            found = replace(found, text=text_or_json(layer))
    return found


def _mark(source: Object) -> Mark | None:
    for names, receiver in ((_SENDERS, False), (_RECEIVERS, True)):
        for name in names:
            value = source.get(name)
            if isinstance(value, str) and (mark := read_mark(value, names_receiver=receiver)):
                return mark
    return None


def _timed(found: Envelope, source: Object) -> Envelope:
    if found.time_key:
        return found
    for name in _TIMES:
        value = source.get(name)
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return replace(found, time=value, time_key=name)
    return found


def _content(source: Object) -> object:
    """Return the wrapped value: an object, or the text of one."""
    values = [source[name] for name in _MESSAGES if name in source]
    for value in values:
        if isinstance(value, Mapping) and value:
            return value
    for value in values:
        if isinstance(value, str) and value.lstrip()[:1] == "{":
            try:
                return read_json(value)
            except (ValueError, RecursionError):
                continue
    return next((value for value in values if value not in (None, "", {})), None)


def _flat(source: Object) -> Object:
    """Return the message whose members stand beside the writer's marks."""
    if "jsonrpc" in source or not source.keys() & {"method", "result", "error"}:
        return source
    kind = next((source[name] for name in _KINDS if isinstance(source.get(name), str)), "")
    message = {key: value for key, value in source.items() if key not in _BESIDE}
    if "method" in message and message.get("id", 0) is None:
        del message["id"]
    if kind.lower() == "response" and not message.keys() & {"result", "error"}:
        # Zed repeats the request's method, and puts the result in the place of the parameters.
        message.pop("method", None)
        result = message.pop("params", None)
        message["error" if _is_error(result) else "result"] = result
    return message


def _is_error(result: object) -> bool:
    match result:
        case {"code": int(), "message": str()}:
            return True
        case _:
            return False
