"""A turn's changes as one patch, as text that ``git apply`` takes."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable

from acp_jupyter.host.checkpoints.diff import blobs
from acp_jupyter.host.checkpoints.git import GitError, ShadowGit

__all__ = ["make_patch"]

_FILE = re.compile(rb"^(?=diff --git )", re.MULTILINE)
"""No line of a change begins so."""
_TEXT = re.compile(rb"^--- ", re.MULTILINE)
_BLOBS = re.compile(rb"^index ([0-9a-f]+)\.\.([0-9a-f]+)", re.MULTILINE)
_LINE_BYTES = 52


def make_patch(
    git: ShadowGit,
    trees: tuple[str, str],
    paths: Iterable[str],
    *,
    seconds: float,
    most_bytes: int,
) -> str:
    """Return the changes of some files.

    A text that is not UTF-8 would not survive as text: it is told as bytes.

    Raises
    ------
    GitError
        It is too long, or what it needs is no longer kept.
    """
    options = ("-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff")
    said = git.run(
        *("diff-tree", *options, "--no-textconv", *trees, "--"),
        *(f":(literal){path}" for path in paths),
        seconds=seconds,
        most_bytes=most_bytes,
    )
    changes = [change for change in _FILE.split(said) if change]
    return "".join(_decoded(git, change, seconds, most_bytes) for change in changes)


def _decoded(git: ShadowGit, change: bytes, seconds: float, most_bytes: int) -> str:
    try:
        return change.decode()
    except UnicodeDecodeError:
        pass
    text, names = _TEXT.search(change), _BLOBS.search(change)
    if text is None or names is None:
        raise GitError("git told a change in a way that is not known here")
    old, new = names[1].decode(), names[2].decode()
    found = blobs(git, (name for name in (old, new) if name.strip("0")), seconds, most_bytes)
    both = [found[name] if name.strip("0") else b"" for name in (new, old)]
    head = change[: text.start()].decode("ascii", "replace")
    return f"{head}GIT binary patch\n{_literal(both[0])}\n{_literal(both[1])}\n"


def _literal(data: bytes) -> str:
    """Return bytes as git writes them: packed, in lines of at most 52 bytes in base 85."""
    packed = zlib.compress(data)
    lines = [packed[i : i + _LINE_BYTES] for i in range(0, len(packed), _LINE_BYTES)]
    return f"literal {len(data)}\n" + "".join(
        f"{_length(len(line))}{base64.b85encode(line, pad=True).decode()}\n" for line in lines
    )


def _length(count: int) -> str:
    return chr(ord("A") + count - 1) if count <= 26 else chr(ord("a") + count - 27)
