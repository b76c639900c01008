"""Artifacts and written files: packets, readers, file types and paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from acp_jupyter.protocol.objects import Obj, count, first, text
from acp_jupyter.protocol.packets import PacketModel, TimedPacket
from acp_jupyter.system.windows.paths import is_windows_path, relative_to

ArtifactType = Literal[
    "web_app",
    "markdown",
    "image",
    "csv",
    "excel",
    "pptx",
    "docx",
    "pdf",
    "code",
    "other",
]
"""The kind of an artifact. Onyx's ``nextjs_app`` is read as ``web_app``, its ``file`` as
``other``."""


class ArtifactInfo(PacketModel):
    """A file or folder that the agent made and that is worth opening."""

    id: str
    type: ArtifactType = "other"
    name: str = ""
    path: str = ""
    preview_url: str = ""
    download_url: str = ""
    mime_type: str = ""
    size_bytes: int | None = None


class ArtifactCreated(TimedPacket):
    """An artifact was made: reported by the agent, or found in the folder after a turn."""

    type: Literal["artifact_created"] = "artifact_created"
    artifact: ArtifactInfo


class FileWrite(TimedPacket):
    """A file was written."""

    type: Literal["file_write"] = "file_write"
    path: str
    size_bytes: int | None = None
    operation: str = "create"


_ARTIFACTS: dict[str, ArtifactType] = {
    "web_app": "web_app",
    "nextjs_app": "web_app",
    "markdown": "markdown",
    "image": "image",
    "csv": "csv",
    "excel": "excel",
    "pptx": "pptx",
    "docx": "docx",
    "pdf": "pdf",
    "code": "code",
}
"""The types by their names in packets; any other name is ``other``."""


def read_artifact(raw: Obj) -> ArtifactCreated | None:
    """Read an artifact; None if there is none."""
    body = raw.get("artifact")
    if not isinstance(body, dict):
        return None
    path = text(body.get("path"))
    return ArtifactCreated(
        artifact=ArtifactInfo(
            id=text(body.get("id")) or path,
            type=_ARTIFACTS.get(text(body.get("type")), "other"),
            name=text(body.get("name")) or path,
            path=path,
            preview_url=text(first(body, "preview_url", "previewUrl")),
            download_url=text(first(body, "download_url", "downloadUrl")),
            mime_type=text(first(body, "mime_type", "mimeType")),
            size_bytes=count(first(body, "size_bytes", "sizeBytes")),
        )
    )


def read_file_write(raw: Obj) -> FileWrite | None:
    """Read a written file; None if it has no path."""
    path = text(raw.get("path"))
    if not path:
        return None
    return FileWrite(
        path=path,
        size_bytes=count(first(raw, "size_bytes", "sizeBytes")),
        operation=text(raw.get("operation")) or "create",
    )


INDEX = "index.html"
"""The page to open in a folder that is a web app."""


@dataclass(frozen=True, slots=True)
class FileType:
    """The type of a file: a name for people, and a MIME type."""

    artifact: ArtifactType
    mime: str = ""
    """Empty if there is no common one."""


_OFFICE = "application/vnd.openxmlformats-officedocument"

_TYPES = {
    FileType("web_app", "text/html"): "html htm",
    FileType("markdown", "text/markdown"): "md markdown",
    FileType("image", "image/png"): "png",
    FileType("image", "image/jpeg"): "jpg jpeg",
    FileType("image", "image/gif"): "gif",
    FileType("image", "image/webp"): "webp",
    FileType("image", "image/avif"): "avif",
    FileType("image", "image/bmp"): "bmp",
    FileType("image", "image/tiff"): "tif tiff",
    FileType("image", "image/svg+xml"): "svg",
    FileType("csv", "text/csv"): "csv",
    FileType("csv", "text/tab-separated-values"): "tsv",
    FileType("excel", f"{_OFFICE}.spreadsheetml.sheet"): "xlsx",
    FileType("excel", "application/vnd.ms-excel"): "xls xlsm xlsb",
    FileType("pptx", f"{_OFFICE}.presentationml.presentation"): "pptx",
    FileType("pptx", "application/vnd.ms-powerpoint"): "ppt",
    FileType("docx", f"{_OFFICE}.wordprocessingml.document"): "docx",
    FileType("docx", "application/msword"): "doc",
    FileType("pdf", "application/pdf"): "pdf",
    FileType("code", "text/x-python"): "py pyi",
    FileType("code", "text/javascript"): "js mjs cjs",
    FileType("code", "text/css"): "css",
    FileType("code"): (
        "bash c cc clj cpp cs cu cxx dart ex exs f90 go h hpp hs java jl jsx kt lua m ml php pl "
        "ps1 pyx r rb rs scala scss sh sql swift ts tsx vue zsh"
    ),
}
_BY_SUFFIX = {f".{suffix}": kind for kind, names in _TYPES.items() for suffix in names.split()}
_OTHER = FileType("other")


def file_type(path: str) -> FileType:
    """Return the type of the file at ``path``; ``other`` if the name doesn't tell."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), _OTHER)


_ARTIFACT_NAMES: dict[ArtifactType, str] = {
    "web_app": "Web app",
    "markdown": "Markdown",
    "image": "Image",
    "csv": "CSV",
    "excel": "Excel",
    "pptx": "PowerPoint",
    "docx": "Word",
    "pdf": "PDF",
    "code": "Code",
    "other": "File",
}

_OPERATIONS = {
    "create": "Created",
    "update": "Changed",
    "edit": "Changed",
    "append": "Changed",
    "delete": "Deleted",
}


def artifact_type_name(artifact_type: ArtifactType) -> str:
    """Return the name of an artifact's type for people."""
    return _ARTIFACT_NAMES[artifact_type]


def file_operation_title(operation: str) -> str:
    """Return the verb for what was done to a file, for people."""
    return _OPERATIONS.get(operation, "Wrote")


_OUTPUTS = re.compile(r"/outputs/(.+)\Z")
_SANDBOX = re.compile(r"/sandboxes/[^/]+/(.+)\Z")


def get_relative_path(full_path: str) -> str:
    """Return the part of a path below the outputs or the sandbox, else the base name.

    Live views use `relative_path`, since two files can have the same base name.
    """
    found = _OUTPUTS.search(full_path) or _SANDBOX.search(full_path)
    return found[1] if found else full_path.rpartition("/")[2]


def relative_path(path: str, cwd: str) -> str:
    """Make a path relative to the session's folder if it is inside it."""
    if not path:
        return ""
    if is_windows_path(path) and is_windows_path(cwd):
        inside = relative_to(path, cwd)
        return path.replace("\\", "/") if inside is None else inside
    normal = path.replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/")
    if normal == root:
        return "."
    return normal.removeprefix(root + "/") if root else normal


def with_relative_paths(words: str, cwd: str) -> str:
    """Make the paths in a title relative to the session's folder."""
    root = cwd.rstrip("/")
    if not root or root not in words:
        return words
    paths = rf"(?<![\w./-]){re.escape(root)}(/|(?![\w./-]))"
    return re.sub(paths, lambda found: "" if found[1] else ".", words)


_UNITS = ("kB", "MB", "GB")


def human_size(size_bytes: int) -> str:
    """Return a size as people read it, in decimal units: ``1.0 kB``, ``24 B``."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    power = 1
    while size_bytes >= 999.95 * 1000**power and power < len(_UNITS):
        power += 1
    return f"{size_bytes / 1000**power:.1f} {_UNITS[power - 1]}"
