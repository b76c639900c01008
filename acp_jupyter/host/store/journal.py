"""The journal of a session: logs each entry, reduces it to the transcript, and notifies readers.

Only here do lines become events.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.chunk_merger import ChunkMerger
from acp_jupyter.host.store.event_ring import EventRing
from acp_jupyter.host.store.resume_point import ResumePoint, Unsaved
from acp_jupyter.host.store.resume_writer import ResumeWriter
from acp_jupyter.host.store.spill_file import SpillFile
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.host_events.notes import HostNotice, Note, SessionOpened
from acp_jupyter.protocol.parse.elicitation import SecretAnswers
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import LogPacket, TrafficReader
from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemReplaced,
    Snapshot,
    TurnEnded,
    item_chars,
)
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.spilling import all_spilled, spilled
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.reduce.draft import Draft
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript

EPOCH = uuid.uuid4().hex
"""Identifies this run of the host; an event's ``seq`` is valid only within it."""

_logger = logging.getLogger(__name__)
_ROOM_AGAIN = "The disk has free space again, and the whole session was saved."
_GATHER_SECONDS = 0.008
_WINDOW_ITEMS = 200
"""Newest items in a snapshot."""
_WINDOW_CHARS = 8_000_000
"""Text of those items; only a single item may be longer."""
_WINDOW_TURNS = 200
"""Newest turns in a snapshot."""


class Reader(Protocol):
    """Gets the events of a session."""

    def push(self, events: Iterable[Event]) -> None:
        """Take events, in the host's thread, without blocking."""


class Journal:
    """Turns lines into the transcript and sends the changes to readers.

    All lines of a session pass through :meth:`enter`, one by one and in wire
    order, so the transcript is a function of the log.

    Parameters
    ----------
    spill
        The spill file for the transcript; by default a new one.
    resume
        Writes the session's resume points; by default for a log with one line.
    """

    def __init__(
        self,
        transcript: Transcript,
        log: TrafficLog,
        reader: TrafficReader,
        next_number: int,
        limits: Limits,
        changed: Callable[[], None],
        spill: SpillFile | None = None,
        resume: ResumeWriter | None = None,
    ) -> None:
        self._transcript = transcript
        self._spill = SpillFile() if spill is None else spill
        if resume is None:
            point = ResumePoint(log.path.parent)
            resume = ResumeWriter(point, Unsaved(), 0, next_number - 1, lines=1)
        self._resume = resume
        self.sequence: Iterator[int] = itertools.count(next_number)
        self.lines = 0
        """How many lines were entered in this run."""
        self.number = next_number - 1
        """The number of the newest line."""
        self.last_line_at = time.time()
        """Seconds since the epoch."""
        self._log = log
        self._form_answers = SecretAnswers()
        self._changed = changed
        self._reader = reader
        self._chunk_merger = ChunkMerger()
        self._due: asyncio.Handle | None = None
        self._flushed_at = float("-inf")
        """When merged chunks were last reduced, by the loop's clock."""
        self._limits = limits
        self._ring = EventRing()
        self._readers: set[Reader] = set()
        self._observers: tuple[Reader, ...] = ()
        self._progress = asyncio.Event()
        self._noted_gap = ""
        self._history = transcript.session.history
        self._rested: Transcript | None = None
        """The transcript as of the last `rest`."""

    @classmethod
    def begin(
        cls, opening: SessionOpened, log: TrafficLog, limits: Limits, changed: Callable[[], None]
    ) -> Self:
        """Begin the log of a new session, whose first note is ``opening``."""
        now = round(time.time(), 4)  # as the log has it
        entry = TrafficEntry(1, now, "!", opening.model_dump(mode="json"))
        log.append(entry)
        reader = TrafficReader()
        reader.read(entry)
        return cls(opened_transcript(opening, now), log, reader, 2, limits, changed)

    def enter(self, entry: TrafficEntry) -> None:
        """Append a line to the log and reduce it; never raises, whatever an agent wrote.

        Chunks of one text are reduced together: before the next other line, in the loop's next
        iteration after a pause, or `_GATHER_SECONDS` after the last ones.
        """
        if not self._chunk_merger.add(entry):
            self._flush_chunks()
            if not self._chunk_merger.add(entry):
                self.enter_now(entry)
                return
        self._append(entry)
        if self._due is None:
            loop = asyncio.get_running_loop()
            wait = self._flushed_at + _GATHER_SECONDS - loop.time()
            if wait > 0:
                self._due = loop.call_later(wait, self._flush_due_chunks)
            else:
                self._due = loop.call_soon(self._flush_due_chunks)

    def without_known(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a message without known secrets. In any thread."""
        return self._log.without_known(message)

    def _flush_due_chunks(self) -> None:
        self._flushed_at = asyncio.get_running_loop().time()
        self._flush_chunks()

    def _flush_chunks(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        entry = self._chunk_merger.take()
        if entry is not None:
            self._read(entry)

    def enter_now(self, entry: TrafficEntry) -> list[LogPacket]:
        """Append a line to the log, reduce it, and return its packets."""
        entry = self._form_answers.without(entry)
        self._append(entry)
        return self._read(entry)

    def _append(self, entry: TrafficEntry) -> None:
        self._log.append(entry)
        self._resume.count(entry.seq)
        self.lines += 1
        self.number = max(self.number, entry.seq)
        self.last_line_at = entry.t

    def _read(self, entry: TrafficEntry) -> list[LogPacket]:
        packets = self._reader.read(self._log.clean(entry))
        for packet in packets:
            before = self._transcript
            try:
                self._transcript, events = reduce(before, packet, entry.t)
            except Exception:
                _logger.exception("line %s of session %s", entry.seq, self.session_id)
                continue
            events += self._after_questions(events, entry.t)
            self._resume.take(before, packet, events)
            self._transcript = spilled(self._transcript, events, self._spill)
            self._publish(events)
        self._note_gap(entry.t)
        return packets

    def _after_questions(self, events: Sequence[Event], at: float) -> list[Event]:
        """Remove secrets that had to be shown from tool calls whose request is settled."""
        if not self._log.has_shown:
            return []
        draft = Draft(self._transcript, at)
        for event in events:
            if isinstance(event, ItemAdded | ItemReplaced) and isinstance(event.item, ToolCall):
                call = draft.get_call(event.item.id)
                was_asked = call.permission is not None and not call.awaits_permission
                if was_asked or not call.is_open:
                    draft.replace(self._log.after_question(call))
            elif isinstance(event, TurnEnded):
                # Calls in the background are saved with their turn, although they are still open.
                for item in self._transcript.turn_items(event.turn.turn_id):
                    if isinstance(item, ToolCall) and not item.awaits_permission:
                        draft.replace(self._log.after_question(draft.get_call(item.id)))
        if not draft.events:
            return []
        self._transcript, more = draft.done()
        return more

    def shows_secret(self, call: ToolCall) -> bool:
        """Return whether a tool call still contains a known secret, for the user to see."""
        return self._log.shows_any(call)

    def _note_gap(self, at: float) -> None:
        """Show that lines are not logged, or are again. This notice can't be logged itself."""
        words, noted = self._log.missing, self._noted_gap
        if words == noted:
            return
        self._noted_gap = words
        self._resume.stop()
        if not noted:
            self._history = self._transcript.session.history
        draft = Draft(self._transcript, at)
        draft.change_session(history="gap" if words else self._history)
        self._transcript, events = draft.done()
        self._publish(events)
        notice = HostNotice(severity="warning" if words else "info", text=words or _ROOM_AGAIN)
        self._transcript, events = reduce(self._transcript, notice, at)
        self._publish(events)

    def check_log(self) -> None:
        """Show whether the log has failed or recovered since the last line."""
        self._flush_chunks()
        self._note_gap(time.time())

    def rest(self) -> None:
        """Free memory of a session that has been idle for a while.

        All items are spilled, and the events for readers that reconnect are dropped: a reader
        that has missed some gets a snapshot.
        """
        session = self._transcript.session
        idle = session.active_turn_id is None and not session.queue
        quiet = time.time() - self.last_line_at >= self._limits.rest_seconds
        if not idle or not quiet or self._transcript is self._rested:
            return
        self._ring.clear()
        self._rested = self._transcript = all_spilled(self._transcript, self._spill)

    async def save_state(self, least: int) -> None:
        """Write a resume point, if the log has grown by ``least`` bytes and nothing is open."""
        self._flush_chunks()
        if not least:
            await self._log.flushed()  # to include the newest lines
        due = self._resume.due(self._transcript, self._reader, self._log.size, least)
        if due is not None:
            try:
                written = await self._log.flushed()
            except asyncio.CancelledError:
                self._resume.stop()  # a later resume point would lack these changes
                raise
            await asyncio.to_thread(self._resume.write, self._log, due, written=written)

    def flush(self, seconds: float = 10.0) -> bool:
        """Block until the log is in its file; return whether it is."""
        return self._log.flush(seconds)

    async def flushed(self, seconds: float = 10.0, *, sync: bool = False) -> bool:
        """Wait until the log is in its file (``sync``: on the disk); return whether it is."""
        return await self._log.flushed(seconds, sync=sync)

    def note(self, note: Note) -> None:
        """Write a line of the host's own."""
        message = note.model_dump(mode="json")
        self.enter(TrafficEntry(next(self.sequence), time.time(), "!", message))

    @property
    def transcript(self) -> Transcript:
        """The session's transcript; may be read in any thread."""
        return self._transcript

    @property
    def log(self) -> TrafficLog:
        """The session's log."""
        return self._log

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self._transcript.session.session_id

    @property
    def read_by_anyone(self) -> bool:
        """Whether the session has any readers."""
        return bool(self._readers)

    def add_reader(self, reader: Reader, after: int | None = None, epoch: str = "") -> None:
        """Add a reader: it gets the events since ``after`` if they are kept, else a snapshot."""
        self._flush_chunks()
        self._readers.add(reader)
        missed = self._missed(after, epoch)
        reader.push([self.snapshot()] if missed is None else missed)

    def remove_reader(self, reader: Reader) -> None:
        """Stop offering events to ``reader``."""
        self._readers.discard(reader)

    def observe(self, observers: Sequence[Reader]) -> None:
        """Set the observers, which get all events but don't keep the session open."""
        self._observers = tuple(observers)

    def _missed(self, after: int | None, epoch: str) -> list[Event] | None:
        if after is None or epoch != EPOCH or after > self.transcript.seq:
            return None
        if after == self.transcript.seq:
            return []
        return self._ring.after(after)

    def snapshot(self) -> Snapshot:
        """Return the newest window on the session."""
        state = self.transcript
        total = len(state.items)
        items = self._newest(state)
        turns = state.turn_order[-_WINDOW_TURNS:]
        return Snapshot(
            session_id=state.session.session_id,
            seq=state.seq,
            epoch=EPOCH,
            session=state.session,
            turns=tuple(state.turns[turn_id] for turn_id in turns),
            items=items,
            first_index=total - len(items),
            total=total,
        )

    def _newest(self, state: Transcript) -> tuple[Item, ...]:
        newest: list[Item] = []
        room = _WINDOW_CHARS
        for index in range(len(state.items) - 1, -1, -1):
            item = state.item(index)
            room -= item_chars(item)
            if len(newest) == _WINDOW_ITEMS or (room < 0 and newest):
                break
            newest.append(item)
        return tuple(reversed(newest))

    async def wait_turn(self, turn_id: str, seconds: float) -> bool:
        """Wait until a turn is done, at most ``seconds``; return whether it is."""
        try:
            async with asyncio.timeout(seconds):
                while self.transcript.turns[turn_id].status != "done":
                    await self._progress.wait()
        except TimeoutError:
            return False
        return True

    async def wait_answered(self, seconds: float) -> None:
        """Wait until the agent has answered a cancel, at most ``seconds``."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.transcript.session.held:
                    await self._progress.wait()

    def close(self) -> None:
        """Close the log. Blocks until it is written, for some seconds at most."""
        self._flush_chunks()
        self._readers.clear()
        self._log.close()

    def _publish(self, events: list[Event]) -> None:
        if not events:
            return
        self._ring.add(events)
        for reader in tuple(self._readers):
            reader.push(events)
        for observer in self._observers:
            try:
                observer.push(events)
            except Exception:
                _logger.exception("an observer of session %s", self.session_id)
        if any(e.kind in {"session_changed", "turn_started", "turn_ended"} for e in events):
            self._progress.set()
            self._progress = asyncio.Event()
            self._changed()
