"""What the saved outputs of a long notebook cost, in counts: only what has changed is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.api import finished, open_session, start_turn

TURNS = 40
SOURCE = "%%acp\nhi"
PATH, AGAIN = "long.ipynb", "again.ipynb"


class Page:
    """Asks for saved outputs as a page with the notebook does, and counts what it gets."""

    def __init__(self, user: httpx.Client, path: str = PATH) -> None:
        self._user = user
        self._known: dict[str, Any] = {"notebook_path": path}
        self.bytes = 0

    def ask(self, **fields: Any) -> list[str]:
        """Return the turns that are told."""
        told = self._user.get("records", params={**self._known, **fields}).raise_for_status()
        self.bytes = len(told.content)
        result = told.json()
        self._known |= {"after": result["number"], "epoch": result["epoch"]}
        return [output["turn_id"] for output in result["outputs"]]


@pytest.fixture
def session_id(user: httpx.Client, request: pytest.FixtureRequest) -> Iterator[str]:
    session_id = open_session(user, "hello", new=True, notebook_path=request.param)
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def run(user: httpx.Client, session_id: str, cell: int, path: str = PATH) -> dict[str, Any]:
    origin = {"notebook_path": path, "cell_id": f"c{cell}", "source": SOURCE}
    turn: dict[str, Any] = finished(user, start_turn(user, session_id, "hi", origin=origin))["turn"]
    return turn


@pytest.mark.parametrize("session_id", [PATH], indirect=True)
def test_the_fortieth_turn_brings_what_the_third_does(user: httpx.Client, session_id: str) -> None:
    page = Page(user)
    assert page.ask() == []
    sizes: list[int] = []
    turns: list[dict[str, Any]] = []
    for cell in range(TURNS):
        turns.append(run(user, session_id, cell))
        assert page.ask() == [turns[-1]["turn_id"]]
        sizes.append(page.bytes)
        assert page.ask() == []
    assert sizes[-1] < 1.25 * sizes[2]
    turn_ids = [turn["turn_id"] for turn in turns]
    another = Page(user)
    assert another.ask() == turn_ids
    # A page that has the records in its file, the last of them while it still ran.
    opened = Page(user)
    assert opened.ask(ended_after=turns[-3]["ended_at"]) == turn_ids[-2:]
    assert opened.bytes < 3 * sizes[2]
    # Of another run of the server, numbers say nothing.
    assert Page(user).ask(after=10**6, epoch="another") == turn_ids


@pytest.mark.parametrize("session_id", [AGAIN], indirect=True)
def test_a_session_that_is_opened_again_is_told_whole(user: httpx.Client, session_id: str) -> None:
    page = Page(user, AGAIN)
    turn_id = run(user, session_id, 1, AGAIN)["turn_id"]
    assert page.ask() == [turn_id]
    user.post(f"sessions/{session_id}/close").raise_for_status()
    assert page.ask() == [turn_id]
    assert page.ask() == []
