"""The supervisor for systems without POSIX: what it starts ends with it; and its key."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from acp_jupyter.system.portable import PORTABLE_VARIABLE
from acp_jupyter.system.processes.portable_link import KEY_VARIABLE, SocketLink
from acp_jupyter.system.processes.tree import ProcessTree
from tests.support.processes import alive
from tests.support.wait import eventually, eventually_async
from tests.system.processes.test_supervise import HOST, STUBBORN


@pytest.fixture(autouse=True)
def portable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The portable layer, here and in all that is started."""
    monkeypatch.setenv(PORTABLE_VARIABLE, "1")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("more", [(), ("fork",)], ids=["", "a child keeps the connection"])
def test_nothing_survives_the_host(number: int, more: tuple[str, ...]) -> None:
    """Not even what ignores the signals, in a session of its own, with a parent that has ended."""
    with subprocess.Popen(
        [sys.executable, "-c", HOST, STUBBORN, *more], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        pids = [int(word) for word in (host.stdout.readline() + host.stdout.readline()).split()]
        assert len(pids) == 4
        host.send_signal(number)
    eventually(lambda: not any(map(alive, pids)), f"one of {pids} to end")


LEAVES_ONE = """
import subprocess
print(subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL).pid)
"""


def running(*command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command)


def test_what_an_ended_process_has_left_is_found_by_its_environment() -> None:
    tree = ProcessTree()
    started = subprocess.run(
        [sys.executable, "-c", LEAVES_ONE],
        env={**os.environ, **tree.variables},
        stdout=subprocess.PIPE,
        check=True,
    )
    left = int(started.stdout)
    with running("sleep", "600") as other:
        tree.end(os.getpid() + 1)  # whatever has this number
        eventually(lambda: not alive(left))
        assert alive(other.pid)
        other.kill()


@pytest.mark.asyncio
async def test_only_who_has_the_key_is_taken_for_the_supervisor() -> None:
    link = await SocketLink.open()
    port = int(link.command(1, 1, terminal=False)[-5])
    with running("sleep", "600") as supervisor:
        link.started(supervisor)
        reading = asyncio.create_task(link.read())
        stranger, closing = await asyncio.open_connection("127.0.0.1", port)
        closing.write(b"0" * 32 + b"\n")
        assert await stranger.read() == b""
        closing.close()
        own, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(link.variables[KEY_VARIABLE].encode() + b"\nreport\n")
        assert await reading == b"report\n"
        link.release()
        assert await own.read() == b""
        writer.close()
        link.close()
        supervisor.kill()


@pytest.mark.asyncio
async def test_a_supervisor_that_ends_before_it_connects_is_noticed() -> None:
    link = await SocketLink.open()
    with running("true") as supervisor:
        link.started(supervisor)
        assert await link.read() == b""
        await eventually_async(lambda: supervisor.poll() is not None)
    link.close()
