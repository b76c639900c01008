"""Copies of a folder, for variants of a prompt or for a session. Lives on the host's loop."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.limits import Limits
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
from acp_jupyter.host.workspace.copied_folders import CopiedFolders, FolderCopy
from acp_jupyter.host.workspace.turn_files import save_documents
from acp_jupyter.protocol.host_events.session import Variant

T = TypeVar("T")

_SAVE_SECONDS = 6.0


@dataclass(slots=True)
class _Try:
    """One prompt's variants."""

    folder: Path
    base: FolderBase
    unsaved: str
    """What could not be saved before, in words."""
    made: int = 0
    copies: set[FolderCopy] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Variants:
    """Makes the copies that variants work in.

    Parameters
    ----------
    checkpoints
        The host's checkpoints: a copy is made from one of its folder.
    documents
        Open documents; what is not saved in them is saved before.
    """

    def __init__(
        self,
        checkpoints: CheckpointStore,
        folders: CopiedFolders,
        documents: Documents,
        limits: Limits,
    ) -> None:
        self._checkpoints = checkpoints
        self._folders = folders
        self._documents = documents
        self._limits = limits
        self._tries: dict[str, _Try] = {}

    async def copy(self, folder: Path, try_id: str) -> tuple[Variant, FolderCopy]:
        """Copy a folder for one more variant; all of a try begin with the same files.

        Parameters
        ----------
        try_id
            Of the variants that there are already; empty for the first one.
        """
        if not try_id:
            try_id = await self._begin(folder)
        known = self._tries.get(try_id)
        if known is None or known.folder != folder:
            raise BadRequest("These variants are over. Send the prompt again to try it anew.")
        async with known.lock:
            if known.made >= self._limits.variants:
                raise BadRequest(f"A prompt can have {self._limits.variants} variants.")
            name = _name_beside_owner(folder)
            try:
                place = await _made(
                    self._folders.make, lambda made: self._folders.remove(made, made / name)
                )
            except BaseException:
                await asyncio.shield(self._forget_unused(try_id))
                raise
            path = place / name
            copy = FolderCopy(self._folders, place, path, partial(self._drop, try_id))
            known.copies.add(copy)
            try:
                left_out = await self._run(known.base, path)
            except BaseException:
                await asyncio.shield(copy.remove())
                raise
            known.made += 1
            words = " ".join(filter(None, (left_out, known.unsaved)))
            variant = Variant(try_id=try_id, number=known.made, folder=str(folder), left_out=words)
        return variant, copy

    async def copy_into(self, place: Path, folder: Path) -> tuple[Path, str]:
        """Copy a folder once, for as long as its session lasts.

        Parameters
        ----------
        place
            The private folder that the copy is made in; it is yet to be made.
        """
        base, unsaved = await self._base(folder, uuid.uuid4().hex)
        path = place / _name_beside_owner(folder)
        try:
            left_out = await self._run(base, path)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self._folders.remove, place, path))
            raise
        finally:
            await asyncio.shield(asyncio.to_thread(drop_base, base))
        return path, " ".join(filter(None, (left_out, unsaved)))

    async def _begin(self, folder: Path) -> str:
        await asyncio.to_thread(self._folders.remove_orphans)
        try_id = uuid.uuid4().hex
        self._tries[try_id] = _Try(folder, *await self._base(folder, try_id))
        return try_id

    async def _base(self, folder: Path, name: str) -> tuple[FolderBase, str]:
        """Save what is open in a folder, and store it; return that, and what was not saved."""
        notices = await save_documents(partial(self._documents.save, folder), "", _SAVE_SECONDS)
        unsaved = " ".join(each.text for each in notices if each.severity == "warning")
        base = await _made(partial(take_base, self._checkpoints.of(folder), name), drop_base)
        return base, unsaved

    async def _run(self, base: FolderBase, path: Path) -> str:
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

    async def _drop(self, try_id: str, copy: FolderCopy) -> None:
        """Forget a copy, and with the last one what it was made from."""
        known = self._tries.get(try_id)
        if known is None:
            return
        known.copies.discard(copy)
        await self._forget_unused(try_id)

    async def _forget_unused(self, try_id: str) -> None:
        known = self._tries.get(try_id)
        if known is not None and not known.copies:
            await asyncio.to_thread(drop_base, self._tries.pop(try_id).base)


def _name_beside_owner(folder: Path) -> str:
    """Return what a copy is called: as the folder, but not as the file that says whose it is."""
    return folder.name if folder.name not in {"", OWNER_FILE} else "folder"


async def _made(make: Callable[[], T], unmake: Callable[[T], None]) -> T:
    """Make something in a thread; if nobody waits for it any more, unmake it once it is there."""
    making = asyncio.create_task(asyncio.to_thread(make))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        await asyncio.wait([making])
        if making.exception() is None:
            await asyncio.shield(asyncio.to_thread(unmake, making.result()))
        raise
