"""A program that waits for a turn in the way that its argument names, and says how it ended."""

from __future__ import annotations

import asyncio
import sys
import threading

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.connect import connect
from acp_jupyter.kernel.turn.turn import Turn


async def stream(turn: Turn) -> None:
    """Read it piece by piece."""
    async for piece in turn.stream():
        print(piece, end="")


async def both(turn: Turn) -> None:
    """Wait for it and for another at once."""
    other = connect("demo", session="other").prompt("create other.txt rate=0")
    await asyncio.gather(turn, other)
    print("other:", other.stop_reason)


async def wait(turn: Turn) -> None:
    """Await it."""
    await turn


def thread(turn: Turn) -> None:
    """Wait for it in a thread."""
    waiting = threading.Thread(target=turn.wait)
    waiting.start()
    waiting.join()


how = sys.argv[1]
prompted = connect("demo").prompt("create made.txt rate=0")
try:
    if how == "thread":
        thread(prompted)
    else:
        asyncio.run({"await": wait, "stream": stream, "both": both}[how](prompted))
except AcpError as error:
    print("refused:", error)
print("ended:", prompted.stop_reason)
