"""The JSON values of a log: one in a line, after a prefix, or printed over many lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from acp_jupyter.packets.dialects.traffic_log.printed import Printed
from acp_jupyter.packets.json_shape import clean_json, read_json

__all__ = ["LogProblem", "LogValue", "read_values"]

_MAX_CHARS = 64 * 1024 * 1024
_MAX_PREFIX = 300
_NO_OBJECT = "This value in the array is no object, or is far too long."


@dataclass(frozen=True, slots=True)
class LogProblem:
    """A line, counted from 1, that could not be read as it should be."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class LogValue:
    """A JSON value, the line where it begins, and what stood before it in that line."""

    line: int
    value: Any
    prefix: str = ""


def read_values(lines: Iterable[bytes | str]) -> Iterator[LogValue | LogProblem]:
    """Yield what ``lines`` hold. What is torn or is no JSON gives a problem."""
    printed = Printed(_MAX_CHARS)
    number = 0
    for number, line in enumerate(lines, 1):
        if len(line) > _MAX_CHARS:
            yield LogProblem(number, f"The line is longer than {_MAX_CHARS:,} characters.")
            continue
        text, damaged = _decoded(line, number)
        if damaged:
            yield LogProblem(number, "Bytes that are no UTF-8 were replaced.")
        if not text.strip():
            continue
        if printed.begins(text):
            yield _torn(printed)
            printed = Printed(_MAX_CHARS)
        if printed.is_open or text.strip() in ("[", "{"):
            for first, whole in printed.take(number, text):
                yield _parsed(first, whole) if whole else LogProblem(first, _NO_OBJECT)
        else:
            yield from _value(number, text.strip())
    if printed.is_open:
        yield _torn(printed)


def _torn(printed: Printed) -> LogProblem:
    if printed.in_object:
        return LogProblem(printed.first, "The object that begins here has no end.")
    return LogProblem(printed.array_first, "The array has no end. What it held was read.")


def _decoded(line: bytes | str, number: int) -> tuple[str, bool]:
    if isinstance(line, str):
        text: str = clean_json(line)
        return text.removeprefix("\ufeff") if number == 1 else text, False
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8"), False
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace"), True


def _value(number: int, text: str) -> Iterator[LogValue | LogProblem]:
    """Read a line of its own."""
    parsed = _parsed(number, text.removesuffix(","))
    if isinstance(parsed, LogProblem) and text[0] != "{":
        prefix, brace, rest = text.partition("{")
        if brace and len(prefix) <= _MAX_PREFIX:
            after = _parsed(number, brace + rest)
            if isinstance(after, LogValue):
                parsed = LogValue(number, after.value, prefix)
    if isinstance(parsed, LogValue) and isinstance(parsed.value, list) and parsed.value:
        yield from (LogValue(number, item) for item in parsed.value)
    else:
        yield parsed


def _parsed(number: int, text: str) -> LogValue | LogProblem:
    try:
        return LogValue(number, read_json(text))
    except RecursionError:
        return LogProblem(number, "The JSON is nested too deeply.")
    except ValueError as error:
        return LogProblem(number, f"This is not JSON ({_reason(error)}).")


def _reason(error: ValueError) -> str:
    column = getattr(error, "colno", None)
    said = getattr(error, "msg", None) or str(error).partition(";")[0]
    return f"{said} at character {column}" if column else said
