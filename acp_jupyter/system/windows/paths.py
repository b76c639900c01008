r"""Paths as Windows reads them: one file has many names there.

``C:\a\b``, ``c:/A/b.``, ``\\?\C:\a\b`` and ``C:\a\b::$DATA`` name the same file, and ``CON`` or
``a\nul.txt`` name a device in whatever folder they are.
"""

from __future__ import annotations

import ntpath
import re
from typing import Literal

__all__ = [
    "extended",
    "is_name_surrogate",
    "is_windows_path",
    "path_key",
    "relative_to",
    "why_not_plain",
]

Reason = Literal[
    "the name of a device",
    "a colon",
    "a short name",
    "a character that Windows does not allow",
    "a trailing dot or blank",
]
"""Why a name may not be of the file that it seems to be of."""

_DEVICES = frozenset({"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}) | {
    f"{name}{number}" for name in ("com", "lpt") for number in "0123456789¹²³"
}
_SHORT_NAME = re.compile(r"[^.]{1,6}~\d{1,6}(\.[^.]{0,3})?", re.IGNORECASE)
_ODD = re.compile(r'[\x00-\x1f<>"|?*]')
_DRIVE = re.compile(r"[A-Za-z]:")
_ABSOLUTE = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/]")
_MAX_PATH = 260
_ROOM_FOR_A_NAME = 12
"""Of a folder's path, which must leave room for a short name."""
_NAME_SURROGATE = 0x20000000


def why_not_plain(path: str) -> Reason | None:
    """Return why a relative path does not name a plain file by its only name; None if it does."""
    names = re.split(r"[\\/]", path)
    for name in names:
        if ":" in name:
            return "a colon"  # an alternate stream, or a drive
        if _ODD.search(name):
            return "a character that Windows does not allow"
        if name in {"", ".", ".."}:
            continue
        if name.endswith((".", " ")):
            return "a trailing dot or blank"
        # A device's name counts with any suffix, and with blanks before it.
        if name.partition(".")[0].rstrip(" ").casefold() in _DEVICES:
            return "the name of a device"
        if _SHORT_NAME.fullmatch(name):
            return "a short name"
    return None


def is_windows_path(path: str) -> bool:
    """Return whether it is an absolute path of Windows: with a drive, or of a server."""
    return bool(_ABSOLUTE.match(path))


def path_key(path: str) -> str:
    """Return the same text for all spellings of a path, but for short names and links."""
    plain = _without_prefix(path.replace("/", "\\"))
    drive, rest = ntpath.splitdrive(ntpath.normpath(plain))
    names = [name.partition(":")[0].rstrip(". ") or name for name in rest.split("\\")]
    return (drive + "\\".join(names)).rstrip("\\").casefold()


def relative_to(path: str, folder: str) -> str | None:
    """Return a path below a folder, with forward slashes; ``.`` for the folder, None outside it."""
    plain = ntpath.normpath(_without_prefix(path.replace("/", "\\")))
    root = ntpath.normpath(_without_prefix(folder.replace("/", "\\"))).rstrip("\\")
    if path_key(plain) == path_key(root):
        return "."
    names, above = plain.split("\\"), root.split("\\")
    if path_key("\\".join(names[: len(above)])) != path_key(root):
        return None
    return "/".join(names[len(above) :])


def extended(path: str) -> str:
    r"""Return an absolute path; one that is too long for Windows in its form ``\\?\``."""
    if len(path) < _MAX_PATH - _ROOM_FOR_A_NAME or path.startswith(("\\\\?\\", "\\\\.\\")):
        return path
    plain = ntpath.normpath(path.replace("/", "\\"))  # which this form is not read as
    if plain.startswith("\\\\"):
        return f"\\\\?\\UNC\\{plain[2:]}"
    return f"\\\\?\\{plain}" if _DRIVE.match(plain) else path


def is_name_surrogate(tag: int) -> bool:
    """Return whether a reparse point stands for another place, as links and junctions do.

    Others do not, such as files that a cloud's program fetches when they are opened.
    """
    return bool(tag & _NAME_SURROGATE)


def _without_prefix(path: str) -> str:
    if path[:8].casefold() == "\\\\?\\unc\\":
        return f"\\\\{path[8:]}"
    if path.startswith(("\\\\?\\", "\\??\\")):
        return path[4:]
    return path
