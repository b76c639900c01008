"""What a turn changed, over HTTP: read, as a patch, taken back, refused."""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.host.checkpoints import held
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.routes import finished, open_session, start_turn


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("own_tools")
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        yield server


@pytest.fixture(scope="module")
def kernel(server: JupyterServer) -> KernelSide:
    return server.start_kernel("kernels/own.ipynb")


@pytest.fixture(scope="module")
def other_kernel(server: JupyterServer) -> KernelSide:
    return server.start_kernel("kernels/other.ipynb")


@pytest.fixture
def folder(server: JupyterServer, request: pytest.FixtureRequest) -> Path:
    name: str = request.node.name
    folder = server.root / name.split("[")[0]
    folder.mkdir()
    (folder / "a.py").write_bytes(b"one\r\ntwo\r\n")
    (folder / "b.bin").write_bytes(b"\0\1\2")
    (folder / "gone").write_text("x")
    return folder


TURN = "write a.py one\\n2\\n\nbytes b.bin 00ff\ndelete gone\nwrite new/c.txt x\\n\nsay Done"


def turn(user: httpx.Client, folder: Path, prompt: str = TURN, **more: Any) -> str:
    session_id = open_session(user, "own_tools", cwd=str(folder), **more)
    turn_id = start_turn(user, session_id, prompt)
    finished(user, turn_id)
    return turn_id


def changes(user: httpx.Client, turn_id: str, **query: str) -> dict[str, Any]:
    answer = user.get(f"turns/{turn_id}/changes", params=query)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def refused(answer: httpx.Response, status: int, reason: str) -> str:
    assert (answer.status_code, answer.json()["reason"]) == (status, reason), answer.text
    return str(answer.json()["message"])


def test_changes_are_read_and_taken_back(user: httpx.Client, folder: Path) -> None:
    before = held(folder)
    turn_id = turn(user, folder)
    told = changes(user, turn_id)
    assert (told["known"], told["revertible"], told["words"]) == (True, True, "")
    files = {f["path"]: (f["change"], f["old_text"], f["new_text"]) for f in told["files"]}
    assert files == {
        "a.py": ("modified", "one\r\ntwo\r\n", "one\n2\n"),
        "b.bin": ("modified", None, None),
        "gone": ("deleted", "x", None),
        "new/c.txt": ("added", None, "x\n"),
    }
    (one,) = changes(user, turn_id, path="a.py")["files"]
    assert (one["path"], one["added"], one["removed"]) == ("a.py", 2, 2)
    assert changes(user, turn_id, path="a.py", format="patch")["patch"].count("diff --git") == 1
    patch = changes(user, turn_id, format="patch")["patch"]
    back = ["git", "apply", "-R", "--check", "-"]
    subprocess.run(back, cwd=folder, input=patch.encode(), check=True)

    answer = user.post(f"turns/{turn_id}/revert").json()
    assert sorted(answer["paths"]) == ["a.py", "b.bin", "gone", "new/c.txt"]
    assert held(folder) == before
    told = finished(user, turn_id)["turn"]["changes"]
    assert all(file["reverted"] for file in told["files"])


def test_what_was_changed_since_is_refused(user: httpx.Client, folder: Path) -> None:
    turn_id = turn(user, folder)
    (folder / "a.py").write_text("mine")
    now = held(folder)
    message = refused(user.post(f"turns/{turn_id}/revert"), 409, "changes_refused")
    assert message == "Nothing was reverted: a.py was changed since the turn."
    assert held(folder) == now
    one = user.post(f"turns/{turn_id}/revert", json={"paths": ["gone"]}).json()
    assert one["paths"] == ["gone"]
    some = user.post(f"turns/{turn_id}/revert", json={"partial": True}).json()
    assert some["refused"] == {"a.py": "was changed since"}
    assert sorted(path for path in held(folder)) == ["a.py", "b.bin", "gone"]
    assert (folder / "a.py").read_text() == "mine"
    assert (folder / "b.bin").read_bytes() == b"\0\1\2"


def test_nonsense_is_refused_in_words(user: httpx.Client, folder: Path) -> None:
    turn_id = turn(user, folder, "say Nothing")
    assert changes(user, turn_id)["files"] == []
    assert changes(user, turn_id, format="patch")["patch"] == ""
    refused(user.get(f"turns/{turn_id}/changes", params={"path": "/etc"}), 400, "bad_request")
    bad = user.post(f"turns/{turn_id}/revert", json={"paths": ["../x"]})
    assert "did not change" in refused(bad, 400, "bad_request")
    refused(user.get("turns/none/changes"), 404, "unknown_turn")
    refused(user.post("turns/none/revert"), 404, "unknown_turn")


def test_a_running_turn_is_not_taken_back(user: httpx.Client, folder: Path) -> None:
    session_id = open_session(user, "own_tools", cwd=str(folder))
    first = start_turn(user, session_id, "write a.py 1")
    finished(user, first)
    running = start_turn(user, session_id, "write a.py 2\nwait")
    for turn_id in (first, running):
        message = refused(user.post(f"turns/{turn_id}/revert"), 409, "changes_refused")
        assert message.startswith("A turn is running")
    user.post(f"sessions/{session_id}/cancel").raise_for_status()
    finished(user, running)


def test_a_kernel_takes_back_its_own_turns_only(
    user: httpx.Client, kernel: KernelSide, other_kernel: KernelSide, folder: Path
) -> None:
    fields = {"agent": "own_tools", "cwd": str(folder)}
    session = kernel.request("POST", "sessions", fields).json()["session_id"]
    asked = {"prompt": "write a.py 1", "origin": {"cell_id": "c"}}
    own = kernel.request("POST", f"sessions/{session}/prompt", asked).json()["turn_id"]
    finished(user, own)
    users = start_turn(user, session, "write b.bin 2")
    finished(user, users)
    assert kernel.request("GET", f"turns/{users}/changes").json()["files"][0]["path"] == "b.bin"
    refused(kernel.request("POST", f"turns/{users}/revert", {}), 403, "not_allowed")
    refused(other_kernel.request("GET", f"turns/{own}/changes"), 404, "unknown_turn")
    refused(other_kernel.request("POST", f"turns/{own}/revert", {}), 404, "unknown_turn")
    assert kernel.request("POST", f"turns/{own}/revert", {}).json()["paths"] == ["a.py"]
    assert (folder / "a.py").read_bytes() == b"one\r\ntwo\r\n"
    assert (folder / "b.bin").read_text() == "2"


def test_the_notebook_of_the_turn_stays(
    user: httpx.Client, server: JupyterServer, folder: Path
) -> None:
    """Its page saves it while the turn runs; nobody asked to lose that."""
    (folder / "nb.ipynb").write_text("{}")
    session_id = open_session(user, "own_tools", cwd=str(folder))
    origin = {"notebook_path": (folder / "nb.ipynb").relative_to(server.root).as_posix()}
    prompt = "write nb.ipynb {1}\nwrite a.py 1"
    turn_id = start_turn(user, session_id, prompt, origin={**origin, "cell_id": "c"})
    finished(user, turn_id)
    assert [file["path"] for file in changes(user, turn_id)["files"]] == ["a.py"]
    assert "nb.ipynb" not in changes(user, turn_id, format="patch")["patch"]
    assert user.post(f"turns/{turn_id}/revert").json()["paths"] == ["a.py"]
    assert (folder / "nb.ipynb").read_text() == "{1}"
    many = start_turn(
        user, session_id, "write nb.ipynb {2}\nmany 210 .txt", origin={**origin, "cell_id": "c"}
    )
    finished(user, many)
    assert finished(user, many)["turn"]["changes"]["left_out"] == 10
    user.post(f"turns/{many}/revert").raise_for_status()
    assert (folder / "nb.ipynb").read_text() == "{2}"
    assert list(folder.glob("*.txt")) == []


def test_a_home_folder_holds_jupyters_own_and_that_is_no_change(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """As on a hub: the server's root is the home folder."""
    folder = tmp_path_factory.mktemp("home")
    home = folder / "root"
    data = home / ".local/share/jupyter"
    (data / "acp-jupyter").mkdir(parents=True, mode=0o755)
    env = {"HOME": str(home), "JUPYTER_DATA_DIR": str(data), "IPYTHONDIR": str(home / ".ipython")}
    with JupyterServer(folder, agents=fake_agents("own_tools"), env=env) as server:
        own = f"{data.relative_to(home)}/nbsignatures.db", ".cache/x", ".ipython/history.sqlite"
        kernel = server.start_kernel("nb.ipynb")
        wish = {"mode": "record", "path": ""}
        made = kernel.request("POST", "sessions", {"agent": "own_tools", "record": wish})
        session_id = made.json()["session_id"]
        prompt = "\n".join(("write a.py 1", *(f"write {path} 1" for path in own), "say Done"))
        with server.user() as user:
            body = {"prompt": prompt, "origin": {"cell_id": "c"}}
            sent = kernel.request("POST", f"sessions/{session_id}/prompt", body)
            turn_id = sent.json()["turn_id"]
            finished(user, turn_id)
            told = changes(user, turn_id)
            assert [file["path"] for file in told["files"]] == ["a.py"]
            assert user.post(f"turns/{turn_id}/revert", json={}).json()["paths"] == ["a.py"]
        assert not (home / "a.py").exists()
        assert stat.S_IMODE((data / "acp-jupyter").stat().st_mode) == 0o700
    record = next(home.glob("nb.acp/*.ndjson")).read_text()
    changed = [m for line in record.splitlines() if (m := json.loads(line)["m"]).get("files")]
    assert {file["path"] for note in changed for file in note["files"]} == {"a.py"}
