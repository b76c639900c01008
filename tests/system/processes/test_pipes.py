"""How long a write may wait for who should read it."""

from __future__ import annotations

import asyncio
import os

import pytest

from acp_jupyter.system.processes.pipes import open_writer
from tests.support.virtual_loop import in_virtual_time


@pytest.mark.posix("waits in virtual time")
@in_virtual_time
async def test_a_write_that_nobody_reads_times_out() -> None:
    loop = asyncio.get_running_loop()
    read_end, write_end = os.pipe()
    writer = await open_writer(os.fdopen(write_end, "wb"), 10_000_000)
    writer.write(b"x" * 5_000_000)
    with pytest.raises(TimeoutError):
        await writer.flush(30)
    assert loop.time() == pytest.approx(30)
    writer.close()
    os.close(read_end)


@pytest.mark.posix("waits in virtual time")
@in_virtual_time
async def test_a_slow_reader_that_reads_on_does_not_time_out() -> None:
    loop = asyncio.get_running_loop()
    read_end, write_end = os.pipe()
    writer = await open_writer(os.fdopen(write_end, "wb"), 10_000_000)
    size = 2_000_000

    async def read() -> int:
        count = 0
        while count < size:
            await asyncio.sleep(20)
            count += len(os.read(read_end, 50_000))
        return count

    reading = asyncio.create_task(read())
    writer.write(b"x" * size)
    await writer.flush(30)
    assert await reading == size
    assert loop.time() > 300
    writer.close()
    os.close(read_end)
