"""Watches whether an agent's process writes to a disk before it has announced a tool call.

The protocol doesn't report such work. The system reports when a process wrote, but not which file:
a file that changed in that time counts as changed by the agent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from acp_jupyter.host.process.disk_writes import DiskWrites
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.session import AgentWroteToDisk
from acp_jupyter.transcript.model.tool_items import ToolCall

_SECONDS = 0.2
_TICK_SECONDS = 0.02
_MAX_NOTES = 500
"""Most notes of one turn."""


class WriteWatcher:
    """Polls the agent's process while a turn runs. Used on the host's loop.

    Parameters
    ----------
    journal
        The session's journal; gets a note for each span in which the process wrote.
    disk_writes
        Returns how much the agent's processes have written; None if none runs.
    """

    def __init__(self, journal: Journal, disk_writes: Callable[[], DiskWrites | None]) -> None:
        self._journal = journal
        self._disk_writes = disk_writes
        self._task: asyncio.Task[None] | None = None
        self._turn_id = ""
        self._process: DiskWrites | None = None
        self._written: int | None = None
        self._at = 0.0
        self._span: tuple[float, float] | None = None
        self._notes = 0

    async def start(self, turn_id: str) -> None:
        """Start polling, just before the prompt is sent."""
        await self._end()
        self._turn_id, self._notes, self._span = turn_id, 0, None
        self._process = self._disk_writes()
        if self._process is None:
            return
        self._at, self._written = await self._process.read()
        if self._written is not None:
            name = f"acp-silent-{self._journal.session_id}"
            self._task = asyncio.create_task(self._watch(), name=name)

    async def stop(self) -> None:
        """Poll once more, then stop; note the last span."""
        if self._task is None:
            return
        await self._end()
        await self._look()
        self._note()

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _watch(self) -> None:
        while self._notes < _MAX_NOTES and self._announced_at() is None:
            # All sessions look at the same moments, so that those of one process look once.
            await asyncio.sleep(_SECONDS - time.monotonic() % _SECONDS)
            await self._look()

    async def _look(self) -> None:
        if self._process is None:
            return
        since = self._at
        begun, written = await self._process.read()
        # From the first call on, the agent's own updates say when it works.
        announced = self._announced_at()
        until = time.time() if announced is None else min(announced, time.time())
        grew = written is not None and written > (self._written or 0) and since < until
        self._at = begun
        # The writes of a child that ended are counted later, when its parent has reaped it.
        self._written = self._written if written is None else written
        if not grew:
            self._note()
        else:
            self._span = since - _TICK_SECONDS if self._span is None else self._span[0], until

    def _note(self) -> None:
        span, self._span = self._span, None
        if span is not None:
            self._notes += 1
            note = AgentWroteToDisk(turn_id=self._turn_id, since=span[0], until=span[1])
            self._journal.note(note)

    def _announced_at(self) -> float | None:
        """Return when the turn's first call was announced."""
        transcript = self._journal.transcript
        first = transcript.turn_first.get(self._turn_id, len(transcript.items))
        for item in transcript.items.since(first):
            if isinstance(item, ToolCall) and item.turn_id == self._turn_id:
                waited = sum(
                    wait.span[1] - wait.span[0]
                    for wait in transcript.evidence.waits
                    if wait.item_id == item.id
                )
                return (item.started_at or 0.0) - waited
        return None
