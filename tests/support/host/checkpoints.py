"""A folder that is kept before and after a turn, without any session."""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.checkpoint import Checkpoint
from acp_jupyter.host.workspace.checkpoints.diff import make_patch, tree_changes
from acp_jupyter.host.workspace.checkpoints.disk import Disk
from acp_jupyter.host.workspace.checkpoints.file_steps import FileNotWritten, FileWriter
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.revert import Revert, RevertPlan
from acp_jupyter.host.workspace.checkpoints.tree_change import TreeChange
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["CheckpointedFolder", "Reverted", "State", "carried_out", "held"]

State = dict[str, tuple[str, bytes, int]]


def held(root: Path) -> State:
    """Return all below a folder: what each is, what it holds, its mode; empty folders too."""
    found: State = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder) / name
            if ".git" in path.relative_to(root).parts:
                continue
            status = path.lstat()
            mode = stat.S_IMODE(status.st_mode)
            if path.is_symlink():
                said = ("link", os.readlink(path).encode(), 0)
            elif path.is_dir():
                said = ("folder", b"", 0)
            else:
                said = ("file", path.read_bytes(), mode)
            found[path.relative_to(root).as_posix()] = said
    return found


class CheckpointedFolder:
    """One turn in a folder: ``with_turn`` keeps it, does something, and keeps it again."""

    def __init__(self, root: Path, store: Path, limits: Limits | None = None) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.checkpoints = Checkpoints(
            root, store, limits or Limits(checkpoint_seconds=PATIENCE_SECONDS)
        )
        self.before = self.after = Checkpoint("")
        self.turn_id = ""

    def write(self, path: str, data: bytes | str, mode: int | None = None) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        if mode is not None:
            target.chmod(mode)
        return target

    def turn(self, deed: Callable[[], object]) -> list[TreeChange]:
        self.turn_id = uuid.uuid4().hex
        self.before = self.checkpoints.take(self.turn_id, "before")
        deed()
        self.after = self.checkpoints.take(self.turn_id, "after", self.before)
        return self.changes()

    def changes(self) -> list[TreeChange]:
        return tree_changes(self.checkpoints.git, self.before.tree, self.after.tree, 60)

    def patch(self, *paths: str) -> str:
        trees = self.before.tree, self.after.tree
        return make_patch(
            self.checkpoints.git, trees, paths, seconds=PATIENCE_SECONDS, max_bytes=10**8
        )

    def revert(
        self,
        *paths: str,
        partial: bool = False,
        modes: dict[str, int] | None = None,
        made_folders: Collection[str] = (),
    ) -> Reverted:
        changes = [change for change in self.changes() if not paths or change.path in paths]
        with GitObjects(self.checkpoints.git, PATIENCE_SECONDS) as objects:
            disk = Disk(self.root, self.checkpoints.limits.checkpoint_file_bytes)
            plan = Revert(disk, objects, modes or {}, made_folders).plan(changes, partial=partial)
            return carried_out(plan, disk, objects)


@dataclass(frozen=True)
class Reverted:
    """Which files were written, or are as they shall be, and which were not, and why."""

    paths: tuple[str, ...]
    refused: Mapping[str, str]


def carried_out(plan: RevertPlan, disk: Disk, objects: GitObjects) -> Reverted:
    """Carry out a plan as an operation does: all of it, or nothing."""
    writer = FileWriter(disk, objects, "token")
    try:
        writer.run(plan.steps)
    except FileNotWritten as error:
        words = f"{error.path} could not be {error.done}: {error.why}"
        assert writer.undo(plan.steps) == []
        raise ChangesRefused(words) from None
    written = [step.path for step in plan.steps.files]
    return Reverted((*written, *sorted(plan.already)), plan.refused)
