"""Artifacts and written files, from objects of any spelling."""

from __future__ import annotations

from acp_jupyter.packets.json_fields import Obj, count, first, text
from acp_jupyter.packets.made_models import ArtifactCreated, ArtifactInfo, ArtifactType, FileWrite

__all__ = ["artifact", "file_write"]

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
"""S3.24, S1.41; any other is ``other`` (C15)."""


def artifact(raw: Obj) -> ArtifactCreated | None:
    """S1.41, S3.23."""
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


def file_write(raw: Obj) -> FileWrite | None:
    """S3.22."""
    path = text(raw.get("path"))
    if not path:
        return None
    return FileWrite(
        path=path,
        size_bytes=count(first(raw, "size_bytes", "sizeBytes")),
        operation=text(raw.get("operation")) or "create",
    )
