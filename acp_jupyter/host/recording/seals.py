"""Which records this installation made: all others are data from somebody else."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from pathlib import Path

from acp_jupyter.errors import KeptFileBroken
from acp_jupyter.host.kept_json import KeptJson
from acp_jupyter.protocol.objects import Model

__all__ = ["RecordSeals"]

_MOST = 2000
_KEY_BYTES = 32


class _Kept(Model):
    version: int = 1
    key: str = ""
    seals: tuple[str, ...] = ()
    """The newest last."""


class RecordSeals:
    """Keyed digests of records, in a file that only its owner can read. Everything blocks.

    They are of the content alone: a record may be moved, copied, and checked out of git.

    Parameters
    ----------
    path
        Of the file, in the data folder.
    """

    def __init__(self, path: Path) -> None:
        self._file = KeptJson(path, _Kept)

    def put(self, recording: bytes, instead_of: str = "") -> str:
        """Remember that a record was made here; return its seal.

        Parameters
        ----------
        recording
            All of it.
        instead_of
            The seal of what it takes the place of.

        Raises
        ------
        KeptFileBroken
            The file can't be read or written.
        """
        sealed = ""

        def change(kept: _Kept) -> _Kept:
            nonlocal sealed
            key = kept.key or secrets.token_hex(_KEY_BYTES)
            sealed = _seal(key, recording)
            others = tuple(seal for seal in kept.seals if seal not in {sealed, instead_of})
            return kept.model_copy(update={"key": key, "seals": (*others, sealed)[-_MOST:]})

        self._file.change(change)
        return sealed

    def is_ours(self, recording: bytes) -> bool:
        """Tell whether this installation made a record. A broken file knows none."""
        try:
            kept = self._file.read()
        except KeptFileBroken:
            return False
        return bool(kept.key) and _seal(kept.key, recording) in kept.seals


def _seal(key: str, recording: bytes) -> str:
    # Git may give lines other ends; a line of JSON holds none.
    plain = recording.replace(b"\r\n", b"\n")
    return hmac.new(key.encode(), plain, hashlib.sha256).hexdigest()
