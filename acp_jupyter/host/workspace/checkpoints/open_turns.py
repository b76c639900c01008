"""Turns without a checkpoint after them yet, recorded on disk to survive a killed server.

Their changes are unknown until the second checkpoint is made.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from acp_jupyter.host.workspace.checkpoints.checkpoint import Checkpoint
from acp_jupyter.host.workspace.scan import FolderScan, Signature
from acp_jupyter.protocol.objects import Obj, flag, items, number, obj, text

_SUFFIX = ".ndjson"


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn that has begun, and the state of its folder."""

    turn_id: str
    session_id: str
    folder: Path
    """The real path."""
    before: Checkpoint | None
    """None if the folder could not be stored."""
    scan: FolderScan
    """The scan of the folder before the turn."""
    began_ns: int
    """When the turn began, on the clock of file times."""
    why_not: str
    """Why the folder could not be stored."""
    overlooks: bool
    """Whether some files that git ignores could not be scanned."""


class OpenTurns:
    """The open turns of a data folder, which servers share. All methods block; by any thread."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "open_turns"

    def add(self, turn: OpenTurn) -> None:
        """Record a turn before its agent is prompted; ignore a disk that can't be written."""
        before = turn.before
        head: Obj = {"session_id": turn.session_id, "folder": str(turn.folder)}
        body: Obj = {
            "tree": "" if before is None else before.tree,
            "left_out": [*sorted(before.left_out)] if before is not None else [],
            "nested": [] if before is None else list(before.nested),
            "began_ns": turn.began_ns,
            "why_not": turn.why_not,
            "overlooks": turn.overlooks,
            "whole": turn.scan.whole,
            "files": {path: list(of) for path, of in turn.scan.files.items()},
            "folders": dict(turn.scan.folders),
            "unread": dict(turn.scan.unread),
            "odd_names": {path: list(of) for path, of in turn.scan.odd_names.items()},
        }
        path = self._path(turn.turn_id)
        new = path.with_suffix(".new")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8") as file:
                file.write(f"{json.dumps(head)}\n{json.dumps(body)}\n")
            new.rename(path)
        except OSError:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)

    def remove(self, turn_ids: Iterable[str]) -> None:
        """Remove turns whose changes are noted or no longer needed."""
        for turn_id in turn_ids:
            self._path(turn_id).unlink(missing_ok=True)

    def ids(self) -> frozenset[str]:
        """Return the ids of all open turns."""
        try:
            names = os.listdir(self._folder)
        except OSError:
            return frozenset()
        return frozenset(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))

    def places(self) -> Iterator[tuple[str, str, Path]]:
        """Yield the id, session id and folder of each open turn."""
        for turn_id in sorted(self.ids()):
            with contextlib.suppress(OSError, ValueError):
                with self._path(turn_id).open(encoding="utf-8") as file:
                    head = obj(json.loads(file.readline()))
                yield turn_id, text(head.get("session_id")), Path(text(head.get("folder")))

    def read(self, turn_id: str) -> OpenTurn | None:
        """Return an open turn; None if there is none, or it can't be read."""
        try:
            lines = self._path(turn_id).read_text(encoding="utf-8").splitlines()
            head, body = (obj(json.loads(line)) for line in lines)
        except (OSError, ValueError):
            return None
        tree = text(body.get("tree"))
        left_out = frozenset(map(text, items(body.get("left_out"))))
        nested = tuple(map(text, items(body.get("nested"))))
        scan = FolderScan(
            {path: _signature(items(of)) for path, of in obj(body.get("files")).items()},
            flag(body.get("whole")),
            {path: number(inode) or 0 for path, inode in obj(body.get("folders")).items()},
            {path: number(inode) or 0 for path, inode in obj(body.get("unread")).items()},
            {path: _signature(items(of)) for path, of in obj(body.get("odd_names")).items()},
        )
        return OpenTurn(
            turn_id,
            text(head.get("session_id")),
            Path(text(head.get("folder"))),
            Checkpoint(tree, left_out, nested) if tree else None,
            scan,
            number(body.get("began_ns")) or 0,
            text(body.get("why_not")),
            flag(body.get("overlooks")),
        )

    def _path(self, turn_id: str) -> Path:
        return self._folder / f"{turn_id}{_SUFFIX}"


def _signature(of: list[JsonValue]) -> Signature:
    size, mtime_ns, inode, mode = (number(each) or 0 for each in of)
    return Signature(size, mtime_ns, inode, mode)
