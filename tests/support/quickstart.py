"""The quickstart notebook in a folder of its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

__all__ = ["QUICKSTART", "answer_by", "quickstart_in"]

QUICKSTART = Path(__file__).parents[2] / "notebooks" / "quickstart.ipynb"


def quickstart_in(folder: Path) -> Path:
    """Copy it, and what it works with, into a new folder."""
    folder.mkdir()
    for name in ("rainfall.csv", "rainfall.py"):
        shutil.copy(QUICKSTART.with_name(name), folder)
    return Path(shutil.copy(QUICKSTART, folder))


def answer_by(policy: str, notebook: Path) -> None:
    """Let a policy answer the edit, since nobody can be asked."""
    content = json.loads(notebook.read_text("utf-8"))
    (cell,) = (cell for cell in content["cells"] if cell["id"] == "edit-file")
    cell["source"] = [f"%%acp demo --policy {policy}\n", *cell["source"][1:]]
    notebook.write_text(json.dumps(content), "utf-8")
