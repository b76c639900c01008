"""Which kind of artifact a file is, by its name (S3.24, C28)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from acp_jupyter.packets.made_models import ArtifactType

__all__ = ["INDEX", "FileType", "file_type"]

INDEX = "index.html"
"""The page of a folder that is a web app."""


@dataclass(frozen=True, slots=True)
class FileType:
    """What a file is, for people and for programs."""

    artifact: ArtifactType
    mime: str = ""
    """Empty where there is no common one."""


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
    """Return what kind of file ``path`` names; ``other`` for a name that says nothing."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), _OTHER)
