"""Agents that kernels serve: where they are found, what they are called, when they have ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from acp_jupyter.errors import AgentStartError, BadRequest, UnknownAgent
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sandbox.sandboxes import NoWalls, Sandboxes
from acp_jupyter.host.served_agents import ServedAgents, proof
from acp_jupyter.host.workspace.folders import path_after_move
from tests.support.wait import eventually_async

KEY = "ab" * 32


class FakeKernel:
    """A socket that proves that it is a kernel's, until it is closed."""

    def __init__(self, path: Path) -> None:
        self.address = f"unix:{path}"
        self._path = path
        self._writers: list[asyncio.StreamWriter] = []

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(self._connected, self._path)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        greeting = (await reader.readline()).decode().strip()
        writer.write(proof(greeting.removeprefix("watch ")))

    def die(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()


@pytest_asyncio.fixture
async def kernel(tmp_path: Path) -> AsyncIterator[FakeKernel]:
    kernel = FakeKernel(tmp_path / "s")
    await kernel.start()
    yield kernel
    kernel.die()
    await asyncio.sleep(0)  # its connections are closed by the loop


@pytest_asyncio.fixture
async def registry() -> AsyncIterator[Registry]:
    registry = Registry({}, [])
    yield registry
    await registry.served.close()


@pytest.mark.asyncio
async def test_it_is_found_in_its_notebook_by_its_name_alone(
    kernel: FakeKernel, registry: Registry
) -> None:
    await registry.served.serve("a.ipynb", "Librarian", kernel.address, KEY)
    assert registry.id_of("librarian", "a.ipynb") == "cell:librarian"
    assert registry.get("cell:librarian", "a.ipynb").env["ACP_KERNEL_AGENT"] == kernel.address
    assert [r.id for r in registry.statuses("a.ipynb") if ":" in r.id] == ["cell:librarian"]
    for elsewhere in ("b.ipynb", ""):
        assert registry.id_of("librarian", elsewhere) == "librarian"
        assert [r.id for r in registry.statuses(elsewhere) if ":" in r.id] == []
        with pytest.raises(UnknownAgent):
            registry.get("librarian", elsewhere)
        with pytest.raises(AgentStartError, match="librarian runs in a kernel of this notebook"):
            registry.served.running("cell:librarian", elsewhere)


@pytest.mark.asyncio
async def test_it_goes_along_with_its_notebook_and_ends_there(
    kernel: FakeKernel, registry: Registry
) -> None:
    ended: list[tuple[str, str]] = []
    registry.served.on_end(lambda place, agent_id: ended.append((place, agent_id)))
    await registry.served.serve("old/a.ipynb", "librarian", kernel.address, KEY)
    registry.served.move(lambda path: path_after_move(path, "old", "new"))
    assert registry.id_of("librarian", "new/a.ipynb") == "cell:librarian"
    kernel.die()
    await eventually_async(lambda: ended, "its end is told")
    assert ended == [("new/a.ipynb", "cell:librarian")]
    (report,) = (r for r in registry.statuses("new/a.ipynb") if r.id == "cell:librarian")
    assert report.status == "broken"


@pytest.mark.asyncio
async def test_another_in_its_place_is_no_end(kernel: FakeKernel, registry: Registry) -> None:
    told: list[tuple[str, str]] = []
    registry.served.on_end(lambda place, agent_id: told.append((place, agent_id)))
    registry.served.on_return(lambda place, agent_id: told.append((place, agent_id)))
    first = await registry.served.serve("a.ipynb", "librarian", kernel.address, KEY)
    second = await registry.served.serve("a.ipynb", "librarian", kernel.address, "cd" * 32)
    assert registry.served.running("cell:librarian", "a.ipynb") == second != first
    assert told == []


@pytest.mark.asyncio
async def test_one_that_comes_back_is_told(
    kernel: FakeKernel, registry: Registry, tmp_path: Path
) -> None:
    ended, back = asyncio.Event(), asyncio.Event()
    registry.served.on_end(lambda place, agent_id: ended.set())
    registry.served.on_return(lambda place, agent_id: back.set())
    await registry.served.serve("a.ipynb", "librarian", kernel.address, KEY)
    kernel.die()
    await ended.wait()
    again = FakeKernel(tmp_path / "again")
    await again.start()
    await registry.served.serve("a.ipynb", "librarian", again.address, KEY)
    assert back.is_set()
    again.die()


@pytest.mark.parametrize(
    ("name", "address", "key"),
    [
        ("two words", "unix:/s", KEY),
        ("", "unix:/s", KEY),
        ("x", "tcp:10.0.0.1:80", KEY),
        ("x", "unix:relative", KEY),
        ("x", "unix:/s", "short"),
        ("x", "unix:/nowhere/s", KEY),
    ],
)
@pytest.mark.asyncio
async def test_what_can_be_no_agent_is_refused(name: str, address: str, key: str) -> None:
    with pytest.raises(BadRequest):
        await ServedAgents().serve("a.ipynb", name, address, key)


@pytest.mark.asyncio
async def test_the_administrator_says_which_may_run(kernel: FakeKernel) -> None:
    registry = Registry({}, [], bounds=Bounds(agents=(("demo",),)))
    await registry.served.serve("a.ipynb", "librarian", kernel.address, KEY)
    with pytest.raises(AgentStartError, match="not allowed here"):
        registry.get("cell:librarian", "a.ipynb")
    await registry.served.close()


def test_no_sandbox_holds_it_and_that_is_said(tmp_path: Path) -> None:
    spec = ServedAgents().get("cell:librarian", "a.ipynb")
    sandboxes = Sandboxes((), tmp_path)
    with pytest.raises(NoWalls, match="librarian runs in the notebook's kernel, so nothing here"):
        sandboxes.walls("folder", spec, tmp_path, {}, (), "all")
