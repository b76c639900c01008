from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_jupyter.delivery.asks import Page, Pages
from acp_jupyter.delivery.frames import AnswerFrame, AskFrame, DocumentState
from tests.support.wait import eventually_async

ROOT = Path("/srv/root")
FILE = ROOT / "a.py"


def pages(seconds: float = 5.0) -> Pages:
    def to_server_path(path: Path) -> str | None:
        return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None

    return Pages(to_server_path, seconds)


class Holder:
    """A page that holds ``a.py`` and does with an ask what ``reply`` says."""

    def __init__(
        self, all_pages: Pages, focused_at: float, reply: Callable[[AskFrame], AnswerFrame | None]
    ) -> None:
        self.asked: list[AskFrame] = []
        self._reply = reply
        self.page: Page = all_pages.join(self._take)
        state = DocumentState(path="a.py", dirty=True, focused_at=focused_at)
        self.page.announce([state])

    def _take(self, ask: AskFrame) -> None:
        self.asked.append(ask)
        answer = self._reply(ask)
        if answer is not None:
            self.page.answer(answer)


def says(text: str) -> Callable[[AskFrame], AnswerFrame | None]:
    return lambda ask: AnswerFrame(id=ask.id, text=text)


def refuses(ask: AskFrame) -> AnswerFrame | None:
    return AnswerFrame(id=ask.id, error="closed meanwhile")


def silent(_ask: AskFrame) -> AnswerFrame | None:
    return None


@pytest.mark.asyncio
async def test_the_last_focused_holder_is_asked() -> None:
    everybody = pages()
    old = Holder(everybody, 1, says("old"))
    new = Holder(everybody, 2, says("new"))
    assert await everybody.read(FILE) == "new"
    assert (len(old.asked), len(new.asked)) == (0, 1)
    assert new.asked[0].path == "a.py"


@pytest.mark.asyncio
@pytest.mark.parametrize("reply", [refuses, silent])
async def test_silence_or_refusal_asks_the_next(
    reply: Callable[[AskFrame], AnswerFrame | None],
) -> None:
    everybody = pages(seconds=0.05)
    Holder(everybody, 2, reply)
    Holder(everybody, 1, says("from the other"))
    assert await everybody.read(FILE) == "from the other"


@pytest.mark.asyncio
async def test_when_nobody_answers_the_file_counts() -> None:
    everybody = pages(seconds=0.05)
    holder = Holder(everybody, 1, silent)
    assert await everybody.read(FILE) is None
    holder.page.answer(AnswerFrame(id=holder.asked[0].id, text="too late"))
    holder.page.answer(AnswerFrame(id=4711, text="unasked"))


@pytest.mark.asyncio
async def test_a_page_that_leaves_is_not_waited_for() -> None:
    everybody = pages(seconds=60)
    holder = Holder(everybody, 1, silent)
    reading = asyncio.create_task(everybody.read(FILE))
    await eventually_async(lambda: holder.asked)
    everybody.leave(holder.page)
    assert await asyncio.wait_for(reading, 5) is None
    assert not everybody.holds("a.py")


@pytest.mark.asyncio
async def test_an_empty_document_is_an_answer() -> None:
    everybody = pages()
    Holder(everybody, 1, says(""))
    assert await everybody.read(FILE) == ""


@pytest.mark.asyncio
async def test_a_clean_document_is_read_from_disk() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, says("x"))
    holder.page.announce([DocumentState(path="a.py", dirty=False)])
    assert await everybody.read(FILE) is None
    assert holder.asked == []
    assert everybody.holds("a.py")


@pytest.mark.asyncio
async def test_what_lies_outside_the_root_is_no_document() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, says("x"))
    assert await everybody.read(Path("/etc/a.py")) is None
    assert holder.asked == []


@pytest.mark.asyncio
async def test_a_page_is_asked_so_much_and_no_more() -> None:
    everybody = pages(seconds=60)
    holder = Holder(everybody, 1, silent)
    reading = [asyncio.create_task(everybody.read(FILE)) for _ in range(40)]
    done, waiting = await asyncio.wait(reading, timeout=0.1)
    assert (len(done), len(waiting)) == (8, 32)
    everybody.leave(holder.page)
    assert await asyncio.gather(*reading) == [None] * 40
