"""What changed files hold, for the record of a notebook."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from acp_jupyter.host.file_changes.scan import FileChanged, FolderScan, Signature
from acp_jupyter.host.limits import Limits
from acp_jupyter.protocol.host_events.workspace import FileBytes, FileChange, FileText
from acp_jupyter.protocol.paths import human_size

__all__ = ["FileContents", "KeptChanges", "Scrubs"]

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NAMED = 3


class Scrubs(Protocol):
    """Takes out of a text what no record may hold."""

    def text(self, value: str) -> str:
        """Return the text without it."""


@dataclass(frozen=True, slots=True)
class KeptChanges:
    """A turn's changes as they are recorded."""

    files: tuple[FileChange, ...]
    left_out: tuple[str, ...]
    """Why some are not, in words."""


class FileContents:
    """Reads files, within bounds. Blocks; one thread at a time.

    Parameters
    ----------
    root
        The session's folder.
    limits
        See `Limits`.
    scrubber
        What is done to text on its way into the record.
    ignored
        Paths that are not the turn's, such as the notebook itself.
    """

    def __init__(
        self, root: Path, limits: Limits, scrubber: Scrubs, ignored: Iterable[str] = ()
    ) -> None:
        self._root = root
        self._limits = limits
        self._scrubber = scrubber
        self._ignored = frozenset(ignored)
        self._known: dict[str, tuple[Signature, str]] = {}
        self._recorded: dict[str, tuple[str, str]] = {}
        """Digest of what a file held, and of what the record says that it held."""

    def remember(self, found: FolderScan) -> None:
        """Take the digest of every file that changed since the last time."""
        deadline = time.monotonic() + self._limits.scan_seconds
        known = self._known
        self._known = {
            path: known[path]
            for path, signature in found.files.items()
            if path in known and known[path][0] == signature
        }
        for path, signature in found.files.items():
            if path in self._known or signature.size > self._limits.changed_file_bytes:
                continue
            if time.monotonic() > deadline:
                return
            data = self._read(path)
            if data is not None:
                self._known[path] = signature, _digest(data)

    def describe(self, found: Iterable[FileChanged]) -> KeptChanges:
        """Return what a turn's changes are, after the files as they are now."""
        room = self._limits.changed_bytes
        files: list[FileChange] = []
        large: list[str] = []
        local: list[str] = []
        for change in found:
            if change.path in self._ignored:
                continue
            before = self._known.get(change.path, (None, ""))[1]
            data = None if change.how == "deleted" else self._read(change.path)
            missing = change.how != "deleted" and data is None
            if missing or (change.how != "made" and not before) or len(data or b"") > room:
                large.append(change.path)
            elif data is not None and _digest(data) == before:
                continue  # touched, not changed
            elif data is not None and self._is_local(data):
                local.append(change.path)
            else:
                room -= len(data or b"")
                files.append(self._change(change.path, before, data))
        return KeptChanges(tuple(files), tuple(self._left_out(large, local)))

    def _change(self, path: str, before: str, data: bytes | None) -> FileChange:
        digest, recorded = self._recorded.pop(path, ("", ""))
        then = recorded if digest == before else before
        if data is None:
            return FileChange(path=path, before=then or None)
        text = _decoded(data)
        if text is None:
            content: FileText | FileBytes = FileBytes(base64=base64.b64encode(data).decode())
        else:
            content = FileText(text=text)
            said = _digest(self._scrubber.text(text).encode())
            self._recorded[path] = _digest(data), said
        return FileChange(path=path, before=then or None, after=content)

    def _is_local(self, data: bytes) -> bool:
        """Tell whether bytes that are no text name a place on this machine."""
        if _decoded(data) is not None:
            return False
        plain = data.decode("latin-1")
        return self._scrubber.text(plain) != plain

    def _left_out(self, large: list[str], local: list[str]) -> Iterable[str]:
        if large:
            most = human_size(self._limits.changed_file_bytes)
            yield (
                f"Not in the record: {_named(large)}. A file may have {most}, "
                f"all of a turn {human_size(self._limits.changed_bytes)}."
            )
        if local:
            yield (
                f"Not in the record: {_named(local)}. It is no text, and holds a path of this "
                "machine or what looks like a secret."
            )

    def _read(self, path: str) -> bytes | None:
        """Return what a plain file holds; None for one too large, or that can't be read."""
        most = self._limits.changed_file_bytes
        try:
            fd = os.open(self._root / path, _FLAGS)
            with os.fdopen(fd, "rb") as file:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    return None
                data = file.read(most + 1)
        except OSError:
            return None
        return data if len(data) <= most else None


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _named(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
