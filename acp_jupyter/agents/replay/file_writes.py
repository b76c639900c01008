"""Repeats the recorded writes through the client, without overwriting anyone's work.

`SessionFiles` combines them with the changes that the replay makes itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.agents.replay.file_changes import ChangeReplayer, FileChangeError
from acp_jupyter.agents.replay.permissions import (
    AllowedChanges,
    NotAllowedError,
    ShownChange,
    report_changes,
    request_changes,
)
from acp_jupyter.agents.replay.recording import AgentRequest, Localiser, Part
from acp_jupyter.agents.rpc import Peer, RpcError
from acp_jupyter.protocol.host_events.session import FileChange


class SessionFiles:
    """The file operations of one session.

    Parameters
    ----------
    session_id, root
        Of the session; an empty root is none.
    """

    def __init__(
        self,
        peer: Peer,
        session_id: str,
        root: str,
        localiser: Localiser,
        *,
        changes: bool,
        reads: bool,
    ) -> None:
        self.consent = AllowedChanges(root)
        self._writes = WriteReplayer(peer, session_id, root, localiser, reads=reads)
        self._changes = (
            ChangeReplayer(peer, session_id, Path(root), localiser, self.consent)
            if changes and root
            else None
        )

    @property
    def makes_changes(self) -> bool:
        """Whether recorded changes of files are made again."""
        return self._changes is not None

    @property
    def wrote(self) -> bool:
        """Whether anything was written in this turn."""
        return self._writes.wrote

    def begin(self) -> None:
        """Begin another turn."""
        self.consent.begin()
        self._writes.begin()

    async def may_write(self, ask: AgentRequest, part: Part) -> bool:
        """See `Writes.may_write`."""
        return await self._writes.may_write(ask, part)

    async def apply(self, files: Sequence[FileChange]) -> bool:
        """See `Changes.make`."""
        if self._changes is not None:
            await self._changes.apply(files)
        return True


WRITE = "fs/write_text_file"

_MAX_BYTES = 64 * 1024 * 1024
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1")


@dataclass(frozen=True, slots=True)
class _FileState:
    """The current state of a file.

    Attributes
    ----------
    holds
        Whether there is anything in it that could be lost.
    text
        What the client shows of it; None where nobody can.
    digests
        Of all that it may have held when it was recorded as it is.
    """

    holds: bool
    text: str | None = None
    digests: frozenset[str] = frozenset()


class WriteReplayer:
    """Compares each file with its recorded state, before it is written again.

    Parameters
    ----------
    reads
        Whether the client lets agents read files: it knows what is not saved.
    """

    def __init__(
        self, peer: Peer, session_id: str, root: str, localiser: Localiser, *, reads: bool
    ) -> None:
        self._peer = peer
        self._session_id = session_id
        self._root = root.rstrip("/\\")
        self._localiser = localiser
        self._reads = reads
        self._last: dict[str, str] = {}
        """What was written in this turn."""

    @property
    def wrote(self) -> bool:
        """Whether anything was written in this turn."""
        return bool(self._last)

    def begin(self) -> None:
        """Forget everything: another turn begins."""
        self._last.clear()

    async def may_write(self, ask: AgentRequest, part: Part) -> bool:
        """Return whether to repeat a recorded write: not if it failed, or is already there."""
        if ask.answer is not None and "error" in ask.answer:
            return False
        params = self._localiser.value(ask.params)
        path, content = params.get("path"), params.get("content")
        if not isinstance(path, str) or not isinstance(content, str):
            return True  # the client decides about that
        now = await self._read(path)
        if now.holds and now.text == content:
            return False
        as_it_was = self._is_as_it_was(ask, part, path, now)
        if as_it_was is None and now.holds:
            await self._request(path, content, now)
        elif as_it_was is False:
            raise FileChangeError(f"{self._name(path)} is not as it was when this was recorded.")
        self._last[path] = content
        return True

    def _is_as_it_was(
        self, ask: AgentRequest, part: Part, path: str, now: _FileState
    ) -> bool | None:
        """Return whether a file is in its state before a write; None if the log does not say."""
        found = [*self._by_note(ask, now), *self._by_change(part, path, now)]
        if path in self._last and now.text == self._last[path]:
            return True
        return any(found) if found else None

    def _by_note(self, ask: AgentRequest, now: _FileState) -> Iterator[bool]:
        note = ask.written
        if note is None:
            return
        if note.old_text is None and not note.old_digest:
            yield not now.holds
        if note.old_text is not None:
            yield now.text in {note.old_text, self._localiser.text(note.old_text)}
        if note.old_digest:
            yield note.old_digest.lower() in now.digests

    def _by_change(self, part: Part, path: str, now: _FileState) -> Iterator[bool]:
        """The turn may have created the file with its own tools; a replay does that at its end."""
        name = self._name(path)
        for change in part.files:
            if change.path == name:
                yield (
                    (not now.holds) if not change.before else (change.before.lower() in now.digests)
                )

    async def _read(self, path: str) -> _FileState:
        data = _on_disk(Path(path))
        shown: str | None = None
        if self._reads:
            shown = await self._shown(path)
        if shown is None:
            if data is None and _is_there(path):
                return _FileState(True)
            shown = next(_decoded(data or b""), "")
        if not shown:  # a client may report a missing file this way
            return _FileState(False, "", frozenset(self._digests(b"")))
        digests = set(self._digests(shown.encode("utf-8", "replace")))
        if data is not None and shown in _decoded(data):
            digests |= set(self._digests(data))
        return _FileState(True, shown, frozenset(digests))

    async def _shown(self, path: str) -> str | None:
        params: dict[str, object] = {"sessionId": self._session_id, "path": path}
        try:
            content = (await self._peer.request("fs/read_text_file", params)).get("content")
        except RpcError:
            return None
        return content if isinstance(content, str) else None

    def _digests(self, data: bytes) -> Iterator[str]:
        """Yield the digests of a content here and in the recorded folder."""
        yield hashlib.sha256(data).hexdigest()
        try:
            text = self._localiser.reversed().text(data.decode())
        except UnicodeDecodeError:
            return
        yield hashlib.sha256(text.encode()).hexdigest()

    async def _request(self, path: str, content: str, now: _FileState) -> None:
        """Ask the user, and nobody else: it may be their work."""
        change = ShownChange(Path(path), self._name(path), now.text, content)
        title = "Overwrite what may not be as it was when recorded:"
        try:
            call = await request_changes(self._peer, self._session_id, "other", title, [change])
        except NotAllowedError as error:
            raise NotAllowedError(
                f"{self._name(path)} may not be as it was when this was recorded: "
                "the recording does not say how it was."
            ) from error
        report_changes(self._peer, self._session_id, call)

    def _name(self, path: str) -> str:
        inside = path.startswith((f"{self._root}/", f"{self._root}\\"))
        return path[len(self._root) + 1 :].replace("\\", "/") if inside else path


def _is_there(path: str) -> bool:
    return os.path.lexists(path)


def _on_disk(path: Path) -> bytes | None:
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None
        return path.read_bytes()
    except (OSError, ValueError):
        return None


def _decoded(data: bytes) -> Iterator[str]:
    for encoding in _ENCODINGS:
        try:
            yield data.decode(encoding)
        except UnicodeDecodeError:
            continue
