"""The answer of a turn while it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.output.outcomes import own_items

if TYPE_CHECKING:
    from acp_jupyter.kernel.turn import Turn

__all__ = ["TextStream"]

_LOOK_SECONDS = 0.1


class TextStream:
    """Pieces of a turn's answer, for ``for`` and ``async for``. Made by `Turn.stream`.

    Together they are the turn's ``text``. Who stops reading does not stop the turn. At its end an
    error of the turn is raised, as by `Turn.wait`.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._given = 0

    def __iter__(self) -> Iterator[str]:
        while True:
            done = self._poll()
            if piece := self._piece():
                yield piece
            if done:
                self._turn.raise_for_error()
                return

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            try:
                done = await asyncio.to_thread(self._poll)
            except asyncio.CancelledError:
                await asyncio.to_thread(self._turn.cancel)
                raise
            if piece := self._piece():
                yield piece
            if done:
                await asyncio.to_thread(self._turn.raise_for_error)
                return

    def _poll(self) -> bool:
        """Wait a little; tell whether the turn has ended."""
        try:
            self._turn._wait(_LOOK_SECONDS, None)
        except TimeoutError:
            return False
        return True

    def _piece(self) -> str:
        messages = own_items(self._turn._detail.items)
        text = "\n\n".join(item.text for item in messages if isinstance(item, AgentMessage))
        piece = text[self._given :]
        self._given = max(self._given, len(text))
        return piece
