"""The kinds of content blocks, which one table names."""

from __future__ import annotations

from typing import get_args

from acp_jupyter.protocol.content import BLOCK_TYPES, MEDIA, BlockType, Media


def test_each_kind_of_media_has_its_row() -> None:
    assert set(MEDIA) == set(get_args(Media))
    assert set(BLOCK_TYPES) == {"text", *get_args(BlockType)}


def test_browsers_draw_some_of_each_kind() -> None:
    for media, facts in MEDIA.items():
        assert facts.drawn
        assert all(mime.startswith(f"{media}/") for mime in facts.drawn)
