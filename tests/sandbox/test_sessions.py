"""An agent of a session, and the commands that it has this client run, are in the same walls."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.protocol.host_events.session import Policy, Sandbox
from tests.sandbox.deeds import DEEDS
from tests.sandbox.world import World, world
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import HostFolders

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or find_level().level == "none", reason="no sandbox here"
)

NAMES = (
    *("append to a file of the home folder", "read ~/.ssh/id_rsa", "read the log of a session"),
    *("send a signal", "read another's environment", "connect to an abstract socket"),
    *("write a file of the folder", "write through a link"),
)


@pytest.fixture
def place() -> Iterator[World]:
    with world() as made:
        yield made


@pytest.mark.parametrize(
    ("sandbox", "policy"), [("folder", "allow-all"), ("read-only", "allow-all")]
)
def test_a_hostile_command_in_a_terminal(
    sandbox: Sandbox, policy: Policy, place: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place.home))
    chosen = [deed for deed in DEEDS if deed.name in NAMES]
    assert len(chosen) == len(NAMES)
    setting = "\n".join(f"{name} = {value!r}" for name, value in place.names.items())
    steps: list[dict[str, Any]] = []
    for deed in chosen:
        code = f"{setting}\nimport sys\ntry:\n exec({deed.code!r})\n print('DONE')\n"
        code += "except Exception as e:\n print('HELD')\n"
        params = {"command": sys.executable, "args": ["-I", "-S", "-c", code]}
        steps += [
            {"ask": "terminal/create", "params": params, "as": "t"},
            {"ask": "terminal/wait_for_exit", "params": {"terminalId": "$t"}},
            {"ask": "terminal/output", "params": {"terminalId": "$t"}},
            {"ask": "terminal/release", "params": {"terminalId": "$t"}},
        ]
    before = place.bytes_of(".bashrc", "work/a.py")
    folders = HostFolders(place.folder, place.home / "data", ())
    folders.others["hostile"] = script("terminal_script")
    with folders.server() as server:
        session = server.open("hostile", policy=policy, sandbox=sandbox)
        turn = server.done(session, server.prompt(session, json.dumps(steps)))
        assert turn.stop_reason == "end_turn"
        answers = json.loads(server.text(session))
    said = {deed.name: answers[4 * at + 2]["output"].strip() for at, deed in enumerate(chosen)}
    expected = {deed.name: "HELD" for deed in chosen}
    if sandbox == "folder":
        expected["write a file of the folder"] = "DONE"
    assert said == expected
    after = place.bytes_of(".bashrc", "work/a.py")
    assert after[".bashrc"] == before[".bashrc"]
    assert (after["work/a.py"] != before["work/a.py"]) == (sandbox == "folder")
    assert not (place.home / "signalled").exists()
