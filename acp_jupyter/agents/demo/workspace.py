"""The session's folder: paths that stay inside it, its listing, reading and writing text files.

Files go through the client if it offers that, else directly to the disk.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.agents.rpc import Json, Peer, RpcError

MAX_TEXT_BYTES = 200_000
TEXT_SUFFIXES = frozenset(
    ".cfg .csv .ini .js .json .md .py .rst .toml .ts .txt .yaml .yml".split()  # noqa: SIM905
)
_MAX_SCANNED = 1_000
_MAX_FOLDERS = 500


class OutsideWorkspaceError(Exception):
    """A path that leaves the session's folder."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder in the session's folder."""

    name: str
    is_dir: bool
    size_bytes: int

    @property
    def is_text(self) -> bool:
        """Whether it is a file small enough to read, and text by its suffix."""
        suffix = Path(self.name).suffix.lower()
        return not self.is_dir and suffix in TEXT_SUFFIXES and self.size_bytes <= MAX_TEXT_BYTES


@dataclass(frozen=True, slots=True)
class Workspace:
    """A session's working directory."""

    root: Path

    def locate(self, name: str) -> Path:
        """Return the absolute path of `name`, with symbolic links resolved."""
        root = self.root.resolve()
        try:
            path = (root / name).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links, or a null byte
            raise OutsideWorkspaceError(name) from error
        if not path.is_relative_to(root) or path == root:
            raise OutsideWorkspaceError(name)
        return path

    def find(self, name: str) -> Path:
        """Return the path of `name`; if it is not there, that of a file of this name below.

        A notebook's folder is often not the session's: a plain name means the file of that name
        closest to the top.
        """
        path = self.locate(name)
        if path.exists() or "/" in name:
            return path
        walked = itertools.islice(_folders(path.parent), _MAX_FOLDERS)
        return next((folder / name for folder in walked if (folder / name).is_file()), path)

    def relative(self, path: Path) -> str:
        """Return `path` as the user would type it."""
        return path.relative_to(self.root.resolve()).as_posix()

    def entries(self) -> list[Entry]:
        """Return the entries of the folder itself without hidden names, by name."""
        found: list[Entry] = []
        with os.scandir(self.root) as scan:
            for item in itertools.islice(scan, _MAX_SCANNED):
                if not item.name.startswith("."):
                    try:
                        size = item.stat().st_size
                    except OSError:  # gone meanwhile, or a dangling link
                        continue
                    found.append(Entry(item.name, item.is_dir(), size))
        return sorted(found, key=lambda entry: (entry.is_dir, entry.name))


def _folders(root: Path) -> Iterator[Path]:
    """Yield the folders below one, closest first, without hidden ones and installed code."""
    waiting = deque([root])
    while waiting:
        folder = waiting.popleft()
        yield folder
        with contextlib.suppress(OSError), os.scandir(folder) as scan:
            found = (entry for entry in scan if entry.is_dir(follow_symlinks=False))
            names = sorted(entry.name for entry in itertools.islice(found, _MAX_SCANNED))
            waiting.extend(folder / name for name in names if not _is_skipped(name))


def _is_skipped(name: str) -> bool:
    return name.startswith((".", "_")) or name in {"node_modules", "site-packages", "venv"}


class FileAccessError(Exception):
    """A file could not be read or written; the text says why."""


@dataclass(frozen=True, slots=True)
class Files:
    """Reads and writes the files of one session (ACP: fs/read_text_file, fs/write_text_file)."""

    peer: Peer
    session_id: str
    client_reads: bool
    client_writes: bool

    async def read(self, path: Path) -> str:
        """Return the text of `path`, which is inside the workspace."""
        if not self.client_reads:
            try:
                return _read_text(path)
            except OSError as error:
                raise FileAccessError(_reason(error)) from error
        result = await self._request("fs/read_text_file", {"path": str(path)})
        content = result.get("content")
        if not isinstance(content, str):
            raise FileAccessError("the client sent no text")
        if len(content) > MAX_TEXT_BYTES:
            raise FileAccessError(f"it is larger than {MAX_TEXT_BYTES:,} characters")
        return content

    async def write(self, path: Path, text: str) -> None:
        """Write `path`, which is inside the workspace and was allowed."""
        if self.client_writes:
            await self._request("fs/write_text_file", {"path": str(path), "content": text})
            return
        try:
            _write_text(path, text)
        except OSError as error:
            raise FileAccessError(_reason(error)) from error

    async def _request(self, method: str, params: Json) -> Json:
        try:
            return await self.peer.request(method, {"sessionId": self.session_id, **params})
        except RpcError as error:
            raise FileAccessError(error.message) from error


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _read_text(path: Path) -> str:
    """Read one of the user's files, with its line endings."""
    if path.stat().st_size > MAX_TEXT_BYTES:
        raise OSError(f"it is larger than {MAX_TEXT_BYTES:,} bytes")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise OSError("it is not UTF-8 text") from error


def _write_text(path: Path, text: str) -> None:
    """Write a file atomically; it keeps its mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        temporary.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
