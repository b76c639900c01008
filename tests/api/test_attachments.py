"""Files that go with a prompt."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.api.attachments import (
    Mentionable,
    Without,
    mention_blocks,
    notebook_text,
    with_attachments,
)
from acp_jupyter.api.models.documents import Cell, NbOutput
from acp_jupyter.errors import BadLine, FileMissing

NOTEBOOK = {
    "nbformat": 4,
    "cells": [
        {"cell_type": "markdown", "id": "a1", "source": ["# Title\n", "words"]},
        {
            "cell_type": "code",
            "id": "b2",
            "source": "print(1)\n```",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "x"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "no"},
                {"output_type": "execute_result", "data": {"text/plain": "y" * 5000}},
            ],
        },
        "no cell",
    ],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    (folder / "data" / "deep").mkdir(parents=True)
    for name in ("data/a.csv", "data/b.csv", "data/deep/c.csv", "data/.hidden.csv", "data/[x].csv"):
        (folder / name).write_text(name)
    (folder / "own.ipynb").write_text(json.dumps(NOTEBOOK))
    (folder / "bad.ipynb").write_text("{")
    (folder / "raw.bin").write_bytes(b"\0\1")
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "out").symlink_to(tmp_path)
    monkeypatch.chdir(folder)
    return folder


def sent(folder: Path, *paths: str, takes: tuple[str, ...] = ("embeddedContext",)) -> list[str]:
    blocks = with_attachments("Do it", paths, folder, takes)
    assert blocks[0] == {"type": "text", "text": "Do it"}
    found = []
    for block in blocks[1:]:
        inner = block.get("resource", block)
        assert isinstance(inner, dict)
        found.append(str(inner.get("text", inner.get("uri"))))
    return found


def test_patterns_name_files(folder: Path) -> None:
    assert sent(folder, "data/*.csv") == ["data/[x].csv", "data/a.csv", "data/b.csv"]
    assert sent(folder, "data/**/*.csv", "data/a.csv")[-1] == "data/deep/c.csv"
    assert sent(folder, "data/[x].csv") == ["data/[x].csv"]  # a file of that very name
    assert sent(folder, "data/a.csv", "data/a.csv") == ["data/a.csv"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone.txt", "does not exist"),
        ("data", "is a folder"),
        ("data/*.txt", "No file matches"),
        ("../outside.txt", "lies outside"),
        ("out/*.txt", "lies outside"),
        ("bad.ipynb", "can't be read as a notebook"),
    ],
)
def test_what_can_not_be_attached_is_said_in_words(folder: Path, path: str, words: str) -> None:
    with pytest.raises(BadLine, match=words):
        with_attachments("Do it", [path], folder, ["embeddedContext"])


def test_too_many_and_too_large_are_refused(folder: Path) -> None:
    for number in range(60):
        (folder / f"{number}.log").touch()
    with pytest.raises(BadLine, match="60 files, and the limit is 50"):
        with_attachments("Do it", ["*.log"], folder, [])
    with (folder / "big.png").open("wb") as file:
        file.truncate(11 * 1024 * 1024)
    with pytest.raises(BadLine, match="too large"):
        with_attachments("Do it", ["big.png"], folder, ["image"])


@pytest.mark.parametrize("name", ["~$report.docx", "~root", "~"])
def test_a_file_with_a_tilde_is_a_file(folder: Path, name: str) -> None:
    (folder / name).write_text("own")
    (folder / "bad.ipynb").unlink()
    assert "own" in sent(folder, "*")[-1]
    assert sent(folder, name) == ["own"]


@pytest.mark.parametrize(
    "name", ["a\0b", "a\0*", "\ud83d", "\ud83d*", "\ud83d/*.csv", "~\0", "~\ud83d/*"]
)
def test_a_name_that_no_file_can_have_is_said_in_words(folder: Path, name: str) -> None:
    with pytest.raises(BadLine, match="can't be a file's name") as raised:
        with_attachments("Do it", [name], folder, [])
    assert str(raised.value).isprintable()


def test_a_file_whose_name_is_no_text_can_be_attached(folder: Path) -> None:
    (folder / os.fsdecode(b"odd\xff.txt")).write_text("odd")
    assert sent(folder, "odd*") == ["odd"]


def test_what_is_no_text_goes_by_its_name(folder: Path) -> None:
    (folder / "latin.txt").write_bytes("é".encode("latin-1"))
    links = sent(folder, "raw.bin", "latin.txt")
    assert [link.rpartition("/")[2] for link in links] == ["raw.bin", "latin.txt"]


def test_an_image_goes_whole_to_an_agent_that_takes_images(folder: Path) -> None:
    (folder / "a.png").write_bytes(b"\x89PNG")
    _, image = with_attachments("Do it", ["a.png"], folder, ["image"])
    assert (image["type"], image["mimeType"], image["data"]) == ("image", "image/png", "iVBORw==")
    _, link = with_attachments("Do it", ["a.png"], folder, [])
    assert link["type"] == "resource_link"


def test_a_notebook_goes_as_its_cells(folder: Path) -> None:
    (told,) = sent(folder, "own.ipynb")
    assert "## Cell 1 (markdown, id a1)\n\n# Title\nwords" in told
    assert "## Cell 2 (code, id b2)\n\n````\nprint(1)\n```\n````" in told
    assert "1\n[a picture, image/png]\nValueError: no\nyyy" in told
    assert "characters left out" in told
    assert "AAAA" not in told
    (plain,) = sent(folder, "own.ipynb", takes=())
    assert plain.startswith("The notebook own.ipynb, cell by cell:")


@given(st.binary() | st.text().map(str.encode))
def test_no_file_makes_it_fail(content: bytes) -> None:
    notebook_text(content)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["cells", "cell_type", "source", "outputs", "data", "text"]), inner
            )
        ),
    )
)
def test_no_notebook_makes_it_fail(cells: object) -> None:
    notebook_text(json.dumps({"cells": [cells]}).encode())


def test_a_huge_notebook_is_cut() -> None:
    cells = [{"cell_type": "code", "source": "x" * 50_000, "outputs": []}] * 10
    told = notebook_text(json.dumps({"cells": cells}).encode())
    assert told is not None
    assert len(told) < 210_000
    assert told.endswith("7 more cells left out")


def cell(number: int) -> Cell:
    if number > 2:
        raise FileMissing("There is no such cell.")
    printed: NbOutput = {"output_type": "stream", "name": "stdout", "text": "\x1b[1m3\n"}
    return Cell(id="c", cell_type="code", source=f"print({number})", outputs=(printed,))


def mentioned(folder: Path, prompt: str) -> list[str]:
    """Return the addresses of what a prompt mentions, those of files relative to the folder."""
    variables = {"df": "df: list", "häuser": "häuser: int", "data": "data: dict"}
    among = Mentionable(folder, "deep/my book.ipynb", variables.get, cell)
    found = []
    for block in mention_blocks(prompt, among):
        inner = block.get("resource", block)
        assert isinstance(inner, dict)
        found.append(str(inner["uri"]).removeprefix(f"{folder.as_uri()}/"))
    return found


BOOK = "jupyter:deep/my%20book.ipynb"


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Look at @data/a.csv, and (@raw.bin).", ["data/a.csv", "raw.bin"]),
        ("@df.head() of @df", [f"{BOOK}/variable/df"]),
        ("@häuser!", [f"{BOOK}/variable/h%C3%A4user"]),
        ("@data is a variable and a folder", [f"{BOOK}/variable/data"]),
        ("@data/gone.csv is no variable", []),
        ("@cell 2 and @cell1.", [f"{BOOK}/cell-2", f"{BOOK}/cell-1"]),
        ("@cell 3 is not there", []),
        ("@my_notes.txt", ["my%20notes.txt"]),
        ("me@df or @dfs, @pytest.fixture, @ df", []),
        ("@../outside.txt @out/outside.txt @data/.hidden.csv @~root @/etc/passwd", []),
        ("```python\n@df\ndef f(): ...\n```\n@raw.bin", ["raw.bin"]),
        ("~~~\n@df", []),
        ("@a\0b @\ud83d", []),
        (unicodedata.normalize("NFC", "@cafe\u0301.txt, @RAW.BIN"), ["cafe%CC%81.txt", "raw.bin"]),
        ("@Two.txt is neither", []),
        ("@a\u200bb.txt", []),
    ],
)
def test_what_a_prompt_mentions(folder: Path, prompt: str, expected: list[str]) -> None:
    for name in ("my notes.txt", "cafe\u0301.txt", "two.txt", "TWO.txt", "a\u200bb.txt"):
        (folder / name).touch()
    assert mentioned(folder, prompt) == expected


def test_a_mention_goes_as_in_the_panel(folder: Path) -> None:
    among = Mentionable(folder, "b.ipynb", {"df": "df: list"}.get, cell)
    file, variable, shown = mention_blocks("@data/a.csv @df @cell 1", among)
    uri = (folder / "data/a.csv").as_uri()
    assert file == {"type": "resource_link", "uri": uri, "name": "a.csv"}
    described = variable["resource"]
    assert isinstance(described, dict)
    assert described["text"] == "df: list"
    source = "print(1)\n\n# Output:\n3"
    resource = {"uri": "jupyter:b.ipynb/cell-1", "text": source, "mimeType": "text/plain"}
    assert shown == {"type": "resource", "resource": resource}


def test_mentions_are_bounded(folder: Path) -> None:
    for number in range(30):
        (folder / f"{number}.log").touch()
    assert len(mentioned(folder, " ".join(f"@{number}.log" for number in range(30)))) == 20


@given(st.text(alphabet="@ac df/.1\n`~_\0\ud83d", max_size=60))
def test_no_prompt_makes_it_fail(prompt: str) -> None:
    mention_blocks(prompt, Mentionable(Path.cwd(), "", {"df": "df: int"}.get, cell))


def test_names_leave_blocks_and_pinned_cells_out() -> None:
    cells = (
        Cell(id="a", cell_type="code", source=""),
        Cell(id="b", cell_type="code", source="", context="pinned"),
    )
    blocks: tuple[dict[str, Any], ...] = (
        {"type": "text", "text": "Why?"},
        {"type": "resource_link", "uri": "file:///w/a%20b.csv", "name": "a b.csv"},
        {"type": "resource", "resource": {"uri": "jupyter:n.ipynb/variable/df", "text": "df"}},
        {"type": "resource", "resource": {"uri": "jupyter:n.ipynb/cell-1", "text": "x"}},
    )
    without = Without.of(("a b.csv", "cell 1", "cell 2", "var"), cells)
    assert without.kept(blocks, "var") == (blocks[0], blocks[2])
    assert without.unpinned == ("b",)
    with pytest.raises(BadLine, match="'cell 3': nothing of that name"):
        Without.of(("cell 3", "df"), cells).kept(blocks)
    assert Without.of(("cell 3", "df"), ()).kept(blocks) == (*blocks[:2], blocks[3])
