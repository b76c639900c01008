"""How long wrong keys take, in a time that the test moves."""

from __future__ import annotations

import asyncio

import pytest

from acp_jupyter.host.wrong_keys import TooManyWrongKeys, WrongKeys
from tests.support.virtual_loop import in_virtual_time


async def seconds(wrong_keys: WrongKeys, source: str) -> float:
    """Send one wrong key and return how long its answer took."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    wrong_keys.admit(source)
    await wrong_keys.refuse(source)
    return loop.time() - begun


@in_virtual_time
async def test_each_takes_longer_up_to_two_seconds() -> None:
    wrong_keys = WrongKeys()
    taken = [await seconds(wrong_keys, "a") for _ in range(1_100)]
    assert taken[:10] == [0, 0, 0, 0, 0, 0.25, 0.5, 1, 2, 2]
    assert set(taken[10:]) == {2}
    assert await seconds(wrong_keys, "b") == 0


@in_virtual_time
async def test_a_minute_without_one_forgives_all() -> None:
    wrong_keys = WrongKeys()
    for _ in range(9):
        await seconds(wrong_keys, "a")
    await asyncio.sleep(59)
    assert await seconds(wrong_keys, "a") == 2
    await asyncio.sleep(61)
    assert await seconds(wrong_keys, "a") == 0


@in_virtual_time
async def test_many_at_once_are_no_way_around_it_and_lock_nobody_out() -> None:
    wrong_keys = WrongKeys()
    for _ in range(9):
        await seconds(wrong_keys, "a")
    flood = [asyncio.create_task(seconds(wrong_keys, "a")) for _ in range(1_000)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyWrongKeys, match="2 seconds"):
        wrong_keys.admit("a")
    wrong_keys.admit("another")
    results = await asyncio.gather(*flood, return_exceptions=True)
    refused = [each for each in results if isinstance(each, TooManyWrongKeys)]
    assert len(refused) == 996, "as many were looked at as may wait"
    assert asyncio.get_running_loop().time() <= 10
    wrong_keys.admit("a")


@in_virtual_time
async def test_one_that_hangs_up_leaves_its_place() -> None:
    wrong_keys = WrongKeys()
    for _ in range(9):
        await seconds(wrong_keys, "a")
    gone = [asyncio.create_task(seconds(wrong_keys, "a")) for _ in range(4)]
    await asyncio.sleep(0)
    for task in gone:
        task.cancel()
    await asyncio.wait(gone)
    wrong_keys.admit("a")


@in_virtual_time
async def test_a_thousand_sources_are_remembered_and_no_more() -> None:
    wrong_keys = WrongKeys()
    for _ in range(9):
        await seconds(wrong_keys, "first")
    for number in range(999):
        await seconds(wrong_keys, str(number))
    assert await seconds(wrong_keys, "first") == 2
    for number in range(1_000):
        await seconds(wrong_keys, str(number))
    assert await seconds(wrong_keys, "first") == 0
