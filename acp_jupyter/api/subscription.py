"""Subscriptions: merges, paces and writes the events of sessions for one page.

Events wait in a `Subscription`, which merges them. `Pacing` decides when to flush: the first events
at once, then every 33 ms, and up to every 100 ms while the page lags. An `Outbox` writes one frame
at a time, and ends a channel whose page has stopped reading.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cache
from typing import assert_never

from pydantic import TypeAdapter

from acp_jupyter.api.models.frames import EventsFrame, ServerFrame
from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    SessionChanged,
    Snapshot,
    TextAppended,
    TextChanged,
    TurnEnded,
    TurnStarted,
    event_chars,
)

_MERGE_AT = 5000
_JOINED_CHARS = 500_000
"""Most text in one event."""
_TAKEN_CHARS = 1_000_000
_EVENT_CHARS = 1_000
"""Approximate length of an event as JSON, without its text."""


class Subscription:
    """A queue of a session's events for one reader.

    The host's thread adds events, the reader's thread takes them. ``wake`` is
    called in the host's thread, once until the next :meth:`take`.
    """

    def __init__(self, session_id: str, wake: Callable[[], None]) -> None:
        self.session_id = session_id
        self._wake = wake
        self._lock = threading.Lock()
        self._pending: list[Event] = []
        self._merge_at = _MERGE_AT
        self._awake = False

    def push(self, events: Iterable[Event]) -> None:
        """Add events; wake the reader unless it has been woken already."""
        with self._lock:
            self._pending.extend(events)
            if len(self._pending) > self._merge_at:
                # Limit the memory for a slow reader.
                self._pending = list(merge_events(self._pending))
                self._merge_at = max(_MERGE_AT, 2 * len(self._pending))
            wake = bool(self._pending) and not self._awake
            self._awake = self._awake or wake
        if wake:
            self._wake()

    def take(self) -> tuple[Event, ...]:
        """Remove and return the merged events; only the oldest if there are very many.

        The limit is there because the reader's loop encodes them in a single step.
        """
        with self._lock:
            merged = merge_events(self._pending)
            fitting = _fitting(merged)
            self._pending = list(merged[fitting:])
            self._merge_at = max(_MERGE_AT, 2 * len(self._pending))
            self._awake = wake = bool(self._pending)
        if wake:
            self._wake()
        return merged[:fitting]


def _fitting(events: tuple[Event, ...]) -> int:
    """Return how many events, at least one, may be sent together."""
    room = _TAKEN_CHARS
    for number, event in enumerate(events):
        room -= _EVENT_CHARS + event_chars(event)
        if room < 0:
            return max(1, number)
    return len(events)


def merge_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """Merge events into fewer ones that give the same state.

    Appends to one field become one append, only the last of repeated
    replacements and session states stays, a replacement drops the appends
    before it, and a snapshot drops everything before it.
    """
    slots: dict[tuple[str, ...], Event | _Appends] = {}
    for event in events:
        match event:
            case Snapshot():
                slots = {("snapshot",): event}
            case TextAppended() | TextChanged():
                key = ("text", event.item_id, event.field)
                appends = slots.setdefault(key, _Appends())
                assert isinstance(appends, _Appends)
                appends.add(event)
            case ItemReplaced():
                # The item has the whole text so far.
                slots.pop(("text", event.item.id, "text"), None)
                slots.pop(("text", event.item.id, "output"), None)
                slots[("item", event.item.id)] = event
            case SessionChanged():
                slots[("session",)] = event
            case ItemAdded() | ItemClosed() | TurnStarted() | TurnEnded():
                slots[("once", str(event.seq))] = event
            case _:
                assert_never(event)
    whole = (e for slot in slots.values() for e in _events(slot))
    return tuple(sorted(whole, key=lambda event: event.seq))


def _events(slot: Event | _Appends) -> Iterator[Event]:
    if isinstance(slot, _Appends):
        yield from slot.events()
    else:
        yield slot


class _Appends:
    """Consecutive changes of one field's text; joined appends have the ``seq`` of the last."""

    def __init__(self) -> None:
        self._parts: list[list[TextAppended | TextChanged]] = []
        self._room = 0

    def add(self, more: TextAppended | TextChanged) -> None:
        if isinstance(more, TextChanged):
            # Drop text that is overwritten.
            while self._parts and self._parts[-1][0].offset >= more.offset:
                self._parts.pop()
        starts = not self._parts or isinstance(more, TextChanged)
        if starts or len(more.text) > self._room:
            self._parts.append([])
            self._room = _JOINED_CHARS
        self._parts[-1].append(more)
        self._room -= len(more.text)

    def events(self) -> Iterator[TextAppended | TextChanged]:
        for part in self._parts:
            text = "".join(event.text for event in part)
            yield part[0].model_copy(update={"seq": part[-1].seq, "text": text})


_MAX_FRAMES = 1000


@cache
def _frame() -> TypeAdapter[ServerFrame]:
    return TypeAdapter(ServerFrame)


class Outbox:
    """The sending half of a channel; belongs to the loop in which it was created.

    Parameters
    ----------
    write
        Writes one frame as JSON; returns when the socket has accepted it.
    """

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._frames: deque[ServerFrame] = deque()
        self._overflown = False
        self._finishing = False
        self._paces: dict[Subscription, Pacing] = {}
        self._due: set[Subscription] = set()
        self._lock = threading.Lock()
        self._woken: list[Subscription] = []
        """Subscriptions with events that are not in ``_due`` yet; see `_wake_for`."""

    def put(self, frame: ServerFrame) -> None:
        """Queue a frame, before any waiting events.

        If too many frames wait, the page has stopped reading, and the channel ends.
        """
        if len(self._frames) < _MAX_FRAMES:
            self._frames.append(frame)
        else:
            self._overflown = True
        self._wake.set()

    def put_from_any_thread(self, frame: ServerFrame) -> None:
        """Queue a frame; do nothing if the loop has ended."""
        self._call(lambda: self.put(frame))

    def add(self, session_id: str) -> Subscription:
        """Add a subscription whose events this outbox sends."""
        subscription = Subscription(session_id, lambda: self._wake_for(subscription))
        self._paces[subscription] = Pacing()
        return subscription

    def _wake_for(self, subscription: Subscription) -> None:
        """Wake the loop from any thread, once for all subscriptions until it wakes up."""
        with self._lock:
            is_first = not self._woken
            self._woken.append(subscription)
        if is_first:
            self._call(self._take_woken)

    def _take_woken(self) -> None:
        with self._lock:
            woken, self._woken = self._woken, []
        self._due.update(each for each in woken if each in self._paces)
        self._wake.set()

    def remove(self, subscription: Subscription) -> None:
        """Remove a subscription and its waiting events."""
        self._paces.pop(subscription, None)
        self._due.discard(subscription)

    def acknowledged(self, subscription: Subscription, seq: int) -> None:
        """Note that the page has drawn all events up to ``seq``."""
        pace = self._paces.get(subscription)
        if pace is not None:
            pace.acknowledged(seq)

    def finish(self) -> None:
        """Write everything that waits without pacing; then `run` ends."""
        self._finishing = True
        self._wake.set()

    async def run(self) -> None:
        """Write until cancelled, until `finish`, or until ``write`` fails."""
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
                # Frames other than events are not paced.
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), wait)

    async def _flush_due(self) -> float | None:
        """Write flushes that are due; return the seconds until the next, None if there is none."""
        now = self._loop.time()
        delays = sorted(
            (
                (self._paces[subscription].delay(now), index, subscription)
                for index, subscription in enumerate(self._due)
            ),
            key=lambda entry: entry[:2],
        )
        for place, (delay, _, subscription) in enumerate(delays):
            if delay > 0 and not self._finishing:
                return 0.0 if place else delay
            if self._frames:
                return 0.0  # frames go first
            if subscription in self._due:
                await self._flush(subscription)
        return 0.0 if delays else None

    async def _flush(self, subscription: Subscription) -> None:
        self._due.discard(subscription)
        events = subscription.take()
        if events:
            await self._send(EventsFrame(session_id=subscription.session_id, events=events))
            pace = self._paces.get(subscription)
            if pace is not None:
                pace.flushed(max(event.seq for event in events), self._loop.time())

    async def _send(self, frame: ServerFrame) -> None:
        # As bytes, since each copy of 5 MB blocks the loop for 5 ms.
        await self._write(_frame().dump_json(frame))

    def _call(self, what: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError:
            return


_SHORTEST_SECONDS = 0.033
_LONGEST_SECONDS = 0.1


class Pacing:
    """Decides when to send the next events to a page.

    The first are sent at once, then there is one flush every 33 ms. A page that acknowledges
    later gets fewer: the interval is the age of the oldest flush that it has not acknowledged, at
    most 100 ms. The caller passes the time in.
    """

    def __init__(self) -> None:
        self._last_flush = float("-inf")
        self._oldest: tuple[int, float] | None = None
        """The oldest flush that is not acknowledged: its seq and time."""
        self._newest: tuple[int, float] | None = None

    def delay(self, now: float) -> float:
        """Return how many seconds to wait before flushing what there is."""
        lag = 0.0 if self._oldest is None else now - self._oldest[1]
        interval = min(max(lag, _SHORTEST_SECONDS), _LONGEST_SECONDS)
        return max(0.0, self._last_flush + interval - now)

    def flushed(self, seq: int, now: float) -> None:
        """Note that everything up to ``seq`` was written."""
        self._last_flush = now
        self._newest = (seq, now)
        self._oldest = self._oldest or self._newest

    def acknowledged(self, seq: int) -> None:
        """Note that the page has drawn everything up to ``seq``."""
        if self._newest is not None and seq >= self._newest[0]:
            self._oldest = self._newest = None
        elif self._oldest is not None and seq >= self._oldest[0]:
            # The flushes between the two are not kept; the newest is a fair approximation.
            self._oldest = self._newest
