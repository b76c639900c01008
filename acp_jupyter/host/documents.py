"""What the host may ask of those who hold open documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

__all__ = ["Documents", "NoDocuments", "Saved"]


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of saving: paths as pages know them, with forward slashes."""

    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Documents(Protocol):
    """Reads, writes and saves documents as their editors show them."""

    async def read(self, path: Path) -> str | None:
        """Return the unsaved text of an open document, or None: then the file counts."""

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Make this the text of an open document and save it; False: then write the file.

        Parameters
        ----------
        path
            Absolute.
        text
            What it is to be.
        base
            The text that was changed into it; None for the one on disk. What its user has
            changed since stays.

        Raises
        ------
        FileRefused
            Its user has changed the same since, or it can't be saved, or nobody answers.
        """

    async def save(self, root: Path) -> Saved:
        """Save open documents below a folder."""


class NoDocuments:
    """Where no page holds documents: a kernel without a server."""

    async def read(self, path: Path) -> None:
        """Return None: the file counts."""
        return

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Return False: the file counts."""
        return False

    async def save(self, root: Path) -> Saved:
        """Return nothing: there is nothing to save."""
        return Saved()
