"""The recorder of a session, and the playback of one from its recording."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from acp_jupyter.errors import AcpError, FileRefused, KeptFileBroken
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.recording.recording_file import RecordingFile, RecordWish
from acp_jupyter.host.recording.scrubber import RecordingScrubber, recording_text
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.requests.answers import RecordedAnswers
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.log_entries import read_traffic
from acp_jupyter.host.store.permission_stores import RecordingSeals
from acp_jupyter.host.workspace.terminal_output import RecordedTerminals
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.host.workspace.workspace_files import TextFormat
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.host_events.notes import HostNotice, Note


class Recorder:
    """Writes a session's record anew at the end of each turn. Lives on the host's loop.

    Parameters
    ----------
    wish
        What the notebook asked for.
    place
        Where the record lies.
    journal, log_path
        Of the session.
    scrubber
        Takes out what no record may hold.
    turn_files
        Tells when a turn is over.
    seals
        Remember what was recorded here.
    older
        What was recorded in the same place until now; it leaves the record to this one.
    """

    def __init__(
        self,
        wish: RecordWish,
        place: RecordingFile,
        journal: Journal,
        log_path: Path,
        scrubber: RecordingScrubber,
        turn_files: TurnFiles,
        seals: RecordingSeals,
        older: Recorder | None = None,
    ) -> None:
        self.options = wish
        self.file = place
        self._journal = journal
        self._log_path = log_path
        self._scrubber = scrubber
        self._turn_files = turn_files
        self._seals = seals
        self._seal = ""
        self._stopped = False
        self._until = math.inf
        self._due = False
        self._task: asyncio.Task[None] | None = None
        self._noticed: set[str] = set()
        # One for a place: what an older recording is writing now must not come last.
        self._writing: threading.Lock = threading.Lock() if older is None else older._writing
        if older is not None:
            older._stop()
        turn_files.finished = self._turn_ended

    def matches(self, wish: RecordWish | None) -> bool:
        """Tell whether the session can go on under a wish; with none it can."""
        return wish is None or (wish == self.options and self._until == math.inf)

    def end(self) -> None:
        """Record nothing that comes from now on."""
        if self._until == math.inf:
            self._detach()
            if self._journal.transcript.turn_order:
                self._turn_ended()

    def _stop(self) -> None:
        self._detach()
        self._stopped = True

    def _detach(self) -> None:
        self._until = min(self._until, time.time())
        self._turn_files.finished = None
        self._turn_files.contents = None

    async def close(self) -> None:
        """Write what has come since the last turn's end; the log must be closed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            if not self._stopped:
                await self._write(flush=False)

    def _turn_ended(self) -> None:
        self._due = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        while self._due:
            self._due = False
            # Some agents send the tail of their text after the end.
            await asyncio.sleep(self.file.limits.late_text_seconds)
            if not self._stopped:
                await self._write()

    async def _write(self, *, flush: bool = True) -> None:
        try:
            await asyncio.to_thread(self._write_now, flush)
        except (AcpError, OSError) as error:
            self._notice(f"The record was not written. {error}")
        except RuntimeError:
            # The interpreter is ending: there are no more threads, and nobody is held up.
            with contextlib.suppress(AcpError, OSError):
                self._write_now(flush)

    def _write_now(self, flush: bool) -> None:
        if flush:
            self._journal.flush()
        size, most = self._log_path.stat().st_size, self.file.limits.recording_bytes
        if size > most:
            raise FileRefused(f"It would have {human_size(size)}, and {human_size(most)} are most.")
        with self._writing:  # what is read last is written last
            if self._stopped:
                return
            entries = (entry for entry in read_traffic(self._log_path) if entry.t <= self._until)
            text = recording_text(entries, self._scrubber)
            self.file.write(text)
            self._put_seal(TextFormat().encode(text))

    def _put_seal(self, recording: bytes) -> None:
        try:
            self._seal = self._seals.put(recording, self._seal)
        except KeptFileBroken as error:
            self._notice(f"The record was written, but to play it will ask for trust. {error}")

    def _notice(self, words: str) -> None:
        if words not in self._noticed:
            self._noticed.add(words)
            self._journal.note(HostNotice(severity="warning", text=words))


class Playback:
    """A session whose agent is a record. What is played is what was looked at, byte for byte.

    Parameters
    ----------
    wish
        What the notebook asked for.
    place
        Where the record lies.
    player
        How to start the agent that plays it.
    seals
        Tell which records were made here.
    scrubber
        What was done to the record.
    """

    def __init__(
        self,
        wish: RecordWish,
        place: RecordingFile,
        player: AgentSpec,
        seals: RecordingSeals,
        scrubber: RecordingScrubber,
    ) -> None:
        self.options = wish
        self.answers = RecordedAnswers(scrubber)
        """How its permission requests were answered."""
        self.is_ours = False
        """Whether this installation made it; `look` tells."""
        self.file = place
        self._player = player
        self._seals = seals
        self._scrubber = scrubber
        self._digest = ""

    @property
    def path(self) -> str:
        """Of the record, relative to the host's root."""
        return self.file.path

    def read(self) -> bytes:
        """Return the record; blocks. For one session it must stay the same.

        Raises
        ------
        AcpError
            It can't be read, or is another one now.
        """
        record = self.file.read()
        digest = hashlib.sha256(record).hexdigest()
        if self._digest not in {"", digest}:
            raise FileRefused(
                f"{self.path} has changed since this session began to play it. "
                "Start the session anew, with --new in the first line of the cell."
            )
        self._digest = digest
        self.is_ours = self._seals.is_ours(record)
        return record

    def load(self, terminals: RecordedTerminals) -> AgentSpec:
        """Read what is answered from the record; return how to start what plays it. Blocks.

        Raises
        ------
        AcpError
            It can't be read, or is another one now.
        """
        record = self.read()
        self.answers.load(record, is_ours=self.is_ours)
        terminals.load(record)
        args = (*self._player.args, "--sha256", self._digest)
        return replace(self._player, args=args)

    def rewrite_prompt(
        self, blocks: tuple[dict[str, JsonValue], ...]
    ) -> tuple[dict[str, JsonValue], ...]:
        """Return a prompt as it would stand in the record, to be found there."""
        return tuple(self._scrubber.value(block) for block in blocks)

    def terminals(self, note: Callable[[Note], None], limits: Limits) -> RecordedTerminals:
        """Return the terminals of the record; no command is run."""
        return RecordedTerminals(note, self._scrubber, limits)

    def matches(self, wish: RecordWish | None) -> bool:
        """Tell whether the session can go on under a wish."""
        return wish == self.options


SessionRecording = Recorder | Playback
