"""The secrets that a session's folder keeps in its ``.env`` files."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from acp_jupyter.transcript.redaction.redactor import Redactor, named_secrets
from acp_jupyter.transcript.redaction.secret_patterns import is_random

__all__ = ["EnvFiles"]

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LINE = re.compile(r"(?:export[ \t]++)?([A-Za-z_][A-Za-z0-9_]{0,199}+)[ \t]*+=[ \t]*+(.*)")
_SOURCE = "files .env"
_MOST_ENTRIES = 20_000
_MOST_FILES = 20
_MOST_BYTES = 64 * 1024
_MOST_VALUES = 200
_RANDOM_CHARS = 16


class EnvFiles:
    """Lets a redactor know what ``.env`` files of a folder hold, as they are now.

    That are the values of variables that are named like secrets, or that look random. Files are
    read within bounds; a link that leads out of the folder is not followed.

    Parameters
    ----------
    folder
        The session's.
    redactor
        What is to know them.
    """

    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._folder = folder
        self._redactor = redactor
        self._seen: tuple[tuple[str, int, int], ...] = ()

    def read(self) -> None:
        """Read them again if they have changed. Blocks, so never on a loop."""
        try:
            found = sorted(islice(self._found(), _MOST_FILES))
        except OSError:
            return
        if tuple(found) != self._seen:
            values = [value for path, *_ in found for value in _secrets(Path(path))]
            self._redactor.learn(_SOURCE, *values[:_MOST_VALUES])
            self._seen = tuple(found)

    def _found(self) -> Iterator[tuple[str, int, int]]:
        """Yield each file with what changes when it does."""
        root = os.path.realpath(self._folder)
        with os.scandir(root) as entries:
            for entry in islice(entries, _MOST_ENTRIES):
                if not entry.name.startswith(".env"):
                    continue
                path = os.path.realpath(entry.path)
                if os.path.dirname(path) != root and not path.startswith(os.path.join(root, "")):
                    continue
                try:
                    about = os.stat(path, follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISREG(about.st_mode):
                    yield path, about.st_mtime_ns, about.st_size


def _secrets(path: Path) -> Iterator[str]:
    try:
        fd = os.open(path, _FLAGS)
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        assigned = _LINE.fullmatch(line.strip())
        if assigned is None:
            continue
        value = _value(assigned[2])
        yield from named_secrets({assigned[1]: value})
        if len(value) >= _RANDOM_CHARS and is_random(value):
            yield value


def _value(written: str) -> str:
    """Return a value without its quotes, or the comment after it."""
    quote = written[:1]
    if quote in {"'", '"'} and (end := written.find(quote, 1)) > 0:
        return written[1:end]
    return written.split(" #", 1)[0].strip()
