"""Packets about what a turn made."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.models import PacketModel, TimedPacket

__all__ = ["ArtifactCreated", "ArtifactInfo", "ArtifactType", "FileWrite"]

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
"""S3.24; seed 000's two others are read as ``web_app`` and ``other`` (C15)."""


class ArtifactInfo(PacketModel):
    """Something that was made and is worth opening (S1.41, S3.23)."""

    id: str
    type: ArtifactType = "other"
    name: str = ""
    path: str = ""
    preview_url: str = ""
    download_url: str = ""
    mime_type: str = ""
    size_bytes: int | None = None


class ArtifactCreated(TimedPacket):
    """S1.41, S3.23, C28."""

    type: Literal["artifact_created"] = "artifact_created"
    artifact: ArtifactInfo


class FileWrite(TimedPacket):
    """S3.22."""

    type: Literal["file_write"] = "file_write"
    path: str
    size_bytes: int | None = None
    operation: str = "create"
