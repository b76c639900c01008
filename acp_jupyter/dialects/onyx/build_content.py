"""Content blocks and artifacts of build mode, and the base of its models: times, empty fields."""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

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
from acp_jupyter.errors import FileMissing, FileRefused, plain_reason
from acp_jupyter.protocol.content import OtherBlock
from acp_jupyter.protocol.files import INDEX, file_type
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.packets import TimedPacket
from acp_jupyter.protocol.parse.packet import read_timestamp


class BuildModel(Model):
    """Base of the models on the wire, which omit empty fields."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        fields: dict[str, JsonValue] = handler(self)
        if "timestamp" in fields:
            fields["timestamp"] = fields.pop("timestamp")  # last, as in Onyx
        return {name: value for name, value in fields.items() if value is not None}


def _now() -> datetime:
    return datetime.now(UTC)


def _moment(value: object) -> datetime:
    """Parse a time; if it is not valid, return the time of receipt."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    seconds = read_timestamp(value) if isinstance(value, str | int | float) else None
    return _now() if seconds is None else datetime.fromtimestamp(seconds, UTC)


_Time = Annotated[datetime, BeforeValidator(_moment), PlainSerializer(wire_time, return_type=str)]


class BuildTimed(BuildModel):
    """Base of packets, which all have a time."""

    timestamp: _Time = Field(default_factory=_now)


def packet_time(packet: TimedPacket) -> datetime:
    """Return a packet's time; the present time if it has none."""
    return _now() if packet.timestamp is None else datetime.fromtimestamp(packet.timestamp, UTC)


class TextContent(BuildModel):
    """A content block of text."""

    type: Literal["text"] = "text"
    text: str


class ImageContent(BuildModel):
    """An image, in base64."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str = Field(alias="mimeType")


class AudioContent(BuildModel):
    """A sound, in base64."""

    type: Literal["audio"] = "audio"
    data: str
    mime_type: str = Field(alias="mimeType")


class EmbeddedResourceContent(BuildModel):
    """A resource with its text; flat, while the protocol nests it."""

    type: Literal["embedded_resource"] = "embedded_resource"
    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = Field(default=None, alias="mimeType")


class ResourceLinkContent(BuildModel):
    """A link to a resource, with its size in bytes if known."""

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
    """Write a block that is not text; an unknown one keeps its text."""
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
        case _:
            return TextContent(text=block.text)


class ArtifactType(StrEnum):
    """The types of artifacts."""

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
    """A file or page that the agent made for the user to open, with its URLs."""

    id: str
    type: ArtifactType
    name: str
    path: str
    preview_url: str | None = None
    download_url: str | None = None
    mime_type: str | None = None
    size_bytes: int | None = None


_MAX_ENTRIES = 10_000
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
    file_path
        Relative to ``folder``; a folder is allowed, with or without a slash at its end.
    folder
        The session's folder; default: the working directory.
    served
        The root of the Jupyter server's files; default: ``folder``. URLs are relative to the
        server's URL. A file outside has no URL, nor has a folder without a page.
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
        raise FileRefused(f"{file_path!r} can't be read: {plain_reason(error)}.") from None
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
    """Add up the sizes of a folder's files, without following links; in a huge one the first."""
    return sum(islice(_sizes(folder), _MAX_ENTRIES))


def _sizes(folder: Path) -> Iterator[int]:
    for path, _, files in os.walk(folder):
        for file in files:
            try:
                found = os.lstat(os.path.join(path, file))
            except OSError:
                continue
            yield found.st_size if stat.S_ISREG(found.st_mode) else 0
