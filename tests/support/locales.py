"""Locales in which programs are started: in some of them Python reads and writes no UTF-8."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["LOCALES", "encodes", "locale_variables"]

LOCALES = ("utf-8", "C", "ascii", "latin-1")
"""``C`` is one in which Python takes UTF-8 all the same; ``ascii`` forbids it that."""
_PLAIN = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
_LATIN = "de_DE.ISO-8859-1"


def locale_variables(name: str, folder: Path) -> dict[str, str]:
    """Return the variables of a locale; what it needs is made in a folder.

    Raises
    ------
    OSError
        This machine has not what a locale is made of.
    """
    match name:
        case "utf-8":
            return {"LC_ALL": "C.UTF-8"}
        case "C":
            return {"LC_ALL": "C"}
        case "ascii":
            return {"LC_ALL": "C", **_PLAIN}
        case _:
            return _latin(folder)


def _latin(folder: Path) -> dict[str, str]:
    words = ("localedef", "-f", "ISO-8859-1", "-i", "de_DE", str(folder / _LATIN))
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    if not (folder / _LATIN).is_dir():
        raise OSError(done.stderr)
    return {"LC_ALL": _LATIN, "LOCPATH": str(folder), **_PLAIN}


def encodes(locale: str, name: str) -> bool:
    """Return whether files can have a name there."""
    try:
        name.encode({"C": "utf-8"}.get(locale, locale))
    except UnicodeEncodeError:
        return False
    return True
