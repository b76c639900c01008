"""The record of an operation: written to disk before each step.

There is one append-only file per operation. Without a commit line, the next holder of the folder's
lock undoes the operation. With one, the operation is done, and the record keeps the notes of its
sessions until they are in their logs.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import logging
import os
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.disk import Disk
from acp_jupyter.host.workspace.checkpoints.file_steps import (
    FileState,
    FileStep,
    FileWriter,
    FolderSteps,
)
from acp_jupyter.host.workspace.checkpoints.git import ShadowGit
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.tree_change import Side
from acp_jupyter.protocol.objects import Obj, items, number, obj, text

_logger = logging.getLogger(__name__)
_SUFFIX, _NEW = ".ndjson", ".new"
_NEW_SECONDS = 60.0
"""Older new files were left by a killed server."""
READ_SECONDS = 60.0
"""Limit for all reading from a repository in one operation."""


@dataclass(frozen=True, slots=True)
class RecordedNote:
    """A note for a session's log."""

    session_id: str
    after: int
    """The number of the log's last line before the note."""
    note: Obj


@dataclass(slots=True)
class RecordedSteps:
    """The recorded steps in one folder."""

    root: Path
    repository: Path
    steps: FolderSteps


@dataclass(slots=True)
class Recorded:
    """The content of a record."""

    path: Path
    roots: tuple[Path, ...] = ()
    steps: list[RecordedSteps] = field(default_factory=list)
    made_sessions: list[str] = field(default_factory=list)
    notes: tuple[RecordedNote, ...] | None = None
    """None if the operation was not committed."""
    noted: set[str] = field(default_factory=set)
    """Sessions that have their notes already."""


class OperationRecord:
    """The record of a running operation. All methods block."""

    def __init__(self, path: Path, roots: Iterable[Path]) -> None:
        self.path = path
        self._roots = tuple(roots)
        self._is_begun = False

    def add_steps(self, root: Path, repository: Path, steps: FolderSteps) -> None:
        """Record steps that are about to be carried out."""
        self._add(
            {
                "line": "steps",
                "root": str(root),
                "repository": str(repository),
                "files": [_step_line(step) for step in steps.files],
                "emptied": list(steps.emptied),
                "made": list(steps.made),
                "by_pages": steps.by_pages,
            }
        )

    def add_session(self, session_id: str) -> None:
        """Record a session that is about to be created."""
        self._add({"line": "session", "session_id": session_id})

    def commit(self, notes: Sequence[RecordedNote]) -> None:
        """Record the commit, with the notes for sessions."""
        lines: list[JsonValue] = [
            {"session_id": each.session_id, "after": each.after, "note": each.note}
            for each in notes
        ]
        self._add({"line": "commit", "notes": lines})

    def remove(self) -> None:
        """Remove the record after the operation is complete, or undone."""
        self.path.unlink(missing_ok=True)

    def _add(self, line: Obj) -> None:
        if not self._is_begun:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = self.path.with_suffix(_NEW)
            write_line(new, {"line": "begin", "roots": [str(root) for root in self._roots]})
            new.rename(self.path)  # so that the record never exists without this line
            _sync_folder(self.path.parent)
            self._is_begun = True
        write_line(self.path, line)


def write_line(path: Path, line: Obj) -> None:
    """Append a line to a record, and sync it to disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(json.dumps(line).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


class OperationRecords:
    """The records of a data folder, which servers share. All methods block; by any thread."""

    def __init__(self, data_dir: Path, limits: Limits) -> None:
        self._folder = data_dir / "operations"
        self._sessions = data_dir / "sessions"
        self._limits = limits

    def begin(self, roots: Iterable[Path]) -> OperationRecord:
        """Return the record of a new operation; nothing is written yet."""
        return OperationRecord(self._folder / f"{uuid.uuid4().hex}{_SUFFIX}", roots)

    def undo_unfinished(self, roots: Iterable[Path]) -> None:
        """Undo what was not finished in folders, or in those in them; their locks are held.

        Who was at work there held them, so it has ended.
        """
        for record in self.all():
            if record.notes is None and overlap(record.roots, roots):
                self._undo(record)

    def committed(self) -> Iterator[Recorded]:
        """Yield what is done and may not be noted yet."""
        return (record for record in self.all() if record.notes is not None)

    def noted(self, record: Recorded, session_id: str) -> None:
        """Write down that a session has noted what it should; forget the last one's record."""
        record.noted.add(session_id)
        left = {each.session_id for each in record.notes or ()} - record.noted
        if any((self._sessions / each).exists() for each in left):
            write_line(record.path, {"line": "noted", "session_id": session_id})
        else:
            record.path.unlink(missing_ok=True)

    def unfinished_roots(self) -> frozenset[tuple[Path, ...]]:
        """Return the folders of operations that are not finished, or are at work."""
        for new in self._folder.glob(f"*{_NEW}"):
            with contextlib.suppress(OSError):
                if time.time() - new.stat().st_mtime > _NEW_SECONDS:
                    new.unlink()
        return frozenset(record.roots for record in self.all() if record.notes is None)

    def all(self) -> Iterator[Recorded]:
        """Yield all records that can be read."""
        try:
            names = sorted(os.listdir(self._folder))
        except OSError:
            return
        for name in names:
            if name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    yield _read(self._folder / name)

    def _undo(self, record: Recorded) -> None:
        for each in reversed(record.steps):
            disk = Disk(each.root, self._limits.checkpoint_file_bytes)
            with GitObjects(ShadowGit(each.root, each.repository), READ_SECONDS) as objects:
                try:
                    left = FileWriter(disk, objects, record.path.stem).undo(each.steps)
                except OSError:
                    left = [step.path for step in each.steps.files]
            if left:
                _logger.warning("Left as an operation had them that was not finished: %s", left)
        for session_id in record.made_sessions:
            if session_id.isalnum():
                shutil.rmtree(self._sessions / session_id, ignore_errors=True)
        record.path.unlink(missing_ok=True)


def overlap(roots: Iterable[Path], others: Iterable[Path]) -> bool:
    """Return whether one of some folders is, holds or is in one of others."""
    pairs = itertools.product(roots, others)
    return any(one.is_relative_to(other) or other.is_relative_to(one) for one, other in pairs)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _step_line(step: FileStep) -> list[JsonValue]:
    return [step.path, *_state_line(step.present), *_state_line(step.wanted)]


def _state_line(state: FileState) -> tuple[JsonValue, ...]:
    data = None if state.data is None else base64.b64encode(state.data).decode()
    return state.side.mode, state.side.blob, state.mode, data


def _read(path: Path) -> Recorded:
    record = Recorded(path)
    for raw in path.read_bytes().split(b"\n"):
        try:
            line: Obj = obj(json.loads(raw))
        except ValueError:
            continue  # the last one, of a server that was killed
        match line.get("line"):
            case "begin":
                record.roots = tuple(Path(text(root)) for root in items(line.get("roots")))
            case "steps":
                root, repository = Path(text(line.get("root"))), Path(text(line.get("repository")))
                record.steps.append(RecordedSteps(root, repository, _steps(line)))
            case "session":
                record.made_sessions.append(text(line.get("session_id")))
            case "commit":
                record.notes = tuple(
                    RecordedNote(
                        text(obj(note).get("session_id")),
                        number(obj(note).get("after")) or 0,
                        obj(obj(note).get("note")),
                    )
                    for note in items(line.get("notes"))
                )
            case "noted":
                record.noted.add(text(line.get("session_id")))
            case _:
                continue
    return record


def _steps(line: Obj) -> FolderSteps:
    files = tuple(map(_step, map(items, items(line.get("files")))))
    emptied, made = (tuple(map(text, items(line.get(name)))) for name in ("emptied", "made"))
    return FolderSteps(files, emptied, made, line.get("by_pages") is True)


def _step(line: list[JsonValue]) -> FileStep:
    path, *states = line
    return FileStep(text(path), _state(states[:4]), _state(states[4:]))


def _state(line: list[JsonValue]) -> FileState:
    mode, blob, bits, data = line
    held = base64.b64decode(data) if isinstance(data, str) else None
    return FileState(Side(text(mode), text(blob)), number(bits), held)
