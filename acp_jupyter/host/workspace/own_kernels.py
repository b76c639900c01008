"""Interfaces of the kernel that works in a copy of a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class OwnKernel(Protocol):
    """A kernel that works in one copy; started when first needed."""

    @property
    def words(self) -> str:
        """What it begins with."""

    async def end(self) -> None:
        """End it, also while it starts, and all that was kept for it. May be called again."""


@dataclass(frozen=True, slots=True)
class NoKernel:
    """Why a variant has no kernel."""

    why: str

    @property
    def words(self) -> str:
        """The same for users, as a sentence."""
        return f"It has no kernel of its own and no notebook tools: {self.why}."
