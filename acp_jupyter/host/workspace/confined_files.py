"""Reads text files below a folder, and replaces them atomically, keeping encoding and line ends."""

from __future__ import annotations

import codecs
import contextlib
import errno
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from acp_jupyter.errors import FileMissing, FileOutside, FileRefused, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.system.open_folder import OpenFolder, inside_by_any_name
from acp_jupyter.system.windows.paths import why_not_plain

_SHOWN_CHARS = 200
_PATH_CHARS = 4096
_PEEKED_BYTES = 8000


@dataclass(frozen=True, slots=True)
class RealPath:
    """A resolved path, which stays the one to read or write even if links change later."""

    given: str
    """The path as given, for messages."""
    root: str
    parts: tuple[str, ...]
    """The names below the root, none of them a link; empty for the root itself."""

    @property
    def path(self) -> str:
        """The absolute path."""
        return os.path.join(self.root, *self.parts)


class ConfinedFiles:
    """Text files below ``root``, and never outside it. All methods block.

    A path is resolved first and must be in the root. Then it is opened component by component
    without following links, so that no link can be slipped in. A caller that asks for permission
    first resolves the path once, and uses the `RealPath` from then on.
    """

    def __init__(self, root: Path, limits: Limits) -> None:
        self._root = os.path.realpath(root)
        self._bound = limits.file_bytes

    def real_path(self, path: str) -> RealPath:
        """Resolve a path."""
        with _explained(path):
            return self._path_inside(path)

    def read_text(
        self,
        path: str | RealPath,
        line: int | None = None,
        limit: int | None = None,
        *,
        only: tuple[int, int] | None = None,
    ) -> str:
        """Return the text of ``path``, or ``limit`` lines from ``line`` on (1 is the first).

        Parameters
        ----------
        only
            Device and number of the file that may be read; None for any.
        """
        with _explained(path), self._folder_of(path, create=False) as (folder, name):
            if not name:
                raise IsADirectoryError(errno.EISDIR, "is a folder")
            fd = folder.open_file(name)
            with os.fdopen(fd, "rb") as file:
                status = os.fstat(fd)
                if only is not None and only != (status.st_dev, status.st_ino):
                    raise FileRefused(f"{_shown(path)} has changed meanwhile. Read it again.")
                content = self._content(path, file.fileno())
        text_format = TextFormat.of(content)
        if text_format.is_guess and b"\0" in content[:_PEEKED_BYTES]:
            raise FileRefused(f"{_shown(path)} is not a text file.")
        return text_window(text_format.decode(content), line, limit)

    def can_create(self, path: str | RealPath) -> bool:
        """Return whether the folder of ``path`` exists and ``path`` does not."""
        try:
            with self._folder_of(path, create=False) as (folder, name):
                if not name:
                    return False
                folder.lstat(name)
        except FileNotFoundError:
            whole = path.path if isinstance(path, RealPath) else os.path.join(self._root, path)
            return os.path.isdir(os.path.dirname(whole))
        except (OSError, ValueError, FileRefused):
            return False
        return False

    def write_text(self, path: str | RealPath, content: str) -> str | None:
        """Replace the text of ``path``, or create it with the folders that it needs.

        The file is replaced atomically; mode, encoding and line ends stay.
        """
        with _explained(path), self._folder_of(path, create=True) as (folder, name):
            mode, text_format, old = self._existing(path, folder, name)
            replace_file(folder, name, self._encoded(path, content, text_format), mode)
        return None if old is None else text_format.decode(old)

    def break_hard_links(self, path: str | RealPath) -> None:
        """Replace a file that has hard links, maybe outside the root, by a separate copy.

        Content, mode and time stay; the other links are left alone.
        """
        with (
            contextlib.suppress(FileMissing),
            _explained(path),
            self._folder_of(path, create=False) as (folder, name),
        ):
            if not name or folder.lstat(name).st_nlink < 2:
                return
            status = folder.lstat(name)
            mode, _, content = self._existing(path, folder, name)
            if content is None:
                return
            replace_file(folder, name, content, mode)
            folder.set_times(name, status.st_atime_ns, status.st_mtime_ns)

    def text_to_replace(self, path: str | RealPath, content: str) -> str | None:
        """Return the text that `write_text` would replace."""
        try:
            with _explained(path), self._folder_of(path, create=False) as (folder, name):
                _, text_format, old = self._existing(path, folder, name)
                self._encoded(path, content, text_format)
        except FileMissing:
            return None  # the folder does not exist yet
        return None if old is None else text_format.decode(old)

    def _encoded(self, path: str | RealPath, content: str, text_format: TextFormat) -> bytes:
        data = text_format.encode(content)
        if len(data) > self._bound:
            raise FileRefused(f"{_shown(path)} {self._too_large(len(data))}")
        return data

    def _existing(
        self, path: str | RealPath, folder: OpenFolder, name: str
    ) -> tuple[int | None, TextFormat, bytes | None]:
        if not name:
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        try:
            fd = folder.open_file(name)
        except FileNotFoundError:
            return None, TextFormat(), None
        with os.fdopen(fd, "rb") as file:
            content = self._content(path, file.fileno())
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if not folder.is_writable(name):
            raise PermissionError(errno.EACCES, "is read-only")
        return mode, TextFormat.of(content), content

    def _content(self, path: str | RealPath, fd: int) -> bytes:
        """Read a plain file to its end, but no further than the bound."""
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        if not stat.S_ISREG(status.st_mode):
            raise FileRefused(f"{_shown(path)} is not a plain file.")
        chunks: list[bytes] = []
        size = 0
        while chunk := os.read(fd, min(1024 * 1024, self._bound + 1 - size)):
            chunks.append(chunk)
            size += len(chunk)
            if size > self._bound:
                raise FileRefused(f"{_shown(path)} {self._too_large(status.st_size)}")
        return b"".join(chunks)

    def _too_large(self, size: int) -> str:
        return f"is too large: {size} bytes, and the limit is {self._bound}."

    def _path_inside(self, path: str) -> RealPath:
        """Resolve ``path`` below the root."""
        if len(path) > _PATH_CHARS:
            raise FileRefused(f"{_shown(path)} is too long for a path.")
        real = os.path.realpath(os.path.join(self._root, path))
        inside = inside_by_any_name(self._root, real)
        if inside is None:
            raise FileOutside(
                f"{_shown(path)} is outside the working directory of this session. "
                "Only files inside it can be read and written."
            )
        if sys.platform == "win32" and (why := why_not_plain(inside)):
            raise FileRefused(f"{_shown(path)} is not the name of a plain file: it has {why}.")
        parts = () if inside == os.curdir else tuple(inside.split(os.sep))
        return RealPath(path, self._root, parts)

    @contextlib.contextmanager
    def _folder_of(self, path: str | RealPath, *, create: bool) -> Iterator[tuple[OpenFolder, str]]:
        """Open the folder of ``path``; the name is empty for the root itself."""
        parts = (path if isinstance(path, RealPath) else self._path_inside(path)).parts
        folder = OpenFolder(self._root)
        try:
            for part in parts[:-1]:
                if create:
                    with contextlib.suppress(FileExistsError):
                        folder.mkdir(part)
                below = folder.below(part)
                folder.close()
                folder = below
            yield folder, parts[-1] if parts else ""
        finally:
            folder.close()


@contextlib.contextmanager
def _explained(path: str | RealPath) -> Iterator[None]:
    """Say in words what the operating system refused."""
    try:
        yield
    except FileNotFoundError:
        raise FileMissing(f"{_shown(path)} does not exist.") from None
    except IsADirectoryError:
        raise FileRefused(f"{_shown(path)} is a folder, not a file.") from None
    except PermissionError:
        raise FileRefused(f"{_shown(path)} may not be accessed: permission denied.") from None
    except NotADirectoryError:
        raise FileRefused(f"{_shown(path)} leads through a link or a file, not folders.") from None
    except UnicodeEncodeError:
        if sys.getfilesystemencoding() == "utf-8":
            raise FileRefused(f"{_shown(path)} is not a valid path.") from None
        raise FileRefused(
            f"{_cut(path)!a} has a character that the Jupyter server's locale can't write in "
            "the name of a file. Start the server with a UTF-8 locale, such as LC_ALL=C.UTF-8."
        ) from None
    except ValueError:
        raise FileRefused(f"{_shown(path)} is not a valid path.") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FileRefused(f"{_shown(path)} is a link that changed meanwhile.") from None
        raise FileRefused(f"{_shown(path)} can't be accessed: {plain_reason(error)}.") from None


def _shown(path: str | RealPath) -> str:
    return repr(_cut(path))


def _cut(path: str | RealPath) -> str:
    path = path.given if isinstance(path, RealPath) else path
    return shorten(path, _SHOWN_CHARS)


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class TextFormat:
    """Encoding and line ends of a file; the defaults are for new files."""

    encoding: str = "utf-8"
    mark: bytes = b""
    crlf: bool = False

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Recognise UTF-8, and UTF-16 and UTF-32 by their mark; any other file is Latin-1."""
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
        """Decode the bytes; line endings stay unchanged."""
        return content.removeprefix(self.mark).decode(self.encoding)

    def encode(self, text: str) -> bytes:
        """Encode a text; its line endings stay if it has carriage returns of its own."""
        if self.mark:
            text = text.removeprefix("\ufeff")  # the mark itself, as some agents keep it
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


def replace_link(folder: OpenFolder, name: str, target: str, *, token: str = "") -> None:
    """Make a symbolic link beside ``name`` and rename it over; see `replace_file`."""
    temporary = beside(name, token)
    folder.symlink(target, temporary)
    try:
        folder.rename(temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.unlink(temporary)
        raise


def replace_file(
    folder: OpenFolder,
    name: str,
    data: bytes,
    mode: int | None,
    *,
    sync: bool = True,
    token: str = "",
) -> None:
    """Write ``data`` beside ``name`` and rename it over; its group stays.

    Parameters
    ----------
    mode
        The permission bits; None for those of a new file.
    """
    temporary = beside(name, token)
    fd = folder.create_file(temporary, mode, _group(folder, name))
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(fd, left) :]
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)
        folder.rename(temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.unlink(temporary)
        raise


def _group(folder: OpenFolder, name: str) -> int | None:
    try:
        return folder.lstat(name).st_gid
    except OSError:
        return None


def beside(name: str, token: str = "") -> str:
    """Return the name of the temporary file that will be renamed over another."""
    own = token or secrets.token_hex(8)
    digest = hashlib.sha1(os.fsencode(f"{own}/{name}"), usedforsecurity=False).hexdigest()
    return f".{name[:_NAME_CHARS]}.{digest[:8]}.tmp"
