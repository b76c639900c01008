"""A real Kernel Gateway in an environment of its own, and a way to it that can be cut."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Self

import httpx

from tests.support.server.jupyter_server import free_port
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["CutWay", "KernelGateway"]


class KernelGateway(AbstractContextManager["KernelGateway"]):
    """Start it with ``with``; its kernels end with it.

    Parameters
    ----------
    folder
        Its home and working folder.
    python
        Of its environment.
    port
        Where it listens; any by default.
    args
        More arguments.
    """

    def __init__(
        self, folder: Path, python: Path, *, port: int = 0, args: tuple[str, ...] = ()
    ) -> None:
        self.folder = folder
        self.port = port or free_port()
        self.token = uuid.uuid4().hex
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "gateway.log"
        self._command = [
            *(str(python), "-P", "-m", "kernel_gateway", "--KernelGatewayApp.ip=127.0.0.1"),
            *(f"--KernelGatewayApp.port={self.port}", "--KernelGatewayApp.port_retries=0"),
            f"--KernelGatewayApp.auth_token={self.token}",
            *args,
        ]
        self._env = {
            "PATH": os.pathsep.join((str(python.parent), os.environ["PATH"])),
            "HOME": str(folder),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "LANG": os.environ.get("LANG", "C.UTF-8"),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self.folder, env=self._env, stdout=log, stderr=log
            )
        try:
            eventually(self._answers, "the gateway answers")
        except BaseException:
            self.__exit__()
            print(self.log.read_text())
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def model(self, kernel_id: str) -> dict[str, object]:
        """What the gateway says of a kernel."""
        headers = {"Authorization": f"token {self.token}"}
        answer = httpx.get(f"{self.url}/api/kernels/{kernel_id}", headers=headers)
        answer.raise_for_status()
        return dict(answer.json())

    def _answers(self) -> bool:
        with suppress(httpx.HTTPError):
            headers = {"Authorization": f"token {self.token}"}
            return httpx.get(f"{self.url}/api/kernelspecs", headers=headers).is_success
        return False

    def config(self, url: str = "") -> str:
        """Lines for the configuration of a server that has its kernels here."""
        return (
            f"c.GatewayClient.url = {url or self.url!r}\n"
            f"c.GatewayClient.auth_token = {self.token!r}\n"
            "c.GatewayClient.gateway_retry_interval = 0.2\n"
        )


class CutWay(AbstractContextManager["CutWay"]):
    """Passes connections on to a port, until they are cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: set[socket.socket] = set()
        self._closed = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Cut all that are open; new ones come through."""
        for end in tuple(self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Cut all, and let none through meanwhile."""
        self._closed = True
        self.cut()
        try:
            yield
        finally:
            self._closed = False

    def __exit__(self, *_exception: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                if self._closed:
                    here.close()
                    continue
                threading.Thread(target=self._carry, args=(here,), daemon=True).start()

    def _carry(self, here: socket.socket) -> None:
        with here, suppress(OSError), socket.create_connection(("127.0.0.1", self._port)) as there:
            ends = {here, there}
            self._open |= ends
            back = threading.Thread(target=self._pass, args=(there, here), daemon=True)
            back.start()
            self._pass(here, there)
            back.join()
            self._open -= ends

    @staticmethod
    def _pass(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                target.sendall(piece)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
