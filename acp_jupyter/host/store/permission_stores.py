"""Permissions that outlive a session: trusted folders, rules of folders, and seals of recordings.

Three JSON files in the data folder, shared by all servers and kernels of a user. They are never in
a workspace: a folder must not hold its own permissions. A broken file allows nothing. A seal
marks a recording that this installation made; all others come from somebody else.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import Field

from acp_jupyter.errors import BadRequest, SharedFileBroken
from acp_jupyter.host.store.shared_json import SharedJsonFile
from acp_jupyter.protocol.host_events.session import Rule
from acp_jupyter.protocol.objects import Model


class TrustedFolder(Model):
    """A trusted folder; all folders below it are trusted, too."""

    path: str
    at: float | None = None
    """Time of the trust in Unix seconds; null if it comes from the configuration."""


class _TrustFile(Model):
    version: int = 1
    folders: tuple[TrustedFolder, ...] = ()


class TrustStore:
    """The trusted folders: saved in the data folder, or configured. Its methods block."""

    def __init__(self, path: Path, configured: Iterable[str | Path] = ()) -> None:
        self._file = SharedJsonFile(path, _TrustFile)
        folders = (Path(folder).expanduser().resolve() for folder in configured)
        self._configured = tuple(TrustedFolder(path=str(folder)) for folder in folders)

    def trusts(self, folder: Path) -> bool:
        """Return whether a folder, or one above it, is trusted. A broken file trusts nothing."""
        try:
            known = self.folders()
        except SharedFileBroken:
            known = self._configured
        real = folder.resolve()
        return any(real.is_relative_to(trusted.path) for trusted in known)

    def folders(self) -> tuple[TrustedFolder, ...]:
        """Return the trusted folders."""
        return (*self._configured, *self._file.read().folders)

    def trust(self, folder: Path) -> None:
        """Trust a folder."""
        new = TrustedFolder(path=str(folder.resolve()), at=time.time())

        def change(content: _TrustFile) -> _TrustFile:
            if any(known.path == new.path for known in content.folders):
                return content
            return content.model_copy(update={"folders": (*content.folders, new)})

        self._file.change(change)

    def revoke(self, path: str) -> bool:
        """Stop trusting a saved folder; return whether it was trusted. Configured ones stay."""
        wanted = {path, str(Path(path).expanduser().resolve())}
        known = self._file.read().folders

        def change(content: _TrustFile) -> _TrustFile:
            left = tuple(folder for folder in content.folders if folder.path not in wanted)
            return content.model_copy(update={"folders": left})

        self._file.change(change)
        return any(folder.path in wanted for folder in known)


_MAX_RULES = 500
_SAME = ("effect", "tool_kind", "pattern", "user")


class _RulesFile(Model):
    version: int = 1
    folders: dict[str, tuple[Rule, ...]] = Field(default_factory=dict)


class RulesStore:
    """The saved rules of folders, in a file of the data folder. All methods block."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJsonFile(path, _RulesFile)

    def of(self, folder: Path) -> tuple[Rule, ...]:
        """Return the present rules of a folder."""
        return self._file.read().folders.get(_key(folder), ())

    def all(self) -> dict[str, tuple[Rule, ...]]:
        """Return all rules by folder."""
        return self._file.read().folders

    def add(self, folder: Path, rule: Rule) -> None:
        """Save a rule; one that exists is not added again."""
        key = _key(folder)

        def change(content: _RulesFile) -> _RulesFile:
            known = content.folders.get(key, ())
            if any(same_rule(rule, other) for other in known):
                return content
            if len(known) >= _MAX_RULES:
                raise BadRequest(f"This folder has {_MAX_RULES} rules. Remove some first.")
            return content.model_copy(update={"folders": {**content.folders, key: (*known, rule)}})

        self._file.change(change)

    def remove(self, rule_id: str) -> bool:
        """Remove a rule; return whether it existed."""
        found = any(rule.id == rule_id for rules in self.all().values() for rule in rules)

        def change(content: _RulesFile) -> _RulesFile:
            left = {
                folder: tuple(rule for rule in rules if rule.id != rule_id)
                for folder, rules in content.folders.items()
            }
            return content.model_copy(update={"folders": {f: r for f, r in left.items() if r}})

        if found:
            self._file.change(change)
        return found


def _key(folder: Path) -> str:
    return str(folder.resolve())


def same_rule(rule: Rule, other: Rule) -> bool:
    """Return whether two rules have the same effect for the same users."""
    return all(getattr(rule, name) == getattr(other, name) for name in _SAME)


_MAX = 2000
_KEY_BYTES = 32


class _SealsFile(Model):
    version: int = 1
    key: str = ""
    seals: tuple[str, ...] = ()
    """Digests, the newest last."""


class RecordingSeals:
    """Keyed digests of recordings, in a file that only its owner can read. All methods block.

    They cover the content alone: a recording may be moved, copied, and checked out of git.
    """

    def __init__(self, path: Path) -> None:
        self._file = SharedJsonFile(path, _SealsFile)

    def put(self, recording: bytes, instead_of: str = "") -> str:
        """Save the seal of a recording that was made here; return the seal."""
        sealed = ""

        def change(content: _SealsFile) -> _SealsFile:
            nonlocal sealed
            key = content.key or secrets.token_hex(_KEY_BYTES)
            sealed = _seal(key, recording)
            others = tuple(seal for seal in content.seals if seal not in {sealed, instead_of})
            return content.model_copy(update={"key": key, "seals": (*others, sealed)[-_MAX:]})

        self._file.change(change)
        return sealed

    def is_ours(self, recording: bytes) -> bool:
        """Return whether this installation made a recording. A broken file has no seals."""
        try:
            content = self._file.read()
        except SharedFileBroken:
            return False
        return bool(content.key) and _seal(content.key, recording) in content.seals


def _seal(key: str, recording: bytes) -> str:
    # Git may convert line ends; within a line of JSON there are none.
    plain = recording.replace(b"\r\n", b"\n")
    return hmac.new(key.encode(), plain, hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class PermissionStores:
    """The trusted folders, the saved rules of folders, and the seals of recordings."""

    trust: TrustStore
    rules: RulesStore
    seals: RecordingSeals
    own_folders: tuple[Path, ...] = ()
    """Folders of Python, Jupyter and this package: files in them can run, or hold secrets."""

    @classmethod
    def in_folder(
        cls, data_dir: Path, trust: TrustStore | None = None, own: tuple[Path, ...] = ()
    ) -> Self:
        """Return the stores in a data folder."""
        if trust is None:
            trust = TrustStore(data_dir / "trust.json")
        rules = RulesStore(data_dir / "rules.json")
        records = RecordingSeals(data_dir / "records.json")
        return cls(trust, rules, records, (data_dir, Path(sys.prefix), *own))
