"""A real Jupyter server in a process of its own, with authentication and XSRF on."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import httpx
from jupyter_client.blocking.client import BlockingKernelClient
from websockets.sync.client import ClientConnection, connect

from acp_jupyter.api import kernel_auth
from tests.support.agents.fake_agent import script
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["JupyterServer", "KernelSide", "fake_agents", "free_port"]

App = Literal["jupyter_server", "jupyterlab", "notebook"]

_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")


def fake_agents(*modes: str) -> dict[str, dict[str, Any]]:
    """Return ``c.AcpJupyter.agents`` with fake agents under the names of their modes."""
    return {mode: script(mode) for mode in modes}


_LEFT_OUT = dict.fromkeys(
    ("jupyter_lsp", "jupyterlab", "nbdime", "notebook", "notebook_shim"), False
)
"""Extensions that a server without pages does not need; each costs time at the start."""

_NO_NEWS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
"""JupyterLab's settings: its question about news would lie over the panel."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class JupyterServer(AbstractContextManager["JupyterServer"]):
    """Start it with ``with``; its kernels and agents end with it.

    Parameters
    ----------
    folder
        Everything of this server lies below: ``root`` with the notebooks, and Jupyter's
        configuration, data and runtime folders.
    agents
        ``c.AcpJupyter.agents``.
    app
        Which program serves.
    config
        More lines for ``jupyter_server_config.py``.
    args
        More arguments.
    trusted
        Folders that are trusted beforehand; by default all of this server's.
    env
        More variables of the server's environment; with ``JUPYTER_TOKEN`` that is the user's.
    python
        Of another environment, whose Jupyter is to be started.
    port
        Where it listens, so that another one can follow; any by default.
    """

    def __init__(
        self,
        folder: Path,
        *,
        agents: Mapping[str, Mapping[str, Any]] | None = None,
        app: App = "jupyter_server",
        config: str = "",
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        trusted: Sequence[Path] | None = None,
        python: str = sys.executable,
        port: int = 0,
    ) -> None:
        if python != sys.executable:  # jupyter-server 2.13 does not tell which port it chose
            port = port or free_port()
        self.root = folder / "root"
        self.runtime = folder / "runtime"
        self.log = folder / "server.log"
        self.token = (env or {}).get("JUPYTER_TOKEN") or uuid.uuid4().hex
        self._config_dir = folder / "config"
        self._command = [
            *(python, "-m", app, "--no-browser", "--allow-root"),
            *(f"--ServerApp.root_dir={self.root}", f"--ServerApp.port={port}"),
            *args,
        ]
        self._config = "\n".join(
            [
                f"c.AcpJupyter.agents = {dict(agents or {})!r}",
                "c.AcpJupyter.trusted_folders = "
                f"{[str(path) for path in ((folder,) if trusted is None else trusted)]!r}",
                ""
                if env and "JUPYTER_TOKEN" in env
                else f"c.IdentityProvider.token = {self.token!r}",
                "" if app != "jupyter_server" else f"c.ServerApp.jpserver_extensions = {_LEFT_OUT}",
                config,
            ]
        )
        self._env = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | {
            "HOME": str(folder / "home"),
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_CONFIG_DIR": str(self._config_dir),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.runtime),
            **(env or {}),
        }
        for path in (self.root, self.runtime, self._config_dir, folder / "home"):
            path.mkdir(parents=True, exist_ok=True)
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None

    # -- life ------------------------------------------------------------------

    def __enter__(self) -> Self:
        (self._config_dir / "jupyter_server_config.py").write_text(self._config)
        lab = self._config_dir / "labconfig" / "default_setting_overrides.json"
        lab.parent.mkdir(exist_ok=True)
        lab.write_text(json.dumps(_NO_NEWS))
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, env=self._env, cwd=self.root, stdout=log, stderr=log
            )
        try:
            self.url = eventually(self._ready, "the server answers")
        except BaseException:
            self.__exit__()
            print(self.log.read_text())
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """End it without a chance to clean up."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _ready(self) -> str:
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError(f"the server has ended:\n{self.log.read_text()}")
        try:
            info = json.loads((self.runtime / f"jpserver-{self.pid}.json").read_text())
            url = str(info["url"])
            httpx.get(f"{url}api").raise_for_status()
        except (OSError, ValueError, httpx.HTTPError):
            return ""
        return url

    # -- ways in ---------------------------------------------------------------

    @property
    def api(self) -> str:
        """The URL that the routes of acp-jupyter lie below."""
        return f"{self.url}acp-jupyter/api/"

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def client(self) -> httpx.Client:
        """Return a client without credentials; relative URLs are of this extension."""
        # Without TLS, whose certificates take 30 ms to read.
        return httpx.Client(base_url=self.api, timeout=PATIENCE_SECONDS, verify=False)

    def user(self) -> httpx.Client:
        """Return a client with the user's token."""
        client = self.client()
        client.headers["Authorization"] = f"token {self.token}"
        return client

    def browser(self) -> httpx.Client:
        """Return a client with the cookies of a login by form, as a page has them."""
        with self.client() as visitor:
            visitor.get(f"{self.url}login").raise_for_status()
            form = {"password": self.token, "_xsrf": visitor.cookies["_xsrf"]}
            answer = visitor.post(f"{self.url}login", data=form)
            assert answer.status_code == 302, answer.text
            client = self.client()
            client.cookies.update(visitor.cookies)
        return client

    def stream(
        self, client: httpx.Client | None = None, *, origin: str | None = None
    ) -> ClientConnection:
        """Open the WebSocket with what ``client`` carries; the user's token by default."""
        with self.user() as user:
            source = client or user
            headers = {
                name: source.headers[name] for name in ("Authorization",) if name in source.headers
            }
            if source.cookies:
                pairs = (f"{cookie.name}={cookie.value}" for cookie in source.cookies.jar)
                headers["Cookie"] = "; ".join(pairs)
        url = self.api.replace("http", "ws", 1) + "stream"
        return connect(
            url,
            additional_headers=headers,
            origin=origin,  # type: ignore[arg-type]
            max_size=None,
            proxy=None,
        )

    # -- kernels ---------------------------------------------------------------

    def start_kernel(self, notebook_path: str, name: str = "python3") -> KernelSide:
        """Start a kernel for a notebook, as JupyterLab does."""
        wanted = {
            "path": notebook_path,
            "name": "",
            "type": "notebook",
            "kernel": {"name": name},
        }
        with self.user() as client:
            answer = client.post(f"{self.url}api/sessions", json=wanted).raise_for_status()
        kernel_id = str(answer.json()["kernel"]["id"])
        return KernelSide(self, kernel_id, notebook_path)


def _is_ready(client: BlockingKernelClient) -> bool:
    """Wait for a kernel; one that starts slowly is taken for dead at first."""
    try:
        client.wait_for_ready(timeout=PATIENCE_SECONDS)
    except RuntimeError:
        return False
    return True


class KernelSide:
    """What a kernel can do: run code, and send requests signed with its connection key."""

    def __init__(self, server: JupyterServer, kernel_id: str, notebook_path: str) -> None:
        self.server = server
        self.kernel_id = kernel_id
        self.notebook_path = notebook_path
        self.connection_file = server.runtime / f"kernel-{kernel_id}.json"
        self.key = str(json.loads(self.connection_file.read_text())["key"]).encode()

    def request(self, method: str, path: str, json_body: object = None) -> httpx.Response:
        """Send a signed request to a path below the extension's root."""
        request = self.signed(method, path, json_body)
        with self.server.client() as client:
            return client.send(request)

    def signed(
        self,
        method: str,
        path: str,
        json_body: object = None,
        *,
        key: bytes | None = None,
        at: float | None = None,
    ) -> httpx.Request:
        """Return a request with its proof; it can be sent twice, or changed, by bad tests."""
        body = b"" if json_body is None else json.dumps(json_body).encode()
        url = httpx.URL(self.server.api).join(path)
        stamp = str(int(time.time() if at is None else at))
        nonce = os.urandom(16).hex()
        signature = kernel_auth.sign(
            self.key if key is None else key,
            method,
            url.raw_path.decode(),
            stamp,
            nonce,
            body,
        )
        headers = {
            kernel_auth.KERNEL_HEADER: self.kernel_id,
            kernel_auth.TIME_HEADER: stamp,
            kernel_auth.NONCE_HEADER: nonce,
            kernel_auth.SIGNATURE_HEADER: signature,
        }
        return httpx.Request(method, url, headers=headers, content=body)

    def run(self, code: str) -> str:
        """Run code in the kernel and return what it printed."""
        client = BlockingKernelClient(connection_file=str(self.connection_file))
        client.load_connection_file()
        client.start_channels()
        printed: list[str] = []

        def on_output(message: dict[str, Any]) -> None:
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        try:
            eventually(lambda: _is_ready(client), "the kernel answers")
            reply = client.execute_interactive(
                code, timeout=PATIENCE_SECONDS, output_hook=on_output
            )
            assert reply["content"]["status"] == "ok", reply["content"]
        finally:
            client.stop_channels()
        return "".join(printed)
