"""A folder of its own for each test, below the root of a shared server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.kernel.notebook_file import new_notebook, write_notebook

__all__ = ["CLEAN_PY", "Workspace"]

CLEAN_PY = """def clean(rows):
    kept = []
    for row in rows:
        kept.append(row.strip())
    return kept
"""


@dataclass(frozen=True)
class Workspace:
    """Where a notebook and the agent of its session work."""

    root: Path
    """Of the server."""
    name: str

    def __post_init__(self) -> None:
        self.folder.mkdir()
        (self.folder / "clean.py").write_text(CLEAN_PY)

    @property
    def folder(self) -> Path:
        return self.root / self.name

    @property
    def clean_py(self) -> str:
        """What is on disk now."""
        return (self.folder / "clean.py").read_text()

    def notebook(self, *sources: str, name: str = "nb.ipynb", kernel: str = "python3") -> str:
        """Write a notebook; return its path for the server."""
        write_notebook(self.folder / name, new_notebook(*sources, kernel=kernel))
        return f"{self.name}/{name}"
