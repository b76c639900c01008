"""What the agent reads and writes of documents that a page has open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.server.stream import Page


@pytest.fixture
def page(server: JupyterServer) -> Iterator[Page]:
    with Page(server.stream()) as page:
        yield page


@pytest.fixture
def session_id(server: JupyterServer, user: httpx.Client) -> Iterator[str]:
    (server.root / "asks").mkdir(exist_ok=True)
    (server.root / "asks" / "notes.txt").write_text("on disk\n")
    session_id = open_session(user, "edits_files", cwd="asks")
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def hold(page: Page, *, dirty: bool) -> None:
    state = {"path": "asks/notes.txt", "dirty": dirty, "focused_at": 1}
    page.send({"type": "documents", "documents": [state]})


def asked(page: Page, op: str, **answer: Any) -> dict[str, Any]:
    """Wait for the next question, which is to be this one, and answer it."""
    ask = page.until("ask")
    question: dict[str, Any] = ask["question"]
    assert (question["op"], ask["path"]) == (op, "asks/notes.txt")
    page.send({"type": "answer", "id": ask["id"], **answer})
    return question


def test_an_unsaved_document_is_saved_before_the_prompt_and_read_as_it_is_shown(
    page: Page, user: httpx.Client, session_id: str
) -> None:
    """What is typed and not saved is what the agent reads."""
    hold(page, dirty=True)
    turn_id = start_turn(user, session_id, "fs read notes.txt")
    asked(page, "save_document", error="Saving is switched off.", reason="unwanted")
    asked(page, "read_document", text="not saved yet\n")
    text = json.dumps(finished(user, turn_id)["items"])
    assert "not saved yet" in text
    assert "on disk" not in text
    assert "before this prompt" not in text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({}, "Saved before this prompt: notes.txt."),
        (
            {"error": "It was changed meanwhile.", "reason": "not_saved"},
            "Could not be saved before this prompt: notes.txt. The agent may read its last saved "
            "version.",
        ),
    ],
    ids=["saved", "not saved"],
)
def test_what_was_saved_before_a_prompt_is_said_in_its_turn(
    page: Page, user: httpx.Client, session_id: str, answer: dict[str, str], words: str
) -> None:
    hold(page, dirty=True)
    turn_id = start_turn(user, session_id, 'own write other.txt "x"')
    asked(page, "save_document", **answer)
    notices = [i for i in finished(user, turn_id)["items"] if i["kind"] == "notice"]
    assert [notice["text"] for notice in notices] == [words]


def test_a_write_goes_through_the_open_document(
    server: JupyterServer, page: Page, user: httpx.Client, session_id: str
) -> None:
    hold(page, dirty=False)
    turn_id = start_turn(user, session_id, 'fs replace notes.txt "on disk" "by the agent"')
    question = asked(page, "write_document")
    assert (question["text"], question["base"]) == ("by the agent\n", "on disk\n")
    detail = finished(user, turn_id)
    # The page has said that it has saved; nobody else writes.
    assert (server.root / "asks" / "notes.txt").read_text() == "on disk\n"
    assert "by the agent" in json.dumps(detail["items"])


def test_a_write_over_what_the_user_has_typed_is_refused_in_words(
    server: JupyterServer, page: Page, user: httpx.Client, session_id: str
) -> None:
    hold(page, dirty=False)
    turn_id = start_turn(user, session_id, 'fs write notes.txt "mine\\n"')
    words = "The user has changed the same lines. Read it again."
    assert asked(page, "write_document", error=words, reason="conflict")["base"] is None
    assert words in json.dumps(finished(user, turn_id)["items"])
    assert (server.root / "asks" / "notes.txt").read_text() == "on disk\n"


def test_a_file_that_was_renamed_since_it_was_read_is_not_made_anew(
    server: JupyterServer, user: httpx.Client, session_id: str
) -> None:
    """Its user goes on with it under the other name, and so must the agent."""
    folder = server.root / "asks"
    finished(user, start_turn(user, session_id, "fs read notes.txt"))
    (folder / "notes.txt").rename(folder / "renamed.txt")
    told = json.dumps(finished(user, start_turn(user, session_id, 'fs write notes.txt "x\\n"')))
    assert "notes.txt was renamed or deleted since you read it. Nothing was written." in told
    assert not (folder / "notes.txt").exists()
    # Who means it says it again.
    finished(user, start_turn(user, session_id, 'fs write notes.txt "x\\n"'))
    assert (folder / "notes.txt").read_text() == "x\n"
    assert (folder / "renamed.txt").read_text() == "on disk\n"
