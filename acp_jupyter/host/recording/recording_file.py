"""The file of a recording, ``NAME.acp``: its path, reading and writing."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import quote

from pydantic import Field

from acp_jupyter.errors import BadRequest, FileRefused, NotAllowed, RecordingMissing
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.workspace_files import WorkspaceFiles
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.host_events.notes import SessionOpened, read_note
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.objects import Model

RECORDING_SUFFIX = ".acp"
FIRST_KEY = "record"
"""Key of a recording's first line; no other log has it."""

_NAME_CHARS = 100
_LINE_BYTES = 1024 * 1024
_AGENT_ID = re.compile(r"[a-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class RecordingFile:
    """A recording's file below the host's root. All methods block.

    Attributes
    ----------
    root
        The host's root folder: nothing outside it is read or written.
    path
        The file's path relative to ``root``, with forward slashes.
    """

    root: Path
    path: str
    limits: Limits

    @property
    def file(self) -> Path:
        """Return the file's absolute path."""
        return self.root / self.path

    def opening(self) -> SessionOpened | None:
        """Return the first line of the existing recording, None if there is no file.

        Raises
        ------
        FileRefused
            The file is not a recording, or can't be read.
        """
        try:
            line = self._first_line()
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise FileRefused(f"{self.path} can't be read: {error}.") from error
        note = _opening(line)
        if note is None:
            raise FileRefused(
                f"{self.path} is not a record of acp-jupyter: something else made it. "
                "Move it away, or name another folder: %acp record on NAME.acp"
            )
        return note

    def first_line(self, agent: str) -> SessionOpened:
        """Return the first line of the recording to play.

        Raises
        ------
        RecordingMissing
            There is no recording.
        FileRefused
            The file is not a recording, or can't be read.
        """
        found = self.opening()
        if found is None:
            raise RecordingMissing(
                f"There is no record of {agent} here ({self.path}). Record it first: type "
                "%acp record on, and run the cells with the agent."
            )
        return found

    def write(self, text: str) -> None:
        """Write the whole recording atomically.

        Raises
        ------
        FileRefused
            The existing file is not a recording, or can't be written.
        """
        self.opening()
        bound = replace(self.limits, file_bytes=self.limits.recording_bytes)
        WorkspaceFiles(self.root, bound).write_text(self.path, text)

    def read(self) -> bytes:
        """Return the whole recording.

        Raises
        ------
        NotAllowed
            The path leads out of the root.
        FileRefused
            The file is too large, or can't be read.
        """
        most = self.limits.recording_bytes
        try:
            with self._plain().open("rb") as opened:
                found = opened.read(most + 1)
        except OSError as error:
            raise FileRefused(f"{self.path} can't be read: {error}.") from error
        if len(found) > most:
            raise FileRefused(f"{self.path} has more than {human_size(most)}.")
        return found

    def _first_line(self) -> bytes:
        with self._plain().open("rb") as opened:
            return opened.readline(_LINE_BYTES)

    def _plain(self) -> Path:
        file = self.file.resolve()
        if not file.is_relative_to(self.root.resolve()):
            raise NotAllowed(f"{self.path} leads out of the server's root folder.")
        if file.exists() and not file.is_file():
            raise FileRefused(f"{self.path} is not a plain file.")
        return file


def recording_folder(notebook_path: str, options: RecordingOptions) -> PurePosixPath:
    """Return the folder of a notebook's recordings, relative to the host's root.

    Raises
    ------
    BadRequest
        The notebook is unknown and no path was given, or the path is not valid.
    NotAllowed
        It leads out of the root.
    """
    notebook = PurePosixPath(notebook_path)
    given = options.path.replace("\\", "/")
    if given:
        path = notebook.parent / given if notebook_path else PurePosixPath(given)
    elif notebook_path:
        path = notebook
    else:
        raise BadRequest(
            "It is not known here which notebook this is. "
            f"Name the record: %acp {options.mode} on NAME{RECORDING_SUFFIX}"
        )
    if path.suffix == ".ipynb":
        path = path.with_suffix(RECORDING_SUFFIX)
    if path.suffix != RECORDING_SUFFIX:
        raise BadRequest(
            f"The folder of a record ends with {RECORDING_SUFFIX}: "
            f"%acp {options.mode} on {path.name or 'NAME'}{RECORDING_SUFFIX}"
        )
    inside = posixpath.normpath(path)
    if inside.startswith(("/", "../")) or ":" in inside or "\0" in inside:
        raise NotAllowed(
            f"{given} leads out of the server's root folder. Name a folder from the notebook's."
        )
    return PurePosixPath(inside)


def recording_name(agent: str, label: str, number: int) -> str:
    """Return the file name of a session's recording.

    Parameters
    ----------
    agent
        The agent's id.
    label
        The session's label, as given by ``--session``.
    number
        Number of the session for that agent and label, from 1; ``--new`` starts another.

    Raises
    ------
    BadRequest
        The id is not valid for an agent, or the label is too long.
    """
    if not _AGENT_ID.fullmatch(agent):
        raise BadRequest(f"{agent!r} is not an agent's id.")
    name = agent + (f"@{quote(label, safe=' ')}" if label else "")
    if len(name) > _NAME_CHARS:
        raise BadRequest("The session's name is too long for a record. Take a shorter one.")
    return f"{name}{f'~{number}' if number > 1 else ''}.ndjson"


def _opening(line: bytes) -> SessionOpened | None:
    try:
        record = read_json(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or FIRST_KEY not in record:
        return None
    note = read_note(record.get("m"))
    return note if isinstance(note, SessionOpened) else None


class RecordingOptions(Model):
    """The notebook's options for recording a session, or for playing a recording."""

    mode: Literal["record", "replay"]
    run: str = Field(default="", max_length=64)
    """Changes with each kernel and each ``on``: another run begins with other sessions."""
    path: str = Field(default="", max_length=1000)
    """Folder of the recordings, or a notebook file, relative to the notebook's folder; default:
    beside the notebook, with its name."""
