"""What the extension adds to JupyterLab's start."""

from __future__ import annotations

from tests.support.labextension_bundle import LABEXTENSION, gzipped, loaded_at_start

_AIM = 150_000
"""Bytes, compressed, that the whole may weigh; most of it must come later."""
_BOUND = 106_000
"""What loads at once weighs about 104 kB: the next heavy import shows here."""


def test_little_is_loaded_before_anything_is_drawn() -> None:
    files = loaded_at_start()
    sizes = {file.name: gzipped(file.read_bytes()) for file in files}
    assert sum(sizes.values()) < _BOUND < _AIM, sizes


def test_the_views_and_what_draws_markdown_come_later() -> None:
    at_start = "".join(file.read_text() for file in loaded_at_start())
    later = "".join(
        file.read_text()
        for file in (LABEXTENSION / "static").glob("*.js")
        if file not in loaded_at_start()
    )
    # Words of DOMPurify, marked, and of our own composer: they outlive minifying.
    for word in ("isValidAttribute", "blockquote", "acp-compose"):
        assert word in later, word
    for word in ("isValidAttribute", "@ context, / commands"):
        assert word not in at_start, word
