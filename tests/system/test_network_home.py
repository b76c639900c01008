"""A home folder on a network file system: locks that fail, and files that go stale."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

WITHOUT_LOCKS = """
import errno, fcntl, io, os
home, number = os.environ["ACP_TEST_HOME"], int(os.environ["ACP_TEST_ERROR"])
stale = set()

class Refusing:  # no function, which a class would bind
    def __init__(self, real):
        self.real = real

    def __call__(self, file, *rest):
        fd = file if isinstance(file, int) else file.fileno()
        if os.readlink(f"/proc/self/fd/{fd}").startswith(home):
            raise OSError(number, os.strerror(number))
        return self.real(file, *rest)

def staling(real):
    def opened(file, *rest, **more):
        path = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
        if path.startswith(home) and path.endswith(".json") and path not in stale:
            stale.add(path)
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), path)
        return real(file, *rest, **more)
    return opened

fcntl.flock, fcntl.lockf = Refusing(fcntl.flock), Refusing(fcntl.lockf)
if os.environ.get("ACP_TEST_STALE"):
    io.open = staling(io.open)
"""
"""Taken by each process that Python starts there."""

COUNTS = """
import sys
from pathlib import Path
from pydantic import BaseModel
from acp_jupyter.host.store.shared_json import SharedJsonFile

class Count(BaseModel):
    number: int = 0

file = SharedJsonFile(Path(sys.argv[1]), Count)
for _ in range(int(sys.argv[2])):
    file.change(lambda count: Count(number=count.number + 1))
print(file.read().number)
"""


_OTHERS = pytest.mark.long("one answer in each run; the same code reads the others")


@pytest.fixture(
    params=[
        "ENOLCK",
        pytest.param("EOPNOTSUPP", marks=_OTHERS),
        pytest.param("ENOSYS", marks=_OTHERS),
    ]
)
def number(request: pytest.FixtureRequest) -> int:
    """What network folders answer that have no locks."""
    found: int = getattr(errno, request.param)
    return found


def variables(tmp_path: Path, number: int, *, stale: bool = False) -> dict[str, str]:
    """Return what a program in that home has in its environment."""
    (tmp_path / "site").mkdir(exist_ok=True)
    (tmp_path / "site" / "sitecustomize.py").write_text(WITHOUT_LOCKS)
    paths = (str(tmp_path / "site"), str(Path(__file__).parents[2]))
    return {
        "PYTHONPATH": os.pathsep.join(paths),
        "ACP_TEST_HOME": str(tmp_path / "net"),
        "ACP_TEST_ERROR": str(number),
        "ACP_TEST_STALE": "1" if stale else "",
    }


def test_no_change_of_two_programs_is_lost(tmp_path: Path, number: int) -> None:
    (tmp_path / "net").mkdir()
    file, times = tmp_path / "net" / "count.json", 100
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", COUNTS, str(file), str(times)],
            env={**os.environ, **variables(tmp_path, number, stale=True)},
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    said = [program.communicate(timeout=PATIENCE_SECONDS)[0] for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    assert max(map(int, said)) == 2 * times
    assert json.loads(file.read_bytes()) == {"number": 2 * times}


def test_two_servers_work_in_one_home(tmp_path: Path, number: int) -> None:
    """Turns, rules and Revert; a session that one server has open is read-only in the other."""
    net = tmp_path / "net"
    env = {**variables(tmp_path, number), "JUPYTER_DATA_DIR": str(net / "data")}

    def server(name: str) -> JupyterServer:
        return JupyterServer(net / name, agents=fake_agents("own_tools"), env=env, trusted=[net])

    with server("one") as one, one.user() as user:
        (one.root / "a.txt").write_text("before\n")
        demo = open_session(user, "demo")
        turn = start_turn(user, demo, "create b.txt rate=0")
        request = pending(user, demo)
        url = f"sessions/{demo}/permissions/{request['request_id']}"
        chosen = {"option_id": request["options"][0]["option_id"], "remember": "workspace"}
        answered = user.post(url, json=chosen)
        assert answered.is_success, answered.text
        assert finished(user, turn)["turn"]["stop_reason"] == "end_turn"
        assert user.get("rules").json()

        session = open_session(user, "own_tools", policy="allow-all")
        turn = start_turn(user, session, "write a.txt after")
        assert finished(user, turn)["turn"]["stop_reason"] == "end_turn"
        reverted = user.post(f"turns/{turn}/revert", json={})
        assert reverted.is_success, reverted.text
        assert (one.root / "a.txt").read_text() == "before\n"
        with server("two") as two, two.user() as other:
            refused = other.post(f"sessions/{session}/resume")
            assert "open in another server" in refused.text
            one.kill()
            eventually(lambda: other.post(f"sessions/{session}/resume").is_success, "it is taken")
    assert "Traceback" not in (net / "one" / "server.log").read_text()
