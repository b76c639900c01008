"""A notebook's history over HTTP: each step is what was on disk then."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.kernel.notebook_file import display_data, new_notebook, write_notebook
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.routes import finished, open_session, start_turn

PLOT = b"\x89PNG\r\n\x1a\n\0plot"
BOOK, RENAMED = "story/book.ipynb", "story/chapter.ipynb"

State = dict[str, str]
"""The content of each file by its hash."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("own_tools")
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        yield server


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def state_of(folder: Path) -> State:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".ipynb")
    return {path.relative_to(folder).as_posix(): hashed(path.read_bytes()) for path in files}


def sources_of(folder: Path) -> list[str]:
    (book,) = folder.glob("*.ipynb")
    return ["".join(cell["source"]) for cell in json.loads(book.read_text())["cells"]]


def with_plot(turn_id: str) -> str:
    """Return a notebook in one line that shows a plot, and the output of a turn."""
    notebook = new_notebook("plot()", "%%acp own_tools")
    plot = base64.b64encode(PLOT).decode()
    notebook.cells[0].outputs = [display_data(**{"image/png": plot, "text/html": "<b>plot</b>"})]
    output = display_data(**{"text/plain": "Done"})
    output.metadata = {"acp_jupyter": {turn_id: "session"}}
    notebook.cells[1].outputs = [output]
    return json.dumps(notebook)


@dataclass
class Story:
    """A notebook whose turns are of two sessions, and what was on disk before and after each."""

    server: JupyterServer
    user: httpx.Client
    turn_ids: list[str] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.server.root / "story"

    def note(self) -> None:
        self.states.append(state_of(self.folder))
        self.cells.append(sources_of(self.folder))

    def turn(self, session_id: str, deeds: str, kernel: KernelSide | None = None) -> None:
        asked = {"prompt": deeds, "origin": {"cell_id": "c"}}
        if kernel is None:
            turn_id = start_turn(self.user, session_id, deeds)
        else:
            path = f"sessions/{session_id}/prompt"
            turn_id = kernel.request("POST", path, asked).json()["turn_id"]
        finished(self.user, turn_id)
        self.turn_ids.append(turn_id)
        # It waits until all that the turn changed is known.
        self.user.get(f"turns/{turn_id}/changes").raise_for_status()
        self.note()

    def history(self, notebook: str, **query: Any) -> dict[str, Any]:
        answer = self.user.get("history", params={"notebook_path": notebook, **query})
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def steps(self, notebook: str) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = self.history(notebook)["steps"]
        return steps

    def expect_as_on_disk(self, notebook: str, turn_id: str, place: int, first: int = 0) -> None:
        """Build the folder from what is told of a moment; ``first``: the first state known."""
        before = {"before": True} if place == 0 else {}
        moment = self.history(notebook, turn_id=turn_id, **before)["moment"]
        assert (moment["words"], moment["cells_words"], moment["left_out"]) == ("", "", 0)
        state = dict(self.states[first])
        for told in moment["files"]:
            asked = {"turn_id": turn_id, "path": told["path"], **before}
            file = self.history(notebook, **asked)["file"]
            state.pop(told["old_path"], None)
            if told["change"] == "deleted":
                state.pop(told["path"])
            elif file["picture"]:
                state[told["path"]] = hashed(base64.b64decode(file["picture"]))
            else:
                state[told["path"]] = hashed(file["new_text"].encode())
        assert state == self.states[place]
        assert [cell["source"] for cell in moment["cells"]] == self.cells[place]


def rename(server: JupyterServer, user: httpx.Client, old: str, new: str) -> str:
    """Do what JupyterLab does, which knows its session; return that session's id."""
    sessions = user.get(f"{server.url}api/sessions").json()
    (name,) = [each["id"] for each in sessions if each["path"] == old]
    user.patch(f"{server.url}api/contents/{old}", json={"path": new}).raise_for_status()
    user.patch(f"{server.url}api/sessions/{name}", json={"path": new}).raise_for_status()
    return str(name)


@pytest.fixture(scope="module")
def story(server: JupyterServer) -> Iterator[Story]:
    with server.user() as user:
        story = Story(server, user)
        story.folder.mkdir()
        (story.folder / "a.py").write_text("zero\n")
        (story.folder / "gone").write_text("x")
        write_notebook(server.root / BOOK, new_notebook("1 + 1"))
        story.note()
        yield story


def test_every_step_is_what_was_on_disk_also_once_the_notebook_has_another_name(
    story: Story,
) -> None:
    server, user = story.server, story.user
    assert story.steps(BOOK) == []
    kernel = server.start_kernel(BOOK)
    fields = {"agent": "own_tools", "cwd": str(story.folder)}
    cells = kernel.request("POST", "sessions", fields).json()["session_id"]
    panel = open_session(user, new=True, notebook_path=BOOK, **fields)
    story.turn(cells, "write a.py one\\ntwo\\n", kernel)
    story.turn(panel, "write other.txt 1")
    story.turn(cells, "say Nothing", kernel)
    book = with_plot(story.turn_ids[0])
    deeds = f"write a.py three\nbytes plot.png {PLOT.hex()}\nwrite book.ipynb {book}"
    story.turn(cells, deeds, kernel)
    story.turn(panel, "rename a.py b.py\ndelete gone")
    jupyters = rename(server, user, BOOK, RENAMED)
    story.turn(cells, "write b.py four", kernel)

    steps = story.steps(RENAMED)
    assert [step["turn_id"] for step in steps] == story.turn_ids
    assert [step["files"] for step in steps] == [1, 1, 0, 2, 2, 1]
    assert {(step["kept"], step["running"], step["agent_name"]) for step in steps} == {
        (True, False, "own_tools")
    }
    for place, turn_id in enumerate([story.turn_ids[0], *story.turn_ids]):
        story.expect_as_on_disk(RENAMED, turn_id, place)
    moment = story.history(RENAMED, turn_id=story.turn_ids[3])["moment"]
    plot, output = (cell["outputs"][0]["data"] for cell in moment["cells"])
    assert (plot, output) == (
        {"image/png": base64.b64encode(PLOT).decode()},
        {"text/plain": "Done"},
    )

    # Without its kernel, the outputs in it say what it was called.
    user.delete(f"{server.url}api/sessions/{jupyters}").raise_for_status()
    assert story.steps(RENAMED) == steps
    assert kernel.request("GET", f"history?notebook_path={RENAMED}").status_code in {401, 403}

    # A copy that takes its place has had no turns: what was sent in the page is told by the path.
    (story.folder / "chapter.ipynb").rename(server.root / BOOK)
    (server.root / RENAMED).write_bytes((server.root / BOOK).read_bytes())
    left = [story.turn_ids[place] for place in (1, 4, 5)]
    assert [step["turn_id"] for step in story.steps(RENAMED)] == left
    (server.root / BOOK).unlink()


def test_going_back_takes_back_both_sessions_and_is_undone_at_once(story: Story) -> None:
    user, steps = story.user, story.steps(RENAMED)
    target = steps[2]
    later = [each["turn_id"] for each in steps[2:] if each["session_id"] != target["session_id"]]
    path = f"sessions/{target['session_id']}/rewind"
    asked = {"turn_id": target["turn_id"], "also": later}
    early = {**asked, "also": [steps[1]["turn_id"]]}
    assert user.post(path, json=early).json()["reason"] == "bad_request"

    (story.folder / "b.py").write_text("mine")
    refused = user.post(path, json=asked)
    assert refused.json()["reason"] == "changes_refused"
    assert "b.py was changed since the turn" in refused.json()["message"]
    (story.folder / "b.py").write_text("four")
    assert state_of(story.folder) == story.states[6]

    done = user.post(path, json=asked)
    assert done.status_code == 200, done.text
    assert (done.json()["turns"], state_of(story.folder)) == (4, story.states[2])
    left = story.steps(RENAMED)
    assert [step["prompt"] for step in left] == [step["prompt"] for step in steps[:2]]
    for place, step in enumerate(left, 1):
        story.expect_as_on_disk(RENAMED, step["turn_id"], place)

    made = done.json()["session"]["session_id"]
    user.post(f"sessions/{made}/undo-rewind").raise_for_status()
    assert state_of(story.folder) == story.states[6]
    assert story.steps(RENAMED) == steps


def test_what_is_not_kept_and_what_runs_is_said(story: Story) -> None:
    user, steps = story.user, story.steps(RENAMED)
    (repository,) = (story.server.root.parent / "data").rglob("checkpoints/*/refs")
    for moment in ("before", "after"):
        ref = f"refs/turns/{story.turn_ids[0]}/{moment}"
        git = ["git", f"--git-dir={repository.parent}", "update-ref", "-d", ref]
        subprocess.run(git, check=True)
    pruned, *others = story.steps(RENAMED)
    assert (pruned, others) == ({**steps[0], "kept": False}, steps[1:])
    moment = story.history(RENAMED, turn_id=story.turn_ids[0])["moment"]
    assert (moment["words"], moment["files"], moment["cells"]) == (
        "The state of the folder after this turn is no longer stored.",
        [],
        [],
    )
    story.expect_as_on_disk(RENAMED, story.turn_ids[4], 5, first=1)

    running = start_turn(user, steps[-1]["session_id"], "write c.py 1\nwait")
    # Not of its cells: the session was made for the notebook under its earlier name.
    last = story.steps(RENAMED)[-1]
    assert (last["turn_id"], last["running"], last["kept"]) == (running, True, False)
    assert "is still running" in story.history(RENAMED, turn_id=running)["moment"]["words"]
    asked = {"turn_id": steps[1]["turn_id"], "also": [running]}
    refused = user.post(f"sessions/{steps[1]['session_id']}/rewind", json=asked).json()
    assert refused["message"].startswith("A turn is running in another session")
    user.post(f"sessions/{steps[-1]['session_id']}/cancel").raise_for_status()
    finished(user, running)

    # A notebook that was deleted still has what it had.
    (story.server.root / RENAMED).unlink()
    story.expect_as_on_disk(RENAMED, story.turn_ids[-1], 6, first=1)
    for query, status in (
        ({"notebook_path": RENAMED, "turn_id": "none"}, 404),
        ({"notebook_path": RENAMED, "turn_id": story.turn_ids[-1], "path": "/etc/passwd"}, 400),
        ({"notebook_path": RENAMED, "path": "b.py"}, 400),
        ({"notebook_path": ""}, 400),
    ):
        assert user.get("history", params=query).status_code == status, query
