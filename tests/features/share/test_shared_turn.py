"""The shared turn of the README is what *Share* would write of it today."""

from __future__ import annotations

import re

from scripts.features.share.gen import TARGET, page

_MOVES = r'<script type="text/plain".*(?=</body>)|<style>.*?</style>|sha256-[\w+/=]+'


def test_the_shared_turn_is_current_and_small() -> None:
    """``make gen`` writes it. The packed view in it may be older, or each change of it would."""
    written = TARGET.read_text(encoding="utf-8")
    assert len(written.encode()) < 300_000
    old, new = (re.sub(_MOVES, "", text, flags=re.DOTALL) for text in (written, page()))
    assert old == new
    assert "record_and_replay/clean.py" in new
