"""Golden texts of what stays the same while the code behind it moves.

``ACP_WRITE_GOLDEN=1 pytest tests/contract`` writes them anew. A difference is a change of the
public surface or of the wire, and is committed together with its reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["check"]

FOLDER = Path(__file__).parent / "golden"


def check(name: str, lines: Iterable[str]) -> None:
    """Compare lines with a golden file, byte for byte."""
    text = "".join(f"{line}\n" for line in lines)
    file = FOLDER / name
    if os.environ.get("ACP_WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()
    assert text.encode() == file.read_bytes()
