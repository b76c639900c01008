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

from acp_jupyter.errors import AcpError, FileRefused, SharedFileBroken, plain_reason
from acp_jupyter.features.recordings.recording_file import (
    RecordingFile,
    RecordingScrubber,
    recording_text,
)
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.recording import Playback, Recorder
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.answers import RecordedAnswers
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.log_reader import read_traffic
from acp_jupyter.host.store.permission_stores import RecordingSeals
from acp_jupyter.host.workspace.changed_files import FileContents
from acp_jupyter.host.workspace.confined_files import TextFormat
from acp_jupyter.host.workspace.terminal_output import RecordedTerminals
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.host_events.notes import HostNotice, Note


class FileRecorder(Recorder):
    """Rewrites a session's recording at the end of each turn. Used on the host's loop only.

    Parameters
    ----------
    older
        The recorder that wrote the same file until now; it stops.
    """

    def __init__(
        self,
        options: RecordingOptions,
        file: RecordingFile,
        journal: Journal,
        log_path: Path,
        scrubber: RecordingScrubber,
        turn_files: TurnFiles,
        contents: FileContents,
        seals: RecordingSeals,
        older: FileRecorder | None = None,
    ) -> None:
        self.options = options
        self.file = file
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
        # One lock for a file: an older recorder that is still writing must not come last.
        self._writing: threading.Lock = threading.Lock() if older is None else older._writing
        if older is not None:
            older._stop()
        turn_files.begin_recording(contents, self._turn_ended)

    def matches(self, options: RecordingOptions | None) -> bool:
        """Return whether the session can continue with these options (None: it can)."""
        return options is None or (options == self.options and self._until == math.inf)

    def end(self) -> None:
        """Stop recording; later entries are not written."""
        if self._until == math.inf:
            self._detach()
            if self._journal.transcript.turn_order:
                self._turn_ended()

    def _stop(self) -> None:
        self._detach()
        self._stopped = True

    def _detach(self) -> None:
        self._until = min(self._until, time.time())
        self._turn_files.end_recording()

    async def close(self) -> None:
        """Write the entries since the last turn's end; the log must be closed."""
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
            # Some agents send the last of their text after the turn's end.
            await asyncio.sleep(self.file.limits.late_text_seconds)
            if not self._stopped:
                await self._write()

    async def _write(self, *, flush: bool = True) -> None:
        try:
            await asyncio.to_thread(self._write_now, flush)
        except (AcpError, OSError) as error:
            self._notice(f"The recording was not written. {plain_reason(error, path=True)}")
        except RuntimeError:
            # The interpreter is shutting down: no new threads, and nothing else waits.
            with contextlib.suppress(AcpError, OSError):
                self._write_now(flush)

    def _write_now(self, flush: bool) -> None:
        if flush:
            self._journal.flush()
        size, most = self._log_path.stat().st_size, self.file.limits.recording_bytes
        if size > most:
            raise FileRefused(
                f"It would have {human_size(size)}, and the limit is {human_size(most)}."
            )
        with self._writing:  # the newest content is written last
            if self._stopped:
                return
            entries = (entry for entry in read_traffic(self._log_path) if entry.t <= self._until)
            text = recording_text(entries, self._scrubber)
            self.file.write(text)
            self._put_seal(TextFormat().encode(text))

    def _put_seal(self, recording: bytes) -> None:
        try:
            self._seal = self._seals.put(recording, self._seal)
        except SharedFileBroken as error:
            self._notice(f"The recording was written, but replaying it will ask for trust. {error}")

    def _notice(self, words: str) -> None:
        if words not in self._noticed:
            self._noticed.add(words)
            self._journal.note(HostNotice(severity="warning", text=words))


class FilePlayback(Playback):
    """Plays a recording instead of the agent. Plays exactly the bytes that were checked."""

    def __init__(
        self,
        options: RecordingOptions,
        file: RecordingFile,
        player: AgentSpec,
        seals: RecordingSeals,
        scrubber: RecordingScrubber,
    ) -> None:
        self.options = options
        self.answers = RecordedAnswers(scrubber)
        """The recorded answers to permission requests."""
        self.is_ours = False
        """Whether this installation made the recording; set by `read`."""
        self.file = file
        self._player = player
        self._seals = seals
        self._scrubber = scrubber
        self._digest = ""

    @property
    def path(self) -> str:
        """The recording's path relative to the host's root."""
        return self.file.path

    def read(self) -> bytes:
        """Return the recording; blocks. It must not change during a session."""
        recording = self.file.read()
        digest = hashlib.sha256(recording).hexdigest()
        if self._digest not in {"", digest}:
            raise FileRefused(
                f"{self.path} has changed since this session began to play it. "
                "Start a new session, with --new in the first line of the cell."
            )
        self._digest = digest
        self.is_ours = self._seals.is_ours(recording)
        return recording

    def load(self, terminals: RecordedTerminals) -> AgentSpec:
        """Load the recorded answers and terminals; return the replay agent. Blocks."""
        recording = self.read()
        self.answers.load(recording, is_ours=self.is_ours)
        terminals.load(recording)
        args = (*self._player.args, "--sha256", self._digest)
        return replace(self._player, args=args)

    def rewrite_prompt(
        self, blocks: tuple[dict[str, JsonValue], ...]
    ) -> tuple[dict[str, JsonValue], ...]:
        """Return a prompt scrubbed like the recording, to be found in it."""
        return tuple(self._scrubber.value(block) for block in blocks)

    def terminals(self, note: Callable[[Note], None], limits: Limits) -> RecordedTerminals:
        """Return the terminals of the recording; no command is run."""
        return RecordedTerminals(note, self._scrubber, limits)

    def matches(self, options: RecordingOptions | None) -> bool:
        """Return whether the session can continue with these options."""
        return options == self.options
