"""Golden texts of what stays the same while the code behind it moves.

``ACP_WRITE_GOLDEN=1 pytest tests/contract`` writes them anew. A difference is a change of the
public surface or of the wire, and is committed together with its reason.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["check", "schema_lines"]

FOLDER = Path(__file__).parent / "golden"


def check(name: str, lines: Iterable[str]) -> None:
    """Compare lines with a golden file, byte for byte."""
    text = "".join(f"{line}\n" for line in lines)
    file = FOLDER / name
    if os.environ.get("ACP_WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()
    assert text.encode() == file.read_bytes()


def schema_lines(models: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for the JSON schema of each model, without descriptions, which are prose."""
    for name, model in sorted(models.items()):
        yield f"{name} {json.dumps(_plain(model), sort_keys=True)}"


def _plain(schema: Any) -> Any:
    if isinstance(schema, dict):
        told = isinstance(schema.get("description"), str)
        return {k: _plain(part) for k, part in schema.items() if not (told and k == "description")}
    return [_plain(part) for part in schema] if isinstance(schema, list) else schema
