"""The bundled locks: the exact files of an agent's packages.

``scripts/registry_snapshot.py --locks`` writes them, compressed.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

NODE = "node"
"""The lock of Node itself, which PyPI has as a package."""


@dataclass(frozen=True)
class LockFile:
    """The lock of an agent.

    Attributes
    ----------
    package
        The package with its version.
    command
        The program that it installs.
    node
        The oldest Node that runs it, as ``22`` or ``22.12.0``; empty if it says none.
    manifest, lock
        npm's ``package.json`` and ``package-lock.json``.
    requirements
        Packages of PyPI with their hashes, as pip reads them.
    """

    package: str
    command: str = ""
    node: str = ""
    manifest: str = ""
    lock: str = ""
    requirements: str = ""

    @property
    def digest(self) -> str:
        """A digest of these files, as a name."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]

    def packed(self) -> bytes:
        """Return it in the form in which the package stores it."""
        return lzma.compress(json.dumps(asdict(self)).encode(), preset=9 | lzma.PRESET_EXTREME)


def read_lock(name: str) -> LockFile:
    """Return the lock of an agent, by its id."""
    packed = files(__package__).joinpath("locks", f"{name}.json.xz").read_bytes()
    content: dict[str, Any] = json.loads(lzma.decompress(packed))
    return LockFile(**content)
