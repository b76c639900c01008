"""The recordings of a host: which sessions are recorded or played, and their files.

`recording_file` reads and writes a single recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import assert_never
from weakref import WeakValueDictionary

from acp_jupyter.features.recordings.recording_file import (
    RecordingFile,
    RecordingScrubber,
    recording_name,
)
from acp_jupyter.features.recordings.session_recording import FilePlayback, FileRecorder
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.recording import PreparedRecording, RecordingSource, SessionRecording
from acp_jupyter.host.recording_options import RecordingOptions, recording_folder
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import RecordingSeals
from acp_jupyter.host.workspace.changed_files import FileContents
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.own_programs import module_command
from acp_jupyter.protocol.host_events.notes import REPLAYED
from acp_jupyter.transcript.redactor import Redactor

_MAX_COUNTS = 1000


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """The recording that a session is written to or played from."""

    file: RecordingFile
    key: tuple[RecordingOptions, str]
    """The notebook's options, and the file name of the first recording of agent and label."""
    player: AgentSpec | None
    """The replay agent that is started in place of the agent; None if nothing is played."""


class FileRecordings:
    """All recordings of a host and their recorders. Used on the host's loop only."""

    def __init__(self, root: Path, seals: RecordingSeals, limits: Limits) -> None:
        self._root = root
        self._seals = seals
        self._limits = limits
        self._counts: dict[tuple[RecordingOptions, str], int] = {}
        self._writers: WeakValueDictionary[str, FileRecorder] = WeakValueDictionary()

    def prepare(
        self, agent: str, label: str, notebook_path: str, options: RecordingOptions
    ) -> PreparedFile:
        """Return the recording for the next session of an agent and label."""
        folder = recording_folder(notebook_path, options)
        key = options, str(folder / recording_name(agent, label, 1))
        number = self._counts.get(key, 0) + 1
        path = (folder / recording_name(agent, label, number)).as_posix()
        file = RecordingFile(self._root, path, self._limits)
        match options.mode:
            case "record":
                file.opening()  # refuse now, so that the agent doesn't work for nothing
                return PreparedFile(file, key, None)
            case "replay":
                return PreparedFile(file, key, _replay_spec(agent, file))
            case _:
                assert_never(options.mode)

    def is_ours(self, file: RecordingSource) -> bool:
        """Return whether this installation made a recording. Blocks."""
        return self._seals.is_ours(file.read())

    def begin(
        self,
        prepared: PreparedRecording,
        journal: Journal,
        redactor: Redactor,
        log_path: Path,
        turn_files: TurnFiles,
    ) -> SessionRecording:
        """Record a session, replacing an earlier recording in the same file, or play one."""
        assert isinstance(prepared, PreparedFile)
        file, (options, _first) = prepared.file, prepared.key
        if len(self._counts) >= _MAX_COUNTS:
            self._counts.clear()
        self._counts[prepared.key] = self._counts.get(prepared.key, 0) + 1
        state = journal.transcript.session
        cwd = Path(state.cwd)
        scrubber = RecordingScrubber.of_machine(cwd, self._root, redactor)
        if prepared.player is not None:
            return FilePlayback(options, file, prepared.player, self._seals, scrubber)
        ignored = _inside(cwd, self._root, state.notebook_path)
        recorder = self._writers[file.path] = FileRecorder(
            options,
            file,
            journal,
            log_path,
            scrubber,
            turn_files,
            FileContents(cwd, self._limits, scrubber, ignored),
            self._seals,
            self._writers.get(file.path),
        )
        return recorder


def _replay_spec(agent: str, file: RecordingFile) -> AgentSpec:
    """Return the agent that plays a recording; it does not depend on the configuration."""
    recorded = file.first_line(agent)
    name = recorded.agent_name.removesuffix(REPLAYED) or agent
    # The recording answers requests for terminals: no command runs.
    options = ("--apply-files", "--run-commands", "--speed", "flat")
    command, *args = module_command("acp_jupyter.agents.replay", str(file.file), *options)
    return AgentSpec(agent, name + REPLAYED, command, tuple(args))


def _inside(cwd: Path, root: Path, notebook_path: str) -> tuple[str, ...]:
    """Return the notebook's path in the session's folder: saving it isn't the agent's change."""
    try:
        return ((root / notebook_path).relative_to(cwd).as_posix(),) if notebook_path else ()
    except ValueError:
        return ()
