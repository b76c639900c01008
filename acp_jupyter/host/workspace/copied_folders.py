"""Stores copies of folders below the data folder, each owned by the server that made it.

A copy is removed with its session, or at the end of its turn. If a server was killed, the next one
removes its copies. A session in the sandbox ``copy`` has its copy in its own folder instead, where
it lasts as long as the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import stat
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

from acp_jupyter.errors import DiskRefused, plain_reason
from acp_jupyter.host.store.ownership import OWNER_FILE, Ownership
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.own_kernels import OwnKernel

_PRIVATE = 0o700
_NEW_SECONDS = 60.0
"""Age below which a folder may not have its owner yet."""


class FolderCopy:
    """One copy, which nobody else uses."""

    def __init__(
        self,
        folders: CopiedFolders,
        place: Path,
        path: Path,
        removed: Callable[[FolderCopy], Awaitable[None]],
    ) -> None:
        self._folders = folders
        self._place = place
        self._removed = removed
        self.path = path
        self.is_removed = False
        self._removing = asyncio.Lock()
        self.kernel: OwnKernel | None = None
        """The kernel that works in it."""

    async def end_kernel(self) -> None:
        """End the kernel that works in it. May be called again."""
        if self.kernel is not None:
            await self.kernel.end()

    async def make_beside(self) -> Path:
        """Return a new private folder, for files that the kernels of several copies share."""
        return await asyncio.to_thread(self._folders.make)

    async def remove_beside(self, place: Path) -> None:
        """Remove such a private folder."""
        await asyncio.to_thread(self._folders.remove_place, place)

    async def remove(self) -> None:
        """Remove all of it. A second call waits until the first has ended."""
        async with self._removing:
            await self.end_kernel()
            await asyncio.to_thread(self._folders.remove, self._place, self.path)
            self.is_removed = True
            await self._removed(self)


class CopiedFolders:
    """Creates and removes the folders of copies. All methods block."""

    def __init__(self, data_dir: Path, ownership: Ownership, checkpoints: CheckpointStore) -> None:
        self._folder = data_dir / "variants"
        self._ownership = ownership
        self._checkpoints = checkpoints
        self._own: set[Path] = set()

    def make(self) -> Path:
        """Return a private folder for a copy that is made later."""
        try:
            self._folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            place = Path(os.path.realpath(self._folder)) / uuid.uuid4().hex
            self._own.add(place)
            place.mkdir(mode=_PRIVATE)
        except OSError as error:
            raise DiskRefused(plain_reason(error)) from None
        if words := self._ownership.take(place):
            self.remove_place(place)
            raise DiskRefused(words.rstrip("."))
        return place

    def remove(self, place: Path, path: Path) -> None:
        """Remove a folder with everything in it."""
        self._checkpoints.forget_copy(path)
        self.remove_place(place)

    def remove_place(self, place: Path) -> None:
        """Remove a folder without a copy."""
        self._ownership.release(place)
        remove_folder(place)
        if not place.exists():
            self._own.discard(place)

    def remove_orphans(self) -> None:
        """Remove the folders of servers that are no longer running."""
        try:
            real = Path(os.path.realpath(self._folder))
            places = [real / name for name in os.listdir(real)]
        except OSError:
            return
        for place in places:
            if place in self._own:
                continue
            with contextlib.suppress(OSError):
                is_new = time.time() - place.stat().st_mtime < _NEW_SECONDS
                owned = (place / OWNER_FILE).exists()
                if (owned or not is_new) and not self._ownership.why_not_delete(place):
                    remove_folder(place)

    def close(self) -> None:
        """Remove all folders of this server."""
        for place in tuple(self._own):
            self.remove_place(place)


def _open_up(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)
        with os.scandir(folder) as entries:
            below = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in below:
            _open_up(Path(path))


def remove_folder(place: Path) -> None:
    """Remove a folder, even if its permissions forbid that. Blocks."""
    shutil.rmtree(place, ignore_errors=True)
    if not place.exists():
        return
    _open_up(place)
    shutil.rmtree(place, ignore_errors=True)
