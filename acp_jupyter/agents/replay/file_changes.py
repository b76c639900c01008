"""Makes the changes again that the recorded agent made with its own tools, if they are allowed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import stat
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

from acp_jupyter.agents.replay.permissions import (
    AllowedChanges,
    NotAllowedError,
    ShownChange,
    StoppedError,
    report_changes,
    request_changes,
)
from acp_jupyter.agents.replay.recording import Localiser
from acp_jupyter.agents.rpc import Peer
from acp_jupyter.protocol.host_events.session import FileBytes, FileChange, FileText

_MAX_AT_ONCE = 100
"""A request that names more files than the client checks would always go to the user."""


class ChangeReplayer:
    """Makes the changes of a turn, all or none: each must be allowed in this turn."""

    def __init__(
        self, peer: Peer, session_id: str, root: Path, localiser: Localiser, consent: AllowedChanges
    ) -> None:
        self._peer = peer
        self._session_id = session_id
        self._root = root
        self._localiser = localiser
        self._consent = consent

    async def apply(self, files: Sequence[FileChange]) -> None:
        """Change files from their recorded state before a turn to that after it."""
        wanted = wanted_changes(self._root, files, self._localiser)
        calls: list[str] = []
        try:
            for kind, group in self._to_request(wanted):
                calls.append(await self._request(kind, group))
            if calls:  # the user may have edited them in the meantime
                wanted = wanted_changes(self._root, files, self._localiser)
            apply_changes(wanted)
        except (FileChangeError, NotAllowedError, StoppedError):
            for call_id in calls:
                report_changes(self._peer, self._session_id, call_id, "failed")
            raise
        for call_id in calls:
            report_changes(self._peer, self._session_id, call_id)

    def _to_request(
        self, wanted: Iterable[Change]
    ) -> Iterator[tuple[Literal["edit", "delete"], tuple[ShownChange, ...]]]:
        left = [change for change in wanted if not self._is_covered(change)]
        for group in _groups(_shown(change) for change in left if not change.removes):
            yield "edit", group
        for group in _groups(_shown(change) for change in left if change.removes):
            yield "delete", group

    def _is_covered(self, change: Change) -> bool:
        return self._consent.covers(
            change.name, change.old_text, change.new_text, removed=change.removes
        )

    async def _request(
        self, kind: Literal["edit", "delete"], changes: Sequence[ShownChange]
    ) -> str:
        title = "Delete as recorded:" if kind == "delete" else "Change as recorded:"
        try:
            return await request_changes(self._peer, self._session_id, kind, title, changes)
        except NotAllowedError as error:
            raise NotAllowedError(
                f"{error}: changed when this was recorded, and not allowed now."
            ) from error


def _groups(changes: Iterable[ShownChange]) -> Iterator[tuple[ShownChange, ...]]:
    left = tuple(changes)
    while left:
        yield left[:_MAX_AT_ONCE]
        left = left[_MAX_AT_ONCE:]


def _shown(change: Change) -> ShownChange:
    return ShownChange(change.path, change.name, change.old_text, change.new_text, change.removes)


_DRIVE = re.compile(r"[A-Za-z]:")
_MAX_TEXT_BYTES = 16 * 1024 * 1024
_NEVER = frozenset(
    {
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".jupyter_cache",
        ".lsp_symlink",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".virtual_documents",
        "__pycache__",
        "node_modules",
    }
)
"""Folders that no client records: a log with changes in them was made otherwise."""


class FileChangeError(Exception):
    """A change that must not be made; the message is for the user."""


class ChangeFailedError(FileChangeError):
    """A change that failed; others may have been made."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one file."""

    name: str
    path: Path
    content: bytes | None

    @property
    def removes(self) -> bool:
        """Whether the file is deleted."""
        return self.content is None

    @property
    def new_text(self) -> str | None:
        """Its new content, if that is text."""
        return _text(self.content)

    @property
    def old_text(self) -> str | None:
        """Its current content, if that is text."""
        try:
            return _text(self.path.read_bytes())
        except OSError:
            return None


def wanted_changes(
    root: Path, changes: Iterable[FileChange], localiser: Localiser | None = None
) -> list[Change]:
    """Return the changes that bring files from their state before a turn to that after it.

    A file that is already in its state after the turn is left alone. With a ``localiser``, texts
    name the live folder in place of the recorded one.
    """
    root = root.resolve()
    checked = (_checked(root, change, localiser) for change in changes)
    return [change for change in checked if change is not None]


def apply_changes(wanted: Iterable[Change]) -> None:
    """Write and delete files."""
    try:
        for change in wanted:
            _write(change)
    except OSError as error:
        raise ChangeFailedError(f"A file can't be written: {error.strerror or error}.") from error


def _text(content: bytes | None) -> str | None:
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        return None


def _checked(root: Path, change: FileChange, localiser: Localiser | None) -> Change | None:
    """Return the change of one file, None for none."""
    path = _located(root, change.path)
    content = _content(change, localiser)
    after = None if content is None else hashlib.sha256(content).hexdigest()
    present = _digest(path, change.path)
    if present == after:
        return None
    before = change.before.lower() if change.before else None
    if present != before and (before is None or _recorded_digest(path, localiser) != before):
        raise FileChangeError(f"{change.path} is not as it was when this was recorded.")
    return Change(change.path, path, content)


def _recorded_digest(path: Path, localiser: Localiser | None) -> str | None:
    """Return the digest that a text would have in the recorded folder."""
    if localiser is None:
        return None
    try:
        if path.stat().st_size > _MAX_TEXT_BYTES:
            return None
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return hashlib.sha256(localiser.reversed().text(text).encode()).hexdigest()


def _located(root: Path, name: str) -> Path:
    """Return a file's location; no part of it may be a link, or a folder that is never recorded."""
    parts = re.split(r"[\\/]", name) if os.name == "nt" else name.split("/")
    bad = {"", ".", ".."} & set(parts) or "\0" in name or _DRIVE.match(name)
    plain = (unicodedata.normalize("NFKC", part).rstrip(" .").casefold() for part in parts)
    if bad or not _NEVER.isdisjoint(plain):
        raise FileChangeError(f"{name[:200]!r} is not a file that a replay may change.")
    path = root
    for part in parts:
        path /= part
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            raise FileChangeError(f"{name[:200]!r} can't be read: {error.strerror}.") from error
        wanted = stat.S_ISREG if path == root.joinpath(*parts) else stat.S_ISDIR
        if not wanted(mode):
            raise FileChangeError(f"{name[:200]!r} is not a plain file in the session's folder.")
    return path


def _content(change: FileChange, localiser: Localiser | None) -> bytes | None:
    match change.after:
        case None:
            return None
        case FileText(text=text):
            text = text if localiser is None else localiser.text(text)
            return text.encode("utf-8", "replace")
        case FileBytes(base64=data):
            try:
                return base64.b64decode(data, validate=True)
            except (binascii.Error, ValueError) as error:
                raise FileChangeError(
                    f"The recorded content of {change.path} is damaged."
                ) from error
        case _:
            assert_never(change.after)


def _digest(path: Path, name: str) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileChangeError(f"{name} can't be read: {error.strerror}.") from error


def _write(change: Change) -> None:
    """Write or delete a file atomically; it keeps its mode."""
    path = change.path
    if change.content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".replay-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(change.content)
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
