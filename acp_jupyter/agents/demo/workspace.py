"""The session's folder: names in prompts, listings, and file access that stays inside it."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MAX_TEXT_BYTES", "TEXT_SUFFIXES", "Entry", "OutsideWorkspaceError", "Workspace"]

MAX_TEXT_BYTES = 200_000
TEXT_SUFFIXES = frozenset(
    ".cfg .csv .ini .js .json .md .py .rst .toml .ts .txt .yaml .yml".split()  # noqa: SIM905
)
_MAX_SCANNED = 1_000


class OutsideWorkspaceError(Exception):
    """A path that leaves the session's folder."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in the folder."""

    name: str
    is_dir: bool
    size_bytes: int

    @property
    def is_text(self) -> bool:
        """Whether it is a file small enough to read and text by its suffix."""
        suffix = Path(self.name).suffix.lower()
        return not self.is_dir and suffix in TEXT_SUFFIXES and self.size_bytes <= MAX_TEXT_BYTES


@dataclass(frozen=True, slots=True)
class Workspace:
    """A session's working directory."""

    root: Path

    def locate(self, name: str) -> Path:
        """Return the absolute path of `name`, with symbolic links resolved.

        Raises
        ------
        OutsideWorkspaceError
            It lies outside the folder.
        """
        root = self.root.resolve()
        try:
            path = (root / name).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a null byte
            raise OutsideWorkspaceError(name) from error
        if not path.is_relative_to(root) or path == root:
            raise OutsideWorkspaceError(name)
        return path

    def relative(self, path: Path) -> str:
        """Return `path` as the user would type it."""
        return path.relative_to(self.root.resolve()).as_posix()

    def entries(self) -> list[Entry]:
        """Return what lies in the folder itself, hidden names left out, by name."""
        found: list[Entry] = []
        with os.scandir(self.root) as scan:
            for item in itertools.islice(scan, _MAX_SCANNED):
                if not item.name.startswith("."):
                    try:
                        size = item.stat().st_size
                    except OSError:  # gone meanwhile, or a dangling link
                        continue
                    found.append(Entry(item.name, item.is_dir(), size))
        return sorted(found, key=lambda entry: (entry.is_dir, entry.name))
