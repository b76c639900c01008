"""Lines of the Claude CLI's output, in whatever pieces they come (S4.20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acp_jupyter.packets.json_shape import read_json

__all__ = ["BadLine", "CliLines"]

_MAX_LINE_BYTES = 64 * 1024 * 1024
_KEPT_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no JSON, or was cut off."""

    text: str


class CliLines:
    """Bytes in, JSON values out; blank lines say nothing, what is torn is told.

    Parameters
    ----------
    max_bytes
        A longer line is left out, and told.
    """

    def __init__(self, max_bytes: int = _MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[Any]:
        """Take what came; return the values, and a `BadLine` for each line that is none."""
        *lines, rest = data.split(b"\n")
        values: list[Any] = []
        for line in lines:
            values += self._read(line)
        self._size += len(rest)
        if rest and self._size <= self._max_bytes:
            self._parts.append(rest)
        return values

    def finish(self) -> list[Any]:
        """Take the end; a last line without its line feed counts where it is whole."""
        return self._read(b"")

    def _read(self, end: bytes) -> list[Any]:
        size = self._size + len(end)
        line = b"".join([*self._parts, end])
        self._parts.clear()
        self._size = 0
        text = line[: self._max_bytes].decode("utf-8", "replace").removeprefix("\ufeff").strip()
        if not text:
            return []
        if size <= self._max_bytes:
            try:
                return [read_json(text)]
            except (ValueError, RecursionError):
                pass
        return [BadLine(text[:_KEPT_CHARACTERS])]
