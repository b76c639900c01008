"""When a line of a log was written, from whatever its writer took for a time."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

__all__ = ["time_in_text", "to_epoch"]

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
    """Return seconds since the epoch, or None for what can be no time.

    Parameters
    ----------
    value
        ISO 8601, or a number of seconds or of a smaller unit; of what unit, its size tells.
    key
        Under which name it stood: ``ts_ms`` says the unit.
    start
        When the log began, for times that count from there.
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
    """Return the first date and time in ``text``, which is what stands before a message."""
    found = _ISO.search(text)
    return found[0] if found else ""


def _divisor(key: str, number: float) -> float:
    for ending, divisor in _UNITS:
        if key.endswith(ending):
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
