"""How long wrong keys take, in a time that the test moves."""

from __future__ import annotations

import asyncio

import pytest

from acp_jupyter.host.key_throttle import KeyThrottle, TooManyWrongKeys
from tests.support.virtual_loop import in_virtual_time


async def seconds(key_throttle: KeyThrottle, source: str) -> float:
    """Send one wrong key and return how long its answer took."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    key_throttle.admit(source)
    await key_throttle.refuse(source)
    return loop.time() - begun


@in_virtual_time
async def test_each_takes_longer_up_to_two_seconds() -> None:
    key_throttle = KeyThrottle()
    taken = [await seconds(key_throttle, "a") for _ in range(1_100)]
    assert taken[:10] == [0, 0, 0, 0, 0, 0.25, 0.5, 1, 2, 2]
    assert set(taken[10:]) == {2}
    assert await seconds(key_throttle, "b") == 0


@in_virtual_time
async def test_a_minute_without_one_forgives_all() -> None:
    key_throttle = KeyThrottle()
    for _ in range(9):
        await seconds(key_throttle, "a")
    await asyncio.sleep(59)
    assert await seconds(key_throttle, "a") == 2
    await asyncio.sleep(61)
    assert await seconds(key_throttle, "a") == 0


@in_virtual_time
async def test_many_at_once_are_no_way_around_it_and_lock_nobody_out() -> None:
    key_throttle = KeyThrottle()
    for _ in range(9):
        await seconds(key_throttle, "a")
    flood = [asyncio.create_task(seconds(key_throttle, "a")) for _ in range(1_000)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyWrongKeys, match="2 seconds"):
        key_throttle.admit("a")
    key_throttle.admit("another")
    results = await asyncio.gather(*flood, return_exceptions=True)
    refused = [each for each in results if isinstance(each, TooManyWrongKeys)]
    assert len(refused) == 996, "as many were looked at as may wait"
    assert asyncio.get_running_loop().time() <= 10
    key_throttle.admit("a")


@in_virtual_time
async def test_one_that_hangs_up_leaves_its_place() -> None:
    key_throttle = KeyThrottle()
    for _ in range(9):
        await seconds(key_throttle, "a")
    gone = [asyncio.create_task(seconds(key_throttle, "a")) for _ in range(4)]
    await asyncio.sleep(0)
    for task in gone:
        task.cancel()
    await asyncio.wait(gone)
    key_throttle.admit("a")


@in_virtual_time
async def test_a_thousand_sources_are_remembered_and_no_more() -> None:
    key_throttle = KeyThrottle()
    for _ in range(9):
        await seconds(key_throttle, "first")
    for number in range(999):
        await seconds(key_throttle, str(number))
    assert await seconds(key_throttle, "first") == 2
    for number in range(1_000):
        await seconds(key_throttle, str(number))
    assert await seconds(key_throttle, "first") == 0
