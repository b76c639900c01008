"""What a ``*`` in a rule that allows a command stands for.

Within a word it is a part of one name: no folder, no way out, no option. As the last word it is
any further words that stay in the folder, and options that neither write nor run anything by the
names that such options have. What is left out is asked; the rule that names it allows it.
"""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase

__all__ = ["match_further", "match_word"]

_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LONG = re.compile(r"--([A-Za-z][A-Za-z0-9-]*)(=(.*))?")
_SHORT = re.compile(r"-([A-Za-z]+|[A-Za-z]?\d+)")
_WRITES_OR_RUNS = (
    "checkpoint-action", "command", "compress-program", "eval", "exec", "ext-diff", "init-file",
    "open-files-in-pager", "output", "outfile", "pager", "pre", "program",
    "rcfile", "receive-pack", "rsh", "shell", "textconv", "to-command", "upload-pack",
    "use-compress-program",
)  # fmt: skip
"""Long options; programs take the beginning of a name for the whole."""
_PARTS = frozenset({"cmd", "command", "editor", "hook", "hooks", "pager", "rsh", "shell"})
_SINGLE_DASH = frozenset({"delete", "fls", "fprint", "fprintf", "ok", "okdir"})
_LETTERS: dict[str, str] = {
    "curl": "DKc",
    "man": "P",
    "rsync": "e",
    "sed": "i",
    "ssh": "F",
    "tar": "FI",
    "wget": "Pae",
    "zip": "T",
}
"""Beside ``-o`` and ``-O``: short options that write or run something."""


def match_word(wanted: str, word: str) -> bool:
    """Tell whether a word is the one that a rule names, or of its pattern."""
    if "*" not in wanted:
        return wanted == word
    if word.startswith("-") and wanted.startswith("*"):
        return False
    names, parts = word.split("/"), wanted.split("/")
    return (
        len(names) == len(parts)
        and all(map(fnmatchcase, names, parts))
        and ".." not in re.split(r"[/\\=:@,]", word)
    )


def match_further(program: str, word: str, folder: str) -> bool:
    """Tell whether a word may stand where a rule for a program ends with ``*``."""
    if _leads_out(word, folder):
        return False
    return not word.startswith("-") or word == "--" or _harmless(program, word)


def _leads_out(word: str, folder: str) -> bool:
    if _ADDRESS.match(word):
        return False
    for piece in re.split(r"[=@,:]", word):
        if ".." in re.split(r"[/\\]", piece) or piece.startswith("~"):
            return True
        inside = folder and (piece == folder or piece.startswith(f"{folder.rstrip('/')}/"))
        if piece.startswith(("/", "\\")) and not inside:
            return True
    return word.casefold().startswith("file:")


def _harmless(program: str, option: str) -> bool:
    if short := _SHORT.fullmatch(option):
        letters = short[1]
        dangerous = "oO" + _LETTERS.get(posixpath.basename(program), "")
        return (
            set(dangerous).isdisjoint(letters)
            and letters not in _SINGLE_DASH
            and not letters.startswith("exec")
        )
    long = _LONG.fullmatch(option)
    if long is None:
        return False
    name, value = long[1].lower(), long[3] or ""
    hidden = any(part.startswith(".") and part != "." for part in value.split("/"))
    return not hidden and (name.startswith("no-") or not _writes_or_runs(name))


def _writes_or_runs(name: str) -> bool:
    parts = name.split("-")
    return (
        any(each.startswith(name) for each in _WRITES_OR_RUNS)
        or any(part.startswith(("out", "exec")) for part in parts)
        or not _PARTS.isdisjoint(parts)
    )
