"""Writes a file for the user; replaces an existing one only with ``force``, atomically."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from pathlib import Path

from acp_jupyter.errors import BadRequest, plain_reason


def atomic_write(path: Path, pieces: Iterable[bytes], *, force: bool) -> int:
    """Write a file; return its size. What is incomplete after an error is removed."""
    target = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part") if force else path
    try:
        file = target.open("xb")
    except FileExistsError as error:
        raise BadRequest(f"{path} already exists. Add --force to replace it.") from error
    except OSError as error:
        raise BadRequest(_unwritten(path, error)) from error
    try:
        with file:
            size = sum(file.write(piece) for piece in pieces)
        if force:
            target.replace(path)
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise BadRequest(_unwritten(path, error)) from error
        raise
    return size


def _unwritten(path: Path, error: OSError) -> str:
    return f"{path} can't be written: {plain_reason(error)}."
