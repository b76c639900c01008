"""Widgets that are served from their own kernel."""

from __future__ import annotations

from weakref import WeakSet

import pytest

from acp_jupyter.kernel.turn import comm_channel


class FakeWidget:
    """Shows a turn; a page has it open or not."""

    def __init__(self, turn_id: str, comm: object) -> None:
        self.turn_id = turn_id
        self.comm = comm


def test_the_widgets_of_a_turn_are_those_that_a_page_has_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown, other, closed = FakeWidget("t1", 1), FakeWidget("t2", 1), FakeWidget("t1", None)
    monkeypatch.setattr(comm_channel, "_served", WeakSet([shown, other, closed]))
    found: list[object] = [*comm_channel.widgets_of("t1")]
    assert found == [shown]
