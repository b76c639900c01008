"""The data folder as `KeptData`: its sessions and their sizes, and how sessions are deleted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.metadata import SessionMeta, read_meta
from acp_jupyter.host.store.ownership import Ownership
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.copied_folders import remove_folder


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session's folder, with its size in bytes."""

    folder: Path
    meta: SessionMeta
    size: int

    @property
    def notebook(self) -> str:
        """The notebook's path, relative to the root of its server; empty if it has none."""
        return self.meta.facts.notebook_path

    @property
    def changed_at(self) -> float:
        """When something was last said in it, in seconds since 1970."""
        return self.meta.facts.updated_at or self.folder.stat().st_mtime


class KeptData:
    """What servers and kernels of this user keep in one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def sessions(self) -> list[KeptSession]:
        """Return the sessions, the newest first."""
        found = []
        for folder in _folders(self.folder / "sessions"):
            meta = read_meta(folder)
            if meta is not None:
                found.append(KeptSession(folder, meta, size_of(folder)))
        return sorted(found, key=lambda session: session.changed_at, reverse=True)

    def delete(self, sessions: list[KeptSession]) -> Iterator[tuple[KeptSession, str]]:
        """Delete sessions with their checkpoints; yield each, and why it was not deleted."""
        ownership = Ownership(self.folder, Limits())
        checkpoints = CheckpointStore(self.folder, Limits())
        try:
            for session in sessions:
                # A full disk is no reason to keep it: deleting makes room.
                words = ownership.take(session.folder)
                words = words and ownership.why_not_delete(session.folder)
                if not words:
                    _forget(checkpoints, session.meta)
                    remove_folder(session.folder)
                    ownership.release(session.folder)
                yield session, words
        finally:
            ownership.close()


def _forget(checkpoints: CheckpointStore, meta: SessionMeta) -> None:
    # A copy has the repository of the folder that was copied.
    folder = meta.facts.copied or meta.facts.cwd
    checkpoints.of(Path(folder)).forget(meta.turn_ids)


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder, or of a file."""
    if folder.is_file():
        return folder.lstat().st_size
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(root, name)).st_size
            except OSError:
                continue  # it was deleted meanwhile
    return total


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(each for each in parent.iterdir() if each.is_dir() and not each.is_symlink())
    except FileNotFoundError:
        return []
