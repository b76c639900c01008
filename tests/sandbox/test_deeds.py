"""A hostile agent is held as docs/security.md says: one test for each deed and sandbox."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

from acp_jupyter.host.process.agent_process import AgentProcess, agent_environment
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sandbox.confine import landlock_version
from acp_jupyter.host.sandbox.levels import Level as Kept
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from acp_jupyter.protocol.host_events.session import Sandbox
from tests.sandbox.deeds import DEEDS, KINDS, NEWER_KERNEL, Deed, Kind, Level, held
from tests.sandbox.trial import tried
from tests.support.agents.connection import FAST
from tests.support.processes import alive, all_processes
from tests.support.wait import eventually_async

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes of Linux")

LEVELS: tuple[Level, ...] = ("full", "partial")
SANDBOXES: tuple[Sandbox, ...] = ("folder", "copy", "read-only")
NAMED = [pytest.param(deed, id=deed.name) for deed in DEEDS]


@cache
def results(level: str, sandbox: Sandbox) -> dict[str, Any]:
    require(level)
    return tried(level, sandbox)


def require(level: str) -> None:
    """Skip where a level is not to be had."""
    if level == "full" and find_level().level != "full":
        pytest.skip(find_level().why_not_more)
    if level == "partial" and not landlock_version():
        pytest.skip("Landlock is not in this kernel")


def keeps(kind: Kind, level: Level) -> bool:
    """Return whether this kernel can keep what the table says."""
    return level not in kind.newer or landlock_version() >= NEWER_KERNEL


@pytest.mark.parametrize("deed", NAMED)
def test_a_deed_can_be_done_without_a_sandbox(deed: Deed) -> None:
    done: dict[str, str | None] = results("none", "folder")["done"]
    if deed.name not in done or (deed.root and done[deed.name] is not None):
        pytest.skip("not for this user, or not on this machine")
    assert done[deed.name] is None


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("deed", NAMED)
def test_a_deed_is_held_as_the_table_says(deed: Deed, level: Level, sandbox: Sandbox) -> None:
    done: dict[str, str | None] = results(level, sandbox)["done"]
    if deed.name not in done or not keeps(deed.kind, level):
        pytest.skip("not for this user, or not on this machine")
    is_held = done[deed.name] is not None
    if held(deed.kind, level, sandbox):
        assert is_held
    elif deed.kind.promised:
        assert not is_held, done[deed.name]


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("level", LEVELS)
def test_the_files_outside_are_as_they_were(level: Level, sandbox: Sandbox) -> None:
    changed = results(level, sandbox)["changed"]
    if level == "partial" and sandbox == "folder":
        # A file of the folder with a second name outside: the table says so.
        changed = [path for path in changed if path != "note.txt" and not path.startswith("work/")]
    if landlock_version() < NEWER_KERNEL and level == "partial":
        changed = [path for path in changed if path != "signalled"]
    assert changed == []
    assert len(results("none", "folder")["changed"]) > 5


def test_each_row_of_the_table_is_tried() -> None:
    assert len(DEEDS) >= 60
    assert len({deed.name for deed in DEEDS}) == len(DEEDS)
    assert len({kind.words for kind in KINDS}) == len(KINDS)


_LEAVES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(3):
            os.close(descriptor)
        open("alive", "w").close()
        time.sleep(3600)
    os._exit(0)
os.wait()
sys.stdin.read()
"""


def of_this_test(word: str) -> list[int]:
    """Return the processes that have a word among their arguments."""
    found = []
    for process in all_processes():
        with contextlib.suppress(psutil.Error):
            if process.cmdline()[-1:] == [word] and alive(process.pid):
                found.append(process.pid)
    return found


@pytest.mark.asyncio
@pytest.mark.parametrize("level", LEVELS)
async def test_no_program_is_left_behind(level: Level, tmp_path: Path) -> None:
    require(level)
    folder = tmp_path / "work"
    folder.mkdir()
    command = (sys.executable, "-I", "-S", "-c", _LEAVES, str(folder))
    spec = AgentSpec("a", "A", command[0], command[1:])
    env = agent_environment(os.environ, {})
    sandboxes = Sandboxes((), tmp_path / "home", Kept("partial") if level == "partial" else None)
    confined = sandboxes.begin(sandboxes.walls("folder", spec, folder, env))
    agent = await AgentProcess.start(
        spec,
        cwd=folder,
        env=confined.environment(env),
        limits=FAST,
        command=confined.command(command, str(folder)),
    )
    try:
        await eventually_async((folder / "alive").exists, "the program runs")
        assert of_this_test(str(folder))
    finally:
        await agent.stop()
        confined.end()
    assert not of_this_test(str(folder))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("level", LEVELS)
def test_a_user_without_rights_is_held_alike(level: Level, sandbox: Sandbox) -> None:
    require(level)
    done = as_user(65534, level, sandbox)["done"]
    kinds = {deed.name: deed.kind for deed in DEEDS}
    assert len(done) >= 60
    wrong = {
        name: why
        for name, why in done.items()
        if keeps(kinds[name], level) and held(kinds[name], level, sandbox) != (why is not None)
    }
    assert wrong == {}


def as_user(number: int, level: Level, sandbox: Sandbox) -> dict[str, Any]:
    """Try all deeds as another user, who can read this Python and may get no new rights."""
    for program in ("unshare", "setpriv", "mount"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing")
    python = Path(sys.base_prefix).resolve()
    steps = (
        "set -e; user=$1; python=$2; shift 2; place=$(mktemp -d); home=$(mktemp -d -p /opt)"
        # Its Python may lie in a home folder that no other user can enter.
        '; case "$python" in /root/*) mount --bind "$python" "$place"'
        '; mount -t tmpfs -o mode=755 none /root; mkdir -p "$python"'
        '; mount --bind "$place" "$python"; umount "$place";; esac; rmdir "$place"'
        '; chown "$user" "$home"; export HOME="$home" ACP_DEEDS_FOLDER="$home"'
        '; setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs "$@" && end=0'
        ' || end=$?; rm -rf "$home"; exit $end'
    )
    command = (sys.executable, "-m", "tests.sandbox.trial", level, sandbox)
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", steps, "sh", str(number), str(python), *command],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
