"""A log on disk, read to be played."""

from __future__ import annotations

from pathlib import Path

from .build import build
from .recording import Recording, RecordingError

__all__ = ["read_recording"]

_MAX_BYTES = 64 * 1024 * 1024


def read_recording(path: Path) -> Recording:
    """Read a log.

    Raises
    ------
    RecordingError
        It can't be read, or is no log of ACP traffic.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise RecordingError(f"{path} is larger than {_MAX_BYTES // 2**20} MiB.")
        with path.open("rb") as file:
            recording = build(path, file)
    except OSError as error:
        raise RecordingError(f"{path} can't be read: {error.strerror or error}.") from error
    if not recording.entries:
        said = recording.trouble or f"{path} is empty"
        raise RecordingError(f"This is no log of ACP traffic. {said.removesuffix('.')}.")
    return recording
