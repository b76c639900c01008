"""Commands that the host runs for an agent."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from acp_jupyter.errors import TerminalRefused, UnknownTerminal
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.terminal_process import (
    HeldFolder,
    TerminalExit,
    TerminalProcess,
    prepare_command,
)
from acp_jupyter.host.workspace.terminals import SessionTerminals
from acp_jupyter.protocol.host_events.notes import Note
from acp_jupyter.protocol.host_events.session import (
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)
from tests.support.processes import alive
from tests.support.wait import eventually_async

LIMITS = replace(Limits(), term_seconds=0.3)
ENV = {"PATH": os.environ["PATH"], "HOME": "/tmp"}


class Host:
    """Terminals, and what they write into the log."""

    def __init__(self, root: Path, limits: Limits = LIMITS) -> None:
        self.notes: list[Note] = []
        self.terminals = SessionTerminals(self.notes.append, root, ENV, limits)

    def text(self) -> str:
        return "".join(note.text for note in self.notes if isinstance(note, TerminalOutput))

    async def python(self, code: str) -> str:
        return await self.terminals.create(sys.executable, ["-u", "-c", code])

    async def run(self, command: str, *args: str) -> tuple[str, TerminalExit]:
        """Run a command to its end; return its output."""
        terminal_id = await self.terminals.create(command, args)
        ended = await self.terminals.wait(terminal_id)
        return self.terminals.output(terminal_id).output, ended

    async def said(self, terminal_id: str, words: str) -> None:
        await eventually_async(lambda: words in self.terminals.output(terminal_id).output)


@pytest_asyncio.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    host = Host(tmp_path)
    yield host
    await host.terminals.close()


@pytest.mark.posix("terminal")
@pytest.mark.asyncio
async def test_a_command_has_a_terminal_and_no_input(host: Host) -> None:
    code = (
        "import os, sys; print(sys.stdout.isatty(), sys.stderr.isatty(), sys.stdin.isatty());"
        "print(tuple(os.get_terminal_size())); print(repr(sys.stdin.read()));"
        "print(os.path.exists('/dev/tty') and os.ttyname(os.open('/dev/tty', os.O_RDWR)) != '')"
    )
    output, ended = await host.run(sys.executable, "-c", code)
    assert output == "True True False\n(100, 30)\n''\nTrue\n"
    assert ended == TerminalExit(0, None)


@pytest.mark.asyncio
async def test_the_log_tells_of_a_terminal_from_start_to_end(host: Host, tmp_path: Path) -> None:
    terminal_id = await host.terminals.create("printf", ["one two"])
    await host.terminals.wait(terminal_id)
    await host.terminals.release(terminal_id)
    assert host.notes == [
        TerminalStarted(terminal_id=terminal_id, command="printf 'one two'", cwd=str(tmp_path)),
        TerminalOutput(terminal_id=terminal_id, text="one two"),
        TerminalExited(terminal_id=terminal_id, exit_code=0),
        TerminalReleased(terminal_id=terminal_id),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("command", "args", "expected", "code"),
    [
        ("echo", ["a  b", "$HOME", "*"], "a  b $HOME *\n", 0),
        ("echo one && echo two >&2; exit 3", [], "one\ntwo\n", 3),
        ("exit 4", [], "", 4),
        ("[[ a == a ]] && echo bash", [], "bash\n", 0),
        ("echo one; echo", ["two  three"], "one\ntwo  three\n", 0),
        ("kill -9 $$", [], "", None),
    ],
)
async def test_programs_run_directly_and_command_lines_by_a_shell(
    host: Host, command: str, args: list[str], expected: str, code: int | None
) -> None:
    output, ended = await host.run(command, *args)
    assert (output, ended.exit_code) == (expected, code)
    assert ended.signal == ("SIGKILL" if code is None else None)


@pytest.mark.asyncio
async def test_what_is_not_there_is_told_by_the_shell(host: Host) -> None:
    output, ended = await host.run("no-such-command-here", "x")
    assert "no-such-command-here" in output
    assert "not found" in output
    assert ended.exit_code == 127


@pytest.mark.asyncio
async def test_a_command_starts_in_the_sessions_folder_or_below(host: Host, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "leads out").symlink_to(tmp_path.parent)
    for cwd, expected in ((None, ""), ("sub", "sub"), (str(tmp_path / "sub"), "sub")):
        terminal_id = await host.terminals.create("pwd", cwd=cwd)
        await host.terminals.wait(terminal_id)
        folder = (tmp_path / expected).resolve()
        assert host.terminals.output(terminal_id).output == f"{folder}\n"
    for cwd in ("..", "/", "leads out", "sub/../..", str(tmp_path.parent)):
        with pytest.raises(TerminalRefused, match="outside the working directory"):
            await host.terminals.create("pwd", cwd=cwd)
    with pytest.raises(TerminalRefused, match="does not exist"):
        await host.terminals.create("pwd", cwd="nowhere")


class Swapped(HeldFolder):
    """A folder whose name another one takes when it was looked at for the last time."""

    def check(self) -> None:
        super().check()
        os.rename(self.path, f"{self.path} held")
        os.mkdir(self.path)


@pytest.mark.posix("held folder")
@pytest.mark.asyncio
async def test_a_command_starts_in_the_folder_that_is_held_for_it(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    prepared = prepare_command("touch ran", (), "shown", (), root=tmp_path, inherited=ENV)
    command = replace(prepared, folder=Swapped(prepared.folder.path))
    process = await TerminalProcess.start(command, LIMITS)
    await eventually_async((tmp_path / "shown held/ran").exists)
    assert list((tmp_path / "shown").iterdir()) == []
    await process.stop()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("command", "args", "env", "words"),
    [
        ("", [], [], "empty"),
        ("  ", [], [], "empty"),
        ("echo \0", [], [], "NUL"),
        ("echo", ["a\0b"], [], "NUL"),
        ("echo", [], [("A", "\0")], "NUL"),
        ("echo", [], [("", "a")], "environment variable"),
        ("echo", [], [("A=B", "a")], "environment variable"),
        ("x" * 3_000_000, [], [], "did not start"),
    ],
)
async def test_nonsense_is_refused_in_words(
    host: Host, command: str, args: list[str], env: list[tuple[str, str]], words: str
) -> None:
    with pytest.raises(TerminalRefused, match=words):
        await host.terminals.create(command, args, env=env)
    assert host.notes == []


@pytest.mark.asyncio
async def test_variables_are_added_to_the_surroundings(host: Host) -> None:
    line = 'echo "$MINE $HOME $PAGER $TERM"'
    terminal_id = await host.terminals.create(line, env=[("MINE", "a b"), ("PAGER", "less")])
    await host.terminals.wait(terminal_id)
    assert host.terminals.output(terminal_id).output == "a b /tmp less xterm-256color\n"


@pytest.mark.asyncio
async def test_the_end_of_the_output_is_kept_from_a_whole_character_on(host: Host) -> None:
    line = "printf 'aäöü€😀'"
    for limit, expected, truncated in (
        (0, "", True),
        (3, "", True),
        (4, "😀", True),
        (6, "😀", True),
        (7, "€😀", True),
        (14, "aäöü€😀", False),
        (10**12, "aäöü€😀", False),
    ):
        terminal_id = await host.terminals.create(line, output_bytes=limit)
        await host.terminals.wait(terminal_id)
        state = host.terminals.output(terminal_id)
        assert (state.output, state.truncated) == (expected, truncated)
    assert host.text() == "aäöü€😀" * 7


@pytest.mark.asyncio
async def test_characters_that_come_in_pieces_are_whole(host: Host) -> None:
    code = (
        "import sys, time\n"
        "for byte in '€😀'.encode() + b'\\xff!':\n"
        "    sys.stdout.buffer.write(bytes([byte])); sys.stdout.flush(); time.sleep(0.005)"
    )
    output, _ = await host.run(sys.executable, "-c", code)
    assert output == host.text() == "€😀\ufffd!"


@pytest.mark.asyncio
async def test_output_can_be_read_while_a_command_runs(host: Host) -> None:
    terminal_id = await host.terminals.create("echo ready; sleep 600")
    await host.said(terminal_id, "ready\n")
    state = host.terminals.output(terminal_id)
    assert state.exit is None
    assert not state.truncated
    await eventually_async(lambda: host.text() == "ready\n")


@pytest.mark.asyncio
async def test_a_killed_command_keeps_its_output_and_its_id(host: Host) -> None:
    terminal_id = await host.python(
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready'); time.sleep(600)"
    )
    await host.said(terminal_id, "ready")
    waiting = asyncio.create_task(host.terminals.wait(terminal_id))
    await host.terminals.kill(terminal_id)
    assert await waiting == TerminalExit(None, "SIGKILL")
    state = host.terminals.output(terminal_id)
    assert (state.output, state.exit) == ("ready\n", TerminalExit(None, "SIGKILL"))
    assert TerminalExited(terminal_id=terminal_id, signal="SIGKILL", by="agent") in host.notes
    await host.terminals.kill(terminal_id)  # once more does no harm


@pytest.mark.asyncio
async def test_a_released_id_is_free_and_its_command_gone(host: Host) -> None:
    terminal_id = await host.terminals.create("echo $$; sleep 600")
    await host.said(terminal_id, "\n")
    pid = int(host.terminals.output(terminal_id).output)
    assert alive(pid)
    await host.terminals.release(terminal_id)
    assert not alive(pid)
    for use in (host.terminals.wait, host.terminals.kill, host.terminals.release):
        with pytest.raises(UnknownTerminal, match="may have been released"):
            await use(terminal_id)
    with pytest.raises(UnknownTerminal):
        host.terminals.output(terminal_id)


@pytest.mark.asyncio
async def test_what_runs_in_the_background_lives_until_the_release(host: Host) -> None:
    line = (
        "setsid sh -c 'trap \"\" HUP TERM; echo later; : > up; exec sleep 600' & echo $!; "
        "until [ -e up ]; do sleep 0.01; done"
    )
    terminal_id = await host.terminals.create(line)
    assert (await host.terminals.wait(terminal_id)).exit_code == 0
    await host.said(terminal_id, "later")
    (pid,) = (
        int(word) for word in host.terminals.output(terminal_id).output.split() if word.isdigit()
    )
    assert alive(pid)
    await host.terminals.release(terminal_id)
    assert not alive(pid)


@pytest.mark.asyncio
async def test_a_command_that_runs_too_long_is_ended(tmp_path: Path) -> None:
    host = Host(tmp_path, replace(LIMITS, terminal_seconds=0.3))
    terminal_id = await host.terminals.create("echo started; sleep 600")
    ended = await host.terminals.wait(terminal_id)
    assert ended == TerminalExit(None, "SIGTERM")
    assert host.notes[-1] == TerminalExited(
        terminal_id=terminal_id, signal="SIGTERM", by="time_limit"
    )
    await host.terminals.close()


@pytest.mark.asyncio
async def test_only_so_many_run_at_once_and_ended_ones_make_room(tmp_path: Path) -> None:
    host = Host(tmp_path, replace(LIMITS, terminals=2))
    done = await host.terminals.create("true")
    await host.terminals.wait(done)
    first = await host.terminals.create("sleep 600")
    second = await host.terminals.create("sleep 600")
    with pytest.raises(UnknownTerminal):
        host.terminals.output(done)
    with pytest.raises(TerminalRefused, match="2 commands are already running"):
        await host.terminals.create("true")
    await host.terminals.kill(first)
    await host.terminals.create("true")
    host.terminals.output(second)
    await host.terminals.close()


@pytest.mark.asyncio
async def test_a_closed_session_ends_its_commands_and_starts_none(tmp_path: Path) -> None:
    host = Host(tmp_path)
    terminal_id = await host.terminals.create("echo $$; sleep 600")
    await host.said(terminal_id, "\n")
    pid = int(host.terminals.output(terminal_id).output)
    waiting = asyncio.create_task(host.terminals.wait(terminal_id))
    starting = asyncio.create_task(host.terminals.create("sleep 600"))
    await asyncio.sleep(0)
    await host.terminals.close()
    assert not alive(pid)
    assert (await waiting).signal == "SIGTERM"
    assert host.notes[-1] == TerminalExited(terminal_id=terminal_id, signal="SIGTERM", by="session")
    for creating in (starting, asyncio.create_task(host.terminals.create("true"))):
        with pytest.raises(TerminalRefused, match="closed"):
            await creating


@pytest.mark.asyncio
async def test_a_flood_is_cut_in_the_log_and_its_end_follows(tmp_path: Path) -> None:
    limits = replace(LIMITS, terminal_log_bytes=10_000, terminal_tail_bytes=100)
    host = Host(tmp_path, limits)
    terminal_id = await host.terminals.create("seq 100000; echo end")
    await host.terminals.wait(terminal_id)
    whole = "".join(f"{n}\n" for n in range(1, 100_001)) + "end\n"
    outputs = [note for note in host.notes if isinstance(note, TerminalOutput)]
    begun = "".join(note.text for note in outputs[:-1])
    assert begun == whole[:10_000]
    assert [note.cut for note in outputs[:-1]].count(True) == 1
    assert outputs[-2].cut
    assert outputs[-1].text == whole[-100:]
    assert outputs[-1].left_out == len(whole) - 10_100
    assert isinstance(host.notes[-1], TerminalExited)
    assert host.terminals.output(terminal_id).output == whole[-1024 * 1024 :]
    await host.terminals.close()


@pytest.mark.asyncio
async def test_output_comes_in_few_notes_and_soon(host: Host, tmp_path: Path) -> None:
    go_on = tmp_path / "go-on"
    code = (
        "import os, time\nfor n in range(200):\n    print(n); time.sleep(0.002)\n"
        f"    while n == 99 and not os.path.exists({str(go_on)!r}): time.sleep(0.01)"
    )
    began = time.monotonic()
    terminal_id = await host.python(code)
    await eventually_async(lambda: host.text() == "".join(f"{n}\n" for n in range(100)))
    assert host.terminals.output(terminal_id).exit is None
    go_on.touch()
    await host.terminals.wait(terminal_id)
    assert host.text() == "".join(f"{n}\n" for n in range(200))
    count = sum(isinstance(note, TerminalOutput) for note in host.notes)
    assert 2 <= count <= (time.monotonic() - began) / 0.05 + 2
