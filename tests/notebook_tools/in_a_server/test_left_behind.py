"""What an agent's code leaves behind in a kernel, and what that may still do."""

from __future__ import annotations

from pathlib import Path

from tests.notebook_tools.in_a_server.calls import NOTEBOOK, sender, steps
from tests.support.kernel.cells import Cell, Kernel
from tests.support.server.jupyter_server import JupyterServer, KernelSide
from tests.support.server.routes import open_session
from tests.support.server.user import AsUser
from tests.support.wait import eventually

_PLANT = """
import pathlib, threading

def later():
    while not pathlib.Path({act!r}).exists():
        time.sleep(0.05)
    said = [
        send("GET", "sessions"),
        send("POST", "sessions/{mine}/config", {{"policy": "allow-all"}}),
        send("POST", "sessions/{mine}/prompt", {{"prompt": "[]", "policy": "allow-all"}}),
        send("POST", "sessions", {{"agent": "notebook_user", "policy": "allow-all", "new": True}}),
    ]
    pathlib.Path({said!r}).write_text(json.dumps(said))

threading.Thread(target=later, daemon=True).start()
"""


def test_a_thread_raises_no_policy_while_the_cell_waits_for_its_turn(
    server: JupyterServer, side: KernelSide, kernel: Kernel, path: Path, tmp_path: Path
) -> None:
    act, said = tmp_path / "act", tmp_path / "said"
    with server.user() as client:
        mine = open_session(client, "notebook_user", cwd="work", notebook_path=NOTEBOOK, new=True)
    plant = _PLANT.format(act=str(act), said=str(said), mine=mine)
    code = {"code": sender(server.api, side.kernel_id) + plant}
    prompt = steps(("run_code", code), ("insert_cell", {"source": "x"}))
    with AsUser(server) as user:

        def look(cell: Cell) -> None:
            if not cell.outputs or said.exists():
                return
            session_id = user.session_of(NOTEBOOK, "notebook_user")
            request = user.permission(user.newest_turn(session_id))
            if "change the notebook" not in request["title"]:
                user.answer(session_id, request["request_id"], "allow")
                return
            act.touch()  # the code has ended, and the turn waits for its user
            eventually(said.exists, "the thread has tried")
            user.answer(session_id, request["request_id"], "reject")

        kernel.run(
            f"%%acp notebook_user --new\n{prompt}", cell_id="cell-0", watched=True, on_progress=look
        ).ok()
        assert said.read_text() == "[200, 403, 403, 403]"
        user.delete(f"sessions/{mine}")
    # The user's own cell may, in the same kernel, as soon as it runs.
    kernel.run("%%acp notebook_user --policy allow-all --new\n[]", watched=True).ok()
