"""Which of the files that a turn made are worth opening (C28)."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable

from acp_jupyter.host.file_changes.scan import FileChanged, FolderScan
from acp_jupyter.protocol.artifacts import INDEX, ArtifactInfo, file_type

__all__ = ["made_artifacts"]

_IN_SIGHT = {"code", "markdown"}
"""Where the turn shows their diff, they are not shown again."""


def made_artifacts(
    found: Iterable[FileChanged], before: FolderScan, after: FolderScan, shown: Collection[str]
) -> tuple[ArtifactInfo, ...]:
    """Return the artifacts among a turn's changes, in the order of their paths.

    A new folder with an ``index.html`` is one web app. Hidden files are none.

    Parameters
    ----------
    found
        What the turn changed.
    before, after
        The folder then and now.
    shown
        Paths of the diffs that the turn shows.
    """
    made = [c.path for c in found if c.how == "made" and not _hidden(c.path)]
    known = {folder for path in before.files for folder in _folders(path)}
    apps = _web_apps(made, known)
    loose = (p for p in made if not any(f in apps for f in _folders(p)))
    files = [_artifact(path, path, after) for path in loose if _is_worth(path, shown)]
    folders = [_artifact(app, f"{app}/{INDEX}", after) for app in apps]
    return tuple(sorted((*files, *folders), key=lambda artifact: artifact.path))


def _hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _folders(path: str) -> list[str]:
    """Return the folders that a file lies in, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def _web_apps(files: Iterable[str], known: Collection[str]) -> set[str]:
    """Return the new folders that hold a page, without those within another of them."""
    pages = (posixpath.dirname(path) for path in files if posixpath.basename(path) == INDEX)
    new = {folder for folder in pages if folder and folder not in known}
    return {app for app in new if not any(f in new for f in _folders(app))}


def _is_worth(path: str, shown: Collection[str]) -> bool:
    kind = file_type(path).artifact
    return kind != "other" and not (kind in _IN_SIGHT and path in shown)


def _artifact(name: str, path: str, after: FolderScan) -> ArtifactInfo:
    kind = file_type(path)
    return ArtifactInfo(
        id=path,
        type=kind.artifact,
        name=posixpath.basename(name),
        path=path,
        mime_type=kind.mime,
        size_bytes=after.files[path].size if name == path else None,
    )
