"""The notebook tools behind a real server, with a real kernel."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import httpx

from tests.notebook_tools.in_a_server.calls import NOTEBOOK, answers_in, sender, steps
from tests.support.kernel.cells import Cell, Kernel
from tests.support.processes import family
from tests.support.server.jupyter_server import JupyterServer, KernelSide
from tests.support.server.routes import open_session, pending, start_turn
from tests.support.server.user import AsUser
from tests.support.wait import eventually

_ATTACK = """\
mine, other, request_id = {mine!r}, {other!r}, {request_id!r}
print(json.dumps([
    send("GET", "sessions"),
    send("POST", f"sessions/{{other}}/permissions/{{request_id}}", {{"option_id": "yes"}}),
    send("POST", f"sessions/{{mine}}/config", {{"policy": "allow-all"}}),
    send("POST", f"sessions/{{mine}}/prompt", {{"prompt": "x", "policy": "allow-all"}}),
    send("POST", f"sessions/{{other}}/prompt", {{"prompt": "x"}}),
    send("POST", "sessions", {{"agent": "notebook_user", "policy": "allow-all", "new": True}}),
]))
"""


def _answers(server: JupyterServer, kernel: Kernel) -> list[dict[str, Any]]:
    """What the tools answered in the turn of the last cell."""
    said: Cell = kernel.run("print(_acp.text)").ok()
    return answers_in(said.printed)


def test_the_cell_that_asks_blocks_and_its_kernel_works_for_the_tools(
    server: JupyterServer, kernel: Kernel, path: Path
) -> None:
    prompt = steps(
        ("list_variables", {"pattern": "there*"}),
        ("insert_cell", {"source": "there + 1", "after": "cell-1"}),
        ("run_cells", {"cell_ids": ["cell-1", "cell-2"]}),
        ("run_code", {"code": "there = 43"}),
    )
    kernel.run("there = 42").ok()
    kernel.run(
        f"%%acp notebook_user --policy allow-all --new\n{prompt}", cell_id="cell-0", watched=True
    ).ok()
    assert kernel.run("print(there, n)").ok().printed == "43 1\n"
    listed, inserted, ran, code = _answers(server, kernel)
    assert not any(each["failed"] for each in (listed, inserted, ran, code)), ran
    assert "there: int" in listed["text"]
    assert ran["images"] == ["image/png"]
    cells = json.loads(path.read_text())["cells"]
    assert [cell["source"] for cell in cells][1:3] == [["n = 1"], ["there + 1"]]
    assert cells[2]["metadata"]["acp"]["agent"] == "notebook_user"
    assert "image/png" in cells[3]["outputs"][0]["data"]


def test_the_variables_of_the_frames_of_an_error_are_told(
    server: JupyterServer, kernel: Kernel, path: Path
) -> None:
    """In the cell that waits, and from the panel by the shell channel."""
    kernel.run("def mean(rows):\n    count = len(rows)\n    return sum(rows) / count")
    assert "ZeroDivisionError" in str(kernel.run("numbers = []\nmean(numbers)").error)
    asked = steps(("run_code", {"code": "1 + ''"}), ("last_error", {}))
    kernel.run(
        f"%%acp notebook_user --policy allow-all --new\n{asked}", cell_id="cell-0", watched=True
    ).ok()
    # What a tool runs is no error of the user's.
    told = [_answers(server, kernel)[1]]
    with AsUser(server) as user:
        session_id = user.new_session("notebook_user", "work", notebook_path=NOTEBOOK)
        turn_id = user.prompt(session_id, steps(("last_error", {})))
        items = user.ended(turn_id)["items"]
        told += answers_in("".join(i["text"] for i in items if i["kind"] == "agent_message"))
    assert len(told) == 2
    for each in told:
        assert "ZeroDivisionError: division by zero" in each["text"]
        assert "in mean: return sum(rows) / count" in each["text"]
        assert "rows: list length 0 = []" in each["text"]
        assert "count: int = 0" in each["text"]


def test_a_prompt_of_the_panel_uses_the_shell_channel(
    server: JupyterServer, kernel: Kernel, path: Path
) -> None:
    with AsUser(server) as user:
        session_id = user.new_session("notebook_user", "work", notebook_path=NOTEBOOK)
        turn_id = user.prompt(
            session_id, steps(("run_code", {"code": "by_panel = 7\nprint(by_panel)"}))
        )
        request = user.permission(turn_id)
        assert request["title"].endswith("wants to run code in the notebook's kernel")
        user.answer(session_id, request["request_id"], "allow")
        items = user.ended(turn_id)["items"]
        (told,) = answers_in("".join(i["text"] for i in items if i["kind"] == "agent_message"))
        assert 'origin="stdout of the code that you ran in n.ipynb"' in told["text"]
    assert kernel.run("print(by_panel)").ok().printed == "7\n"


def test_masked_values_are_not_told(server: JupyterServer, kernel: Kernel, path: Path) -> None:
    """In the cell that waits, and from the panel by the shell channel."""
    kernel.run("import pandas\nfrom acp_jupyter.context import mask").ok()
    kernel.run("sales = pandas.DataFrame({'email': ['-'.join(['ann', 'lee'])]})").ok()
    kernel.run("mask(sales, ['email']); copy = str(sales.email[0])").ok()
    assert kernel.run("int(copy)").error == "ValueError"
    asked = steps(
        ("list_variables", {}),
        ("last_error", {}),
        *(("inspect", {"code": n}) for n in ("sales", "copy")),
    )
    line = "%%acp notebook_user --policy allow-all --new"
    kernel.run(f"{line}\n{asked}", cell_id="cell-0", watched=True).ok()
    told = _answers(server, kernel)
    with AsUser(server) as user:
        session_id = user.new_session("notebook_user", "work", notebook_path=NOTEBOOK)
        items = user.ended(user.prompt(session_id, asked))["items"]
        told += answers_in("".join(i["text"] for i in items if i["kind"] == "agent_message"))
    assert len(told) == 8
    for each in told:
        assert not each["failed"], each
        assert "ann-lee" not in each["text"]
        assert "mask" in each["text"]


def test_without_tools_there_are_none(server: JupyterServer, kernel: Kernel, path: Path) -> None:
    kernel.run("%%acp notebook_user --no-tools --new\ntools", cell_id="c1", watched=True).ok()
    assert kernel.run("print(_acp.text)").ok().printed.strip() == "no tools"
    kernel.run("%%acp notebook_user --new\ntools", cell_id="c1", watched=True).ok()
    assert "run_cells" in kernel.run("print(_acp.text)").ok().printed
    # Turned off in mid-session, they are taken away.
    kernel.run("%%acp notebook_user --no-tools\ntools", cell_id="c1", watched=True).ok()
    assert kernel.run("print(_acp.text)").ok().printed.strip() == "[]"


def test_code_of_a_tool_answers_nothing_and_raises_no_policy(
    server: JupyterServer, side: KernelSide, kernel: Kernel, path: Path
) -> None:
    with server.user() as user:
        other = open_session(user, "permission")
        start_turn(user, other, "new words")
        request_id = pending(user, other)["request_id"]
        mine = open_session(user, "notebook_user", cwd="work", notebook_path=NOTEBOOK, new=True)
        attack = sender(server.api, side.kernel_id) + _ATTACK.format(
            mine=mine, other=other, request_id=request_id
        )
        prompt = steps(("run_code", {"code": attack}))
        kernel.run(
            f"%%acp notebook_user --policy allow-all --new\n{prompt}", cell_id="c2", watched=True
        ).ok()
        (told,) = _answers(server, kernel)
        statuses = json.loads(next(li for li in told["text"].splitlines() if li[:1] == "["))
        assert statuses == [200, 403, 403, 403, 403, 403]
        assert pending(user, other)["state"] == "pending"
        user.delete(f"sessions/{other}").raise_for_status()
        user.delete(f"sessions/{mine}").raise_for_status()


def _relay(server: JupyterServer) -> tuple[int, dict[str, str]]:
    """The relay of some session: its process and its environment."""

    def find() -> int:
        found = [pid for pid, command in family(server.pid).items() if "relay.py" in command]
        return found[0] if found else 0

    pid = eventually(find, what="a relay")
    pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return pid, dict(pair.partition("=")[::2] for pair in pairs if pair)


def test_a_key_opens_its_own_session_alone_and_is_written_nowhere(
    server: JupyterServer, kernel: Kernel, path: Path
) -> None:
    prompt = steps(("list_cells", {}))
    kernel.run(f"%%acp notebook_user --new\n{prompt}", cell_id="c3", watched=True).ok()
    pid, env = _relay(server)
    name, _, key = env["ACP_NOTEBOOK_TOOLS_KEY"].partition(" ")
    socket_file = Path(env["ACP_NOTEBOOK_TOOLS"].removeprefix("unix:"))
    assert socket_file.stat().st_mode & 0o777 == 0o600
    assert socket_file.parent.stat().st_mode & 0o777 == 0o700
    command = family(server.pid)[pid].split()
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
    for greeting, welcome in [
        (f"{name} {key}", True),
        (f"{name} {'0' * 64}", False),
        (f"{'0' * 32} {key}", False),
        ("", False),
    ]:
        with subprocess.Popen(
            command,
            env={**os.environ, **env, "ACP_NOTEBOOK_TOOLS_KEY": greeting},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as relay:
            assert relay.stdin is not None
            assert relay.stdout is not None
            relay.stdin.write(json.dumps(hello).encode() + b"\n")
            relay.stdin.flush()
            assert bool(relay.stdout.readline()) is welcome, greeting
            relay.kill()
    data = server.root.parent / "data"
    traffic = [file.read_text() for file in data.rglob("traffic.ndjson")]
    assert any("ACP_NOTEBOOK_TOOLS_KEY" in text for text in traffic), "it was sent"
    for file in [*data.rglob("*"), server.log]:
        if file.is_file():
            assert key.encode() not in file.read_bytes(), file
    with httpx.Client(base_url=server.api, headers={"Authorization": f"token {key}"}) as client:
        assert client.get("sessions").status_code == 403
    with AsUser(server) as user:
        user.delete(f"sessions/{name}")
    eventually(lambda: pid not in family(server.pid), "the relay ends with its session")
