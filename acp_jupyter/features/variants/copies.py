"""The copies of a folder that the variants of a prompt work in. Lives on the host's loop."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.folder_copies import FolderBase, drop_base
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.host.workspace.copy_maker import CopyMaker, made, name_beside_owner
from acp_jupyter.protocol.host_events.session import Variant


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


class VariantCopies:
    """Makes the copies that variants work in."""

    def __init__(self, maker: CopyMaker, limits: Limits) -> None:
        self._maker = maker
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
            raise BadRequest("These variants have ended. To try the prompt again, send it again.")
        async with known.lock:
            if known.made >= self._limits.variants:
                raise BadRequest(f"A prompt can have {self._limits.variants} variants.")
            folders, name = self._maker.folders, name_beside_owner(folder)
            try:
                place = await made(folders.make, lambda gone: folders.remove(gone, gone / name))
            except BaseException:
                await asyncio.shield(self._forget_unused(try_id))
                raise
            path = place / name
            copy = FolderCopy(folders, place, path, partial(self._drop, try_id))
            known.copies.add(copy)
            try:
                left_out = await self._maker.copy(known.base, path)
            except BaseException:
                await asyncio.shield(copy.remove())
                raise
            known.made += 1
            words = " ".join(filter(None, (left_out, known.unsaved)))
            variant = Variant(try_id=try_id, number=known.made, folder=str(folder), left_out=words)
        return variant, copy

    async def _begin(self, folder: Path) -> str:
        await asyncio.to_thread(self._maker.folders.remove_orphans)
        try_id = uuid.uuid4().hex
        self._tries[try_id] = _Try(folder, *await self._maker.base(folder, try_id))
        return try_id

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
