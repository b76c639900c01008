"""The folder of a session that is about to be created, while other servers start."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.sessions.session_store import SessionStore


def store(data: Path) -> SessionStore:
    async def reopen(_session: Session) -> None:
        raise AssertionError("no session is open")

    return SessionStore(data, Limits(), tuple, reopen)


@pytest.mark.asyncio
async def test_a_server_that_starts_removes_no_place_that_another_one_makes(tmp_path: Path) -> None:
    making, starting = store(tmp_path), store(tmp_path)
    (tmp_path / "sessions").mkdir()
    ended = asyncio.Event()

    async def start_again_and_again() -> None:
        while not ended.is_set():
            await asyncio.to_thread(starting.remove_orphans)

    other = asyncio.create_task(start_again_and_again())
    try:
        places = [await making.make_place(f"session-{number}") for number in range(200)]
    finally:
        ended.set()
        await other
    await asyncio.to_thread(starting.remove_orphans)
    assert [place for place in places if not place.is_dir()] == []
