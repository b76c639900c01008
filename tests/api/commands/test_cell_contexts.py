"""Pinned cells go along with each prompt, and cells that are left out with none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.api.commands import cell_contexts
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.turns import NotebookContext
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.items import Notice, UserMessage
from tests.support.agents.fake_agent import script
from tests.support.host.commands import CommandSender
from tests.support.host.driver import driving

USER = UserCaller("amy")
KERNEL = KernelCaller("kernel-1", "other.ipynb")
AGENTS = {
    "takes": script("takes", "embeddedContext"),
    "sees": script("takes", "image", "embeddedContext"),
}
TOKEN = f"ghp_{'a1B2' * 9}"


def printed(text: str) -> tuple[dict[str, Any], ...]:
    return ({"output_type": "stream", "name": "stdout", "text": text},)


CELLS = (
    Cell(
        id="a",
        cell_type="code",
        source=f"x = 1  # {TOKEN}",
        context="pinned",
        outputs=printed("one"),
    ),
    Cell(id="b", cell_type="code", source="hush", context="left-out", outputs=printed("hush")),
    Cell(id="c", cell_type="markdown", source="# Plan", context="pinned"),
    Cell(id="d", cell_type="code", source="free"),
)


class OfBook(CommandSender):
    """A page that has these cells."""

    async def cells(self, path: str) -> tuple[Cell, ...]:
        return CELLS

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        return CELLS if path == "book.ipynb" else ()


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[OfBook]:
    with driving(tmp_path, AGENTS) as driver:
        yield OfBook(driver.host, driver.root)


def sent(sender: OfBook, session: Session, **more: Any) -> str:
    """Send a prompt; return what the agent got, as JSON."""
    turn = sender.send(USER, "prompt", session_id=session.session_id, prompt="Go", **more)
    sender.done(session, turn["turn_id"])
    return sender.text(session)


def test_what_is_pinned_goes_along(sender: OfBook) -> None:
    told = sent(sender, sender.make(USER, agent="takes"))
    assert "jupyter:book.ipynb/cell-1" in told
    assert "# Output:\\none" in told
    assert "# Plan" in told
    assert "free" not in told
    assert "hush" not in told
    assert TOKEN not in told


def test_a_prompt_can_leave_pinned_cells_out_and_its_own_cell_is(sender: OfBook) -> None:
    origin = {"notebook_path": "book.ipynb", "cell_id": "c", "view_id": "", "source": ""}
    told = sent(sender, sender.make(USER, agent="takes"), unpinned=("a",), origin=origin)
    assert "jupyter:book.ipynb" not in told


def test_the_preview_has_what_is_sent(sender: OfBook) -> None:
    session = sender.make(USER, agent="takes")
    shown: NotebookContext = sender.send(USER, "get_context", session_id=session.session_id)
    told = sent(sender, session)
    assert [each.number for each in shown.pinned] == [1, 3]
    assert [each.block for each in shown.pinned] == json.loads(told)[1:]
    assert [cell.context for cell in shown.cells] == ["pinned", "left-out", "pinned", None]
    assert "hush" not in shown.model_dump_json()
    by_path = sender.send(USER, "get_context", notebook_path="book.ipynb")
    assert by_path.cells == shown.cells


def test_a_kernel_learns_of_its_own_notebook_only(sender: OfBook) -> None:
    assert sender.send(KERNEL, "get_context", notebook_path="book.ipynb") == NotebookContext()


def test_a_cell_by_its_number_has_no_content_if_it_is_left_out(sender: OfBook) -> None:
    session = sender.make(USER, agent="takes")
    cell = sender.send(USER, "get_cell", session_id=session.session_id, number=2)
    assert cell == Cell(id="b", cell_type="code", source="", context="left-out")


def test_many_and_long_ones_are_cut_with_a_word(
    sender: OfBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_contexts, "_MAX_PINNED", 1)
    monkeypatch.setattr(cell_contexts, "_CELL_CHARS", 10)
    shown = sender.send(USER, "get_context", notebook_path="book.ipynb")
    (pinned,) = shown.pinned
    assert "characters left out" in str(pinned.block)
    assert shown.too_many == 1


def test_nothing_goes_along_where_attachments_are_not_allowed(tmp_path: Path) -> None:
    with driving(
        tmp_path, {"takes": script("takes", "embeddedContext")}, bounds=Bounds(attachments=False)
    ) as driver:
        sender = OfBook(driver.host, driver.root)
        assert "jupyter:" not in sent(sender, sender.make(USER, agent="takes"))
        assert sender.send(USER, "get_context", notebook_path="book.ipynb").pinned == ()


PLOT = "jupyter:book.ipynb/cell-4-output-1"
FORMS = (
    {"type": "text", "text": "What is this?"},
    {"type": "image", "data": "AAAA", "mimeType": "image/png", "uri": PLOT},
    {"type": "resource", "resource": {"uri": PLOT, "text": "y: 1 2 3", "mimeType": "text/plain"}},
)
"""An output as a page sends it before it knows what the agent takes."""


@pytest.mark.parametrize(
    ("agent", "kind", "words"), [("sees", "image", ()), ("takes", "resource", ("the picture",))]
)
def test_an_agent_gets_an_output_as_a_picture_or_as_text(
    sender: OfBook, agent: str, kind: str, words: tuple[str, ...]
) -> None:
    session = sender.make(USER, agent=agent)
    turn = sender.send(USER, "prompt", session_id=session.session_id, prompt=FORMS, unpinned=["a"])
    sender.done(session, turn["turn_id"])
    told = json.loads(sender.text(session))
    assert [each["type"] for each in told] == ["text", kind, "resource"]  # the last is pinned
    items = session.transcript.items
    (asked,) = (each for each in items if isinstance(each, UserMessage))
    assert [each.name for each in asked.attachments] == ["cell-4-output-1", "cell-3"]
    said = [each.text for each in items if isinstance(each, Notice)]
    assert len(said) == len(words)
    assert all(word in text for word, text in zip(words, said, strict=True))


def test_a_text_of_the_page_is_without_secrets(sender: OfBook) -> None:
    session = sender.make(USER, agent="takes")
    for session_id in ("", session.session_id):
        answer = sender.send(USER, "redact_text", session_id=session_id, text=f"a {TOKEN} b")
        assert answer.text.startswith("a ")
        assert TOKEN not in answer.text
