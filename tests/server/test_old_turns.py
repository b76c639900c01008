"""What a server does not hold in memory any more is there all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.log.long_log import long_log
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import PATIENCE_SECONDS

MIB = 2**20
TURNS = 40
ITEMS = 21
"""Of each of these turns."""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("old")
    with JupyterServer(folder, agents=fake_agents("works")) as server, server.user() as user:
        yield user


def test_every_turn_of_a_long_session_is_whole(user: httpx.Client) -> None:
    content = long_log(TURNS)
    told = user.post(
        "import", content=content, params={"name": "long.jsonl"}, timeout=PATIENCE_SECONDS
    )
    session_id = told.raise_for_status().json()["session_id"]
    paged: list[dict[str, Any]] = []
    total = 1
    while len(paged) < total:
        span = {"start": len(paged), "end": len(paged) + 300}
        page = user.get(f"sessions/{session_id}/items", params=span).raise_for_status().json()
        assert page["items"]
        paged += page["items"]
        total = page["total"]
    assert [item["id"] for item in paged] == [f"i{place}" for place in range(total)]
    turn_ids = list(dict.fromkeys(item["turn_id"] for item in paged if item["turn_id"]))
    assert len(turn_ids) == TURNS
    for number, turn_id in enumerate(turn_ids):
        detail = user.get(f"turns/{turn_id}").raise_for_status().json()
        assert detail["turn"]["prompt"] == f"Prompt {number}: make it faster"
        assert detail["items"] == [item for item in paged if item["turn_id"] == turn_id]
        assert len(detail["items"]) == ITEMS
        assert f"Answer {number}.7." in detail["bundle"]["data"]["text/markdown"]


@pytest.mark.long
def test_a_turn_of_many_megabytes_comes_in_parts_that_are_not_too_long(user: httpx.Client) -> None:
    turn_id = start_turn(user, open_session(user, "works", new=True), "70")
    texts: list[str] = []
    detail = finished(user, turn_id)
    parts = 1
    while True:
        said = [item["text"] for item in detail["items"] if item["kind"] == "agent_message"]
        assert sum(map(len, said)) <= 32_000_000
        texts += said
        if detail["more"] is None:
            break
        start = {"start": detail["more"]}
        detail = user.get(f"turns/{turn_id}", params=start).raise_for_status().json()
        parts += 1
    assert [len(text) for text in texts] == [MIB] * 70
    assert parts == 3
