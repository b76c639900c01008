"""`edit_cell` with edits of the text of a cell, beside the whole source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.cell_text import edited
from acp_jupyter.notebook_tools.context import ToolError
from acp_jupyter.notebook_tools.tools import TOOLS, EditTool, TextEdit, input_schema
from tests.notebook_tools.in_process import Dictionary, write_notebook
from tests.notebook_tools.talk import answers, calls_of, cells_of, play, start, using
from tests.support.host.driver import Driver

_GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "cell_edits.json").read_text())
_SOURCE = "total = 0\nfor n in rows:\n    total += n\nprint(total)\n"


def _edits(*pairs: tuple[str, str], source: str = _SOURCE, **more: Any) -> dict[str, Any]:
    edits = [{"old": old, "new": new, **more} for old, new in pairs]
    return {"cell_id": "cell-1", "fingerprint": fingerprint(source), "edits": edits}


@pytest.fixture
def notebook(path: Path) -> Path:
    write_notebook(path, "%%acp demo\nDo it.", _SOURCE)
    return path


def test_edits_change_some_of_the_text_and_their_diff_is_asked_about(
    driver: Driver, session: Session, notebook: Path
) -> None:
    edit = _edits(("for n in rows:\n    total += n", "total = sum(rows)"), ("total = 0\n", ""))
    turn_id = start(driver, session, using("edit_cell", edit))
    request = driver.asked(session)
    (diff,) = calls_of(session)[0].diffs
    assert (diff.old_text, diff.new_text) == (_SOURCE, "total = sum(rows)\nprint(total)\n")
    assert cells_of(notebook)[1]["source"] == _SOURCE
    driver.answer(session, request, "allow")
    (told,) = answers(driver, session, turn_id)
    after = "total = sum(rows)\nprint(total)\n"
    assert told["text"] == f"Edited. Its fingerprint is now {fingerprint(after)}. It was not run."
    assert cells_of(notebook)[1]["source"] == after
    assert cells_of(notebook)[1]["metadata"]["acp"]["written"] == fingerprint(after)


def test_edits_that_do_not_fit_change_nothing_and_ask_nothing(
    driver: Driver, session: Session, notebook: Path, kernel: Dictionary
) -> None:
    whole = {"cell_id": "cell-1", "fingerprint": fingerprint(_SOURCE)}
    told = play(
        driver,
        session,
        using("edit_cell", _edits(("print(total)", "total"), ("no such text", "x"))),
        using("edit_cell", _edits(("total", "s"))),
        using("edit_cell", _edits(("print", "show"), source="older")),
        using("edit_cell", _edits(("", "x"))),
        using("edit_cell", whole),
        using("edit_cell", {**_edits(("print", "show")), "source": "x"}),
        using("edit_cell", _edits(("n", "m" * 100_000), all=True)),
    )
    assert all(each["failed"] for each in told)
    texts = [each["text"] for each in told]
    assert texts[0].startswith("not_found: the old text of edit 2 is not in the cell.")
    assert texts[1].startswith("ambiguous: the old text of edit 1 is in the cell 3 times.")
    assert texts[2].startswith("stale: cell cell-1 was changed")
    assert texts[3] == "edit_cell: edits.0.old is empty."
    assert texts[4] == texts[5] == "edit_cell: give source or edits, one of the two."
    assert texts[6].startswith("too_long: ")
    assert cells_of(notebook)[1]["source"] == _SOURCE
    assert all(call.permission is None for call in calls_of(session))


def test_every_place_is_changed_where_all_is_asked_for(
    driver: Driver, session: Session, notebook: Path
) -> None:
    step = using("edit_cell", _edits(("total", "s"), all=True))
    (told,) = play(driver, session, step, policy="accept-edits")
    assert not told["failed"]
    assert cells_of(notebook)[1]["source"] == _SOURCE.replace("total", "s")


@pytest.mark.parametrize("row", _GOLDEN)
def test_edits_give_what_the_page_shows(row: dict[str, Any]) -> None:
    """The page has no diff of some agents' requests; vitest reads the same rows."""
    result: str | None
    try:
        result = edited(row["source"], [TextEdit.model_validate(edit) for edit in row["edits"]])
    except (ToolError, ValidationError):
        result = None
    assert result == row["edited"]


@given(st.text(max_size=40), st.lists(st.tuples(st.text(min_size=1, max_size=3), st.text())))
def test_edits_do_what_replacing_by_hand_does_or_nothing(
    source: str, pairs: list[tuple[str, str]]
) -> None:
    edits = [TextEdit(old=old, new=new) for old, new in pairs]
    expected: str | None = source
    for old, new in pairs:
        if expected is None or expected.count(old) != 1:
            expected = None
            break
        before, after = expected.split(old)
        expected = f"{before}{new}{after}"
    try:
        result: str | None = edited(source, edits)
    except ToolError:
        result = None
    assert result == expected


def test_the_schemas_of_arguments_refer_to_nothing() -> None:
    """Some clients of MCP do not follow references."""
    schemas = {name: input_schema(row) for name, row in TOOLS.items()}
    assert "$" not in json.dumps(schemas)
    edit = schemas[EditTool.tool]["properties"]["edits"]["items"]
    assert set(edit["properties"]) == {"old", "new", "all"}
    assert edit["required"] == ["old", "new"]
