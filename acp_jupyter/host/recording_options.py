"""Whether a notebook's sessions are recorded or played, and the folder of its recordings."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath
from typing import Literal

from pydantic import Field

from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.protocol.objects import Model

RECORDING_SUFFIX = ".acp"


class RecordingOptions(Model):
    """The notebook's options for recording a session, or for playing a recording."""

    mode: Literal["record", "replay"]
    run: str = Field(default="", max_length=64)
    """Changes with each kernel and each ``on``, so that a new run starts with new sessions."""
    path: str = Field(default="", max_length=1000)
    """Folder of the recordings, or a notebook file, relative to the notebook's folder; default:
    beside the notebook, with its name."""


def recording_folder(notebook_path: str, options: RecordingOptions) -> PurePosixPath:
    """Return the folder of a notebook's recordings, relative to the host's root."""
    notebook = PurePosixPath(notebook_path)
    given = options.path.replace("\\", "/")
    if given:
        path = notebook.parent / given if notebook_path else PurePosixPath(given)
    elif notebook_path:
        path = notebook
    else:
        raise BadRequest(
            "The name of this notebook is not known here. "
            f"Name the recording: %acp {options.mode} on NAME{RECORDING_SUFFIX}, or set "
            f"ACP_JUPYTER_RECORD={options.mode}:NAME{RECORDING_SUFFIX}"
        )
    if path.suffix == ".ipynb":
        path = path.with_suffix(RECORDING_SUFFIX)
    if path.suffix != RECORDING_SUFFIX:
        raise BadRequest(
            f"The folder of a recording ends with {RECORDING_SUFFIX}: "
            f"%acp {options.mode} on {path.name or 'NAME'}{RECORDING_SUFFIX}"
        )
    inside = posixpath.normpath(path)
    if inside.startswith(("/", "../")) or ":" in inside or "\0" in inside:
        raise NotAllowed(
            f"{given} is outside the server's root folder. Give a path relative to the notebook's "
            "folder."
        )
    return PurePosixPath(inside)
