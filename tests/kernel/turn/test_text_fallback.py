"""What a waiting cell says below its turn about a page that may draw no widgets."""

from __future__ import annotations

import threading

import pytest

from acp_jupyter.kernel.turn import text_fallback


@pytest.mark.parametrize("met", [True, False])
def test_a_page_that_was_met_is_told_nothing(monkeypatch: pytest.MonkeyPatch, met: bool) -> None:
    page_met, shown = threading.Event(), list[bool]()

    def show(data: dict[str, str], display_id: str, *, update: bool) -> None:
        shown.append(bool(data))

    monkeypatch.setattr(text_fallback, "_MET_SECONDS", 0)
    monkeypatch.setattr(text_fallback, "_show", show)
    monkeypatch.setattr(text_fallback, "page_met", page_met)
    if met:
        page_met.set()
    before = threading.enumerate()
    with text_fallback.hint_while_waiting("t1", "s1"):
        for timer in threading.enumerate():
            if timer not in before:
                timer.join()
    assert shown == ([] if met else [True, False])
