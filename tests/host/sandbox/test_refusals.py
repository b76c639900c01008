"""What failed commands say, and the wall that explains it: a row a form of words."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.sandbox.refusals import (
    environment_of,
    nested_met,
    network_met,
    refusals_in,
    wall_met,
)
from acp_jupyter.host.sandbox.walls import (
    AgentPlaces,
    FolderPlaces,
    Walls,
    WallsNetwork,
    walls_of,
)
from acp_jupyter.protocol.host_events.session import Network, Sandbox, SandboxLevel

GIT, ENV, HOOK = "WS/.git", "WS/.env", "WS/.git/hooks/x"
KEEPS_GIT = "The sandbox “folder” keeps .git from changes."
HIDES_ENV = "The sandbox “folder” hides .env from the agent."
OUTSIDE = "The sandbox “folder” keeps what is outside the session's folder from changes: OUT/new."
INSTALLED = "OUT/venv/lib/python3.12/site-packages/a.py"
KEEPS_VENV = OUTSIDE.replace("OUT/new", INSTALLED)
NOTHING = ""


@dataclass(frozen=True)
class Row:
    output: str
    words: str
    """Of the wall; empty for none."""
    sandbox: Sandbox = "folder"
    level: SandboxLevel = "full"
    folder: str = "WS"


ROWS = [
    # git
    Row("fatal: Unable to create 'WS/.git/index.lock': Read-only file system", KEEPS_GIT),
    Row("error: could not lock config file .git/config: Read-only file system", KEEPS_GIT),
    Row("fatal: could not open '.git/COMMIT_EDITMSG': Read-only file system", KEEPS_GIT),
    Row(
        "fatal: Unable to create 'WS/.git/index.lock': Permission denied",
        "The sandbox “read-only” keeps all files from changes, and so .git/index.lock.",
        "read-only",
        "partial",
    ),
    # pip, uv, conda, npm
    Row(
        "ERROR: Could not install packages due to an OSError: [Errno 30] Read-only file system: "
        f"'{INSTALLED}'",
        KEEPS_VENV,
    ),
    Row(f"ERROR: … [Errno 13] Permission denied: '{INSTALLED}'", KEEPS_VENV, level="partial"),
    Row(
        "error: Failed to install: a\n  Caused by: failed to create directory "
        f"`{INSTALLED}`: Read-only file system (os error 30)",
        KEEPS_VENV,
    ),
    Row(
        "EnvironmentNotWritableError: The current user does not have write permissions to the "
        f"target environment.\n  environment location: {INSTALLED}\n  uid: 1000\n",
        KEEPS_VENV,
    ),
    Row("npm error code EROFS\nnpm error syscall mkdir\nnpm error path OUT/new\n", OUTSIDE),
    # Python, Node
    Row("PermissionError: [Errno 13] Permission denied: '.env'", HIDES_ENV),
    Row("PermissionError: [Errno 13] Permission denied: '../.env'", HIDES_ENV, folder="WS/src"),
    Row("OSError: [Errno 30] Read-only file system: 'a.txt' -> 'OUT/new'", OUTSIDE),
    Row("Error: EROFS: read-only file system, open 'OUT/new'", OUTSIDE),
    Row("Error: EACCES: permission denied, open 'WS/.env'", HIDES_ENV),
    Row("Error: EROFS: read-only file system, rename 'WS/a' -> 'WS/.git/hooks/x'", KEEPS_GIT),
    # shells and small programs
    Row("bash: line 1: OUT/new: Read-only file system", OUTSIDE),
    Row("bash: OUT/new: Read-only file system", OUTSIDE),
    Row("sh: 1: cannot create OUT/new: Read-only file system", OUTSIDE),
    Row("touch: cannot touch 'OUT/new': Read-only file system", OUTSIDE),
    Row("mkdir: cannot create directory ‘OUT/new’: Read-only file system", OUTSIDE),
    Row(
        "\x1b[31mcp: cannot create regular file 'OUT/new'\x1b[0m: Read-only file system\r", OUTSIDE
    ),
    Row("cat: .env: Permission denied", HIDES_ENV),
    Row("grep: ./.env: Permission denied\nother: words", HIDES_ENV),
    Row(
        "cat: TMP/note: No such file or directory",
        "The sandbox “folder” has a folder of its own for temporary files: TMP/note is not in it.",
    ),
    Row(
        "rm: cannot remove 'src/a.py': Read-only file system",
        "The sandbox “read-only” keeps all files from changes, and so src/a.py.",
        "read-only",
    ),
    # The last of several counts, and one that no wall explains is passed over.
    Row("cat: .env: Permission denied\nbash: OUT/new: Read-only file system", OUTSIDE),
    Row("cat: .env: Permission denied\ncat: nothing: No such file or directory", HIDES_ENV),
    # No wall explains these.
    Row("cat: src/a.py: Permission denied", NOTHING),
    Row("bash: line 1: src/a.py: Permission denied", NOTHING),
    Row("touch: cannot touch 'src/a.py': Read-only file system", NOTHING),
    Row("cat: OUT/venv/pyvenv.cfg: Permission denied", NOTHING),
    Row("touch: cannot touch 'OUT/new': Read-only file system", NOTHING, level="partial"),
    Row("cat: OUT/nothing: No such file or directory", NOTHING),
    Row("cat: TMP/nothing: No such file or directory", NOTHING),
    Row("Permission denied", NOTHING),
    Row("Permission denied (publickey).", NOTHING),
    Row("The file OUT/new is on a read-only file system, it says.", NOTHING),
    Row("2 passed", NOTHING),
    Row("touch: cannot touch 'OUT/new\0': Read-only file system", NOTHING),
]


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    ws, out, tmp = (tmp_path / name for name in ("ws", "out", "tmp"))
    for folder in (ws / ".git" / "hooks", ws / "src", out / "venv" / "lib", tmp):
        folder.mkdir(parents=True)
    for file in (ws / ".env", ws / "src" / "a.py", out / "venv" / "pyvenv.cfg", tmp / "note"):
        file.touch()
    return {"WS": str(ws), "OUT": str(out), "TMP": str(tmp)}


def walls(places: dict[str, str], sandbox: Sandbox) -> Walls:
    ws = places["WS"]
    found = FolderPlaces(protected=(f"{ws}/.git",), credentials=(f"{ws}/.env",))
    return walls_of(sandbox, ws, found, AgentPlaces(), (), (places["TMP"],))


def put(text: str, places: dict[str, str]) -> str:
    for name, path in places.items():
        text = text.replace(name, path)
    return text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.output[:60])
def test_what_wall_explains_it(row: Row, places: dict[str, str]) -> None:
    kept = walls(places, row.sandbox)
    met = wall_met(put(row.output, places), put(row.folder, places), kept, row.level)
    assert (met.words if met else "") == put(row.words, places)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do all")
def test_what_the_user_may_not_do_either_is_no_wall(places: dict[str, str]) -> None:
    Path(places["OUT"]).chmod(0o500)
    output = put("touch: cannot touch 'OUT/new': Read-only file system", places)
    assert wall_met(output, places["WS"], walls(places, "folder"), "full") is None


def test_the_beginning_and_the_end_of_a_long_output_are_read() -> None:
    noise = "line of noise\n" * 100_000
    said = "bash: /a: Read-only file system\n"
    assert [r.path for r in refusals_in(said + noise + said.replace("/a", "/b"))] == ["/b", "/a"]
    assert refusals_in(noise + said + noise) == ()


def test_the_environment_of_a_path(places: dict[str, str]) -> None:
    kept, ws = walls(places, "folder"), Path(places["WS"])
    assert environment_of(put(INSTALLED, places), kept) == f"{places['OUT']}/venv"
    assert environment_of(f"{places['OUT']}/new", kept) == ""
    # What the agent could have made itself is none: all would be writable.
    (ws / "pyvenv.cfg").touch()
    assert environment_of(f"{ws}/.git/index.lock", kept) == ""
    assert environment_of(f"{ws}/src/a.py", walls(places, "read-only")) == ""


def test_one_folder_more_may_be_written(places: dict[str, str]) -> None:
    out = places["OUT"]
    before = walls(places, "folder")
    after = before.with_writable(f"{out}/venv")
    assert after.access_to(f"{out}/venv/lib/a") == "write"
    assert after.access_to(f"{out}/other") == "read"
    both = after.with_writable(places["WS"])
    assert both.access_to(put(HOOK, places)) == "write"
    assert both.access_to(put(ENV, places)) == "hidden"
    assert before.access_to(f"{out}/venv/lib/a") == "read"


REFUSED = (Destination(host="example.org", port=443), Destination(host="db.example", port=5432))
NOT_THERE = "The sandbox “folder” does not let the agent reach example.org."
NONE = "The sandbox “folder” has no network: none was chosen for it."
PAST = "The sandbox “folder” reaches hosts by its proxy alone, and this program did not ask it."


@pytest.mark.parametrize(
    ("network", "output", "command", "words"),
    [
        ("hosts", "curl: (56) CONNECT tunnel failed, response 403", "curl example.org", NOT_THERE),
        ("hosts", "fatal: unable to access 'https://Example.org/a.git/': 403", "git", NOT_THERE),
        (
            "hosts",
            "no route",
            "psql -h db.example",
            NOT_THERE.replace("example.org", "db.example:5432"),
        ),
        ("hosts", "curl: (56) 403", "curl https://www.example.org", NOTHING),
        ("hosts", "curl: (56) 403", "curl https://example.org.uk", NOTHING),
        ("hosts", "ssh: Could not resolve hostname a: Name or service not known", "ssh a", PAST),
        ("hosts", "2 failed", "pytest", NOTHING),
        ("none", "curl: (6) Could not resolve host: a", "curl a", NONE),
        ("none", "<urlopen error [Errno -3] Temporary failure in name resolution>", "", NONE),
        ("none", "npm error code EAI_AGAIN", "npm i", NONE),
        ("none", "getaddrinfo ENOTFOUND registry.npmjs.org", "npm i", NONE),
        ("none", "OSError: [Errno 101] Network is unreachable", "", NONE),
        ("none", "OSError: [Errno 97] Address family not supported by protocol", "", NONE),
        ("none", "failed to lookup address information", "uv pip install a", NONE),
        ("none", "2 failed", "pytest", NOTHING),
        ("all", "curl: (6) Could not resolve host: example.org", "curl example.org", NOTHING),
    ],
)
def test_what_wall_of_the_network_explains_it(
    network: Network, output: str, command: str, words: str, places: dict[str, str]
) -> None:
    reached = WallsNetwork(reach=network)
    kept = walls(places, "folder").model_copy(update={"network": reached})
    met = network_met(output, command, kept, REFUSED if network == "hosts" else ())
    assert (met.words if met else "") == words


@pytest.mark.parametrize(
    ("output", "program"),
    [
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "bubblewrap"),
        ("Exit code 1\nbwrap: Creating new namespace failed: Permission denied\n", "bubblewrap"),
        ("sandbox-exec: sandbox_apply: Operation not permitted", "sandbox-exec"),
        ("the program bwrap: Can't mount proc: Operation not permitted", ""),
        ("bwrap: Unknown option --nothing", ""),
    ],
)
def test_a_sandbox_that_can_not_be_made_inside(
    output: str, program: str, places: dict[str, str]
) -> None:
    met = nested_met(output, walls(places, "folder"))
    assert (met is not None) is bool(program)
    if met is not None:
        assert met.words == (
            f"{program} can't make a sandbox inside the sandbox “folder”. If it is the agent's "
            "own, turn that off in the agent's settings: this one holds either way."
        )
