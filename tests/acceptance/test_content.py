"""Content blocks and tool call content, in every spelling."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.content import ToolDiff, read_block, read_tool_content

Json = dict[str, Any]

NOTHING: Json = {"data": "", "mime_type": "", "uri": "", "name": "", "text": "", "size": None}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            {"type": "image", "data": "x", "mimeType": "image/png", "uri": "file:///a.png"},
            {"type": "image", "data": "x", "mime_type": "image/png", "uri": "file:///a.png"},
        ),
        ({"type": "image", "data": "x"}, {"type": "image", "data": "x"}),
        (
            {"type": "audio", "data": "x", "mediaType": "audio/wav"},
            {"type": "audio", "data": "x", "mime_type": "audio/wav"},
        ),
        ({"type": "audio", "mime_type": "audio/wav"}, {"type": "audio", "mime_type": "audio/wav"}),
    ],
    ids=str,
)
def test_images_and_audio(raw: Json, expected: Json) -> None:
    """S3.29, S3.30, S4.10, C9: three spellings of a MIME type."""
    block = read_block(raw)
    assert block is not None
    assert block.model_dump() == {**NOTHING, **expected}


LINK: Json = {"type": "resource_link", "uri": "file:///d/file.txt", "size": 1024}
NAMED = {"uri": "file:///d/file.txt", "name": "file.txt", "mime_type": "text/plain", "size": 1024}


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "file.txt", "mimeType": "text/plain"},
        {"title": "file.txt", "name": "f", "mimeType": "text/plain"},
        {"name": "file.txt", "mime_type": "text/plain"},
    ],
    ids=str,
)
def test_links(fields: Json) -> None:
    """S3.32: name, type and size; a title says more than a name."""
    block = read_block({**LINK, **fields})
    assert block is not None
    assert block.model_dump() == {**NOTHING, **NAMED, "type": "resource_link"}


@pytest.mark.parametrize("wrap", [True, False])
@pytest.mark.parametrize("kind", ["resource", "embedded_resource"])
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "Resource contents...", "mimeType": "text/plain"}, {"mime_type": "text/plain"}),
        ({"text": "Resource contents...", "mime_type": "text/plain"}, {"mime_type": "text/plain"}),
        ({"blob": "AAA="}, {"data": "AAA=", "text": ""}),
    ],
    ids=str,
)
def test_embedded_resources(wrap: bool, kind: str, fields: Json, expected: Json) -> None:
    """S3.31, C9: flat and wrapped, by either name; the name is the end of the URI."""
    inner: Json = {"uri": "file:///path/to/file", **fields}
    block = read_block({"type": kind, "resource": inner} if wrap else {"type": kind, **inner})
    assert block is not None
    named = {"type": "resource", "uri": "file:///path/to/file", "name": "file"}
    assert block.model_dump() == {**NOTHING, **named, "text": "Resource contents...", **expected}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("words", {"type": "text", "text": "words"}),
        ({"type": "text", "text": "Hello world"}, {"type": "text", "text": "Hello world"}),
        ({"type": "text"}, {"type": "text", "text": ""}),
        (
            {"type": "hologram", "text": "t"},
            {**NOTHING, "type": "other", "name": "hologram", "text": "t"},
        ),
        (5, None),
        (None, None),
    ],
    ids=str,
)
def test_text_and_what_nobody_knows(raw: Any, expected: Json | None) -> None:
    """S3.28: an unknown block keeps its name and what text it has."""
    block = read_block(raw)
    assert (None if block is None else block.model_dump()) == expected


TEXT: Json = {"type": "text", "text": "t"}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"type": "content", "content": TEXT}, {"type": "content", "block": TEXT}),
        (TEXT, {"type": "content", "block": TEXT}),
        ("t", {"type": "content", "block": TEXT}),
        (
            {"type": "diff", "path": "/a", "oldText": "o", "newText": "n"},
            {"type": "diff", "path": "/a", "old_text": "o", "new_text": "n"},
        ),
        (
            {"type": "diff", "path": "/a", "old_text": "o", "new_text": "n"},
            {"type": "diff", "path": "/a", "old_text": "o", "new_text": "n"},
        ),
        (
            {"type": "diff", "path": "/a", "oldText": ""},
            {"type": "diff", "path": "/a", "old_text": None, "new_text": ""},
        ),
        ({"type": "terminal", "terminalId": "t1"}, {"type": "terminal", "terminal_id": "t1"}),
        ({"type": "terminal", "terminal_id": "t1"}, {"type": "terminal", "terminal_id": "t1"}),
    ],
    ids=str,
)
def test_items_of_a_tool_call(raw: Any, expected: Json) -> None:
    """S1.27, S1.28, S4.6, C6, C8: with and without a wrapper, one item or a list."""
    for content in (raw, [raw], [None, raw, 5]):
        items = read_tool_content(content)
        assert items is not None
        assert [item.model_dump() for item in items] == [expected]
    assert ToolDiff(path="/a").new_text == ""
    assert read_tool_content(None) is None
    assert read_tool_content([]) == ()
