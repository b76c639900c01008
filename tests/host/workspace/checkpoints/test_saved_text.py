"""What of a save is a person's: lines and cells, beside what agents wrote on disk and in pages."""

from __future__ import annotations

import json

import pytest

from acp_jupyter.host.workspace.checkpoints.merge import merged
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.host.workspace.checkpoints.saved_text import (
    UserText,
    has_change,
    text_with_change,
    user_text,
)
from acp_jupyter.host.workspace.running_turns import Put, SavedFile

OLD = b"one\ntwo\nthree\nfour\nfive\n"
AGENTS = OLD.replace(b"two", b"2")
BOTH = AGENTS.replace(b"five", b"5")
MINE = OLD.replace(b"five", b"5")
PATH = "/w/a.py"


def save(
    known: bytes | None, before: bytes | None, after: bytes | None, *puts: Put, path: str = PATH
) -> UserText:
    return user_text(known, SavedFile(path, before, after), puts, {"ran"}, 1_000_000)


def put(base: bytes | None, text: bytes) -> Put:
    return Put("s", PATH, None if base is None else base.decode(), text.decode())


@pytest.mark.parametrize(
    ("known", "before", "after", "puts", "content", "by_person"),
    [
        pytest.param(OLD, OLD, MINE, (), MINE, True, id="mine"),
        pytest.param(OLD, AGENTS, BOTH, (), MINE, True, id="after the agent, on disk"),
        pytest.param(OLD, OLD, AGENTS, (put(OLD, AGENTS),), OLD, False, id="put by the agent"),
        pytest.param(OLD, OLD, BOTH, (put(OLD, AGENTS),), MINE, True, id="put, and typed beside"),
        pytest.param(
            MINE, MINE, BOTH, (put(OLD, AGENTS),), MINE, False, id="put after a save of mine"
        ),
        pytest.param(OLD, OLD, MINE, (put(OLD, AGENTS),), MINE, True, id="not put yet"),
        pytest.param(None, None, MINE, (), MINE, True, id="made by me"),
        pytest.param(None, OLD, OLD + b"mine\n", (), b"mine\n", True, id="made by the agent"),
        pytest.param(None, OLD, b"one\n", (), None, True, id="made by the agent, cut by me"),
        pytest.param(OLD, OLD, None, (), None, True, id="deleted"),
        pytest.param(OLD, AGENTS, OLD, (), OLD, True, id="undone by me"),
        pytest.param(b"\0a", b"\0b", b"\0c", (), b"\0c", True, id="no text"),
    ],
)
def test_a_save_is_a_persons_but_for_what_agents_did(
    known: bytes | None,
    before: bytes | None,
    after: bytes | None,
    puts: tuple[Put, ...],
    content: bytes | None,
    by_person: bool,
) -> None:
    made = save(known, before, after, *puts)
    assert (made.content, made.by_person) == (content, by_person)


def notebook(*cells: tuple[str, str], turn: str = "", **outputs: str) -> bytes:
    """Return a notebook of cells with these ids and sources; a turn's tools wrote those of "t"."""
    made = [
        {
            "cell_type": "code",
            "id": name,
            "source": source,
            "outputs": [outputs[name]] if name in outputs else [],
            "metadata": {"acp": {"turn": turn, "written": fingerprint(source)}}
            if turn and name.startswith("t")
            else {},
        }
        for name, source in cells
    ]
    return json.dumps({"cells": made, "nbformat": 4}, indent=1).encode() + b"\n"


def sources(text: bytes | None) -> list[tuple[str, str]]:
    assert text is not None
    return [(cell["id"], cell["source"]) for cell in json.loads(text)["cells"]]


def test_a_page_saves_what_a_tool_wrote_and_what_its_user_typed() -> None:
    old = notebook(("a", "1"), ("b", "2"))
    now = notebook(("a", "1"), ("t", "tool"), ("b", "mine"), turn="turn")
    made = save(old, old, now, path="/w/n.ipynb")
    assert sources(made.content) == [("a", "1"), ("b", "mine")]
    assert (made.by_person, made.turns) == (True, ("turn",))


def test_what_only_a_tool_wrote_is_nobody_elses() -> None:
    old = notebook(("a", "1"))
    made = save(old, old, notebook(("a", "1"), ("t", "x"), turn="turn"), path="/w/n.ipynb")
    assert (made.content, made.by_person, made.turns) == (old, False, ("turn",))


def test_a_cell_that_a_tool_ran_is_not_its_users_work() -> None:
    old = notebook(("ran", "1"))
    made = save(old, old, notebook(("ran", "1"), ran="out"), path="/w/n.ipynb")
    assert (made.content, made.by_person) == (old, False)


def test_another_way_to_write_json_is_no_change() -> None:
    old = notebook(("a", "1"))
    agents = notebook(("a", "agent"))
    made = save(old, agents, json.dumps(json.loads(agents)).encode(), path="/w/n.ipynb")
    assert (made.content, made.by_person) == (old, False)


def test_merging_loses_nothing_of_theirs() -> None:
    assert merged("abc", "abc", "axc") == list("axc")
    assert merged("aBc", "abc", "aBcd") == list("abcd")
    assert merged("abcdef", "", "abcXdef") == ["X"]
    assert merged("aXYZc", "abc", "aXQZc") == list("abQc")
    assert merged("ab", "ab1", "ab1") == list("ab1")


def test_a_change_is_made_beside_what_was_typed_or_not_at_all() -> None:
    assert text_with_change(PATH, BOTH, AGENTS, OLD) == MINE
    assert text_with_change(PATH, MINE, AGENTS, OLD) is None  # it is there
    assert text_with_change(PATH, BOTH.replace(b"2", b"typed"), AGENTS, OLD) is None
    assert text_with_change(PATH, b"typed", AGENTS, OLD) is None
    windows = MINE.replace(b"\n", b"\r\n")
    assert [has_change(PATH, text, AGENTS, OLD) for text in (MINE, windows, BOTH)] == [
        *(True, True, False)
    ]


def test_a_change_of_cells_is_made_beside_what_was_typed_or_not_at_all() -> None:
    old, new = notebook(("a", "1"), ("b", "2")), notebook(("a", "1"), ("t", "x"), turn="turn")
    mine = json.dumps(json.loads(notebook(("a", "typed"), ("b", "2")))).encode()
    made = text_with_change("n.ipynb", mine, old, new)
    assert sources(made) == [("a", "typed"), ("t", "x")]
    assert text_with_change("n.ipynb", made or b"", old, new) is None
    typed = notebook(("a", "1"), ("b", "typed"))
    assert text_with_change("n.ipynb", typed, old, new) is None
    assert text_with_change("n.ipynb", b"{", old, new) is None
    texts = (made or b"", mine, typed, b"{", new)
    assert [has_change("n.ipynb", text, old, new) for text in texts] == [
        *(True, False, False, False, True)
    ]
