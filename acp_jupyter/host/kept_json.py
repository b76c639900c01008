"""A small file that several servers and kernels of one user share."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from acp_jupyter.errors import KeptFileBroken
from acp_jupyter.host.checkpoints.lock import locked

__all__ = ["KeptJson"]

_Kept = TypeVar("_Kept", bound=BaseModel)
_MOST_BYTES = 4 * 1024 * 1024
_LOCK_SECONDS = 5.0


class KeptJson(Generic[_Kept]):
    """Reads it as it is now, and changes it as one. Everything blocks.

    Parameters
    ----------
    path
        Readable by its owner alone.
    model
        What it holds; an empty one where the file is not there yet.
    """

    def __init__(self, path: Path, model: type[_Kept]) -> None:
        self.path = path
        self._model = model

    def read(self) -> _Kept:
        """Return what the file holds.

        Raises
        ------
        KeptFileBroken
            It can't be read. Nothing is guessed.
        """
        try:
            with self.path.open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
            return self._model.model_validate_json(content if len(content) <= _MOST_BYTES else b"")
        except FileNotFoundError:
            return self._model()
        except (OSError, ValidationError) as error:
            why = str(error) if isinstance(error, OSError) else "it is not valid"
            raise KeptFileBroken(
                f"The file {self.path} can't be read: {why}. Correct it, or move it away."
            ) from None

    def change(self, change: Callable[[_Kept], _Kept]) -> None:
        """Put what ``change`` makes of the content in its place.

        Raises
        ------
        KeptFileBroken
            It can't be read or written.
        """
        try:
            lock = self.path.with_name(f"{self.path.name}.lock")
            with locked(lock, time.monotonic() + _LOCK_SECONDS):
                before = self.read()
                after = change(before)
                if after != before:
                    self._write(after.model_dump_json(indent=1))
        except TimeoutError:
            raise KeptFileBroken(
                f"Another program has held {self.path} for {_LOCK_SECONDS:g} s. Try again."
            ) from None
        except OSError as error:
            raise KeptFileBroken(f"The file {self.path} can't be written: {error}.") from None

    def _write(self, text: str) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # 0600 from the start.
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
