"""Cells in a kernel of a real server: the host runs in the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import Cell, Kernel
from tests.support.processes import family
from tests.support.server.jupyter_server import JupyterServer, fake_agents

NOTEBOOK = "folder/own.ipynb"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("hello", "permission")
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        (server.root / "folder").mkdir()
        yield server


@pytest.fixture(scope="module")
def kernel(server: JupyterServer) -> Iterator[Kernel]:
    """The kernel of a notebook, as a page without the labextension sees it."""
    file = server.start_kernel(NOTEBOOK).connection_file
    with Kernel(server.root, connection_file=file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


def test_the_turn_runs_in_the_server_and_shows_a_widget_meanwhile(
    kernel: Kernel, server: JupyterServer
) -> None:
    cell = kernel.run("%%acp hello\nGood morning", watched=True, cell_id="abc").ok()
    first, *_, last = cell.output.states
    assert "application/vnd.jupyter.widget-view+json" in first
    assert TURN_MIME not in first
    assert list(last) == [TURN_MIME, "text/markdown", "text/plain"]
    assert "the Jupyter server" in kernel.run("%acp status").ok().output.data["text/plain"]
    assert any("fake_agent.py hello" in command for command in family(server.pid).values())
    heavy = {"acp", "jupyter_server", "mcp", "nbformat", "numpy", "pandas", "rpds"}
    code = f"import sys; print({heavy} & set(sys.modules))"
    assert kernel.run(code).ok().printed == "set()\n"


def test_the_users_answer_acts_while_the_cell_blocks(
    kernel: Kernel, server: JupyterServer, user: httpx.Client
) -> None:
    """The page's click reaches the server whatever the kernel does."""
    file = server.root / "folder" / "edited.txt"
    answered: list[bool] = []

    def answer(_cell: Cell) -> None:
        for session in user.get("sessions").json():
            if session["agent"] == "permission" and session["waiting"] and not answered:
                answered.append(file.exists())
                items = user.get(
                    f"sessions/{session['session_id']}/items", params={"start": 0, "end": 100}
                ).json()["items"]
                call = next(item for item in items if item["kind"] == "tool_call")
                request_id = call["permission"]["request_id"]
                url = f"sessions/{session['session_id']}/permissions/{request_id}"
                user.post(url, json={"option_id": "yes"}).raise_for_status()

    kernel.run("%%acp permission\nnew text", watched=True, on_progress=answer).ok()
    assert answered == [False]
    assert file.read_text() == "new text\n"


def test_code_in_the_kernel_can_not_answer(kernel: Kernel) -> None:
    cell = kernel.run(
        "from acp_jupyter import connect\n"
        "turn = connect('permission').prompt('text')\n"
        "path = f'sessions/{turn.session_id}/permissions/p1'\n"
        "turn._client._request('POST', path, b'{\"option_id\": \"yes\"}', 5)",
        watched=True,
    )
    assert cell.error == "NotAllowed"
    kernel.run("turn.cancel()").ok()


def test_interrupting_cancels_the_turn_in_the_server(
    kernel: Kernel, server: JupyterServer, user: httpx.Client
) -> None:
    interrupted: list[bool] = []

    def interrupt(cell: Cell) -> None:
        if cell.outputs and not interrupted:
            interrupted.append(True)
            kernels = user.get(f"{server.url}api/kernels").json()
            user.post(f"{server.url}api/kernels/{kernels[0]['id']}/interrupt").raise_for_status()

    cell = kernel.run("%%acp demo\nslow rate=5", watched=True, on_progress=interrupt)
    assert cell.error == "KeyboardInterrupt"
    assert cell.output.data[TURN_MIME]["turn"]["stop_reason"] == "cancelled"


def test_the_record_is_kept_for_the_page(kernel: Kernel, user: httpx.Client) -> None:
    source = "%%acp hello\nRemember this"
    kernel.run(source, watched=True, cell_id="kept").ok()
    records = user.get("records", params={"notebook_path": NOTEBOOK}).json()["outputs"]
    record = next(record for record in records if record["cell_id"] == "kept")
    assert record["source"] == source
    assert record["done"] is True


def test_a_stale_address_leads_to_a_host_in_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with Kernel(tmp_path / "work", env={"ACP_JUPYTER_URL": "http://127.0.0.1:9/"}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        cell = kernel.run("%%acp demo\nplan").ok()
        assert "Agents run in this kernel instead." in cell.printed
        assert cell.printed.count("\n") == 1
        assert cell.output.data[TURN_MIME]["final"] is True


def test_a_server_that_did_not_start_the_kernel_gets_no_prompt(
    server: JupyterServer, user: httpx.Client, tmp_path: Path
) -> None:
    """As in a terminal of JupyterLab, where the address is inherited."""
    (tmp_path / "work").mkdir()
    before = len(user.get("sessions").json())
    with Kernel(tmp_path / "work", env={"ACP_JUPYTER_URL": server.url}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        assert "Agents run in this kernel instead." in kernel.run("%%acp demo\nplan").ok().printed
    assert len(user.get("sessions").json()) == before
