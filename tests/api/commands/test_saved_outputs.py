"""The saved outputs of a long notebook: a turn costs the same however many came before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_json

from acp_jupyter.api.models.turns import GetSavedOutputs, SavedOutputs
from acp_jupyter.protocol.host_events.notes import Origin
from tests.support.host.driver import driving
from tests.support.host.restarts import Server
from tests.support.server.jupyter_server import fake_agents

_PATH = "long.ipynb"
_SOURCE = "%%acp\nhi"


@pytest.mark.parametrize("last", [40, pytest.param(300, marks=pytest.mark.long)])
def test_the_last_turn_brings_what_the_third_does(tmp_path: Path, last: int) -> None:
    sizes: dict[int, int] = {}
    with driving(tmp_path, fake_agents("hello")) as driver:
        server = Server(driver.host, driver.root)
        session = driver.open("hello", notebook_path=_PATH)
        known: dict[str, Any] = {}
        for number in range(1, last + 1):
            origin = Origin(notebook_path=_PATH, cell_id=f"c{number}", source=_SOURCE)
            turn_id = driver.done(session, driver.prompt(session, "hi", origin=origin)).turn_id
            told = server.send(GetSavedOutputs(notebook_path=_PATH, **known))
            assert isinstance(told, SavedOutputs)
            assert [output.turn_id for output in told.outputs] == [turn_id]
            sizes[number] = len(to_json(told))
            known = {"after": told.number, "epoch": told.epoch}
    assert sizes[last] < 1.25 * sizes[3]


def test_what_ended_before_a_notebook_was_saved_is_not_told_again(tmp_path: Path) -> None:
    with driving(tmp_path, fake_agents("hello")) as driver:
        server = Server(driver.host, driver.root)
        session = driver.open("hello", notebook_path=_PATH)

        def told(**more: Any) -> list[str]:
            reply = server.send(GetSavedOutputs(notebook_path=_PATH, **more))
            assert isinstance(reply, SavedOutputs)
            return [output.turn_id for output in reply.outputs]

        turns = []
        for cell in ("c1", "c2"):
            origin = Origin(notebook_path=_PATH, cell_id=cell, source=_SOURCE)
            turns.append(driver.done(session, driver.prompt(session, "hi", origin=origin)))
        first, second = turns
        assert told() == [first.turn_id, second.turn_id]
        assert second.ended_at is not None
        assert told(ended_after=second.ended_at + 60) == []
