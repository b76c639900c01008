from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from acp_jupyter.errors import AgentStartError
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import AgentProcess
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.system.processes.child_process import ExitReason
from acp_jupyter.system.processes.pipes import open_reader
from tests.support.processes import alive
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS, eventually_async

pytestmark = pytest.mark.asyncio

FAST = replace(Limits(), stdin_eof_seconds=0.2, term_seconds=0.2)


async def start(*command: str, limits: Limits = FAST, cwd: str | Path = "/") -> AgentProcess:
    spec = AgentSpec("x", "Agent X", command[0], command[1:])
    return await AgentProcess.start(spec, cwd=cwd, env=os.environ, limits=limits)


async def python(code: str, limits: Limits = FAST) -> AgentProcess:
    return await start(sys.executable, "-c", code, limits=limits)


async def output(process: AgentProcess, ending: bytes = b"\n") -> bytes:
    data = b""
    while not data.endswith(ending) and (chunk := await process.stdout.read()):
        data += chunk
    return data


async def test_the_agent_gets_the_pipes_and_the_folder(tmp_path: Path) -> None:
    process = await start("sh", "-c", "pwd; cat", cwd=tmp_path)
    process.stdin.write(b"hello\n")
    assert await output(process, b"hello\n") == f"{tmp_path}\nhello\n".encode()
    await process.stop()
    assert await process.wait_exit() == ExitReason(0, None)


async def test_it_has_its_own_session_and_none_of_our_descriptors() -> None:
    process = await python(
        "import os; print(os.getsid(0) == os.getpid(),"
        "sorted(map(int, os.listdir('/proc/self/fd'))))"
    )
    # The fourth is that of the directory being listed.
    assert await output(process) == b"True [0, 1, 2, 3]\n"
    await process.stop()


async def test_a_missing_command_is_said_in_words() -> None:
    with pytest.raises(
        AgentStartError, match=r"Agent X did not start: .*no-such-agent was not found"
    ):
        await start("no-such-agent")


async def test_a_file_that_may_not_be_run_is_said_in_words(tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/bin/sh\n")
    with pytest.raises(AgentStartError, match="is not executable"):
        await start(str(script))


async def test_a_file_that_is_no_program_is_said_in_words(tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_bytes(b"\x7fELF nonsense")
    script.chmod(0o755)
    with pytest.raises(AgentStartError, match="not a program"):
        await start(str(script))


async def test_a_missing_folder_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(AgentStartError, match=r"folder .* does not exist"):
        await start("cat", cwd=tmp_path / "gone")


async def test_code_in_the_folder_is_not_run_by_the_supervisor(tmp_path: Path) -> None:
    for name in ("json", "subprocess", "acp_jupyter", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(99)")
    spec = AgentSpec("x", "X", "echo", ("fine",))
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    process = await AgentProcess.start(spec, cwd=tmp_path, env=env, limits=FAST)
    assert await output(process) == b"fine\n"
    await process.stop()


async def test_death_is_noticed_while_a_grandchild_holds_the_pipes() -> None:
    process = await python(
        "import subprocess, os\n"
        # It says its number itself, once it ignores the signal.
        "subprocess.Popen(['sh', '-c', 'trap \"\" TERM; echo $$; exec sleep 600'])\n"
        "input(); os._exit(7)",
        limits=replace(FAST, term_seconds=FOREVER_SECONDS),
    )
    grandchild = int(await output(process))
    process.stdin.write(b"\n")
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await process.wait_exit() == ExitReason(7, None)
        assert await process.stdout.read() == b""
    assert alive(grandchild)
    os.kill(grandchild, signal.SIGKILL)
    await process.stop()


async def test_what_was_written_before_death_is_read_after_it() -> None:
    process = await python("import os; os.write(1, b'x' * 60000 + b'\\n'); os._exit(1)")
    await process.wait_exit()
    assert len(await output(process)) == 60001
    await process.stop()


async def test_who_writes_faster_than_we_read_does_not_keep_a_dead_pipe_alive() -> None:
    endless = open_reader(os.open("/dev/zero", os.O_RDONLY))
    assert len(await endless.read()) > 0
    endless.process_exited()
    size = 0
    while (chunk := await endless.read()) and size < 64 * 1024 * 1024:
        size += len(chunk)
    assert size < 8 * 1024 * 1024
    endless.close()


async def test_stderr_is_drained_bounded_and_cleaned() -> None:
    process = await python(
        "import sys\n"
        "for n in range(3000): sys.stderr.write(f'{n} ' + 'x' * 94 + '\\n')\n"
        "sys.stderr.write('\\x1b[31mred\\x1b[0m\\x07 \\u202eevil\\u202c ' + 'y' * 9000 + '\\n')\n"
        "sys.stderr.buffer.write(b'\\xff bytes, no newline'); sys.stderr.flush()\n"
        "print('alive', flush=True); sys.exit(3)"
    )
    assert await output(process) == b"alive\n"
    await process.wait_exit()
    tail = process.stderr_tail()
    assert tail[-1] == "\ufffd bytes, no newline"
    assert tail[-2].startswith("red evil yyy")
    assert len(tail[-2]) <= 2000
    assert len(tail) <= 200 + 1
    await process.stop()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit(3)", ExitReason(3, None)),
        ("import os; os.kill(os.getpid(), 9)", ExitReason(None, 9)),
    ],
)
async def test_the_reason_of_an_exit_is_told(code: str, reason: ExitReason) -> None:
    process = await python(code)
    assert await process.wait_exit() == reason
    await process.stop()


async def test_exit_reasons_read_as_words() -> None:
    assert ExitReason(3, None).words() == "exited with code 3"
    assert ExitReason(None, 9).words() == "was killed by signal 9"


async def test_an_agent_that_ends_with_its_stdin_is_sent_no_signal(tmp_path: Path) -> None:
    done = tmp_path / "done"
    process = await python(
        f"import sys; sys.stdin.read(); open({str(done)!r}, 'w').write('tidy')",
        limits=replace(FAST, stdin_eof_seconds=FOREVER_SECONDS),
    )
    async with asyncio.timeout(PATIENCE_SECONDS):
        await process.stop()
    assert done.read_text() == "tidy"
    assert await process.wait_exit() == ExitReason(0, None)


async def test_an_agent_that_ignores_eof_and_sigterm_is_killed_in_bounded_time() -> None:
    process = await python(
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True)\n"
        "while True: time.sleep(9)"
    )
    await output(process)
    began = time.monotonic()
    await process.stop()
    assert await process.wait_exit() == ExitReason(None, 9)
    assert not alive(process.pid)
    assert time.monotonic() - began >= FAST.stdin_eof_seconds + FAST.term_seconds


async def test_stop_may_be_called_twice_and_at_once() -> None:
    process = await start("cat")
    await asyncio.gather(process.stop(), process.stop())
    await process.stop()
    assert not alive(process.pid)


@pytest.mark.parametrize("cancels", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["", "acp-supervised", "acp-agent-stderr"])
async def test_a_start_that_is_cancelled_leaves_nothing(name: str, cancels: int) -> None:
    """At each step after a task of that name is there."""
    before = {*psutil.Process().children()}
    for steps in range(8):
        starting = asyncio.create_task(python("import time; time.sleep(600)"))
        while name and name not in {task.get_name() for task in asyncio.all_tasks()}:  # noqa: ASYNC110 - each step of the loop counts
            await asyncio.sleep(0)
        for _ in range(steps):
            await asyncio.sleep(0)
        for _ in range(cancels):
            starting.cancel()
            await asyncio.sleep(0)
        with contextlib.suppress(asyncio.CancelledError):
            await (await starting).stop()  # it was faster
        assert {*psutil.Process().children()} <= before
    gc.collect()  # what is not closed is told, and that fails the test


async def test_a_killed_supervisor_takes_the_agent_along() -> None:
    process = await python(
        "import os, subprocess, time; p = subprocess.Popen(['sleep', '600']);"
        "print(os.getppid(), p.pid, flush=True); time.sleep(600)"
    )
    supervisor, grandchild = map(int, (await output(process)).split())
    os.kill(supervisor, signal.SIGKILL)
    assert await process.wait_exit() == ExitReason(None, 9)
    await eventually_async(lambda: not alive(process.pid) and not alive(grandchild))
    await process.stop()


async def test_an_agent_whose_loop_ends_is_ended_and_leaves_no_zombie() -> None:
    async def left_running() -> AgentProcess:
        process = await python("import time; time.sleep(600)")
        process.stdin.close()
        return process

    process = await asyncio.to_thread(asyncio.run, left_running())
    supervisor = psutil.Process(process.pid).ppid()
    await eventually_async(lambda: not psutil.pid_exists(supervisor))
    assert not alive(process.pid)
    for pipe in (process.stdout, process._stderr):
        pipe.close()


async def test_what_waits_for_a_deaf_agent_is_bounded() -> None:
    process = await start("sleep", "600", limits=replace(FAST, unsent_bytes=1_000_000))
    process.stdin.write(b"x" * 900_000)
    with pytest.raises(ConnectionError, match="does not read"):
        process.stdin.write(b"x" * 900_000)
    await process.stop()


async def test_a_closed_stdin_is_an_error_and_not_a_hang() -> None:
    process = await start("sh", "-c", "exec 0<&-; echo closed; exec sleep 600")
    await output(process)

    async def write() -> None:
        while True:
            process.stdin.write(b"x" * 100_000)
            await process.stdin.flush(FOREVER_SECONDS)

    with pytest.raises(ConnectionError):
        await asyncio.wait_for(write(), PATIENCE_SECONDS)
    await process.stop()


async def test_nothing_stays_open_after_many_starts_and_stops() -> None:
    async def once() -> None:
        process = await start("cat")
        await process.stop()

    await once()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await once()
    for _ in range(5):
        with pytest.raises(AgentStartError):
            await start("no-such-agent")
    assert len(os.listdir("/proc/self/fd")) <= before
