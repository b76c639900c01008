"""Differences between two checkpoints: changed files, their texts to be shown, and one patch.

The patch is text that ``git apply`` takes.
"""

from __future__ import annotations

import base64
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from acp_jupyter.errors import ChangesGone
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError, GitTooMuch, ShadowGit
from acp_jupyter.host.workspace.checkpoints.tree_change import Change, Side, TreeChange
from acp_jupyter.protocol.files import human_size

_COMPARED_NAMES = "-l200"
"""With more new and deleted files, renames are not detected."""

_CHANGES: dict[str, Change] = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type",
}


def tree_changes(
    git: ShadowGit, before: str, after: str, seconds: float, *, renames: bool = True
) -> list[TreeChange]:
    """Compare two trees."""
    looking = ("-M", _COMPARED_NAMES) if renames else ("--no-renames",)
    command = ("diff-tree", "-r", "-z", "--raw", "--numstat", *looking, "--no-abbrev")
    output = git.run(*command, before, after, seconds=seconds)
    return list(_changes(output.split(b"\0")))


def _changes(fields: list[bytes]) -> Iterator[TreeChange]:
    """Read ``:modes blobs letter``, path, for each file; then its numbers in the same order."""
    position = 0
    raw: dict[str, TreeChange] = {}
    while position < len(fields) and fields[position].startswith(b":"):
        old_mode, new_mode, old_blob, new_blob, letter = fields[position][1:].decode().split()
        change = _CHANGES.get(letter[0], "modified")
        paths = [os.fsdecode(path) for path in fields[position + 1 : position + 3]]
        renamed = change == "renamed"
        path = paths[1] if renamed else paths[0]
        old, new = Side(old_mode, old_blob), Side(new_mode, new_blob)
        raw[path] = TreeChange(path, change, old, new, paths[0] if renamed else "")
        position += 3 if renamed else 2
    while position < len(fields) and fields[position].count(b"\t") == 2:
        added, removed, name = fields[position].split(b"\t")
        position += 1
        if not name:
            name = fields[position + 1]
            position += 2
        path = os.fsdecode(name)
        if path in raw and added != b"-":
            raw[path] = replace(raw[path], added=int(added), removed=int(removed))
    yield from raw.values()


def sizes(git: ShadowGit, names: Iterable[str], seconds: float) -> dict[str, int]:
    """Return the sizes of blobs, without those that are no longer stored."""
    wanted = "".join(f"{name}\n" for name in names).encode()
    if not wanted:
        return {}
    output = git.run("cat-file", "--batch-check", stdin=wanted, seconds=seconds).decode()
    parts = (line.split() for line in output.splitlines())
    return {part[0]: int(part[2]) for part in parts if len(part) == 3 and part[1] == "blob"}


def blobs(git: ShadowGit, names: Iterable[str], seconds: float, max_bytes: int) -> dict[str, bytes]:
    """Return the contents of the first blobs that fit within ``max_bytes`` together."""
    room = max_bytes
    fitting: list[str] = []
    for name, size in sizes(git, names, seconds).items():
        if size <= room:
            room -= size
            fitting.append(name)
    if not fitting:
        return {}
    wanted = "".join(f"{name}\n" for name in fitting).encode()
    bound = max_bytes + 100 * len(fitting)
    output = git.run("cat-file", "--batch", stdin=wanted, seconds=seconds, max_bytes=bound)
    found: dict[str, bytes] = {}
    position = 0
    for name in fitting:
        end = output.index(b"\n", position)
        head = output[position:end].split()
        if len(head) != 3:
            raise GitError("what was kept is no longer there")
        start, size = end + 1, int(head[2])
        found[name] = output[start : start + size]
        position = start + size + 1
    return found


BINARY_PEEK = 8000
CHANGE_TEXT_BYTES = 1024 * 1024
"""Text of one side of a changed file that is sent to the page."""
_CHANGES_TEXT_BYTES = 8 * 1024 * 1024
"""All text of changed files in one answer."""
_PATCH_BYTES = 16 * 1024 * 1024
"""Longest patch of a turn."""
"""How far git looks for a zero byte."""


@dataclass(frozen=True, slots=True)
class FileSides:
    """A file's text before and after; None where there was none, or it is not shown."""

    old_text: str | None = None
    new_text: str | None = None
    binary: bool = False
    too_large: bool = False


def read_changes(
    checkpoints: Checkpoints,
    trees: tuple[str, str],
    paths: Collection[str],
    *,
    renames: bool = True,
) -> dict[str, FileSides]:
    """Return the texts of some changed files. Blocks.

    Bytes that are not UTF-8 are shown as escapes, so that a change of such a byte is visible.
    """
    git, limits = checkpoints.git, checkpoints.limits
    seconds = limits.checkpoint_seconds
    try:
        changes = tree_changes(git, *trees, seconds, renames=renames)
        found = [change for change in changes if change.path in paths]
        names = [side.blob for c in found for side in (c.old, c.new) if side.exists]
        lengths = sizes(git, names, seconds)
        small = [name for name in names if lengths.get(name, 0) <= CHANGE_TEXT_BYTES]
        held = blobs(git, small, seconds, _CHANGES_TEXT_BYTES)
    except GitError as error:
        raise ChangesGone(f"What this turn changed can't be read: {error}.") from None
    return {change.path: _sides(change, held) for change in found}


def _sides(change: TreeChange, held: dict[str, bytes]) -> FileSides:
    sides = [side for side in (change.old, change.new) if side.exists]
    if any(side.blob not in held for side in sides):
        return FileSides(binary=change.binary, too_large=True)
    if any(b"\0" in held[side.blob][:BINARY_PEEK] for side in sides):
        return FileSides(binary=True)
    return FileSides(_text(change.old, held), _text(change.new, held))


def _text(side: Side, held: dict[str, bytes]) -> str | None:
    return held[side.blob].decode(errors="backslashreplace") if side.exists else None


def read_patch(
    checkpoints: Checkpoints, trees: tuple[str, str], paths: Collection[str] = ()
) -> str:
    """Return one patch of some changed files, or of all. Blocks."""
    limits = checkpoints.limits
    try:
        return make_patch(
            checkpoints.git,
            trees,
            paths,
            seconds=limits.checkpoint_seconds,
            max_bytes=_PATCH_BYTES,
        )
    except GitTooMuch:
        raise ChangesGone(
            f"The patch is longer than {human_size(_PATCH_BYTES)}. Ask for single files."
        ) from None
    except GitError as error:
        raise ChangesGone(f"The patch can't be made: {error}.") from None


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
    max_bytes: int,
) -> str:
    """Return the changes of some files.

    A text that is not UTF-8 is written as a binary patch, as it would not survive as text.
    """
    options = ("-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff")
    output = git.run(
        *("diff-tree", *options, "--no-textconv", *trees, "--"),
        *(f":(literal){path}" for path in paths),
        seconds=seconds,
        max_bytes=max_bytes,
    )
    changes = [change for change in _FILE.split(output) if change]
    return "".join(_decoded(git, change, seconds, max_bytes) for change in changes)


def _decoded(git: ShadowGit, change: bytes, seconds: float, max_bytes: int) -> str:
    try:
        return change.decode()
    except UnicodeDecodeError:
        pass
    text, names = _TEXT.search(change), _BLOBS.search(change)
    if text is None or names is None:
        raise GitError("git described a change in an unknown way")
    old, new = names[1].decode(), names[2].decode()
    found = blobs(git, (name for name in (old, new) if name.strip("0")), seconds, max_bytes)
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
