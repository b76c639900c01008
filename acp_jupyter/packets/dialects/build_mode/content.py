"""Content blocks and artifacts of seed 002, as they stand on the wire."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.packets.content import OtherBlock
from acp_jupyter.packets.dialects.build_mode.base import BuildModel

__all__ = [
    "Artifact",
    "ArtifactType",
    "AudioContent",
    "BuildContent",
    "EmbeddedResourceContent",
    "ImageContent",
    "ResourceLinkContent",
    "TextContent",
    "build_content",
]


class TextContent(BuildModel):
    """S3.28."""

    type: Literal["text"] = "text"
    text: str


class ImageContent(BuildModel):
    """S3.29."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str = Field(alias="mimeType")


class AudioContent(BuildModel):
    """S3.30."""

    type: Literal["audio"] = "audio"
    data: str
    mime_type: str = Field(alias="mimeType")


class EmbeddedResourceContent(BuildModel):
    """S3.31, C9: flat, where the protocol nests it."""

    type: Literal["embedded_resource"] = "embedded_resource"
    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = Field(default=None, alias="mimeType")


class ResourceLinkContent(BuildModel):
    """S3.32."""

    type: Literal["resource_link"] = "resource_link"
    uri: str
    name: str
    mime_type: str | None = Field(default=None, alias="mimeType")
    size: int | None = None


BuildContent = TypeAliasType(
    "BuildContent",
    Annotated[
        TextContent | ImageContent | AudioContent | EmbeddedResourceContent | ResourceLinkContent,
        Field(discriminator="type"),
    ],
)


def build_content(block: OtherBlock) -> BuildContent:
    """Write a block that is not text; of one that nobody knows the words are kept."""
    mime_type = block.mime_type or None
    match block.type:
        case "image":
            return ImageContent(data=block.data, mime_type=block.mime_type)
        case "audio":
            return AudioContent(data=block.data, mime_type=block.mime_type)
        case "resource_link":
            return ResourceLinkContent(
                uri=block.uri, name=block.name, mime_type=mime_type, size=block.size
            )
        case "resource":
            return EmbeddedResourceContent(
                uri=block.uri,
                text=block.text or None,
                blob=block.data or None,
                mime_type=mime_type,
            )
        case "other":
            return TextContent(text=block.text)


class ArtifactType(StrEnum):
    """S3.24; other words are read as C15 says."""

    WEB_APP = "web_app"
    MARKDOWN = "markdown"
    IMAGE = "image"
    CSV = "csv"
    EXCEL = "excel"
    PPTX = "pptx"
    DOCX = "docx"
    PDF = "pdf"
    CODE = "code"
    OTHER = "other"

    @classmethod
    def _missing_(cls, value: object) -> ArtifactType:
        return cls.WEB_APP if value == "nextjs_app" else cls.OTHER


class Artifact(BuildModel):
    """S3.23."""

    id: str
    type: ArtifactType
    name: str
    path: str
    preview_url: str | None = None
    download_url: str | None = None
    mime_type: str | None = None
    size_bytes: int | None = None
