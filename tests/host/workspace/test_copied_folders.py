"""Copies of folders, and their end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest

from acp_jupyter.host.workspace.copied_folders import CopiedFolders, FolderCopy

pytestmark = pytest.mark.asyncio


class Folders:
    """Keeps what is removed."""

    def __init__(self) -> None:
        self.removed: list[Path] = []

    def remove(self, place: Path, path: Path) -> None:
        self.removed.append(path)


async def test_who_removes_a_copy_too_waits_until_nothing_is_left_of_it() -> None:
    """A turn that ends removes it, and so does the session that is deleted meanwhile."""
    folders, began, go_on = Folders(), asyncio.Event(), asyncio.Event()

    async def removed(_copy: FolderCopy) -> None:
        if not began.is_set():  # the second time nothing is left to do
            began.set()
            await go_on.wait()

    copy = FolderCopy(cast("CopiedFolders", folders), Path("/p"), Path("/p/ws"), removed)
    first = asyncio.create_task(copy.remove())
    await began.wait()
    second = asyncio.create_task(copy.remove())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not second.done()
    go_on.set()
    await asyncio.gather(first, second)
    assert copy.is_removed
    assert folders.removed == [Path("/p/ws")] * 2
