"""JSON files that several servers and kernels of one user share, and their lock.

Each change reads the file again under the lock and replaces it in one step.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from acp_jupyter.errors import SharedFileBroken, plain_reason
from acp_jupyter.system.locks import open_lock

_Content = TypeVar("_Content", bound=BaseModel)
_MAX_BYTES = 4 * 1024 * 1024
_LOCK_SECONDS = 5.0
_TRIES = 3
"""Of reading a file on a network folder that another machine replaces meanwhile."""


class SharedJsonFile(Generic[_Content]):
    """A JSON file that several programs share; read each time, changed atomically. Blocks.

    Parameters
    ----------
    path
        The file's path; only its owner can read it.
    model
        Model of the content; a missing file counts as an empty model.
    """

    def __init__(self, path: Path, model: type[_Content]) -> None:
        self.path = path
        self._model = model

    def read(self) -> _Content:
        """Return the file's present content."""
        try:
            content = self._bytes()
            return self._model.model_validate_json(content if len(content) <= _MAX_BYTES else b"")
        except FileNotFoundError:
            return self._model()
        except (OSError, ValidationError) as error:
            why = plain_reason(error) if isinstance(error, OSError) else "it is not valid"
            raise SharedFileBroken(
                f"The file {self.path} can't be read: {why}. Correct it, or move it away."
            ) from None

    def _bytes(self, tries: int = _TRIES) -> bytes:
        try:
            with self.path.open("rb") as file:
                return file.read(_MAX_BYTES + 1)
        except OSError as error:
            if error.errno != errno.ESTALE or tries == 1:
                raise
        return self._bytes(tries - 1)

    def change(self, change: Callable[[_Content], _Content]) -> None:
        """Replace the content by the result of ``change``."""
        try:
            lock = self.path.with_name(f"{self.path.name}.lock")
            with locked(lock, time.monotonic() + _LOCK_SECONDS):
                before = self.read()
                after = change(before)
                if after != before:
                    self._write(after.model_dump_json(indent=1))
        except TimeoutError:
            raise SharedFileBroken(
                f"Another program has held {self.path} for {_LOCK_SECONDS:g} s. Try again."
            ) from None
        except OSError as error:
            raise SharedFileBroken(
                f"The file {self.path} can't be written: {plain_reason(error)}."
            ) from None

    def _write(self, text: str) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Created with mode 0600.
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


_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def locked(path: Path, deadline: float, *, shared: bool = False) -> Iterator[None]:
    """Hold a file lock; wait for it until ``deadline`` on the monotonic clock.

    The system releases it when the process ends. Several may hold it at once where all of them
    share it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        try:
            held = open_lock(path, shared=shared)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError from None
            time.sleep(_PAUSE_SECONDS)
    try:
        yield
    finally:
        os.close(held)
