"""Open documents, read, written and saved by the pages that hold them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from acp_jupyter.delivery.ask_frames import ReadDocument, SaveDocument, WriteDocument
from acp_jupyter.delivery.asks import Pages
from acp_jupyter.errors import DocumentConflict, FileRefused
from acp_jupyter.host.documents import Saved

__all__ = ["PageDocuments"]

_MOST_SAVED = 50
_SAID = 1000


class PageDocuments:
    """What the host may do with open documents. Used on the host's loop.

    Parameters
    ----------
    pages
        All connected pages.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def read(self, path: Path) -> str | None:
        """Return the unsaved text of a document, or None when the disk has the truth.

        A page where the document is clean shows what is on disk, and is not asked.
        """
        asked = await self._pages.ask(path, ReadDocument(), dirty=True)
        return None if asked.answer is None else asked.answer.text

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Change a document in its editor and save it; False where the file is to be written.

        Raises
        ------
        FileRefused
            Its user has changed the same, it can't be saved, or nobody knows whether something
            would be lost.
        """
        asked = await self._pages.ask(path, WriteDocument(text=text, base=base))
        name = path.name[:_SAID]
        if asked.answer is None:
            if asked.unsaved:
                raise FileRefused(
                    f"{name} is open in an editor with changes that are not saved, and its page "
                    "does not answer. Nothing was written. Ask the user to save it, or try again."
                )
            return False
        if asked.answer.error is not None:
            refused = DocumentConflict if asked.answer.reason == "conflict" else FileRefused
            raise refused(f"{name} was not written: {asked.answer.error[:_SAID]}")
        return True

    async def save(self, root: Path) -> Saved:
        """Save what is not saved below a folder.

        What a user does not want to be saved, or has closed meanwhile, is not told of.
        """
        paths = self._pages.dirty_under(root)
        ends = await asyncio.gather(*(self._save(path) for path in paths[:_MOST_SAVED]))
        ended = list(zip(paths, ends, strict=False))
        return Saved(
            done=tuple(path for path, end in ended if end == "done"),
            failed=(
                *(path for path, end in ended if end == "failed"),
                *paths[_MOST_SAVED:],
            ),
        )

    async def _save(self, path: str) -> Literal["done", "failed", "left"]:
        asked = await self._pages.ask_by_name(path, SaveDocument(), dirty=True)
        if asked.answer is None:
            return "failed" if asked.unsaved else "left"
        if asked.answer.error is None:
            return "done"
        return "left" if asked.answer.reason == "unwanted" else "failed"
