"""The kernel's HTTP client against servers that are not what they should be."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from acp_jupyter.api import kernel_auth
from acp_jupyter.api.models.frames import API_VERSION
from acp_jupyter.errors import AcpError, ServerUnreachable, UnknownSession, VersionMismatch
from acp_jupyter.kernel.client.server_client import KernelIdentity, ServerClient
from acp_jupyter.kernel.client.transport import HttpTransport

KEY = b"the key of the connection file"


@contextmanager
def server(status: int = 200, *, key: bytes = KEY, **answer: object) -> Iterator[str]:
    """Serve one answer to everything; with a nonce it is signed with `key`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            proof = kernel_auth.server_proof(key, self.headers[kernel_auth.NONCE_HEADER])
            body = json.dumps({"proof": proof, **answer}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}/base/"
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def client(url: str) -> ServerClient:
    return ServerClient(HttpTransport(url), KernelIdentity("kernel-id", KEY))


def test_it_is_asked_where_it_is_and_nowhere_else() -> None:
    with server(version="1") as url:
        for address, answers in ((url, True), (url.replace("127.0.0.1", "no-such.invalid"), False)):
            refused = contextlib.nullcontext() if answers else pytest.raises(socket.gaierror)
            with refused, HttpTransport(address).answer("GET", "/", b"", {}, 5) as answer:
                assert json.loads(answer.read())["version"] == "1"


def test_its_own_server_is_taken() -> None:
    with server(api_version=API_VERSION, version="1", notebook_path="a/b.ipynb") as url:
        own = client(url)
        own.handshake()
        assert own.notebook_path == "a/b.ipynb"


def test_a_server_without_the_key_is_not() -> None:
    with (
        server(api_version=API_VERSION, key=b"another") as url,
        pytest.raises(ServerUnreachable, match="could not prove"),
    ):
        client(url).handshake()


def test_a_server_without_the_extension_is_not() -> None:
    with server(404, message="Not Found") as url, pytest.raises(ServerUnreachable):
        client(url).handshake()


def test_another_version_names_the_one_command() -> None:
    with (
        server(api_version=API_VERSION + 1, version="9.8.7") as url,
        pytest.raises(VersionMismatch, match=r"%pip install -U acp-jupyter==9\.8\.7"),
    ):
        client(url).handshake()


def test_an_error_comes_as_the_class_that_its_reason_names() -> None:
    with server(404, message="gone", reason="unknown_session", detail="more") as url:
        with pytest.raises(UnknownSession) as raised:
            client(url).agents()
        assert (raised.value.message, raised.value.detail) == ("gone", "more")


def test_an_unknown_error_is_still_ours() -> None:
    with server(418) as url, pytest.raises(AcpError, match="418"):
        client(url).agents()
