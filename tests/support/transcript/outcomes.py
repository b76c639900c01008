"""What changes in an outcome when its input does, as lines of a golden file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["MAX", "check", "cut", "outcome", "said"]

MAX = 100
"""Characters of a value before only a digest follows."""


def outcome(right: Any, got: Any) -> str:
    """Return where ``got`` differs from what is right, and how."""
    return cut("; ".join(differences(right, got, "")), 3 * MAX)


def differences(right: Any, got: Any, path: str) -> Iterator[str]:
    if right == got and type(right) is type(got):
        return
    if isinstance(got, dict) and got.get("type") == "unknown" and isinstance(right, dict):
        yield f"{path} unknown"
    elif isinstance(right, dict) and isinstance(got, dict):
        for key in sorted({*right, *got}):
            yield from differences(right.get(key), got.get(key), f"{path}.{key}")
    elif isinstance(right, list) and isinstance(got, list) and len(right) == len(got):
        for i, (one, other) in enumerate(zip(right, got, strict=True)):
            yield from differences(one, other, f"{path}.{i}")
    else:
        yield f"{path} {said(got)}"


def said(value: Any, most: int = MAX) -> str:
    """Return a value as JSON, cut."""
    return cut(json.dumps(value, ensure_ascii=False, default=repr), most)


def cut(text: str, most: int) -> str:
    """Return a text, or its beginning and a digest of the whole."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return text if len(text) <= most else f"{text[:most]}… {digest}"


def check(folder: Path, name: str, lines: Iterable[str]) -> None:
    """Compare lines with a golden file; what is the same for several messages is told once."""
    text = "".join(f"{line}\n" for line in dict.fromkeys(lines))
    file = folder / f"{name}.txt"
    if os.environ.get("ACP_WRITE_GOLDEN"):
        folder.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()
