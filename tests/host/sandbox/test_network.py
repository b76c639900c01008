"""What an agent in a sandbox reaches of the network, at each level."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from acp_jupyter.host.registry_entries import AgentSpec, SandboxEntry
from acp_jupyter.host.sandbox.confine import NET_SINCE, landlock_version
from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.sandbox.levels import Level, find_level
from acp_jupyter.host.sandbox.sandboxes import Confined, Sandboxes
from acp_jupyter.host.sandbox.seatbelt import seatbelt_profile
from acp_jupyter.protocol.host_events.session import Network
from tests.support.agents.fake_agent import AGENTS
from tests.support.wait import PATIENCE_SECONDS, eventually_async

PROGRAM = AGENTS / "modes" / "network.py"
TARGET, OTHER = "model.example", "other.example"
FULL = find_level()
PARTIAL = Level("partial")
LEVELS = {"full": FULL, "partial": PARTIAL}


class _Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"you asked {self.headers['Host']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    """Have a server outside, by its port."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture(params=sorted(LEVELS))
def level(request: pytest.FixtureRequest) -> Level:
    """Have each level that works here."""
    if request.param == "full" and FULL.level != "full":
        pytest.skip(FULL.why_not_more)
    if request.param == "partial" and landlock_version() < NET_SINCE:
        pytest.skip("Landlock of this kernel knows no ports.")
    return LEVELS[request.param]


async def _resolve(host: str, port: int) -> Sequence[str]:
    if host in {TARGET, OTHER}:
        return ["127.0.0.1"]
    raise OSError(f"no such host: {host}")


async def _refuse(wanted: Destination) -> str:
    return f"{wanted.words} was refused."


@contextlib.asynccontextmanager
async def confined(
    folder: Path, level: Level, network: Network, port: int
) -> AsyncIterator[Confined]:
    """Have walls whose network names `TARGET` with a port."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    sandboxes = Sandboxes((), folder, level, _resolve)
    entry = SandboxEntry(
        hosts=(f"{TARGET}:{port}",), readable=(str(AGENTS), sys.prefix, sys.base_prefix)
    )
    spec = AgentSpec("agent", "Agent", sys.executable, sandbox=entry)
    walls = sandboxes.walls("folder", spec, work, os.environ, (), network)
    found = sandboxes.begin(walls)
    try:
        await found.open_network(_refuse)
        yield found
    finally:
        await found.close()


async def come_of(walls: Confined, *deeds: Sequence[str | int]) -> list[str]:
    """Do deeds in walls; return what came of each."""
    program = (sys.executable, str(PROGRAM), json.dumps(deeds))
    cwd = walls.walls.folder
    command = await asyncio.to_thread(walls.command, program, cwd)
    process = await asyncio.create_subprocess_exec(
        *command, env=walls.environment(dict(os.environ)), stdout=asyncio.subprocess.PIPE, cwd=cwd
    )
    out, _ = await asyncio.wait_for(process.communicate(), PATIENCE_SECONDS)
    came: list[str] = json.loads(out)
    return came


def past_the_proxy(port: int) -> list[list[str | int]]:
    return [
        ["tcp", "127.0.0.1", port],
        ["tcp", "::1", port],
        ["tcp", "198.51.100.1", port],
        ["lookup", TARGET],
        ["lookup", "example.org"],
        ["raw"],
        ["packet"],
        ["vsock"],
        ["udp", "198.51.100.1", 53],
        ["udp", "2001:db8::1", 53],
        ["multipath", "198.51.100.1", port],
        ["fast_open", "198.51.100.1", port],
    ]


@pytest.mark.asyncio
async def test_named_hosts_are_reached_and_nothing_else(
    tmp_path: Path, level: Level, port: int
) -> None:
    async with confined(tmp_path, level, "hosts", port) as walls:
        url = f"http://{TARGET}:{port}/"
        came = await come_of(
            walls,
            ["fetch", url],
            ["fetch", f"http://{OTHER}:{port}/"],
            ["fetch", "http://169.254.169.254/latest/meta-data/"],
            ["local"],
            *past_the_proxy(port),
        )
    assert came[0] == f"you asked {TARGET}:{port}"
    assert came[1] == f"refused: HTTP Error 403: {OTHER}:{port} was refused."
    assert came[2].startswith("refused: HTTP Error 403: 169.254.169.254 is this machine")
    assert came[3] == "x"
    assert [each[:8] for each in came[4:]] == ["refused:"] * len(past_the_proxy(port))


@pytest.mark.asyncio
async def test_with_none_nothing_is_reached(tmp_path: Path, level: Level, port: int) -> None:
    deeds: list[list[str | int]] = [["fetch", f"http://{TARGET}:{port}/"], *past_the_proxy(port)]
    async with confined(tmp_path, level, "none", port) as walls:
        came = await come_of(walls, *deeds, ["local"])
    assert [each[:8] for each in came[:-1]] == ["refused:"] * len(deeds)
    assert came[-1] == "x"


@pytest.mark.asyncio
async def test_with_all_the_network_is_the_machines(
    tmp_path: Path, level: Level, port: int
) -> None:
    async with confined(tmp_path, level, "all", port) as walls:
        came = await come_of(walls, ["tcp", "127.0.0.1", port], ["udp", "127.0.0.1", port])
        assert "HTTP_PROXY" not in walls.environment({})
    assert came == ["connected", "sent"]


@pytest.mark.asyncio
async def test_the_proxy_is_no_way_in_for_others(tmp_path: Path, port: int) -> None:
    if landlock_version() < NET_SINCE:
        pytest.skip("Landlock of this kernel knows no ports.")
    async with (
        confined(tmp_path, PARTIAL, "hosts", port) as walls,
        confined(tmp_path, PARTIAL, "hosts", port) as others,
    ):
        own = walls.environment({})["HTTP_PROXY"]
        assert own != others.environment({})["HTTP_PROXY"]
        where = own.rpartition("@")[2]
        host, _, at = where.partition(":")
        reader, writer = await asyncio.open_connection(host, int(at))
        writer.write(f"CONNECT {TARGET}:{port} HTTP/1.0\r\n\r\n".encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 407 ")
        writer.close()


@pytest.mark.asyncio
async def test_a_thousand_connections_leave_the_next_one_its_place(
    tmp_path: Path, level: Level, port: int
) -> None:
    async with confined(tmp_path, level, "hosts", port) as walls:
        async with asyncio.timeout(PATIENCE_SECONDS):
            came = [""]
            while not came[0].startswith("you asked"):
                came = await come_of(walls, ["many", TARGET, port, 1000])


@pytest.mark.asyncio
async def test_when_the_proxy_has_died_nothing_is_open(
    tmp_path: Path, level: Level, port: int
) -> None:
    async with confined(tmp_path, level, "hosts", port) as walls:
        fetch = ["fetch", f"http://{TARGET}:{port}/"]
        assert (await come_of(walls, fetch))[0].startswith("you asked")
        await walls.close_network()
        came = await come_of(walls, fetch, *past_the_proxy(port))
    assert {each[:8] for each in came} == {"refused:"}


@pytest.mark.asyncio
async def test_nothing_of_it_is_left(tmp_path: Path, port: int) -> None:
    if FULL.level != "full":
        pytest.skip(FULL.why_not_more)
    async with confined(tmp_path, FULL, "hosts", port) as walls:
        await come_of(walls, ["local"])
        place = walls.proxy_socket
        assert os.listdir(place.parent) == [place.name]
        await eventually_async(lambda: not _forwarders(str(place)))
    with pytest.raises(FileNotFoundError):
        os.listdir(place.parent)


def _forwarders(path: str) -> list[Any]:
    return [p for p in psutil.process_iter(["cmdline"]) if path in (p.info["cmdline"] or ())]


def test_on_macos_one_port_is_allowed(tmp_path: Path) -> None:
    sandboxes = Sandboxes((), tmp_path, Level("partial", "/usr/bin/sandbox-exec"))
    (tmp_path / "work").mkdir()
    spec = AgentSpec("agent", "Agent", sys.executable)

    def profile(network: Network, port: int) -> str:
        walls = sandboxes.walls("folder", spec, tmp_path / "work", {}, (), network)
        return seatbelt_profile(walls, tmp_path, port)

    refusal = '(deny network-outbound (remote ip "*:*"))'
    allowed = '(allow network-outbound (remote ip "localhost:4321"))'
    assert "network" not in profile("all", 0)
    assert refusal in profile("none", 0)
    assert "(allow network" not in profile("none", 0)
    text = profile("hosts", 4321)
    assert text.index(refusal) < text.index(allowed)
