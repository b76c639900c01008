"""Artifacts of build mode made from what lies on the disk.

The product finds its artifacts in `acp_jupyter.host.workspace.folders.changed_files`.
"""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from acp_jupyter.dialects.onyx_build.content import Artifact, ArtifactType
from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.protocol.artifacts import INDEX, file_type

_MOST_ENTRIES = 10_000
_IDS = uuid.UUID("5f0c0f0e-3f0b-5d1a-9a52-6f2d8b1f7a11")
_SHOWN_BY_BROWSERS = {ArtifactType.WEB_APP, ArtifactType.IMAGE, ArtifactType.PDF}


def create_artifact_from_file(
    session_id: str,
    file_path: str,
    artifact_type: ArtifactType,
    name: str,
    *,
    folder: Path | None = None,
    served: Path | None = None,
) -> Artifact:
    """Return the artifact for a file or folder of a session.

    Parameters
    ----------
    session_id
        The same file of the same session is always the same artifact.
    file_path
        Relative to ``folder``; a folder is allowed, with or without a slash at its end.
    artifact_type
        What it is.
    name
        What it is called.
    folder
        The session's; default: the working directory.
    served
        The root of the Jupyter server's files; default: ``folder``. URLs are relative to the
        server's own. What lies outside has none, nor has a folder without a page.

    Raises
    ------
    FileMissing
        There is no such file.
    FileRefused
        It lies outside ``folder``, or is neither a file nor a folder.
    """
    root = (Path.cwd() if folder is None else folder).resolve()
    path = _inside(root, file_path)
    found = path.stat()
    page = path / INDEX if stat.S_ISDIR(found.st_mode) else path
    url = _url(page, root if served is None else served.resolve())
    return Artifact(
        id=str(uuid.uuid5(_IDS, f"{session_id}/{path.relative_to(root).as_posix()}")),
        type=artifact_type,
        name=name,
        path=file_path,
        preview_url=url if artifact_type in _SHOWN_BY_BROWSERS else None,
        download_url=None if url is None else f"{url}?download=1",
        mime_type=file_type(page.name).mime if page.is_file() else None,
        size_bytes=_size(path) if path.is_dir() else found.st_size,
    )


def _inside(root: Path, file_path: str) -> Path:
    try:
        path = (root / file_path).resolve(strict=True)
    except FileNotFoundError:
        raise FileMissing(f"There is no file {file_path!r}.") from None
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise FileRefused(f"{file_path!r} can't be read: {error}") from None
    if not path.is_relative_to(root):
        raise FileRefused(f"{file_path!r} lies outside the folder of the session.")
    if not (path.is_file() or path.is_dir()):
        raise FileRefused(f"{file_path!r} is neither a file nor a folder.")
    return path


def _url(page: Path, served: Path) -> str | None:
    """Return where the Jupyter server shows a file."""
    if not page.is_file() or not page.is_relative_to(served):
        return None
    return f"files/{quote(page.relative_to(served).as_posix())}"


def _size(folder: Path) -> int:
    """Add up the files of a folder, without following links; of a huge one only the first."""
    return sum(islice(_sizes(folder), _MOST_ENTRIES))


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, files in os.walk(folder):
        for file in files:
            try:
                found = os.lstat(os.path.join(place, file))
            except OSError:
                continue
            yield found.st_size if stat.S_ISREG(found.st_mode) else 0
