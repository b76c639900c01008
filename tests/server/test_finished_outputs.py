"""Turns that end while no page has their notebook: the server puts their records into the file."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import nbformat
import pytest
from nbformat.reader import NotJSONError

from acp_jupyter.transcript.output.record import RUNS_KEY
from tests.support.kernel.notebook_file import (
    WIDGET_MIME,
    display_data,
    is_final,
    new_notebook,
    read_notebook,
    write_notebook,
)
from tests.support.server.jupyter_server import JupyterServer, KernelSide
from tests.support.server.routes import finished, pending
from tests.support.wait import eventually

PROMPT = "%%acp permission\nhi"


class Book:
    """A notebook of two cells, of which the first is a prompt, with its kernel; no page has it."""

    def __init__(self, server: JupyterServer, agent: str) -> None:
        self.path = f"{uuid.uuid4().hex}.ipynb"
        self.file: Path = server.root / self.path
        self.kernel: KernelSide = server.start_kernel(self.path)
        created = self.kernel.request("POST", "sessions", {"agent": agent}).json()
        self.session_id = str(created["session_id"])

    def write(
        self, *outputs: Any, source: str = PROMPT, shown: dict[str, Any] | None = None
    ) -> None:
        notebook = new_notebook(source, "1 + 1")
        notebook.cells[0].id = "first"
        notebook.cells[0].outputs = list(outputs)
        notebook.cells[0].metadata = {} if shown is None else {"acp_shown": shown}
        notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text="2\n")]  # type: ignore[no-untyped-call]
        write_notebook(self.file, notebook)

    def prompt(self, *, cell_id: str = "first", text: str = "hi") -> str:
        origin = {"cell_id": cell_id, "source": PROMPT}
        answer = self.kernel.request(
            "POST", f"sessions/{self.session_id}/prompt", {"prompt": text, "origin": origin}
        )
        return str(answer.json()["turn_id"])

    def widget(self, turn_id: str) -> Any:
        """The output of a page that shows a widget."""
        output = display_data(**{WIDGET_MIME: {"model_id": "gone"}, "text/plain": "Turn running…"})
        output.metadata[RUNS_KEY] = {turn_id: self.session_id}
        return output

    def _read(self) -> Any:
        try:
            return read_notebook(self.file)
        except NotJSONError:  # it is being written
            return None

    def outputs(self) -> list[Any]:
        """Return what the prompt's cell has; the other one must be as it was."""
        first, other = eventually(self._read, what="the notebook is whole").cells
        assert [output.text for output in other.outputs] == ["2\n"]
        return list(first.outputs)


@pytest.fixture(autouse=True)
def _leaves_no_session(user: httpx.Client) -> Iterator[None]:
    """The server is that of other tests, too."""
    before = {each["session_id"] for each in user.get("sessions").json()}
    yield
    for session_id in {each["session_id"] for each in user.get("sessions").json()} - before:
        user.delete(f"sessions/{session_id}")


def test_a_widget_that_nobody_sees_any_more_becomes_the_record(
    server: JupyterServer, user: httpx.Client
) -> None:
    book = Book(server, "permission")
    turn_id = book.prompt()
    request = pending(user, book.session_id)
    printed = nbformat.v4.new_output("stream", text="before\n")  # type: ignore[no-untyped-call]
    book.write(printed, book.widget(turn_id))
    option = {"option_id": request["options"][0]["option_id"]}
    answered = user.post(
        f"sessions/{book.session_id}/permissions/{request['request_id']}", json=option
    )
    answered.raise_for_status()
    eventually(lambda: is_final(book.outputs()[1]), what="the record is in the file")
    assert book.outputs()[0].text == "before\n"
    assert turn_id in book.outputs()[1].metadata[RUNS_KEY]
    # What a user has trusted stays trusted.
    assert "trusted" not in book.outputs()[1].metadata


def test_an_output_that_was_never_saved_is_added(server: JupyterServer, user: httpx.Client) -> None:
    book = Book(server, "hello")
    book.write(display_data(**{"text/plain": "of an earlier run"}))
    book.prompt()
    eventually(lambda: [*map(is_final, book.outputs())] == [True], what="the record is added")


@pytest.mark.parametrize("why", ["another prompt", "saved since", "a page of ours has it"])
def test_what_a_user_may_have_removed_stays_away(
    server: JupyterServer, user: httpx.Client, why: str
) -> None:
    book, later = Book(server, "hello"), Book(server, "hello")
    book.write(source="%%acp hello\nnew words" if why == "another prompt" else PROMPT)
    later.write()
    if why == "saved since":
        os.utime(book.file, (time.time() + 60,) * 2)
    with server.stream() as page:
        if why == "a page of ours has it":
            held = {"type": "documents", "documents": [{"path": book.path}]}
            command = {"type": "command", "id": 1, "command": {"name": "list_agents"}}
            page.send(json.dumps(held))
            page.send(json.dumps(command))
            # Frames are taken in their order.
            while json.loads(page.recv())["type"] != "reply":
                continue
        finished(user, book.prompt())
        finished(user, later.prompt())
        eventually(lambda: later.outputs() != [], what="the other notebook has its record")
    assert book.outputs() == []


def test_a_notebook_that_is_gone(server: JupyterServer, user: httpx.Client) -> None:
    book, later = Book(server, "hello"), Book(server, "hello")
    finished(user, book.prompt())
    later.write()
    later.prompt()
    eventually(lambda: later.outputs() != [], what="the other notebook has its record")
    assert not book.file.exists()


def test_a_turn_that_the_server_had_forgotten(server: JupyterServer, user: httpx.Client) -> None:
    """What an open page saves has it from the second time on, and no turn of another notebook."""
    book, other = Book(server, "hello"), Book(server, "hello")
    turn_id = book.prompt()
    foreign = other.prompt()
    for each in (turn_id, foreign):
        finished(user, each)
    url = f"{server.url}api/contents/{book.path}"
    foreign_output = book.widget(foreign)
    foreign_output.metadata[RUNS_KEY] = {foreign: other.session_id}
    book.write(book.widget(turn_id), foreign_output)
    page = user.get(url, params={"content": 1}).json()

    def save() -> bool:
        user.put(url, json=page).raise_for_status()
        return is_final(book.outputs()[0])

    eventually(save, what="the record is in what the page saves")
    assert not is_final(book.outputs()[1])


def test_the_words_of_what_a_layout_showed(server: JupyterServer, user: httpx.Client) -> None:
    """Of turns that a button or a message box sent, and never of another notebook's."""
    book, other = Book(server, "hello"), Book(server, "hello")
    by_button = book.prompt(cell_id="", text="by a button")
    url = f"sessions/{book.session_id}/prompt"
    in_page = user.post(url, json={"prompt": "in a box"}).json()["turn_id"]
    foreign = other.prompt(text="a secret")
    shown = dict.fromkeys((by_button, in_page, foreign), True)
    for turn_id in shown:
        finished(user, turn_id)
    command = {"name": "get_records", "notebook_path": book.path, "turn_ids": list(shown)}
    with server.stream() as page:
        page.send(json.dumps({"type": "command", "id": 1, "command": command}))
        while (reply := json.loads(page.recv()))["type"] != "reply":
            continue
    assert [each["turn_id"] for each in reply["result"]["outputs"]] == [by_button, in_page]
    view = display_data(**{WIDGET_MIME: {"model_id": "layout"}, "text/plain": "VBox()"})
    book.write(view, shown={"layout": shown, "gone": {by_button: True}})
    contents = f"{server.url}api/contents/{book.path}"
    saved = user.get(contents, params={"content": 1}).json()
    user.put(contents, json=saved).raise_for_status()
    (output,) = book.outputs()
    assert "by a button" in output.data["text/markdown"]
    assert "in a box" in output.data["text/markdown"]
    assert "secret" not in json.dumps(output)
    assert output.data[WIDGET_MIME] == {"model_id": "layout"}
