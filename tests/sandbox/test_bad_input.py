"""Folders and files that make a sandbox hard to keep: it is kept, or that it can't be is said."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sandbox.confine import landlock_version
from acp_jupyter.host.sandbox.levels import Level, find_level
from acp_jupyter.host.sandbox.sandboxes import Confined, NoWalls, Sandboxes
from acp_jupyter.protocol.host_events.session import Sandbox
from tests.sandbox.world import SECRET, World, world

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes of Linux")

SPEC = AgentSpec("a", "A", sys.executable, ())
FULL = find_level()
LEVELS = [
    pytest.param(
        FULL, id="full", marks=pytest.mark.skipif(FULL.level != "full", reason=FULL.why_not_more)
    ),
    pytest.param(
        Level("full", FULL.program),
        id="full, by bubblewrap alone",
        marks=pytest.mark.skipif(FULL.level != "full", reason=FULL.why_not_more),
    ),
    pytest.param(
        Level("partial"),
        id="partial",
        marks=pytest.mark.skipif(not landlock_version(), reason="no Landlock in this kernel"),
    ),
]
each_level = pytest.mark.parametrize("level", LEVELS)
only_full = pytest.mark.parametrize("level", LEVELS[:2])


@pytest.fixture
def place() -> Iterator[World]:
    with world() as made:
        yield made


@contextmanager
def confined(
    level: Level, place: World, folder: Path, sandbox: Sandbox = "folder"
) -> Iterator[Confined]:
    sandboxes = Sandboxes((place.home / "data",), place.home, level)
    walls = sandboxes.walls(sandbox, SPEC, folder, environment(place))
    made = sandboxes.begin(walls)
    try:
        yield made
    finally:
        made.end()


def environment(place: World) -> dict[str, str]:
    return agent_environment(os.environ, {"HOME": str(place.home)})


def run(made: Confined, place: World, folder: Path, code: str) -> str:
    """Run Python in a sandbox, and return what it prints; fail if it does not start."""
    command = made.command((sys.executable, "-I", "-S", "-c", code), str(folder))
    done = subprocess.run(
        command,
        cwd=folder,
        env=made.environment(environment(place)),
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def trying(what: str) -> str:
    return f"try:\n {what}\n print('done')\nexcept OSError:\n print('held')"


@each_level
@pytest.mark.parametrize("folder", ["/", "/tmp", "/var/tmp", "/home", "/etc", "~", "~/.."])
def test_a_folder_with_nearly_everything_is_not_to_be_written(
    level: Level, folder: str, place: World
) -> None:
    wide = Path(folder.replace("~", str(place.home)))
    sandboxes = Sandboxes((), place.home, level)
    with pytest.raises(NoWalls, match="nearly everything"):
        sandboxes.walls("folder", SPEC, wide, environment(place))


@each_level
def test_a_home_folder_can_be_kept_from_changes(level: Level, place: World) -> None:
    with confined(level, place, place.home, "read-only") as made:
        code = trying("open('new', 'w')") + "\n" + trying("open('.ssh/id_rsa').read()")
        assert run(made, place, place.home, code).split() == ["held", "held"]
        code = trying("import tempfile; tempfile.TemporaryFile().write(b'x')")
        assert run(made, place, place.home, code) == "done"


@each_level
def test_a_folder_is_a_link(level: Level, place: World) -> None:
    link = place.home / "link"
    link.symlink_to(place.folder)
    with confined(level, place, link) as made:
        code = trying("open('a.py', 'a').write('x')") + "\n" + trying("open('../new', 'w')")
        assert run(made, place, link, code).split() == ["done", "held"]


@each_level
def test_a_folder_lies_below_a_hidden_one(level: Level, place: World) -> None:
    copy = place.home / "data/copies/1"
    copy.mkdir(parents=True)
    with confined(level, place, copy) as made:
        log = place.home / "data/sessions/1/log.ndjson"
        code = trying("open('a.py', 'w').write('x')") + "\n" + trying(f"open({str(log)!r}).read()")
        assert run(made, place, copy, code).split() == ["done", "held"]
    assert (copy / "a.py").read_text() == "x"


@each_level
def test_a_folder_lies_among_temporary_files(level: Level, place: World) -> None:
    folder = Path(tempfile.mkdtemp(dir=str(place.names["TEMPORARY"])))
    theirs = str(place.names["TEMPORARY"]) + "/theirs"
    with confined(level, place, folder) as made:
        code = trying("open('a.py', 'w').write('x')") + "\n" + trying(f"open({theirs!r}).read()")
        code += "\nimport tempfile\n" + trying("tempfile.TemporaryFile().write(b'x')")
        assert run(made, place, folder, code).split() == ["done", "held", "done"]
    assert (folder / "a.py").read_text() == "x"


@each_level
def test_names_that_are_no_text(level: Level, place: World) -> None:
    folder = Path(os.fsdecode(os.fsencode(place.home) + b"/caf\xe9"))
    (folder / "plain").mkdir(parents=True)
    for name in (b".\xe9", b"k\xe9.pem", b"\xe9.txt"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text(SECRET)
    with confined(level, place, folder) as made:
        code = "\n".join(
            (
                trying("open(b'.\\xe9', 'a')"),
                trying("open(b'k\\xe9.pem').read()"),
                trying("open(b'\\xe9.txt', 'a')"),
                trying("open(b'../new', 'w')"),
            )
        )
        kept = "held" if level.level == "full" else "done"
        assert run(made, place, folder, code).split() == [kept, kept, "done", "held"]


@each_level
def test_files_are_gone_when_the_agent_starts(level: Level, place: World) -> None:
    with confined(level, place, place.folder) as made:
        for path in ("setup.py", ".env", "keys/server.pem", ".git/config"):
            (place.folder / path).unlink()
        (place.folder / "keys").rmdir()
        (place.home / ".ssh/id_rsa").unlink()
        (place.home / ".netrc").unlink()
        assert run(made, place, place.folder, "print('started')") == "started"
    assert not (place.folder / "keys").exists()
    assert not (place.folder / ".env").exists()


@pytest.mark.skipif(not FULL.mounts, reason="processes in a sandbox can't have their own")
def test_files_are_gone_between_the_look_and_the_start(place: World) -> None:
    with confined(FULL, place, place.folder) as made:
        command = made.command(("true",), str(place.folder))
        for path in ("setup.py", ".env", "CLAUDE.md"):
            (place.folder / path).unlink()
        (place.home / ".netrc").unlink()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    assert not (place.folder / ".env").exists()


@only_full
def test_a_link_with_a_protected_name_protects_what_it_leads_to(level: Level, place: World) -> None:
    (place.folder / "docs").mkdir()
    (place.folder / "docs/agents.txt").write_text("protected")
    (place.folder / "AGENTS.md").symlink_to("docs/agents.txt")
    (place.home / "shared_settings").write_text(SECRET)
    (place.folder / "prod.env").symlink_to(place.home / "shared_settings")
    with confined(level, place, place.folder) as made:
        code = trying("open('docs/agents.txt', 'a')") + "\n" + trying("open('prod.env').read()")
        assert run(made, place, place.folder, code).split() == ["held", "held"]


@only_full
def test_passwords_deeper_in_protected_folders(level: Level, place: World) -> None:
    for path in (".deploy/prod/.env", ".vscode/more/token.json"):
        (place.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (place.folder / path).write_text(SECRET)
    bare = place.folder / "mirror.git"
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main")
    (bare / "config").write_text("[remote]\n\turl = https://me:pass@host/x\n")
    with confined(level, place, place.folder) as made:
        paths = (".deploy/prod/.env", ".vscode/more/token.json", "mirror.git/config")
        code = "\n".join(trying(f"open({path!r}).read()") for path in paths)
        assert run(made, place, place.folder, code).split() == ["held"] * 3


@pytest.mark.skipif(not FULL.mounts, reason="processes in a sandbox can't have their own")
def test_a_thousand_protected_files(place: World) -> None:
    for number in range(1000):
        (place.folder / f"p{number}").mkdir()
        (place.folder / f"p{number}/setup.py").write_text("protected")
    with confined(FULL, place, place.folder) as made:
        code = "n = 0\nfor i in range(1000):\n try: open(f'p{i}/setup.py', 'a')\n"
        code += " except OSError: n += 1\nprint(n)"
        assert run(made, place, place.folder, code) == "1000"


@only_full
def test_more_protected_files_than_can_be_kept(level: Level, place: World) -> None:
    for number in range(2100):
        (place.folder / f"p{number}").mkdir()
        (place.folder / f"p{number}/setup.py").touch()
    sandboxes = Sandboxes((), place.home, level)
    with pytest.raises(NoWalls, match="protected files"):
        sandboxes.walls("folder", SPEC, place.folder, environment(place))
    (place.folder / "many").mkdir()
    for number in range(2100):
        (place.folder / f"p{number}/setup.py").unlink()
        (place.folder / f"many/{number}.pem").write_text(SECRET)
    with confined(level, place, place.folder) as made:  # of many in one folder, the folder
        code = trying("open('many/7.pem').read()") + "\n" + trying("open('a.py', 'a')")
        assert run(made, place, place.folder, code).split() == ["held", "done"]


@each_level
def test_the_administrators_of_a_sandbox_leave_nothing_open(level: Level, place: World) -> None:
    kept = [open(place.home / ".netrc"), open(place.folder / "a.py")]  # noqa: SIM115
    try:
        with confined(level, place, place.folder) as made:
            code = "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"
            assert run(made, place, place.folder, code) == "[0, 1, 2]"
    finally:
        for file in kept:
            file.close()


@each_level
def test_programs_of_the_folder_can_still_be_written(level: Level, place: World) -> None:
    (place.folder / "src").mkdir()
    (place.folder / "src/agent.py").write_text("print()")
    spec = AgentSpec("a", "A", sys.executable, (str(place.folder / "src/agent.py"),))
    sandboxes = Sandboxes((), place.home, level)
    walls = sandboxes.walls("folder", spec, place.folder, environment(place))
    assert walls.access_to(str(place.folder / "src/other.py")) == "write"


@each_level
def test_the_folder_is_another_by_the_time_that_a_command_is_run(
    level: Level, place: World
) -> None:
    with confined(level, place, place.folder) as made:
        place.folder.rename(place.home / "elsewhere")
        place.folder.symlink_to(place.home)
        with pytest.raises(OSError, match="leads elsewhere"):
            made.command(("true",), str(place.folder))


@pytest.mark.skipif(os.getuid() != 0, reason="only root sees what others keep to themselves")
@each_level
def test_another_users_program_listens_in_a_folder_of_its_own(level: Level, place: World) -> None:
    folder = place.home / "theirs"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(folder / "socket"))
        theirs.listen()
        os.chown(folder, 65534, 65534)
        with confined(level, place, place.folder) as made:
            assert run(made, place, place.folder, "print('started')") == "started"


@pytest.mark.skipif(os.getuid() != 0, reason="only root sees what others keep to themselves")
@each_level
def test_a_hidden_file_is_in_another_users_folder_by_the_time_of_the_start(
    level: Level, place: World
) -> None:
    with confined(level, place, place.folder) as made:
        if not level.mounts and level.level == "full":
            pytest.skip("bubblewrap refuses, and so nothing is started")
        os.chown(place.home / ".ssh", 65534, 65534)
        (place.home / ".ssh").chmod(0o700)
        assert run(made, place, place.folder, "print('started')") == "started"
