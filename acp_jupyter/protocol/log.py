"""Reads a log of ACP traffic in any common format.

The formats: acp-jupyter's own (``{"seq", "t", "d", "re", "m"}``), the same without numbers, bare
JSON-RPC lines, lines wrapped by a client or a proxy, plain logs with a JSON-RPC message at the end
of each line, and arrays printed over several lines. A time may be in any common format.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from acp_jupyter.protocol.log_envelope import (
    Envelope,
    Mark,
    OpenRequests,
    Side,
    mark_in_text,
    open_envelope,
    side_of_call,
    side_of_result,
)
from acp_jupyter.protocol.log_json import LogProblem, LogValue, read_values
from acp_jupyter.protocol.traffic import TrafficEntry

_MAX_SEQ = 2**53


def read_log(
    lines: Iterable[bytes | str], start: float = 0.0
) -> Iterator[TrafficEntry | LogProblem]:
    """Yield a log's entries in order, and a problem for what can't be read; never raise.

    Memory does not grow with the log. Missing or absurd numbers and times are filled in: an entry
    without a time gets that of the entry before.
    """
    reader = _Reader(start)
    for value in read_values(lines):
        if isinstance(value, LogProblem):
            yield value
        else:
            yield from reader.read(value)


class _Reader:
    """The state that is kept from line to line."""

    def __init__(self, start: float) -> None:
        self._start = start
        self._seq = 0
        self._shift = 0
        self._time = start
        self._requests = OpenRequests()
        self._inverted = False  # the log was written by the agent: its "out" is our "in"

    def read(self, found: LogValue) -> Iterator[TrafficEntry | LogProblem]:
        """Read one value of the log."""
        value = found.value
        if not isinstance(value, Mapping):
            yield LogProblem(found.line, "This is not a JSON object, so it is not a message.")
            return
        match value:
            case {"d": ">" | "<" | "!" as side, "m": Mapping() as message}:
                if side != "!" or "seq" in value or "note" in message:
                    yield self._own(value, side, message)
                elif "event" not in message:  # the recorder's own steps are not part of the session
                    yield LogProblem(found.line, "A note that this version does not know.")
            case {"d": ">" | "<", "m": [_, *_] as batch}:
                yield from self._batch(found.line, value, batch)
            case _:
                yield from self._foreign(found, value)

    def _batch(
        self, line: int, entry: Mapping[str, Any], batch: list[Any]
    ) -> Iterator[TrafficEntry | LogProblem]:
        """Read a batch; report a problem with its messages only once."""
        seen: set[str] = set()
        alike = {key: value for key, value in entry.items() if key != "seq"}
        for message in batch:
            for each in self.read(LogValue(line, {**alike, "m": message})):
                if isinstance(each, TrafficEntry):
                    yield each
                elif each.message not in seen:
                    seen.add(each.message)
                    yield each

    def _own(self, value: Mapping[str, Any], side: Any, message: Mapping[str, Any]) -> TrafficEntry:
        given = value.get("seq")
        if not isinstance(given, int) or isinstance(given, bool) or not 0 < given < _MAX_SEQ:
            return self._entry(side, message, value.get("t"))
        if side == "!" and message.get("note") == "log_gap":
            given = max(given, self._seq - self._shift)  # it may share the number of a line
        elif given + self._shift <= self._seq:
            self._shift = self._seq + 1 - given  # two logs in one file
        self._seq = given + self._shift
        self._tick(value.get("t"))
        asked = None if side == "!" else self._follow(side, message)
        re = value.get("re")
        if isinstance(re, int) and not isinstance(re, bool) and 0 <= re < given:
            asked = re + self._shift
        return TrafficEntry(self._seq, self._time, side, message, asked)

    def _foreign(
        self, found: LogValue, value: Mapping[str, Any]
    ) -> Iterator[TrafficEntry | LogProblem]:
        envelope = open_envelope(value)
        time: tuple[object, str] = (envelope.time, envelope.time_key)
        if not envelope.time_key and found.prefix:
            time = (time_in_text(found.prefix), "")
        if envelope.message is not None:
            mark = envelope.mark or mark_in_text(found.prefix)
            yield self._entry(self._side(envelope.message, mark), envelope.message, *time)
        elif envelope.text:
            note = {"note": "noise", "text": envelope.text}
            yield self._entry("!", note, *time)
        else:
            yield LogProblem(found.line, _missing(envelope, value))

    def _entry(
        self, side: Any, message: Mapping[str, Any], time: object, key: str = ""
    ) -> TrafficEntry:
        self._seq += 1
        self._tick(time, key)
        re = None if side == "!" else self._follow(side, message)
        return TrafficEntry(self._seq, self._time, side, message, re)

    def _tick(self, time: object, key: str = "") -> None:
        seconds = to_epoch(time, key, self._start)
        if seconds is not None:
            self._time = seconds

    def _follow(self, side: Side, message: Mapping[str, Any]) -> int | None:
        """Remember a request; return which one a response answers."""
        if "method" in message:
            self._requests.add(side, message, self._seq)
            return None
        asked = self._requests.answered(side, message)
        return None if asked is None else asked.seq

    def _side(self, message: Mapping[str, Any], mark: Mark | None) -> Side:
        """Decide who sent ``message``. Its content counts more than the writer's mark."""
        is_call = "method" in message or "id" not in message
        known = side_of_call(message) if is_call else self._requests.side_of(message)
        if known is not None:
            if mark in ("out", "in"):
                self._inverted = (mark == "out") != (known == ">")
            return known
        match mark:
            case ">" | "<":
                return mark
            case "out" | "in":
                return ">" if (mark == "out") != self._inverted else "<"
            case _:
                pass
        if is_call:
            return "<"  # extensions of agents are more, and their updates carry more
        return self._requests.likelier(message) or side_of_result(message)


def _missing(envelope: Envelope, value: Mapping[str, Any]) -> str:
    if isinstance(value.get("method"), str):
        return f"The line names {value['method'][:80]}, but does not have its message."
    if envelope.mark is not None:
        return "A direction without a message."
    return "No JSON-RPC message is in this line."


_FIRST = 1e9
"""2001: a smaller number counts from the beginning of the log."""

_LAST = 32_503_680_000.0
"""The year 3000."""

_UNITS = (("ms", 1e3), ("millis", 1e3), ("us", 1e6), ("micros", 1e6), ("ns", 1e9), ("nanos", 1e9))
_MAX_CHARS = 64
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII
)


def to_epoch(value: object, key: str = "", start: float = 0.0) -> float | None:
    """Return seconds since the epoch, or None for a value that can't be a time.

    Parameters
    ----------
    value
        ISO 8601, or a number of seconds or of a smaller unit; of what unit, its size tells.
    key
        Under which name it stood: ``ts_ms`` says the unit.
    """
    if isinstance(value, str):
        if len(value) > _MAX_CHARS:
            return None
        if (moment := _iso(value.strip())) is not None:
            return _plausible(moment)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(number) or number < 0:
        return None
    seconds = number / _divisor(key.lower(), number)
    return _plausible(start + seconds if seconds < _FIRST else seconds)


def time_in_text(text: str) -> str:
    """Return the first date and time in the text before a message."""
    found = _ISO.search(text)
    return found[0] if found else ""


def _divisor(key: str, number: float) -> float:
    for suffix, divisor in _UNITS:
        if key.endswith(suffix):
            return divisor
    divisor = 1.0
    while number / divisor > _LAST and divisor < 1e9:
        divisor *= 1e3
    return divisor


def _iso(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _plausible(seconds: float | None) -> float | None:
    return seconds if seconds is not None and 0 <= seconds <= _LAST else None
