"""The input files of a batch: selected, limited and copied once; each job starts with a copy."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from acp_jupyter.errors import BadRequest, plain_reason
from acp_jupyter.features.batches.jobs import MARKER, SUFFIX, BatchFolder, digest_of
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.scan import scan
from acp_jupyter.protocol.files import human_size

MAX_FILES = 1000
MAX_BYTES = 100_000_000
"""Most bytes to copy if the inputs are not named."""
_PIECE_BYTES = 1024 * 1024


def choose_inputs(
    folder: Path, patterns: Sequence[str] | None, notebook: str, params: Mapping[str, object]
) -> tuple[str, ...]:
    """Return the files to copy, relative to the folder.

    Parameters
    ----------
    patterns
        Files, folders or patterns such as ``data/*.csv``; None for the whole folder.
    notebook
        The notebook's file name; it doesn't count as an input.
    """
    if patterns is not None:
        formatted = [_formatted(pattern, params) for pattern in patterns]
        named = [path for pattern in formatted for path in _named(folder, pattern)]
        return tuple(sorted({*named} - {notebook}))
    found = scan(folder, Limits())
    paths = [
        path for path in found.files if not _is_left_out(path) and not _is_of_batch(folder, path)
    ]
    size = sum(found.files[path].size for path in paths)
    if not found.whole or len(paths) > MAX_FILES or size > MAX_BYTES:
        raise BadRequest(
            f"{folder} holds more than {MAX_FILES:,} files or {human_size(MAX_BYTES)}, and each "
            'job gets a copy. Name what the jobs need: inputs=["data/*.csv"], or inputs=[] for '
            "nothing."
        )
    return tuple(sorted(paths))


def copy_inputs(folder: Path, paths: Iterable[str], batch: BatchFolder) -> str:
    """Copy files into the batch's folder, and return the digest of the copies."""
    with batch.being_written() as made:
        content = []
        for path in paths:
            target = made / path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                content.append([path, _copy(folder / path, target), os.access(target, os.X_OK)])
            except OSError as error:
                raise BadRequest(f"{path} can't be copied: {plain_reason(error)}.") from error
        digest = digest_of(content)
        move_into_place(made, batch.inputs(digest))
    return digest


def copy_tree(source: Path, target: Path) -> None:
    """Copy files and folders; a symbolic link is copied as a link, without its target."""
    shutil.copytree(source, target, symlinks=True)


def move_into_place(made: Path, target: Path) -> bool:
    """Rename a folder; return False if the target already existed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        made.rename(target)
    except OSError:
        if not target.is_dir():
            raise
        return False
    return True


def changed_files(before: Path, after: Path) -> tuple[list[str], bool]:
    """Return the plain files that were created or changed, and whether the scan was complete."""
    found = scan(after, Limits())
    paths = [path for path in found.files if not _is_same(before / path, after / path)]
    return sorted(paths), found.whole


def _formatted(pattern: str, params: Mapping[str, object]) -> str:
    """Replace each ``{name}`` by a parameter; other braces stay."""
    for name, value in params.items():
        pattern = pattern.replace(f"{{{name}}}", str(value))
    return pattern


def _named(folder: Path, pattern: str) -> list[str]:
    parts = PurePosixPath(pattern.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        raise BadRequest(f"The input {pattern!r} is not inside {folder}.")
    found: list[str] = []
    for match in sorted(folder.glob(pattern)):
        below = [match, *sorted(match.rglob("*"))] if match.is_dir() else [match]
        found += [each.relative_to(folder).as_posix() for each in below if each.is_file()]
    if not found:
        raise BadRequest(f"There is no input {pattern!r} in {folder}.")
    return found


def _is_of_batch(folder: Path, path: str) -> bool:
    """Return whether a file is in the folder of a batch, whatever the folder's name."""
    above = PurePosixPath(path).parents
    return any((folder / each / MARKER).is_file() for each in above if each.name)


def _is_left_out(path: str) -> bool:
    """Return whether a file is no input: hidden files, notebooks, results of batches."""
    if path.endswith(".ipynb"):
        return True  # the notebook that calls `batch` is saved while the batch runs
    parts = path.split("/")
    return any(part.startswith(".") for part in parts) or any(
        part.endswith(SUFFIX) for part in parts[:-1]
    )


def _copy(source: Path, target: Path) -> str:
    """Copy a file, and return the digest of what was copied."""
    digest = hashlib.sha256()
    with source.open("rb") as read, target.open("wb") as written:
        while piece := read.read(_PIECE_BYTES):
            digest.update(piece)
            written.write(piece)
    with contextlib.suppress(OSError):
        shutil.copymode(source, target)
    return digest.hexdigest()


def _is_same(one: Path, other: Path) -> bool:
    try:
        if one.stat().st_size != other.stat().st_size:
            return False
        with one.open("rb") as left, other.open("rb") as right:
            while (piece := left.read(_PIECE_BYTES)) == right.read(_PIECE_BYTES):
                if not piece:
                    return True
    except OSError:
        pass
    return False
