"""Captures of an event stream (``event: message``, ``data: …``) as lines of JSON (S3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

__all__ = ["FIELD", "is_framed", "unframed"]

_LOOKED_AT = 100
_MAX_BYTES = 64 * 1024 * 1024
FIELD = r"(?:(data|event|id|retry)(?::|$)|:) ?"
"""What a line of an event stream begins with: the name of a field, or a comment's colon."""
_FIELD = re.compile(FIELD.encode())
_OBJECT = re.compile(rb"\s*[\[{]")


def is_framed(lines: Iterable[bytes | str]) -> bool:
    """Tell whether a log is a capture of an event stream, by its first lines."""
    data = objects = 0
    for line in islice(map(_as_bytes, lines), _LOOKED_AT):
        data += line.startswith(b"data:")
        objects += _OBJECT.match(line) is not None
    return data > 0 and data >= objects


def unframed(lines: Iterable[bytes | str]) -> Iterator[bytes]:
    """Yield as many lines as there are: an event's data for its first one, else empty ones.

    So every line keeps its number. What is no field of an event stream stays as it is, for the
    reader of lines to complain of.
    """
    data: list[bytes] = []
    held = 0  # lines of this event since its data began
    size = 0
    for line in map(_as_bytes, lines):
        field = _FIELD.match(line)
        name = field[1] if field else None
        content = line[field.end() :] if field else line
        if data and (not line or size > _MAX_BYTES or _begins_another(data, name, content)):
            yield from _event(data, held)
            data, held, size = [], 0, 0
        if name == b"data":
            data.append(content)
            size += len(content)
        elif not data:
            yield b"" if field else line
            continue
        elif field is None:
            data.append(line)  # a value that was broken over lines
        held += 1
    if data:
        yield from _event(data, held)


def _event(data: list[bytes], held: int) -> Iterator[bytes]:
    yield b"\n".join(data)
    yield from (b"" for _ in range(held - 1))


def _begins_another(data: list[bytes], name: bytes | None, content: bytes) -> bool:
    """Tell an event that follows without an empty line: captures lose them."""
    if not data[-1].rstrip().endswith((b"}", b"]")):
        return False
    return name in (b"event", b"id") or _OBJECT.match(content) is not None


def _as_bytes(line: bytes | str) -> bytes:
    if isinstance(line, str):
        line = line.encode("utf-8", "surrogatepass")
    return line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
