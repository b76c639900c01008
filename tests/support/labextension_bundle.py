"""The built extension of JupyterLab, as it lies in the package."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

__all__ = ["LABEXTENSION", "gzipped", "loaded_at_start"]

LABEXTENSION = Path(__file__).resolve().parents[2] / "acp_jupyter" / "labextension"


def loaded_at_start(folder: Path = LABEXTENSION) -> list[Path]:
    """Return the files that JupyterLab loads before anybody has done anything.

    They are the entry and what it names for ``./extension`` and ``./style``: JupyterLab asks
    for both at once. Other files come when code asks for them.
    """
    entry = (
        folder / json.loads((folder / "package.json").read_text())["jupyterlab"]["_build"]["load"]
    )
    text = entry.read_text()
    chunks: set[str] = set()
    for module in ("./extension", "./style"):
        found = re.search(rf'"{module}":\s*\(\)\s*=>(.*?)\.then\(', text, re.DOTALL)
        assert found, f"{entry.name} has no {module}"
        named = re.findall(r"\.e\([^)]*?\"?([\w-]+)\"?\)", found[1])
        assert named, f"{module} names no file: {found[1]}"
        chunks.update(named)
    files = [next(entry.parent.glob(f"{chunk}.*.js")) for chunk in sorted(chunks)]
    return [entry, *files]


def gzipped(data: bytes) -> int:
    """Bytes of it as a server sends it compressed."""
    return len(gzip.compress(data, 6))
