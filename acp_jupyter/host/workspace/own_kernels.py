"""Interfaces of the kernel that works in a copy of a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class OwnKernel(Protocol):
    """A kernel that works in one copy; it starts when first needed."""

    @property
    def words(self) -> str:
        """A sentence that says what the kernel starts with."""

    async def end(self) -> None:
        """End the kernel, even while it starts, and release its variables. May be called again."""


@dataclass(frozen=True, slots=True)
class NoKernel:
    """Why a variant has no kernel."""

    why: str

    @property
    def words(self) -> str:
        """The reason as a sentence for users."""
        return f"It has no kernel of its own and no notebook tools: {self.why}."
