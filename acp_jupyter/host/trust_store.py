"""The folders in which agents may run."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from acp_jupyter.errors import KeptFileBroken
from acp_jupyter.host.kept_json import KeptJson
from acp_jupyter.protocol.objects import Model

__all__ = ["TrustStore", "TrustedFolder"]


class TrustedFolder(Model):
    """A folder, and with it all below it."""

    path: str
    at: float | None = None
    """When it was trusted; null where the configuration says so."""


class _Kept(Model):
    version: int = 1
    folders: tuple[TrustedFolder, ...] = ()


class TrustStore:
    """A file in the data folder, beside what is configured. Everything blocks.

    Parameters
    ----------
    path
        Of the file.
    configured
        Folders that are trusted beforehand.
    """

    def __init__(self, path: Path, configured: Iterable[str | Path] = ()) -> None:
        self._file = KeptJson(path, _Kept)
        folders = (Path(folder).expanduser().resolve() for folder in configured)
        self._configured = tuple(TrustedFolder(path=str(folder)) for folder in folders)

    def trusts(self, folder: Path) -> bool:
        """Tell whether a folder, or one above it, is trusted. A broken file trusts nothing."""
        try:
            known = self.folders()
        except KeptFileBroken:
            known = self._configured
        real = folder.resolve()
        return any(real.is_relative_to(trusted.path) for trusted in known)

    def folders(self) -> tuple[TrustedFolder, ...]:
        """Return the trusted folders.

        Raises
        ------
        KeptFileBroken
            The file can't be read.
        """
        return (*self._configured, *self._file.read().folders)

    def trust(self, folder: Path) -> None:
        """Remember a folder.

        Raises
        ------
        KeptFileBroken
            The file can't be read or written.
        """
        new = TrustedFolder(path=str(folder.resolve()), at=time.time())

        def change(kept: _Kept) -> _Kept:
            if any(known.path == new.path for known in kept.folders):
                return kept
            return kept.model_copy(update={"folders": (*kept.folders, new)})

        self._file.change(change)

    def revoke(self, path: str) -> bool:
        """Forget a folder; tell whether it was there. What is configured stays.

        Raises
        ------
        KeptFileBroken
            The file can't be read or written.
        """
        wanted = {path, str(Path(path).expanduser().resolve())}
        known = self._file.read().folders

        def change(kept: _Kept) -> _Kept:
            left = tuple(folder for folder in kept.folders if folder.path not in wanted)
            return kept.model_copy(update={"folders": left})

        self._file.change(change)
        return any(folder.path in wanted for folder in known)
