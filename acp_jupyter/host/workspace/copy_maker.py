"""Copies a folder as it is now, with what is open in it. Lives on the host's loop."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from acp_jupyter.host.store.ownership import OWNER_FILE
from acp_jupyter.host.workspace.agent_files import Documents
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.checkpoints.folder_copies import (
    CopyStopped,
    FolderBase,
    FolderCopier,
    drop_base,
    take_base,
)
from acp_jupyter.host.workspace.copied_folders import CopiedFolders
from acp_jupyter.host.workspace.turn_files import save_documents

T = TypeVar("T")

_SAVE_SECONDS = 6.0


class CopyMaker:
    """Makes copies of folders, for sessions and for features.

    Parameters
    ----------
    checkpoints
        The host's checkpoints: a copy is made from one of its folder.
    documents
        Open documents; what is not saved in them is saved before.
    """

    def __init__(
        self, checkpoints: CheckpointStore, folders: CopiedFolders, documents: Documents
    ) -> None:
        self._checkpoints = checkpoints
        self.folders = folders
        self._documents = documents

    async def copy_into(self, place: Path, folder: Path) -> tuple[Path, str]:
        """Copy a folder once, for as long as its session lasts.

        Parameters
        ----------
        place
            The private folder that the copy is made in; it is yet to be made.
        """
        base, unsaved = await self.base(folder, uuid.uuid4().hex)
        path = place / name_beside_owner(folder)
        try:
            left_out = await self.copy(base, path)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self.folders.remove, place, path))
            raise
        finally:
            await asyncio.shield(asyncio.to_thread(drop_base, base))
        return path, " ".join(filter(None, (left_out, unsaved)))

    async def base(self, folder: Path, name: str) -> tuple[FolderBase, str]:
        """Save what is open in a folder, and store it; return that, and what was not saved."""
        notices = await save_documents(partial(self._documents.save, folder), "", _SAVE_SECONDS)
        unsaved = " ".join(each.text for each in notices if each.severity == "warning")
        base = await made(partial(take_base, self._checkpoints.of(folder), name), drop_base)
        return base, unsaved

    async def copy(self, base: FolderBase, path: Path) -> str:
        """Copy what was stored; return what is not in the copy, in words."""
        stop = threading.Event()
        own = self._checkpoints.of(path, base.checkpoints.root)
        running = asyncio.create_task(asyncio.to_thread(FolderCopier(base, own, stop).run))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([running])  # else it would write into what is removed
            raise
        except CopyStopped:
            raise asyncio.CancelledError from None


def name_beside_owner(folder: Path) -> str:
    """Return what a copy is called: as the folder, but not as the file that says whose it is."""
    return folder.name if folder.name not in {"", OWNER_FILE} else "folder"


async def made(make: Callable[[], T], unmake: Callable[[T], None]) -> T:
    """Make something in a thread; if nobody waits for it any more, remove it once it is there."""
    making = asyncio.create_task(asyncio.to_thread(make))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        await asyncio.wait([making])
        if making.exception() is None:
            await asyncio.shield(asyncio.to_thread(unmake, making.result()))
        raise
