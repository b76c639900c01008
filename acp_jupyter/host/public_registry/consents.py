"""The downloads that the user has allowed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from pydantic import Field, ValidationError

from acp_jupyter.protocol.objects import Model

_FILE_BYTES = 1024 * 1024


class _Allowed(Model):
    """The file of allowed downloads: agent ids, and what is run for each."""

    allowed: dict[str, str] = Field(default_factory=dict)


class Downloads:
    """The allowed downloads, in a file that only its user may read or write.

    Parameters
    ----------
    path
        The file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def allowed(self, agent_id: str, *offered: str) -> bool:
        """Return whether one of these was allowed for this agent: a package, its arguments."""
        return self._read().allowed.get(agent_id) in offered

    def allow(self, agent_id: str, offered: str) -> None:
        """Allow it."""
        allowed = _Allowed(allowed={**self._read().allowed, agent_id: offered})
        temporary = ""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._path.parent)  # with mode 0600
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(allowed.model_dump_json(indent=2))
            Path(temporary).replace(self._path)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
            raise

    def _read(self) -> _Allowed:
        """Return the file's content; an unreadable file allows nothing."""
        try:
            with self._path.open("rb") as file:
                return _Allowed.model_validate_json(file.read(_FILE_BYTES))
        except (OSError, ValidationError):
            return _Allowed()
