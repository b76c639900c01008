"""A log on disk, read to be played."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

from acp_jupyter.agents.replay.build import build
from acp_jupyter.agents.replay.recording import Recording, RecordingError

__all__ = ["read_recording"]

_MAX_BYTES = 64 * 1024 * 1024


def read_recording(path: Path, sha256: str = "") -> Recording:
    """Read a log.

    Parameters
    ----------
    path
        Where it lies.
    sha256
        Its digest, in hexadecimal digits; empty for any.

    Raises
    ------
    RecordingError
        It can't be read, is no log of ACP traffic, or has another digest.
    """
    try:
        with path.open("rb") as file:
            found = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise RecordingError(f"{path} can't be read: {error.strerror or error}.") from error
    if len(found) > _MAX_BYTES:
        raise RecordingError(f"{path} is larger than {_MAX_BYTES // 2**20} MiB.")
    if sha256 and hashlib.sha256(found).hexdigest() != sha256:
        raise RecordingError(f"{path} is not the log that was to be played: it has changed.")
    recording = build(path, io.BytesIO(found))
    if not recording.entries:
        said = recording.trouble or f"{path} is empty"
        raise RecordingError(f"This is no log of ACP traffic. {said.removesuffix('.')}.")
    return recording
