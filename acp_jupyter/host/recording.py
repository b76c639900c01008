"""What a session and its host know of a recorder, and of a recording that is played.

The feature ``recordings`` has both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.answers import RecordedAnswers
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.terminal_output import RecordedTerminals
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.protocol.host_events.notes import Note
from acp_jupyter.transcript.redactor import Redactor


class RecordingSource(Protocol):
    """The file of a recording."""

    @property
    def path(self) -> str:
        """Its path relative to the host's root."""

    def read(self) -> bytes:
        """Return the whole recording; blocks."""


class Recorder(ABC):
    """Records a session."""

    @abstractmethod
    def matches(self, options: RecordingOptions | None) -> bool:
        """Return whether the session can continue with these options (None: it can)."""

    @abstractmethod
    def end(self) -> None:
        """Stop recording; later entries are not written."""

    @abstractmethod
    async def close(self) -> None:
        """Write the entries since the last turn's end; the log must be closed."""


class Playback(ABC):
    """Plays a recording instead of the agent."""

    answers: RecordedAnswers
    """The recorded answers to permission requests."""
    is_ours: bool
    """Whether this installation made the recording; set by `read`."""
    file: RecordingSource

    @property
    @abstractmethod
    def path(self) -> str:
        """The recording's path relative to the host's root."""

    @abstractmethod
    def read(self) -> bytes:
        """Return the recording; blocks. It must not change during a session."""

    @abstractmethod
    def load(self, terminals: RecordedTerminals) -> AgentSpec:
        """Load the recorded answers and terminals; return the replay agent. Blocks."""

    @abstractmethod
    def rewrite_prompt(
        self, blocks: tuple[dict[str, JsonValue], ...]
    ) -> tuple[dict[str, JsonValue], ...]:
        """Return a prompt scrubbed like the recording, to be found in it."""

    @abstractmethod
    def terminals(self, note: Callable[[Note], None], limits: Limits) -> RecordedTerminals:
        """Return the terminals of the recording; no command is run."""

    @abstractmethod
    def matches(self, options: RecordingOptions | None) -> bool:
        """Return whether the session can continue with these options."""


SessionRecording = Recorder | Playback


class PreparedRecording(Protocol):
    """The recording that a session is about to be written to, or played from."""

    @property
    def file(self) -> RecordingSource:
        """Its file."""

    @property
    def player(self) -> AgentSpec | None:
        """The replay agent that is started in place of the agent; None if nothing is played."""


class Recordings(Protocol):
    """All recordings of a host. Used on the host's loop only."""

    def prepare(
        self, agent: str, label: str, notebook_path: str, options: RecordingOptions
    ) -> PreparedRecording:
        """Return the recording for the next session of an agent and label."""

    def is_ours(self, file: RecordingSource) -> bool:
        """Return whether this installation made a recording. Blocks."""

    def begin(
        self,
        prepared: PreparedRecording,
        journal: Journal,
        redactor: Redactor,
        log_path: Path,
        turn_files: TurnFiles,
    ) -> SessionRecording:
        """Record a session, or play one."""
