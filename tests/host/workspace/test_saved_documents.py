"""What is told of documents that were saved before a prompt."""

from __future__ import annotations

import asyncio

import pytest

from acp_jupyter.host.workspace.agent_files import SaveResult
from acp_jupyter.host.workspace.turn_files import save_documents


async def words(saved: SaveResult, asking: str = "") -> list[tuple[str, str]]:
    async def save() -> SaveResult:
        return saved

    return [(told.severity, told.text) for told in await save_documents(save, asking, 5)]


@pytest.mark.asyncio
async def test_the_notebook_that_asks_is_saved_without_a_word() -> None:
    saved = SaveResult(done=("x/nb.ipynb", "x/a.py"))
    assert await words(saved, "x/nb.ipynb") == [("info", "Saved before this prompt: a.py.")]
    assert await words(SaveResult(done=("x/nb.ipynb",)), "x/nb.ipynb") == []
    # One that could not be saved is told of all the same.
    ((severity, told),) = await words(SaveResult(failed=("x/nb.ipynb",)), "x/nb.ipynb")
    assert (severity, told[:49]) == ("warning", "Could not be saved before this prompt: nb.ipynb. ")


@pytest.mark.asyncio
async def test_many_are_counted() -> None:
    ((_, told),) = await words(SaveResult(done=tuple(f"x/{number}.py" for number in range(7))))
    assert told == "Saved before this prompt: 0.py, 1.py, 2.py, 3.py, 4.py and 2 more."


@pytest.mark.asyncio
async def test_a_page_that_never_answers_holds_no_prompt_up() -> None:
    async def save() -> SaveResult:
        await asyncio.Event().wait()
        return SaveResult()

    (told,) = await save_documents(save, "", 0.01)
    assert told.severity == "warning"
    assert "a page did not answer" in told.text
