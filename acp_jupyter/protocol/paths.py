"""File paths as people read them: relative to the session's folder, or their last part."""

from __future__ import annotations

import re

_OUTPUTS = re.compile(r"/outputs/(.+)\Z")
_SANDBOX = re.compile(r"/sandboxes/[^/]+/(.+)\Z")


def get_relative_path(full_path: str) -> str:
    """Return what lies below the outputs or the sandbox, else the base name (S5.38 to S5.41).

    A live view uses `relative_path`: with base names two files look alike (C17).
    """
    if not full_path:
        return ""
    found = _OUTPUTS.search(full_path) or _SANDBOX.search(full_path)
    return found[1] if found else full_path.rpartition("/")[2]


def relative_path(path: str, cwd: str) -> str:
    """Make a path relative to the session's folder where it lies inside it (C17)."""
    if not path:
        return ""
    normal = path.replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/")
    if normal == root:
        return "."
    return normal.removeprefix(root + "/") if root else normal


def relative_words(words: str, cwd: str) -> str:
    """Make the paths in a title relative to the session's folder."""
    root = cwd.rstrip("/")
    if not root or root not in words:
        return words
    paths = rf"(?<![\w./-]){re.escape(root)}(/|(?![\w./-]))"
    return re.sub(paths, lambda found: "" if found[1] else ".", words)


_UNITS = ("kB", "MB", "GB")


def human_size(size_bytes: int) -> str:
    """Return a size as people read it, in decimal units: ``1.0 kB``, ``24 B`` (S3.22)."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    power = 1
    while size_bytes >= 999.95 * 1000**power and power < len(_UNITS):
        power += 1
    return f"{size_bytes / 1000**power:.1f} {_UNITS[power - 1]}"
