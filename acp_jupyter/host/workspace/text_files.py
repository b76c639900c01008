"""Text files: encoding and line ends are kept, and a file is replaced in one step.

A reader finds a file's old content or its new one, never a part.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import secrets
from dataclasses import dataclass
from typing import Self

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How text is kept in a file; the defaults are those of a new one."""

    encoding: str = "utf-8"
    mark: bytes = b""
    crlf: bool = False

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Recognise UTF-8, and UTF-16 and UTF-32 by their mark; all else is taken for Latin-1."""
        for mark, encoding in (*_MARKS, (b"", "utf-8")):
            if content.startswith(mark):
                try:
                    text = content.removeprefix(mark).decode(encoding)
                except UnicodeDecodeError:
                    continue
                return cls(encoding, mark, _is_crlf(text))
        return cls("latin-1", b"", _is_crlf(content.decode("latin-1")))

    @property
    def is_guess(self) -> bool:
        """Whether nothing in the bytes says that this is their encoding."""
        return self.encoding == "latin-1"

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
            known = self.encoding != "latin-1"
            return self.mark + text.encode(self.encoding if known else "utf-8", "replace")


def _is_crlf(text: str) -> bool:
    newlines = text.count("\n")
    return newlines > 0 and text.count("\r\n") == newlines


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


_NAME_CHARS = 60
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def replace_link(folder: int, name: str, target: str) -> None:
    """Make a symbolic link beside ``name`` and rename it over."""
    temporary = _beside(name)
    os.symlink(target, temporary, dir_fd=folder)
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def replace_file(folder: int, name: str, data: bytes, mode: int | None) -> None:
    """Write ``data`` beside ``name`` and rename it over.

    Parameters
    ----------
    folder
        File descriptor of the folder.
    name, data
        The file in it.
    mode
        Its permission bits; None for those of a new file.
    """
    temporary = _beside(name)
    fd = os.open(temporary, _CREATE_FLAGS, 0o666, dir_fd=folder)
    try:
        with os.fdopen(fd, "wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _beside(name: str) -> str:
    return f".{name[:_NAME_CHARS]}.{secrets.token_hex(4)}.tmp"
