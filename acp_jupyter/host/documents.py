"""What the host may ask of those who hold open documents."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

__all__ = ["Documents", "NoDocuments"]


class Documents(Protocol):
    """Reads documents as their editors show them."""

    async def read(self, path: Path) -> str | None:
        """Return the unsaved text of an open document, or None: then the file counts."""


class NoDocuments:
    """Where no page holds documents: a kernel without a server."""

    async def read(self, path: Path) -> None:
        """Return None: the file counts."""
        return
