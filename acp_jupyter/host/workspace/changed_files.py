"""Changed files of a turn: contents, artifacts, and files that a tool call names."""

from __future__ import annotations

import base64
import hashlib
import os
import posixpath
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.scan import FileChanged, FolderScan, Signature
from acp_jupyter.protocol.files import INDEX, ArtifactInfo, file_type, human_size
from acp_jupyter.protocol.formatting import first_names
from acp_jupyter.protocol.host_events.session import FileBytes, FileChange, FileText
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NAMED = 3


class TextScrubber(Protocol):
    """Scrubs text for a recording."""

    def text(self, value: str) -> str:
        """Return the text, scrubbed."""


@dataclass(frozen=True, slots=True)
class RecordedChanges:
    """A turn's changes for a recording."""

    files: tuple[FileChange, ...]
    left_out: tuple[str, ...]
    """Messages about changes that are not recorded."""


class FileContents:
    """Reads changed files within limits. Blocks; for one thread at a time."""

    def __init__(
        self, root: Path, limits: Limits, scrubber: TextScrubber, ignored: Iterable[str] = ()
    ) -> None:
        self._root = root
        self._limits = limits
        self._scrubber = scrubber
        self._ignored = frozenset(ignored)
        self._known: dict[str, tuple[Signature, str]] = {}
        self._recorded: dict[str, tuple[str, str]] = {}
        """Digests of a file's real and of its recorded content, by path."""

    def remember(self, found: FolderScan) -> None:
        """Store the digest of every file that changed since the last call."""
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

    def describe(self, found: Iterable[FileChanged]) -> RecordedChanges:
        """Return a turn's changes with the present content of the files."""
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
        return RecordedChanges(tuple(files), tuple(self._left_out(large, local)))

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
            scrubbed = _digest(self._scrubber.text(text).encode())
            self._recorded[path] = _digest(data), scrubbed
        return FileChange(path=path, before=then or None, after=content)

    def _is_local(self, data: bytes) -> bool:
        """Return whether binary content holds a path of this machine."""
        if _decoded(data) is not None:
            return False
        plain = data.decode("latin-1")
        return self._scrubber.text(plain) != plain

    def _left_out(self, large: list[str], local: list[str]) -> Iterable[str]:
        if large:
            most = human_size(self._limits.changed_file_bytes)
            yield (
                f"Not in the recording: {first_names(large, _NAMED)}. A file may have {most}, "
                f"all of a turn {human_size(self._limits.changed_bytes)}."
            )
        if local:
            yield (
                f"Not in the recording: {first_names(local, _NAMED)}. It is not text, and "
                "contains a path of this machine or what looks like a secret."
            )

    def _read(self, path: str) -> bytes | None:
        """Return the content of a plain file; None if it is too large or not readable."""
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


_IN_SIGHT = {"code", "markdown"}
"""Artifact types that are not shown again if the turn shows their diff."""


def find_artifacts(
    found: Iterable[FileChanged], before: FolderScan, after: FolderScan, shown: Collection[str]
) -> tuple[ArtifactInfo, ...]:
    """Return the artifacts among a turn's changes, in the order of their paths.

    A new folder with an ``index.html`` is one web app. Hidden files are no artifacts.
    """
    created = [c.path for c in found if c.how == "made" and not _hidden(c.path)]
    known = {folder for path in before.files for folder in _folders(path)}
    apps = _web_apps(created, known)
    loose = (p for p in created if not any(f in apps for f in _folders(p)))
    files = [_artifact(path, path, after) for path in loose if _is_worth(path, shown)]
    folders = [_artifact(app, f"{app}/{INDEX}", after) for app in apps]
    return tuple(sorted((*files, *folders), key=lambda artifact: artifact.path))


def _hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _folders(path: str) -> list[str]:
    """Return the folders above a file, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def _web_apps(files: Iterable[str], known: Collection[str]) -> set[str]:
    """Return the new folders with an ``index.html``, without those inside another one."""
    pages = (posixpath.dirname(path) for path in files if posixpath.basename(path) == INDEX)
    new = {folder for folder in pages if folder and folder not in known}
    return {app for app in new if not any(f in new for f in _folders(app))}


def _is_worth(path: str, shown: Collection[str]) -> bool:
    kind = file_type(path).artifact
    return kind != "other" and not (kind in _IN_SIGHT and path in shown)


def _artifact(name: str, path: str, after: FolderScan) -> ArtifactInfo:
    kind = file_type(path)
    return ArtifactInfo(
        id=path,
        type=kind.artifact,
        name=posixpath.basename(name),
        path=path,
        mime_type=kind.mime,
        size_bytes=after.files[path].size if name == path else None,
    )


def shown_paths(transcript: Transcript, turn_id: str) -> set[str]:
    """Return the paths of the diffs that the turn shows."""
    return {diff.path for call in transcript.turn_calls(turn_id) for diff in call.diffs}


def edited_paths(transcript: Transcript, turn_id: str) -> set[str]:
    """Return the paths of diffs whose tool call was completed."""
    done = (call for call in transcript.turn_calls(turn_id) if call.status == "completed")
    return {diff.path for call in done for diff in call.diffs}


def input_strings(items: Iterable[Item]) -> set[str]:
    """Return all strings in the inputs of the items' tool calls, as they may be ids of cells."""
    return {
        words for item in items if isinstance(item, ToolCall) for words in _strings(item.raw_input)
    }


def _strings(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _strings(each)
        case dict():
            for each in value.values():
                yield from _strings(each)
        case _:
            return


def names_file(transcript: Transcript, turn_id: str, path: str) -> bool:
    """Return whether one of the turn's tool calls names a file."""
    name = path.rpartition("/")[2]
    return bool(name) and any(
        path in {call.path, *(p.path for p in call.locations), *(d.path for d in call.diffs)}
        or name in call.command
        for call in transcript.turn_calls(turn_id)
    )
