"""A real JupyterHub with a prefix, a proxy, two users and a culler of idle servers."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import httpx
import psutil

from tests.support.server.hub_environment import HubEnvironment
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["Hub", "HubUser"]

_PASSWORD = "pw"
_ADMIN = "an-admin-token-of-the-tests"

_CONFIG = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}/pfx/"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.JupyterHub.db_url = "sqlite:///:memory:"
c.JupyterHub.cookie_secret_file = {secret!r}
c.JupyterHub.last_activity_interval = 2
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
c.Spawner.default_url = "/lab"
c.Spawner.args = [
    "--allow-root", "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
]
c.Spawner.env_keep = ["PATH", "LANG"]
c.Spawner.environment = {{
    "JUPYTERHUB_ACTIVITY_INTERVAL": "2", "JUPYTER_CONFIG_DIR": {config!r}, "PYTHONPATH": "",
}}
c.JupyterHub.services = [{{"name": "tests", "api_token": {admin!r}}}]
c.JupyterHub.load_roles = [{{
    "name": "tests", "services": ["tests"],
    "scopes": ["admin:users", "admin:servers", "access:servers", "tokens"],
}}, {{
    "name": "guests", "users": ["cleo"], "scopes": ["self", "access:servers!user=ada"],
}}]
{more}
"""

_CULLER = """
import sys
c.JupyterHub.services.append({{
    "name": "culler",
    "command": [sys.executable, "-m", "jupyterhub_idle_culler",
                "--timeout={seconds}", "--cull-every=2"],
}})
c.JupyterHub.load_roles.append({{
    "name": "culler", "services": ["culler"],
    "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
}})
"""


@dataclass(frozen=True)
class HubUser:
    """Somebody with a server of their own, as what tests need of a server."""

    name: str
    url: str
    token: str
    root: Path

    @property
    def api(self) -> str:
        return f"{self.url}acp-jupyter/api/"

    def client(self, token: str | None = None) -> httpx.Client:
        """Return a client with this user's token, or another."""
        headers = {"Authorization": f"token {self.token if token is None else token}"}
        return httpx.Client(base_url=self.api, headers=headers, timeout=PATIENCE_SECONDS)


class Hub(AbstractContextManager["Hub"]):
    """Start it with ``with``; proxy, servers and agents end with it.

    Parameters
    ----------
    folder
        Everything of it lies below.
    environment
        Where its programs are.
    idle_seconds
        After which servers are culled; 0 for never.
    config
        More lines for ``jupyterhub_config.py``.
    """

    def __init__(
        self,
        folder: Path,
        environment: HubEnvironment,
        *,
        idle_seconds: int = 0,
        config: str = "",
    ) -> None:
        self._folder = folder
        self._environment = environment
        ports = free_ports(3)
        self.url = f"http://127.0.0.1:{ports[0]}/pfx/"
        self.log = folder / "hub.log"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "homes").mkdir()
        (folder / "config").mkdir()
        values = {
            "port": ports[0],
            "hub_port": ports[1],
            "api_port": ports[2],
            "proxy": str(environment.proxy),
            "password": _PASSWORD,
            "homes": str(folder / "homes"),
            "config": str(folder / "config"),
            "secret": str(folder / "secret"),
            "admin": _ADMIN,
            "more": config + (_CULLER.format(seconds=idle_seconds) if idle_seconds else ""),
        }
        (folder / "jupyterhub_config.py").write_text(_CONFIG.format(**values))
        self._process: subprocess.Popen[bytes] | None = None
        self.admin = httpx.Client(
            base_url=f"{self.url}hub/api/",
            headers={"Authorization": f"token {_ADMIN}"},
            timeout=PATIENCE_SECONDS,
        )

    def __enter__(self) -> Self:
        command = [str(self._environment.python), "-m", "jupyterhub", "-f", "jupyterhub_config.py"]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self._folder,
                env={"PATH": self._environment.path, "LANG": os.environ.get("LANG", "C.UTF-8")},
                stdout=log,
                stderr=log,
            )
        try:
            eventually(self._ready, "the hub answers")
        except BaseException:
            self.__exit__()
            print(self.log.read_text())
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self.admin.close()
        process = self._process
        if process is None or process.poll() is not None:
            return
        below = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # A hub that is too slow leaves its proxy and services; of ours nothing may be left.
        _, left = psutil.wait_procs(below, PATIENCE_SECONDS)
        ours = [each for each in left if "acp_jupyter" in _command(each)]
        for each in left:
            each.kill()
        assert not ours, f"left by the hub: {ours}"

    def _ready(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError(f"the hub has ended:\n{self.log.read_text()}")
        try:
            return self.admin.get("").is_success
        except httpx.HTTPError:
            return False

    def user(self, name: str) -> HubUser:
        """Return a user whose server has started."""
        self.admin.post(f"users/{name}")
        self.admin.post(f"users/{name}/server").raise_for_status()
        eventually(lambda: self.server(name).get("ready"), f"{name}'s server")
        answer = self.admin.post(f"users/{name}/tokens", json={"note": "a test"})
        token = str(answer.raise_for_status().json()["token"])
        root = self._folder / "homes" / name
        return HubUser(name, f"{self.url}user/{name}/", token, root)

    def stop(self, name: str) -> None:
        """Stop a user's server, as the culler does."""
        self.admin.delete(f"users/{name}/server").raise_for_status()
        eventually(lambda: not self.server(name), f"{name}'s server stops")

    def guest(self, host: HubUser, name: str = "cleo") -> HubUser:
        """Return ``cleo``, who may open ada's server as ada may, as a user of that server."""
        self.admin.post(f"users/{name}")
        answer = self.admin.post(f"users/{name}/tokens", json={"note": "a guest"})
        return replace(host, name=name, token=str(answer.raise_for_status().json()["token"]))

    def server(self, name: str) -> dict[str, Any]:
        """Return what the hub knows of a user's server; nothing where it does not run."""
        servers = self.admin.get(f"users/{name}").raise_for_status().json()["servers"]
        return dict(servers.get("") or {})

    @contextmanager
    def login(self, user: HubUser) -> Iterator[httpx.Client]:
        """Yield a client with the cookies of a login by form, without a token, as a page."""
        with httpx.Client(
            base_url=user.api, timeout=PATIENCE_SECONDS, follow_redirects=True
        ) as client:
            page = client.get(f"{self.url}hub/login").raise_for_status().text
            found = re.search(r'name="_xsrf" value="([^"]*)"', page)
            assert found is not None, page
            form = {"username": user.name, "password": _PASSWORD, "_xsrf": found[1]}
            client.post(f"{self.url}hub/login", data=form).raise_for_status()
            # The first page of the server sets its own cookies.
            client.get(f"{user.url}lab").raise_for_status()
            client.follow_redirects = False
            client.headers["Sec-Fetch-Mode"] = "cors"  # as of a fetch; a navigation may do more
            yield client


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""  # ended, and not waited for


def free_ports(count: int) -> list[int]:
    """Return ports that are free now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
