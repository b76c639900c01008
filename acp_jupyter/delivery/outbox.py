"""Frames on their way to one page: one write at a time, events merged and paced."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable

from acp_jupyter.delivery.frames import EventsFrame, ServerFrame
from acp_jupyter.delivery.pacing import Pacing
from acp_jupyter.delivery.subscription import Subscription

__all__ = ["Outbox"]

_MOST_FRAMES = 1000


class Outbox:
    """The sending half of a channel; belongs to the loop that it was made in.

    Parameters
    ----------
    write
        Writes one frame as JSON; returns when the socket has taken it.
    """

    def __init__(self, write: Callable[[str], Awaitable[None]]) -> None:
        self._write = write
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._frames: deque[ServerFrame] = deque()
        self._overflown = False
        self._finishing = False
        self._paces: dict[Subscription, Pacing] = {}
        self._due: set[Subscription] = set()

    def put(self, frame: ServerFrame) -> None:
        """Send a frame, before any events that wait.

        A page that lets too many of them lie has stopped reading: the channel ends.
        """
        if len(self._frames) < _MOST_FRAMES:
            self._frames.append(frame)
        else:
            self._overflown = True
        self._wake.set()

    def put_from_any_thread(self, frame: ServerFrame) -> None:
        """Send a frame; when the loop has ended, nobody waits for it."""
        self._call(lambda: self.put(frame))

    def add(self, session_id: str) -> Subscription:
        """Make a subscription whose events this outbox sends."""

        def wake() -> None:
            if subscription in self._paces:
                self._due.add(subscription)
                self._wake.set()

        subscription = Subscription(session_id, lambda: self._call(wake))
        self._paces[subscription] = Pacing()
        return subscription

    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription and what it still holds."""
        self._paces.pop(subscription, None)
        self._due.discard(subscription)

    def acknowledged(self, subscription: Subscription, seq: int) -> None:
        """Note what the page has drawn."""
        pace = self._paces.get(subscription)
        if pace is not None:
            pace.acknowledged(seq)

    def finish(self) -> None:
        """Write what waits, at no pace; `run` ends with that."""
        self._finishing = True
        self._wake.set()

    async def run(self) -> None:
        """Write until cancelled, `finish` or a failure of ``write``.

        Raises
        ------
        TimeoutError
            The page reads too slowly.
        """
        while True:
            self._wake.clear()
            while self._frames:
                await self._send(self._frames.popleft())
            if self._overflown:
                raise TimeoutError
            wait = await self._flush_due()
            if wait is None:
                if self._finishing:
                    return
                await self._wake.wait()
            elif wait > 0:
                # Other frames do not wait for the pace of events.
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), wait)

    async def _flush_due(self) -> float | None:
        """Write one flush that may go; return how long the next has to wait, None for ever."""
        now = self._loop.time()
        delays = sorted(
            (
                (self._paces[subscription].delay(now), index, subscription)
                for index, subscription in enumerate(self._due)
            ),
            key=lambda entry: entry[:2],
        )
        if not delays:
            return None
        delay, _, subscription = delays[0]
        if delay > 0 and not self._finishing:
            return delay
        self._due.discard(subscription)
        events = subscription.take()
        if events:
            await self._send(EventsFrame(session_id=subscription.session_id, events=events))
            pace = self._paces.get(subscription)
            if pace is not None:
                pace.flushed(max(event.seq for event in events), self._loop.time())
        return 0.0

    async def _send(self, frame: ServerFrame) -> None:
        await self._write(frame.model_dump_json())

    def _call(self, what: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError:
            return
