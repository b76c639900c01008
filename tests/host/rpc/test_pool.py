"""Which process serves which session."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.rpc.pool import AgentPool, Member
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from acp_jupyter.protocol.traffic import TrafficEntry
from tests.support.agents.connection import FAST
from tests.support.agents.fake_agent import fake_agent

pytestmark = pytest.mark.asyncio


@dataclass(eq=False)
class Log:
    session_id: str
    sequence: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def without_known(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        return message

    def enter(self, entry: TrafficEntry) -> None:
        """Keep nothing."""


async def test_leaving_a_dead_process_does_not_leave_the_next_one(tmp_path: Path) -> None:
    pool = AgentPool(FAST, Sandboxes((), tmp_path))
    one, two = (Member(fake_agent("hello"), tmp_path, Log(name), None) for name in ("1", "2"))
    try:
        first = await pool.join(one)
        os.kill(first.pid, signal.SIGKILL)
        await first.wait_closed()
        second = await pool.join(two)
        assert second.pid != first.pid
        # Its end is cleared up slowly; meanwhile the session goes on at the second one.
        leaving = asyncio.create_task(pool.leave(one, first))
        await asyncio.sleep(0)
        assert await pool.join(one) is second
        await leaving
        assert pool.shared(one)
        await pool.leave(one, first)
        assert pool.shared(one)
        await pool.leave(one)
        assert not pool.shared(one)
    finally:
        await pool.close()
