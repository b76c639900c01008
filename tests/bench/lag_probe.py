"""A server extension that measures how late the server's own event loop is."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

__all__ = ["LAG_FILE"]

LAG_FILE = "ACP_BENCH_LAG_FILE"
_PAUSE = 0.005
_KEEP_SECONDS = 0.5


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "tests.bench.lag_probe"}]


def _load_jupyter_server_extension(serverapp: Any) -> None:
    serverapp.io_loop.add_callback(_start)


def _start() -> None:
    asyncio.get_running_loop().create_task(_measure(Path(os.environ[LAG_FILE])))


async def _measure(path: Path) -> None:
    """Write, each half second, the time of day and all delays of it in milliseconds."""
    delays: list[float] = []
    written = time.monotonic()
    while True:
        before = time.monotonic()
        await asyncio.sleep(_PAUSE)
        now = time.monotonic()
        delays.append(round((now - before - _PAUSE) * 1000, 2))
        if now - written > _KEEP_SECONDS:
            with path.open("a") as file:
                file.write(json.dumps([time.time(), delays]) + "\n")
            delays, written = [], now
