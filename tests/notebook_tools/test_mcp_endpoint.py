"""Who gets in where the relays of agents' tools connect: who has the key of a living session."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable

import pytest

from acp_jupyter.notebook_tools.mcp_endpoint import ToolsListener
from tests.support.wait import PATIENCE_SECONDS

SERVED = b"served\n"


async def _serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(SERVED)
    await writer.drain()


async def _knock(address: str, said: bytes, *, hang_up: bool = True) -> bytes:
    """Connect, say this, and return what is answered until the other side ends it."""
    reader, writer = await asyncio.open_unix_connection(address.removeprefix("unix:"))
    try:
        writer.write(said)
        if hang_up:
            writer.write_eof()
        return await reader.read()
    except OSError:
        return b""
    finally:
        writer.close()


Said = Callable[[str, str, str], str]
"""From the greeting of this session, of another, and of one that has ended."""
REFUSED: dict[str, Said] = {
    "nothing": lambda own, other, ended: "",
    "an empty line": lambda own, other, ended: "\n",
    "no key": lambda own, other, ended: own.split()[0] + "\n",
    "an empty key": lambda own, other, ended: own.split()[0] + " \n",
    "a wrong key": lambda own, other, ended: own.split()[0] + " " + "0" * 64 + "\n",
    "a part of the key": lambda own, other, ended: own[:-1] + "\n",
    "more than the key": lambda own, other, ended: own + "0\n",
    "the key twice": lambda own, other, ended: own + " " + own.split()[1] + "\n",
    "the key in capitals": lambda own, other, ended: own.upper() + "\n",
    "no session": lambda own, other, ended: " " + own.split()[1] + "\n",
    "the key of another session": lambda own, other, ended: (
        own.split()[0] + " " + other.split()[1] + "\n"
    ),
    "the key of a session that has ended": lambda own, other, ended: ended + "\n",
    "no end of the line": lambda own, other, ended: own,
    "a line that is too long": lambda own, other, ended: own + " " * 1000 + "\n",
    "what is no text": lambda own, other, ended: "\udcff\udcfe " + own.split()[1] + "\n",
    "the protocol at once": lambda own, other, ended: '{"jsonrpc":"2.0","id":1,"method":"x"}\n',
}


async def _doors() -> tuple[ToolsListener, str, tuple[str, str, str]]:
    listener = ToolsListener()
    address, own = await listener.open("a" * 32, _serve)
    _, other = await listener.open("b" * 32, _serve)
    _, ended = await listener.open("c" * 32, _serve)
    await listener.shut("c" * 32)
    return listener, address, (own, other, ended)


@pytest.mark.parametrize("attack", REFUSED)
def test_nobody_gets_in_without_the_key(attack: str) -> None:
    async def play() -> None:
        listener, address, greetings = await _doors()
        try:
            said = REFUSED[attack](*greetings).encode("utf-8", "surrogateescape")
            assert await _knock(address, said) == b""
            # Who has it still does.
            assert await _knock(address, f"{greetings[0]}\n".encode()) == SERVED
        finally:
            await listener.close()

    asyncio.run(play())


def test_a_session_that_is_opened_again_has_another_key() -> None:
    async def play() -> None:
        listener, address, (own, *_) = await _doors()
        try:
            _, anew = await listener.open("a" * 32, _serve)
            assert anew != own
            assert await _knock(address, f"{own}\n".encode()) == b""
            assert await _knock(address, f"{anew}\n".encode()) == SERVED
        finally:
            await listener.close()

    asyncio.run(play())


def test_no_other_user_of_the_machine_reaches_it() -> None:
    async def play() -> str:
        listener, address, _ = await _doors()
        path = address.removeprefix("unix:")
        folder = os.path.dirname(path)
        try:
            modes = [stat.S_IMODE(os.stat(each).st_mode) for each in (path, folder)]
            assert modes == [0o600, 0o700]
        finally:
            await listener.close()
        return folder

    assert not os.path.exists(asyncio.run(play()))


def test_who_says_nothing_does_not_keep_others_out() -> None:
    """As many as like may knock; few are listened to at once, and those not for long."""

    async def play() -> None:
        listener, address, (own, *_) = await _doors()
        path = address.removeprefix("unix:")
        silent = [await asyncio.open_unix_connection(path) for _ in range(100)]
        try:
            ended = [asyncio.create_task(reader.read()) for reader, _ in silent]
            async with asyncio.timeout(PATIENCE_SECONDS):
                await asyncio.gather(*ended[:36])
            assert not any(each.done() for each in ended[36:])
            assert await _knock(address, f"{own}\n".encode()) == SERVED
            assert sum(each.done() for each in ended) <= 37
        finally:
            for _, writer in silent:
                writer.close()
            await asyncio.gather(*ended, return_exceptions=True)
            await listener.close()

    asyncio.run(play())
