"""Which packages the user allowed to be downloaded and run."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from pydantic import Field, ValidationError

from acp_jupyter.protocol.objects import Model

__all__ = ["Downloads"]

_FILE_BYTES = 1024 * 1024


class _Allowed(Model):
    """The file: agents' ids and the packages that were shown, with their versions."""

    allowed: dict[str, str] = Field(default_factory=dict)


class Downloads:
    """Consent, kept in a file that only its user may read or write.

    Parameters
    ----------
    path
        The file; it need not be there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def allowed(self, agent_id: str, package: str) -> bool:
        """Tell whether this very package was allowed for this agent."""
        return bool(package) and self._read().allowed.get(agent_id) == package

    def allow(self, agent_id: str, package: str) -> None:
        """Remember it.

        Raises
        ------
        OSError
            It could not be written down, so it does not count.
        """
        kept = _Allowed(allowed={**self._read().allowed, agent_id: package})
        temporary = ""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._path.parent)  # with mode 0600
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(kept.model_dump_json(indent=2))
            Path(temporary).replace(self._path)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
            raise

    def _read(self) -> _Allowed:
        """Return what is there; a file that nobody can read allows nothing."""
        try:
            with self._path.open("rb") as file:
                return _Allowed.model_validate_json(file.read(_FILE_BYTES))
        except (OSError, ValidationError):
            return _Allowed()
