"""JupyterHub with users of the system: what is each one's own, and a folder that they share.

Long, as it takes root and an environment with JupyterHub, its proxy from npm, and two servers.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.agents.fake_agent import AGENTS
from tests.support.server.hub import Hub, HubUser
from tests.support.server.hub_environment import HubEnvironment, hub_environment
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.server.system_users import common_python, run_as, system_users, why_no_users
from tests.support.wait import eventually

WHY = why_no_users()
pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(WHY), reason=WHY),
]
PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run")
SECRET = re.compile("TOKEN|KEY|SECRET|PASSWORD")
TEAM = f"acp-team-{os.getpid()}"
ADA, BOB = f"acp-ada-{os.getpid()}", f"acp-bob-{os.getpid()}"

CONFIG = """
c.JupyterHub.spawner_class = "localprocess"
c.Spawner.args += ["--config", {server_config!r}]
"""
SERVER_CONFIG = """
import os
os.umask(0o002)  # as a folder of a team is used
c.AcpJupyter.agents = {agents!r}
c.AcpJupyter.trusted_folders = [{shared!r}]
c.AcpJupyter.default_sandbox = "off"
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that every user can enter."""
    folder = Path(tempfile.mkdtemp(prefix="acp-users-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> HubEnvironment:
    return hub_environment(tmp_path_factory.mktemp("wheel"), common_python())


@pytest.fixture(scope="module")
def shared(place: Path) -> Path:
    return place / "shared"


@pytest.fixture(scope="module")
def hub(environment: HubEnvironment, place: Path, shared: Path) -> Iterator[Hub]:
    shutil.copytree(AGENTS, place / "fake_agents")
    words = [str(place / "fake_agents" / "fake_agent.py"), "edits_files"]
    agent = {"command": str(environment.python), "args": words}
    config = place / "server_config.py"
    config.write_text(
        SERVER_CONFIG.format(agents={"edits_files": agent}, shared=str(shared)), "utf-8"
    )
    with ExitStack() as stack:
        hub = Hub(place / "hub", environment, config=CONFIG.format(server_config=str(config)))
        stack.enter_context(system_users(place / "hub" / "homes", TEAM, (ADA, BOB)))
        shared.mkdir()
        shutil.chown(shared, group=TEAM)
        shared.chmod(0o2775)
        yield stack.enter_context(hub)


@pytest.fixture(scope="module")
def ada(hub: Hub) -> HubUser:
    return hub.user(ADA)


@pytest.fixture(scope="module")
def bob(hub: Hub) -> HubUser:
    return hub.user(BOB)


def processes(user: str) -> list[psutil.Process]:
    return [each for each in psutil.process_iter() if each.username() == user]


def found_by(user: str, *test: str) -> list[str]:
    """Return what `find` finds as a user, of all that lies where users write."""
    said = run_as(user, "find", *PLACES, "-xdev", *test, "-print")
    return [line for line in said.splitlines() if not line.startswith("find: ")]


def edits(user: HubUser, cwd: Path, *lines: str) -> dict[str, Any]:
    """Have a user's agent read and write through its client; return the turn."""
    with user.client() as client:
        session = open_session(client, "edits_files", cwd=str(cwd), policy="allow-all")
        return finished(client, start_turn(client, session, "\n".join(lines)))


def changed(turn: dict[str, Any], user: HubUser) -> list[str]:
    with user.client() as client:
        answer = client.get(f"turns/{turn['turn']['turn_id']}/changes").raise_for_status().json()
    return [each["path"] for each in answer["files"]]


def test_agents_run_as_their_user(ada: HubUser, bob: HubUser) -> None:
    for user in (ada, bob):
        with user.client() as client:
            session = open_session(client, "demo", policy="accept-edits")
            turn = finished(client, start_turn(client, session, "create made.txt rate=0"))
            assert turn["turn"]["stop_reason"] == "end_turn"
        assert (user.root / "made.txt").owner() == user.name
        commands = [" ".join(each.cmdline()) for each in processes(user.name)]
        assert any("acp_jupyter.agents.demo" in each for each in commands)


def test_nobody_reads_what_is_anothers(hub: Hub, place: Path, ada: HubUser, bob: HubUser) -> None:
    """While an agent waits for an answer and a kernel runs. The home folder itself is open."""
    with ada.client() as client:
        wanted = {"path": "n.ipynb", "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        client.post(f"{ada.url}api/sessions", json=wanted).raise_for_status()
        session = open_session(client, "demo")
        start_turn(client, session, "create asked.txt rate=0")
        pending(client, session)
    log = eventually(lambda: next(ada.root.rglob("traffic.ndjson"), None))
    key = eventually(lambda: next(ada.root.rglob("kernel-*.json"), None))
    assert log is not None
    assert key is not None
    readable = found_by(bob.name, "-user", ada.name, "-type", "f", "-readable")
    assert [Path(path).name for path in readable if "/.local/share/jupyter/" in path] == []
    assert str(ada.root / "made.txt") in readable, "find works"
    outside = [path for path in readable if not path.startswith(f"{ada.root}/")]
    assert outside == []
    for what in (("-type", "s"), ("-type", "d", "-writable"), ("-type", "f", "-writable")):
        assert found_by(bob.name, "-user", ada.name, *what) == []
    assert "Permission denied" in run_as(bob.name, "cat", str(log))
    assert "Permission denied" in run_as(bob.name, "cat", str(key))

    # Each user sees the command lines of all processes.
    secrets = {json.loads(key.read_bytes())["key"], ada.token}
    for process in processes(ada.name):
        environ = process.environ()
        secrets |= {value for name, value in environ.items() if SECRET.search(name) and value}
        assert run_as(bob.name, "cat", f"/proc/{process.pid}/environ").endswith("denied\n")
    assert len(secrets) >= 3
    shown = "\n".join(word for each in processes(ada.name) for word in each.cmdline())
    assert [secret for secret in secrets if secret in shown] == []
    with bob.client() as client:
        assert session not in [each["session_id"] for each in client.get("sessions").json()]


def test_agents_of_two_users_work_in_a_shared_folder(
    shared: Path, ada: HubUser, bob: HubUser
) -> None:
    """Each can change what the other has made, and a turn has only its own changes."""
    first = edits(ada, shared, 'fs write data.txt "one\\ntwo\\n"')
    assert changed(first, ada) == ["data.txt"]
    second = edits(bob, shared, 'fs replace data.txt "two" "three"')
    assert changed(second, bob) == ["data.txt"]
    data = shared / "data.txt"
    assert data.read_text() == "one\nthree\n"
    assert (data.group(), data.stat().st_mode & 0o777) == (TEAM, 0o664)
    with bob.client() as client:
        client.post(f"turns/{second['turn']['turn_id']}/revert", json={}).raise_for_status()
    assert data.read_text() == "one\ntwo\n"
    third = edits(ada, shared, 'fs replace data.txt "one" "zero"')
    assert third["turn"]["stop_reason"] == "end_turn"
    assert data.read_text() == "zero\ntwo\n"


def test_both_agents_at_once(shared: Path, ada: HubUser, bob: HubUser) -> None:
    each = 20
    with ExitStack() as stack:
        turns = {}
        for user in (ada, bob):
            client = stack.enter_context(user.client())
            session = open_session(client, "edits_files", cwd=str(shared), policy="allow-all")
            name = user.name.split("-")[1]
            lines = [f'fs write {name}-{number}.txt "{name}\\n"' for number in range(each)]
            turns[user] = client, start_turn(client, session, "\n".join(lines)), name
        for user, (client, turn_id, name) in turns.items():
            turn = finished(client, turn_id)
            assert turn["turn"]["stop_reason"] == "end_turn"
            assert sorted(changed(turn, user)) == sorted(f"{name}-{n}.txt" for n in range(each))
            for number in range(each):
                made = shared / f"{name}-{number}.txt"
                assert (made.read_text(), made.owner()) == (f"{name}\n", user.name)


def test_a_file_keeps_its_group_where_the_folder_does_not_give_it(
    shared: Path, ada: HubUser, bob: HubUser
) -> None:
    folder = shared / "plain"
    folder.mkdir()
    shutil.chown(folder, ada.name, TEAM)
    folder.chmod(0o775)
    data = folder / "data.txt"
    data.write_text("one\n")
    shutil.chown(data, ada.name, TEAM)
    data.chmod(0o664)
    edits(bob, folder, 'fs replace data.txt "one" "two"')
    assert (data.read_text(), data.group()) == ("two\n", TEAM)
    edits(ada, folder, 'fs replace data.txt "two" "three"')
    assert data.read_text() == "three\n"


def test_a_repository_of_somebody_else(shared: Path, ada: HubUser, bob: HubUser) -> None:
    """Git refuses to work in it for others than its owner; agents work all the same."""
    folder = shared / "repository"
    for command in (("mkdir", "-m", "2775"), ("git", "init", "-q")):
        run_as(ada.name, *command, str(folder))
    assert (folder / ".git").is_dir()
    turn = edits(bob, folder, 'fs write a.txt "a\\n"')
    assert turn["turn"]["stop_reason"] == "end_turn"
    assert changed(turn, bob) == ["a.txt"]
