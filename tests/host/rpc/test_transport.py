from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.process.lines import LineSplitter, OverlongLine
from tests.support.agents.connection import FAST, talk_to
from tests.support.agents.fake_agent import fake_agent


def split(data: bytes, cuts: list[int], limit: int) -> Iterator[bytes | OverlongLine]:
    splitter = LineSplitter(limit)
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, end in pairwise(edges):
        yield from splitter.feed(data[start:end])
    yield from splitter.finish()


@given(
    st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\n", b"")), max_size=8),
    st.lists(st.integers(0, 100), max_size=6),
)
def test_lines_are_the_same_however_they_arrive(lines: list[bytes], cuts: list[int]) -> None:
    result = list(split(b"\n".join(lines), cuts, limit=8))
    expected = [line for line in lines if line]
    assert len(result) == len(expected)
    for got, line in zip(result, expected, strict=True):
        if len(line) > 8:
            assert got == OverlongLine(len(line), line)
        else:
            assert got == line


def test_a_line_without_end_takes_no_memory() -> None:
    splitter = LineSplitter(1000)
    for _ in range(10_000):
        assert list(splitter.feed(b"x" * 1000)) == []
    assert splitter._parts == []
    assert list(splitter.feed(b"\nnext\n")) == [OverlongLine(10_000_000, b"x" * 200), b"next"]


@pytest.mark.asyncio
async def test_a_flood_leaves_the_loop_free(tmp_path: Path) -> None:
    """A burst of updates must not stop everything else."""
    async with talk_to(fake_agent("flood"), tmp_path) as talk:
        taken_in_one_turn: list[int] = []

        async def watch() -> None:
            while True:
                before = len(talk.entries)
                await asyncio.sleep(0)
                taken_in_one_turn.append(len(talk.entries) - before)

        watcher = asyncio.create_task(watch())
        await talk.say("go")
        watcher.cancel()
        assert len(talk.updates()) == 20_000
        assert max(taken_in_one_turn) <= 60


@pytest.mark.asyncio
async def test_the_last_words_come_before_the_end(tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    script.write_text(
        "import os\nfrom _wire import *\n"
        "def prompt(wire, session_id, text):\n"
        "    for n in range(200): wire.text(session_id, f'{n} ')\n"
        "    wire.write(b'{\"no newline\": true')\n"
        "    os._exit(0)\n"
        "serve(prompt)\n"
    )
    spec = fake_agent("hello")
    spec = replace(spec, args=(str(script),), env={"PYTHONPATH": str(Path(spec.args[0]).parent)})
    async with talk_to(spec, tmp_path, limits=FAST) as talk:
        with pytest.raises(Exception, match="exited with code 0"):
            await talk.say("go")
        assert talk.text() == "".join(f"{n} " for n in range(200))
        assert [entry.message.get("note") for entry in talk.entries[-2:]] == ["noise", "exit"]
