from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acp_jupyter.system.processes import supervise
from tests.support.agents.fake_agent import command_line
from tests.support.processes import alive
from tests.support.wait import eventually

HOST = """
import asyncio, os, sys
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import AgentProcess
from acp_jupyter.host.registry_entries import AgentSpec

async def main():
    spec = AgentSpec("x", "X", sys.executable, ("-c", sys.argv[1]))
    limits = Limits(stdin_eof_seconds=0.2, term_seconds=0.2)
    process = await AgentProcess.start(spec, cwd="/", env=os.environ, limits=limits)
    line = b""
    while not line.endswith(b"\\n"):
        line += await process.stdout.read()
    if len(sys.argv) > 2 and os.fork() == 0:
        # A child of the host that inherited the life pipe, as multiprocessing makes them.
        os.closerange(0, 3)
        import time
        time.sleep(600)
        os._exit(0)
    print(line.decode(), process.pid, flush=True)
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
print(os.getppid(), child.pid, os.read(read, 20).decode(), flush=True)
while True:
    time.sleep(600)
"""


def start_host(*more: str) -> tuple[subprocess.Popen[str], list[int]]:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, STUBBORN, *more], stdout=subprocess.PIPE, text=True
    )
    assert host.stdout is not None
    first = host.stdout.readline() + host.stdout.readline()
    pids = [int(word) for word in first.split()]
    assert len(pids) == 4
    assert all(alive(pid) for pid in pids)
    return host, pids


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_survives_the_host(number: int) -> None:
    host, pids = start_host()
    host.send_signal(number)
    host.wait()
    assert host.stdout is not None
    host.stdout.close()
    eventually(lambda: not any(alive(pid) for pid in pids), f"one of {pids} to end")


def test_nothing_survives_the_host_though_a_child_of_it_keeps_the_life_pipe() -> None:
    host, pids = start_host("fork")
    host.kill()
    host.wait()
    assert host.stdout is not None
    host.stdout.close()
    eventually(lambda: not any(alive(pid) for pid in pids), f"one of {pids} to end")


@pytest.mark.posix("host and supervisor")
def test_the_agent_dies_with_host_and_supervisor() -> None:
    host, pids = start_host()
    os.kill(pids[0], signal.SIGSTOP)
    host.kill()
    host.wait()
    assert host.stdout is not None
    host.stdout.close()
    os.kill(pids[0], signal.SIGKILL)
    eventually(lambda: not alive(pids[3]))
    for pid in pids[1:3]:
        # Nobody is left who could end these; the agent's own end is all that can be had.
        os.kill(pid, signal.SIGKILL)


def test_a_stop_signal_to_the_supervisor_ends_all() -> None:
    host, pids = start_host()
    os.kill(pids[0], signal.SIGTERM)
    eventually(lambda: not any(alive(pid) for pid in pids))
    host.kill()
    host.wait()
    assert host.stdout is not None
    host.stdout.close()


def test_it_needs_nothing_but_the_standard_library() -> None:
    code = (
        f"import sys; sys.argv = ['x']; import runpy; runpy.run_path({supervise.__file__!r});"
        "print([m for m in sys.modules if m.split('.')[0] in ('acp', 'acp_jupyter', 'pydantic')])"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_it_runs_as_a_module_too(tmp_path: Path) -> None:
    life_read, life_write = os.pipe()
    status_read, status_write = os.pipe()
    numbers = (str(life_read), str(status_write), "1", "1")
    command = [sys.executable, "-m", "acp_jupyter.system.processes.supervise", *numbers, "--"]
    result = subprocess.run(
        [*command, *command_line("exits_at_once")],
        pass_fds=(life_read, status_write),
        capture_output=True,
        check=True,
        cwd=tmp_path,
    )
    for fd in (life_read, life_write, status_write):
        os.close(fd)
    with os.fdopen(status_read) as status:
        lines = status.read().splitlines()
    assert lines[0].startswith('{"pid": ')
    assert lines[1] == '{"exit_code": 3, "signal": null}'
    assert b"cannot find the configuration" in result.stderr


def test_a_wrong_call_is_refused() -> None:
    assert supervise.main(["3", "4", "1", "1", "cat"]) == 2


def test_descendants_are_found_whatever_the_name_of_a_process(tmp_path: Path) -> None:
    program = tmp_path / "a) S 1 (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([str(program), "600"]) as child:
        eventually(lambda: child.pid in supervise.descendants(os.getpid()))
        child.kill()
