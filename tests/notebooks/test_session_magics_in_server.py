"""Magics about sessions where the host runs in the server: what a kernel may, and may not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.agents.fake_agent import script
from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer, fake_agents


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("server")
    store = str(folder / "agent.json")
    keeper = script("keeps_sessions", store, "resume", "fork", "close")
    with JupyterServer(folder, agents=fake_agents("chooses") | {"keeper": keeper}) as server:
        yield server


@pytest.fixture(scope="module")
def kernel(server: JupyterServer) -> Iterator[Kernel]:
    file = server.start_kernel("own.ipynb").connection_file
    with Kernel(server.root, connection_file=file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


def answer(kernel: Kernel, cell: str) -> str:
    kernel.run(cell).ok()
    return kernel.run("print(_acp.text)").ok().printed.strip()


def test_a_kernel_looks_after_its_sessions(kernel: Kernel) -> None:
    kernel.run("%acp use keeper").ok()
    assert answer(kernel, "%%acp --trust\none") == "After 0: one"
    (row,) = kernel.run("%acp sessions").ok().output.data["text/plain"].splitlines()[1:]
    session, *_ = row.split()
    assert "ready" in row
    log = kernel.run("%acp log --text session/prompt").ok().printed
    assert "to agent session/prompt" in log
    assert kernel.run("%acp close").ok().printed.startswith(f"Closed session {session} (one).")
    assert "kept" in kernel.run("%acp sessions").ok().output.data["text/plain"]
    assert "Resumed session" in kernel.run(f"%acp resume {session}").ok().printed
    assert answer(kernel, "%%acp\ntwo") == "After 1: two"
    assert "continues from where" in kernel.run("%acp fork").ok().printed
    fork = kernel.run("print(_acp.session_id)").printed
    assert answer(kernel, "%%acp\nthree") == "After 2: three"
    assert kernel.run("print(_acp.session_id)").printed != fork
    assert len(kernel.run("%acp sessions").ok().output.data["text/plain"].splitlines()) == 3


def test_only_the_user_deletes(kernel: Kernel) -> None:
    """What a kernel runs may be an agent's: it removes no traces."""
    kernel.run("%%acp keeper --trust\none").ok()
    before = kernel.run("%acp sessions").ok().output.data["text/plain"]
    session = before.splitlines()[1].split()[0]
    cell = kernel.run(f"%acp delete {session}")
    assert (cell.error, cell.message) == (
        "NotAllowed",
        "Only the user can delete a session: do it in the page.",
    )
    assert session in kernel.run("%acp sessions").ok().output.data["text/plain"]


def test_a_kernel_chooses_what_the_agent_offers(kernel: Kernel) -> None:
    cell = "%%acp chooses --trust --mode plan --model Large --config web=on\nHi"
    assert answer(kernel, cell) == "plan, large-1, True: Hi"
    assert kernel.run("%acp mode ask").ok().printed == "chooses: mode ask.\n"
    assert answer(kernel, "%%acp chooses\nHi") == "ask, large-1, True: Hi"
    assert kernel.complete("%acp config web=t") == ["web=true"]
