"""The store of checkpoints of all folders, and the turns that run in each folder."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.folders import OwnFolders

_NAME_CHARS = 32


class CheckpointStore:
    """The checkpoints of a host; sessions of one folder share them.

    May be used from any thread.

    Parameters
    ----------
    data_dir
        The host's data folder.
    limits
        The host's limits.
    own
        Folders that are never in a checkpoint.
    """

    def __init__(self, data_dir: Path, limits: Limits, own: OwnFolders | None = None) -> None:
        self._data_dir = data_dir
        self.own = own or OwnFolders((data_dir,))
        self._limits = limits
        self._known: dict[Path, Checkpoints] = {}
        self._running: dict[str, tuple[Path, bool]] = {}
        """By turn: its folder, and whether another turn ran there meanwhile."""
        self._lock = threading.Lock()

    def of(self, root: Path) -> Checkpoints:
        """Return the checkpoints of a folder."""
        root = Path(os.path.realpath(root))
        with self._lock:
            if root not in self._known:
                name = hashlib.sha256(os.fsencode(root)).hexdigest()[:_NAME_CHARS]
                folder = Path(os.path.realpath(self._data_dir)) / "checkpoints" / name
                self._known[root] = Checkpoints(root, folder, self._limits, self.own.below(root))
            return self._known[root]

    def begin(self, turn_id: str, root: Path) -> None:
        """Note that a turn starts in a folder."""
        root = Path(os.path.realpath(root))
        with self._lock:
            shared = False
            for other, (folder, _) in self._running.items():
                if folder.is_relative_to(root) or root.is_relative_to(folder):
                    self._running[other] = folder, True
                    shared = True
            self._running[turn_id] = root, shared

    def end(self, turn_id: str) -> bool:
        """Note a turn's end; return whether another one ran in its folder meanwhile."""
        with self._lock:
            return self._running.pop(turn_id, (Path(), False))[1]
