"""Content blocks and artifacts of build mode, and the base of its models: times, empty fields."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from typing_extensions import TypeAliasType

from acp_jupyter.dialects.onyx.packet_writer import wire_time
from acp_jupyter.protocol.content import OtherBlock
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.packets import TimedPacket
from acp_jupyter.protocol.parse.packet import read_timestamp


class BuildModel(Model):
    """Base of what stands on the wire; fields that say nothing are left out there."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        said: dict[str, JsonValue] = handler(self)
        if "timestamp" in said:
            said["timestamp"] = said.pop("timestamp")  # the last, as in the seed
        return {name: value for name, value in said.items() if value is not None}


def _now() -> datetime:
    return datetime.now(UTC)


def _moment(value: object) -> datetime:
    """Read a time; C14: for none that makes sense it is that of the receipt."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    seconds = read_timestamp(value) if isinstance(value, str | int | float) else None
    return _now() if seconds is None else datetime.fromtimestamp(seconds, UTC)


_Time = Annotated[datetime, BeforeValidator(_moment), PlainSerializer(wire_time, return_type=str)]


class BuildTimed(BuildModel):
    """Base of packets: each has a time (S3.3)."""

    timestamp: _Time = Field(default_factory=_now)


def packet_time(packet: TimedPacket) -> datetime:
    """Return a packet's time; for one that was never stamped it is now."""
    return _now() if packet.timestamp is None else datetime.fromtimestamp(packet.timestamp, UTC)


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
