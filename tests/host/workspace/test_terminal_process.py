"""Nothing that runs in a terminal outlives the host, however that ends."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.support.processes import alive
from tests.support.wait import eventually

HOST = """
import asyncio, os, sys
from dataclasses import replace
from pathlib import Path
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.terminals import SessionTerminals

async def main():
    limits = replace(Limits(), term_seconds=0.2)
    terminals = SessionTerminals(lambda note: None, Path("/"), os.environ, limits)
    terminal_id = await terminals.create(sys.executable, ["-c", sys.argv[1]])
    while "\\n" not in (output := terminals.output(terminal_id).output):
        await asyncio.sleep(0.01)
    if sys.argv[2] == "ended":
        await terminals.wait(terminal_id)
    print(output, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""

STUBBORN = """
import os, signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(write, str(os.getpid()).encode())
        time.sleep(600)
    os._exit(0)
os.wait()
print(os.getppid(), os.getpid(), child.pid, os.read(read, 20).decode(), flush=True)
"""


def start_host(code: str, until: str) -> tuple[subprocess.Popen[str], list[int]]:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, code, until], stdout=subprocess.PIPE, text=True
    )
    assert host.stdout is not None
    pids = [int(word) for word in host.stdout.readline().split()]
    assert len(pids) == 4
    return host, pids


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_command_that_ignores_hangups_and_one_of_another_session_end(number: int) -> None:
    host, pids = start_host(STUBBORN + "\nwhile True: time.sleep(600)", "running")
    assert all(alive(pid) for pid in pids)
    host.send_signal(number)
    host.wait()
    assert host.stdout is not None
    host.stdout.close()
    eventually(lambda: not any(alive(pid) for pid in pids), f"one of {pids} to end")


def test_what_a_command_left_in_the_background_ends_too() -> None:
    host, pids = start_host(STUBBORN, "ended")
    supervisor, command, *background = pids
    assert not alive(command)
    assert all(alive(pid) for pid in (supervisor, *background))
    host.kill()
    host.wait()
    assert host.stdout is not None
    host.stdout.close()
    eventually(lambda: not any(alive(pid) for pid in pids), f"one of {pids} to end")
