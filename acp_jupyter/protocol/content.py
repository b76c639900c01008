"""Content blocks and the content of tool calls: types, and readers that accept any spelling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.objects import Model, Obj, count, first, text

Media = Literal["image", "audio"]
"""Content blocks that have data with a MIME type, in base64."""
BlockType = Literal[Media, "resource_link", "resource"]
"""Content blocks that are not text."""


class MediaFacts(NamedTuple):
    """What is known of one kind of media."""

    words: str
    """It in a sentence: *The agent can't take …*."""
    drawn: frozenset[str]
    """MIME types that every browser draws or plays."""


MEDIA: Mapping[Media, MediaFacts] = {
    "image": MediaFacts(
        "an image", frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
    ),
    "audio": MediaFacts(
        "sound",
        frozenset({"audio/wav", "audio/x-wav", "audio/mpeg", "audio/ogg", "audio/mp4"}),
    ),
}
BLOCK_TYPES = ("text", *MEDIA, "resource_link", "resource")
"""The types of content blocks that the protocol has."""


def media_of(value: JsonValue) -> Media | None:
    """Return a type of block if it is one of media."""
    return next((media for media in MEDIA if media == value), None)


class TextBlock(Model):
    """ACP: text content block."""

    type: Literal["text"] = "text"
    text: str


class OtherBlock(Model):
    """Any content block that is not text."""

    type: Literal[BlockType, "other"]
    data: str = ""
    mime_type: str = ""
    uri: str = ""
    name: str = ""
    text: str = ""
    size: int | None = None


ContentBlock = TextBlock | OtherBlock


class ToolContentBlock(Model):
    """ACP: tool call content of type ``content``."""

    type: Literal["content"] = "content"
    block: ContentBlock


class ToolDiff(Model):
    """ACP: tool call content of type ``diff``; ``old_text`` null for a new file."""

    type: Literal["diff"] = "diff"
    path: str
    old_text: str | None = None
    new_text: str = ""

    def is_new_file(self, *, exists: bool = False) -> bool:
        """Return whether this creates a file; ``exists`` if the tool says that it was there."""
        return self.old_text is None and not exists


class ToolTerminal(Model):
    """ACP: tool call content of type ``terminal``."""

    type: Literal["terminal"] = "terminal"
    terminal_id: str


ToolContent = TypeAliasType(
    "ToolContent",
    Annotated[ToolContentBlock | ToolDiff | ToolTerminal, Field(discriminator="type")],
)


def read_block(raw: JsonValue) -> ContentBlock | None:
    """Read a content block in any spelling; None if there is nothing to show.

    ``mediaType`` counts as ``mimeType``, and ``embedded_resource`` may be flat.
    """
    if isinstance(raw, str):
        return TextBlock(text=raw)
    if not isinstance(raw, dict):
        return None
    kind = raw.get("type")
    if kind == "text":  # first, as most are
        return TextBlock(text=text(raw.get("text")))
    if (media := media_of(kind)) is not None:
        return OtherBlock(
            type=media,
            data=text(raw.get("data")),
            mime_type=text(first(raw, "mimeType", "mediaType", "mime_type")),
            uri=text(raw.get("uri")),
        )
    match kind:
        case "resource_link":
            return OtherBlock(
                type="resource_link",
                uri=text(raw.get("uri")),
                name=text(first(raw, "title", "name")),
                mime_type=text(first(raw, "mimeType", "mime_type")),
                size=count(raw.get("size")),
            )
        case "resource" | "embedded_resource":
            inner = raw.get("resource")
            body = inner if isinstance(inner, dict) else raw
            return OtherBlock(
                type="resource",
                uri=text(body.get("uri")),
                name=text(body.get("uri")).rpartition("/")[2],
                text=text(body.get("text")),
                data=text(body.get("blob")),
                mime_type=text(first(body, "mimeType", "mime_type")),
            )
        case other:
            return OtherBlock(type="other", name=text(other), text=text(raw.get("text")))


def read_tool_content(raw: JsonValue) -> tuple[ToolContent, ...] | None:
    """Read a tool call's ``content``; None if it is absent or null.

    Items may have the ``content`` wrapper or lack it.
    """
    if raw is None:
        return None
    items = raw if isinstance(raw, list) else [raw]
    read = (_read_tool_item(item) for item in items)
    return tuple(item for item in read if item is not None)


def _read_tool_item(raw: JsonValue) -> ToolContent | None:
    if isinstance(raw, dict):
        match raw.get("type"):
            case "diff":
                return _read_diff(raw)
            case "terminal":
                return ToolTerminal(terminal_id=text(first(raw, "terminalId", "terminal_id")))
            case "content":
                raw = raw.get("content")
            case _:
                pass
    block = read_block(raw)
    return None if block is None else ToolContentBlock(block=block)


def first_diff(content: Iterable[ToolContent]) -> ToolDiff | None:
    """Return the first change of a file in a tool call's content."""
    return next((item for item in content if isinstance(item, ToolDiff)), None)


def _read_diff(raw: Obj) -> ToolDiff:
    old = first(raw, "oldText", "old_text")
    return ToolDiff(
        path=text(raw.get("path")),
        old_text=old if isinstance(old, str) and old else None,
        new_text=text(first(raw, "newText", "new_text")),
    )


_BEGIN = '<instructions from="the administrator of this server">\n'
_END = "\n</instructions>\n"


def text_content(text: str) -> Obj:
    """Return text as the content of a tool call."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def instructions_block(words: str) -> dict[str, JsonValue]:
    """Return a block with an administrator's instructions, to go before a prompt.

    The block is marked, so that an agent that replays the prompt doesn't show it as the user's
    text.
    """
    return {"type": "text", "text": f"{_BEGIN}{words}{_END}"}


_HISTORY = "<earlier-conversation>\n"
_END_OF_HISTORY = "\n</earlier-conversation>\n"


def history_block(history: str) -> dict[str, JsonValue]:
    """Return a block with the earlier conversation, for an agent that does not remember it."""
    return {"type": "text", "text": f"{_HISTORY}{history}{_END_OF_HISTORY}"}


_RAN = "<run-by-the-user>\n"
_END_OF_RAN = "\n</run-by-the-user>\n"


def ran_block(words: str) -> dict[str, JsonValue]:
    """Return a block with what the user has run for the agent since the last prompt."""
    return {"type": "text", "text": f"{_RAN}{words}{_END_OF_RAN}"}


def without_instructions(said: str) -> str:
    """Return a replayed prompt without the block at its beginning, if it has one."""
    begun, marked, rest = said.partition(_BEGIN)
    _, ended, prompt = rest.partition(_END)
    return prompt if marked and ended and not begun else said


def in_copy(blocks: Iterable[Obj], folder: str, copy: str) -> tuple[Obj, ...]:
    """Return content blocks whose file paths point into a copy of a folder."""
    old, new = (PurePath(path).as_uri() for path in (folder, copy))
    return tuple(_moved(block, old, new) for block in blocks)


def _moved(block: Obj, old: str, new: str) -> dict[str, JsonValue]:
    moved = dict(block)
    uri, resource = block.get("uri"), block.get("resource")
    if isinstance(uri, str) and uri.startswith(f"{old}/"):
        moved["uri"] = new + uri.removeprefix(old)
    if isinstance(resource, dict):
        moved["resource"] = _moved(resource, old, new)
    return moved
