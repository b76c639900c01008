"""The interface of a kernel that works in a copy of a folder."""

from __future__ import annotations

from typing import Any, Protocol


class OwnKernel(Protocol):
    """A kernel that works in one copy; it starts when first needed."""

    @property
    def words(self) -> str:
        """A sentence that says what the kernel starts with."""

    def tools(self, session: Any) -> Any:
        """Return the notebook tools for the session that works in the copy."""

    async def end(self) -> None:
        """End the kernel, even while it starts, and release its variables. May be called again."""
