"""An asyncio program: turns are awaited, streamed and cancelled while its loop goes on."""

from __future__ import annotations

import asyncio

from acp_jupyter.errors import TurnError, TurnTimeout
from acp_jupyter.kernel.connect import connect


async def main() -> None:
    """Run all of it."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    reader, writer = connect("demo"), connect("demo", session="writer")
    read, wrote = await asyncio.gather(
        reader.prompt("list rate=100"),
        writer.prompt("create made.txt rate=100", policy="accept-edits"),
    )
    print(read.stop_reason, wrote.permissions[0].outcome)
    assert ticks > 3, ticks

    stream = reader.prompt("list rate=20")
    pieces = [piece async for piece in stream.stream()]
    assert len(pieces) > 1, pieces
    assert "".join(pieces) == stream.text

    endless = reader.prompt("slow rate=2")
    try:
        async with asyncio.timeout(0.3):
            await endless
    except TimeoutError:
        print(endless.wait().stop_reason)

    for prompt, timeout in (("error rate=0", None), ("slow rate=2", 0.3)):
        try:
            await reader.prompt(prompt, timeout=timeout)
        except TurnTimeout as error:
            print("too long:", error)
        except TurnError as error:
            print("error:", error)
    ticking.cancel()


asyncio.run(main())
