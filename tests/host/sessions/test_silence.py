"""When a turn counts as silent."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions.turns import SilentTurnTimer
from tests.support.virtual_loop import in_virtual_time


class _Log:
    """A session's log, as far as the timer looks at it."""

    def __init__(self) -> None:
        self.last_line_at = 0.0
        self.session = SimpleNamespace(status="idle", active_turn_id=None, silent_since=None)
        self.transcript = SimpleNamespace(session=self.session)
        self.told_at: list[float] = []

    def take_line(self, status: str) -> None:
        self.last_line_at = asyncio.get_running_loop().time()
        self.session.status, self.session.silent_since = status, None
        self.session.active_turn_id = "t1" if status == "running" else None

    def note(self, note: Any) -> None:
        assert note.since == self.last_line_at
        self.session.silent_since = note.since
        self.told_at.append(asyncio.get_running_loop().time())


@in_virtual_time
async def test_silence_is_told_when_it_has_lasted_that_long() -> None:
    """Whenever the turn began, and whenever the log was looked at before."""
    loop, log = asyncio.get_running_loop(), _Log()
    timer = SilentTurnTimer(cast("Any", log), Limits(silent_seconds=30), loop.time)
    for pause in (0.0, 1.0, 29.0, 31.0, 47.5):
        await asyncio.sleep(pause)
        log.take_line("running")
        await asyncio.sleep(20)
        log.take_line("running")
        due = loop.time() + 30
        await asyncio.sleep(100)
        assert log.told_at == [due]
        log.told_at.clear()
        log.take_line("idle")
    await asyncio.sleep(100)
    assert log.told_at == []
    timer.close()
