"""A turn of very many items, told in parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, start_turn

COUNT = 2_500


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("long")
    with JupyterServer(folder, agents=fake_agents("hostile")) as server, server.user() as user:
        yield user


def test_all_items_come_and_the_record_says_what_it_leaves_out(user: httpx.Client) -> None:
    prompt = json.dumps({"load": "calls", "count": COUNT})
    turn_id = start_turn(user, open_session(user, "hostile", new=True), prompt)
    detail = finished(user, turn_id)
    record = detail["bundle"]["data"]
    items, more = detail["items"], detail["more"]
    while more is not None:
        part = user.get(f"turns/{turn_id}", params={"start": more}).raise_for_status().json()
        assert part["bundle"] is None
        assert 0 < len(part["items"]) <= 1_000
        items += part["items"]
        more = part["more"]
    assert [item["id"] for item in items] == [f"i{place}" for place in range(COUNT + 2)]
    calls = items[1:-1]
    assert [call["command"] for call in calls] == [f"make step-{n}" for n in range(COUNT)]
    assert {call["status"] for call in calls} == {"completed"}
    assert "earlier items are not saved here" in record["text/markdown"]
