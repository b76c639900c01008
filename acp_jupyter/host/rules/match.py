"""Patterns of rules against paths and addresses."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from urllib.parse import urlsplit

__all__ = ["match_address", "match_path"]

_MOST_URL_CHARS = 4000


def match_path(pattern: str, path: str) -> bool:
    """Tell whether a relative path is one of the pattern's."""
    return _parts(tuple(pattern.split("/")), tuple(path.split("/")))


@lru_cache(maxsize=1024)
def _parts(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(path) + 1)) if reached else reached
        else:
            wanted = re.sub(r"([\[?])", r"[\1]", part)
            reached = {i + 1 for i in reached if i < len(path) and fnmatchcase(path[i], wanted)}
    return len(path) in reached


def match_address(pattern: str, url: str) -> bool | None:
    """Tell whether an address is one of the pattern's; None where that can't be told."""
    address = _canonical(url)
    if address is None:
        return None
    wanted = _canonical(pattern.removesuffix("*"))
    if wanted is None:
        return None
    return address.startswith(wanted) if pattern.endswith("*") else address == wanted


def _canonical(url: str) -> str | None:
    """Return an address in the one spelling that is compared; None for odd ones."""
    odd = len(url) > _MOST_URL_CHARS or not url.isprintable() or "\\" in url or " " in url
    if odd:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc:
        return None
    path = parts.path or "/"
    if ".." in path.split("/") or re.search(r"%(2e|2f|5c|00)", path, re.IGNORECASE):
        return None
    where = host.rstrip(".") + (f":{port}" if port else "")
    return f"{parts.scheme}://{where}{path}" + (f"?{parts.query}" if parts.query else "")
