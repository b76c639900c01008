"""Encoding and line endings of a text file, kept when an agent rewrites it."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Self

__all__ = ["TextFormat", "text_window"]


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How text is kept in a file; the defaults are those of a new one."""

    encoding: str = "utf-8"
    mark: bytes = b""
    crlf: bool = False

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Recognise UTF-8 with and without a byte order mark; all else is taken for Latin-1."""
        mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
        newlines = content.count(b"\n")
        crlf = newlines > 0 and content.count(b"\r\n") == newlines
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            return cls("latin-1", b"", crlf)
        return cls("utf-8", mark, crlf)

    def decode(self, content: bytes) -> str:
        """Return the text, line endings as they are."""
        return content.removeprefix(self.mark).decode(self.encoding)

    def encode(self, text: str) -> bytes:
        """Return what to write. Text that has carriage returns of its own is taken as it is."""
        if self.crlf and "\r\n" not in text:
            text = text.replace("\n", "\r\n")
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError:
            return self.mark + text.encode("utf-8", "replace")


def text_window(text: str, line: int | None, limit: int | None) -> str:
    """Return ``limit`` lines of ``text`` from ``line`` on.

    ACP: fs/read_text_file; 1 is the first.
    """
    if line is None and limit is None:
        return text
    start = max(0, (line or 1) - 1)
    stop = None if limit is None else start + max(0, limit)
    lines = text.split("\n")
    window = "\n".join(lines[start:stop])
    return window if stop is None or stop >= len(lines) or not window else f"{window}\n"
