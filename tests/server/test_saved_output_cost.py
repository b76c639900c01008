"""What the saved outputs of a long notebook cost, in counts: only what has changed is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.server.stream import Page

TURNS = 12
SOURCE = "%%acp\nhi"
PATH, AGAIN = "long.ipynb", "again.ipynb"


class Notebook:
    """Asks for saved outputs as a page with the notebook does, and counts what it gets."""

    def __init__(self, page: Page, path: str = PATH) -> None:
        self._page = page
        self._known: dict[str, Any] = {"notebook_path": path}
        self.bytes = 0

    def ask(self, **fields: Any) -> list[str]:
        """Return the turns that are told."""
        result = self._page.command("get_records", **self._known, **fields)["result"]
        self.bytes = len(json.dumps(result))
        self._known |= {"after": result["number"], "epoch": result["epoch"]}
        return [output["turn_id"] for output in result["outputs"]]


@pytest.fixture
def page(server: JupyterServer) -> Iterator[Page]:
    with Page(server.stream()) as page:
        yield page


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
def test_only_what_has_changed_is_told(user: httpx.Client, page: Page, session_id: str) -> None:
    notebook = Notebook(page)
    assert notebook.ask() == []
    sizes: list[int] = []
    turns: list[dict[str, Any]] = []
    for cell in range(TURNS):
        turns.append(run(user, session_id, cell))
        assert notebook.ask() == [turns[-1]["turn_id"]]
        sizes.append(notebook.bytes)
        assert notebook.ask() == []
    assert sizes[-1] < 1.25 * sizes[2]
    turn_ids = [turn["turn_id"] for turn in turns]
    another = Notebook(page)
    assert another.ask() == turn_ids
    # A page that has the records in its file, the last of them while it still ran.
    opened = Notebook(page)
    assert opened.ask(ended_after=turns[-2]["queued_at"])[-2:] == turn_ids[-2:]
    assert opened.bytes < 4 * sizes[2]
    # One that the file has as running has ended while no page was there.
    running = [turn_ids[0], turn_ids[5]]
    assert Notebook(page).ask(ended_after=turns[-1]["ended_at"] + 60, unfinished=running) == running
    # Of another run of the server, numbers say nothing.
    assert Notebook(page).ask(after=10**6, epoch="another") == turn_ids


@pytest.mark.parametrize("session_id", [AGAIN], indirect=True)
def test_a_session_that_is_opened_again_is_told_whole(
    user: httpx.Client, page: Page, session_id: str
) -> None:
    notebook = Notebook(page, AGAIN)
    turn_id = run(user, session_id, 1, AGAIN)["turn_id"]
    assert notebook.ask() == [turn_id]
    user.post(f"sessions/{session_id}/close").raise_for_status()
    assert notebook.ask() == [turn_id]
    assert notebook.ask() == []


@pytest.mark.parametrize("session_id", ["secret.ipynb"], indirect=True)
def test_a_secret_that_becomes_known_later_leaves_earlier_outputs(
    user: httpx.Client, page: Page, session_id: str
) -> None:
    path = "secret.ipynb"
    opened, notebook = Notebook(page, path), Notebook(page, path)
    first = run(user, session_id, 1, path)
    assert notebook.ask() == [first["turn_id"]]
    cwd = Path(user.get(f"sessions/{session_id}").json()["cwd"])
    with (cwd / ".env.later").open("w") as file:
        file.write("API_KEY=hello-is-a-secret-from-now-on\n")
    try:
        second = run(user, session_id, 2, path)
        assert notebook.ask() == [first["turn_id"], second["turn_id"]]
        assert notebook.ask() == []
        # The file was written between the two: it may hold what is a secret now.
        assert opened.ask(ended_after=second["queued_at"]) == [first["turn_id"], second["turn_id"]]
    finally:
        (cwd / ".env.later").unlink()


@pytest.mark.parametrize("session_id", ["again_in_a_cell.ipynb"], indirect=True)
def test_an_older_turn_is_told_with_the_newest_of_its_cell(
    user: httpx.Client, page: Page, session_id: str
) -> None:
    path = "again_in_a_cell.ipynb"
    older = run(user, session_id, 1, path)
    newer = run(user, session_id, 1, path)
    told = Notebook(page, path).ask(
        ended_after=newer["ended_at"] + 60, unfinished=[older["turn_id"]]
    )
    assert told == [older["turn_id"], newer["turn_id"]]
