"""The kernel's connection to its host: the Jupyter server, else a host of its own.

An environment variable has the server's address, and the server must prove that it started this
kernel before it gets a prompt.
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
import json
import os
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import quote

from acp_jupyter._version import __version__
from acp_jupyter.api import kernel_auth
from acp_jupyter.api.models.command_table import Command, request_of
from acp_jupyter.api.models.frames import API_VERSION, EventsFrame
from acp_jupyter.cells.no_agents import refuse_in_check
from acp_jupyter.errors import AcpError, ServerUnreachable, VersionMismatch, plain_reason
from acp_jupyter.features import registered
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.transport import Answer, HttpTransport, Transport
from acp_jupyter.kernel.execution_context import (
    check_command,
    current_shell,
    kernel_of,
    notebook_name,
    own_key,
)
from acp_jupyter.notebook_tools.kernel_work import (
    FinishedWork,
    KeepWaiting,
    PrintedSoFar,
    WorkQuery,
    WorkReply,
)
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.model.events import Event

_lock = threading.Lock()
_clients: list[HostClient] = []
"""The client, once it is created; at most one."""


def host_client() -> HostClient:
    """Return this kernel's host, found once."""
    refuse_in_check()
    with _lock:
        if not _clients:
            _clients.append(_find())
        return _clients[0]


def _find() -> HostClient:
    for find in registered("find_server").values():
        found: HostClient | None = find()
        if found is not None:
            return found
    url, identity = os.environ.get(kernel_auth.URL_VARIABLE, ""), identity_of(own_key())
    if url and identity is not None:
        server = ServerClient(HttpTransport(url), identity)
        try:
            server.handshake()
        except ServerUnreachable as error:
            echo(f"{error} Agents run in this kernel instead.")
        else:
            return server
    from acp_jupyter.kernel.client.embedded_host import EmbeddedHost

    return EmbeddedHost(notebook_name())


def identity_of(key: bytes) -> KernelIdentity | None:
    """Return this kernel's identity with a key; None if its id is unknown or there is no key."""
    kernel = kernel_of(current_shell())
    file = getattr(getattr(kernel, "parent", None), "connection_file", "")
    name = Path(file).stem if isinstance(file, str) else ""
    if not name.startswith("kernel-") or not key:
        return None
    return KernelIdentity(name.removeprefix("kernel-"), key)


_HANDSHAKE_SECONDS = 5.0
_ANSWER_SECONDS = 30.0
_PIECE_SECONDS = 60.0
_PIECE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class KernelIdentity:
    """The kernel's id and key for its server."""

    kernel_id: str
    key: bytes
    """The key of its connection file, or of its launch; the kernel never sends it."""


class ServerClient(HostClient):
    """A client of the host in the Jupyter server."""

    location: ClassVar[Literal["server", "kernel"]] = "server"
    may_answer: ClassVar[bool] = False

    def __init__(self, transport: Transport, identity: KernelIdentity) -> None:
        self._transport = transport
        self.behind_gateway = transport.behind_gateway
        self._identity = identity
        self._notebook_path = ""

    @property
    def notebook_path(self) -> str:
        """The notebook that the server has for this kernel."""
        return self._notebook_path

    def close(self) -> None:
        """Do nothing: each request has a connection of its own."""

    def handshake(self, seconds: float = _HANDSHAKE_SECONDS) -> None:
        """Check that the server started this kernel, and its version."""
        nonce = os.urandom(16).hex()
        try:
            answer = self._request("GET", "kernel", b"", seconds, nonce)
        except AcpError as error:
            raise ServerUnreachable(
                f"The Jupyter server does not know this kernel: {error}"
            ) from error
        known = answer if isinstance(answer, dict) else {}
        proof = kernel_auth.server_proof(self._identity.key, nonce)
        if not hmac.compare_digest(str(known.get("proof", "")).encode(), proof.encode()):
            raise ServerUnreachable(
                "The Jupyter server could not prove that it started this kernel."
            )
        if known.get("api_version") != API_VERSION:
            raise VersionMismatch(_mismatch(str(known.get("version", ""))))
        self._notebook_path = str(known.get("notebook_path", ""))

    def call(self, command: Command, seconds: float) -> Any:
        """Send a command as a request."""
        check_command(command)
        method, path, body = request_of(command)
        return self._request(method, path, body, seconds)

    def follow(self, turn_id: str, wait_seconds: float) -> WorkReply:
        """Request work or the turn's end, whichever is first."""
        body = WorkQuery(turn_id=turn_id, wait_seconds=wait_seconds).model_dump_json().encode()
        answer = self._request("POST", "kernel/work", body, wait_seconds + _ANSWER_SECONDS)
        return WorkReply.model_validate(answer, strict=False)

    def print(self, printed: PrintedSoFar) -> None:
        """Send the output; returns soon."""
        body = printed.model_dump_json().encode()
        self._request("POST", "kernel/work/printed", body, _HANDSHAKE_SECONDS)

    def finish(self, finished: FinishedWork) -> bool:
        """Send the outcome."""
        body = finished.model_dump_json(exclude_none=True).encode()
        answer = self._request("POST", "kernel/work/done", body, _ANSWER_SECONDS)
        return KeepWaiting.model_validate(answer).go_on

    def traffic(self, session_id: str) -> Iterator[bytes]:
        """Read the log in chunks: it may be long."""
        path = f"sessions/{quote(session_id, safe='')}/traffic"
        with self._answer("GET", path, b"", _PIECE_SECONDS) as response:
            while piece := response.read(_PIECE_BYTES):
                yield piece

    def events(self, session_id: str) -> Generator[tuple[Event, ...]]:
        """Read the server's stream; an empty line is a sign of life."""
        path = f"kernel/sessions/{quote(session_id, safe='')}/events"
        with self._answer("GET", path, b"", _PIECE_SECONDS) as response:
            while line := response.readline():
                yield EventsFrame.model_validate_json(line).events if line.strip() else ()

    def _request(
        self, method: str, path: str, body: bytes, seconds: float, nonce: str = ""
    ) -> object:
        with self._answer(method, path, body, seconds, nonce) as response:
            return _decoded(response.read())

    @contextlib.contextmanager
    def _answer(
        self, method: str, path: str, body: bytes, seconds: float, nonce: str = ""
    ) -> Iterator[Answer]:
        """Send a request; raise the error of an error response."""
        target = f"{self._transport.base_path}/acp-jupyter/api/{path}"
        headers = self._signed(method, target, body, nonce or os.urandom(16).hex())
        try:
            with self._transport.answer(method, target, body, headers, seconds) as answer:
                if answer.status >= 400:
                    raise _error(answer.status, _decoded(answer.read()))
                yield answer
        except (OSError, http.client.HTTPException) as error:
            raise ServerUnreachable(self._transport.silence, plain_reason(error)) from error

    def _signed(self, method: str, target: str, body: bytes, nonce: str) -> dict[str, str]:
        now = str(int(time.time()))
        signature = kernel_auth.sign(self._identity.key, method, target, now, nonce, body)
        return {
            kernel_auth.KERNEL_HEADER: self._identity.kernel_id,
            kernel_auth.TIME_HEADER: now,
            kernel_auth.NONCE_HEADER: nonce,
            kernel_auth.SIGNATURE_HEADER: signature,
            "Content-Type": "application/json",
        }


def _decoded(content: bytes) -> object:
    try:
        return json.loads(content) if content else None
    except ValueError:
        return None


def _error(status: int, body: object) -> AcpError:
    """Return the server's error, of the class that its reason names."""
    fields: Mapping[str, object] = body if isinstance(body, dict) else {}
    message = str(fields.get("message") or f"The Jupyter server answered {status}.")
    kinds = {kind.reason: kind for kind in _kinds(AcpError)}
    kind = kinds.get(str(fields.get("reason", "")), AcpError)
    return kind(message, str(fields.get("detail", "")))


def _kinds(kind: type[AcpError]) -> list[type[AcpError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _kinds(child))]


def _mismatch(version: str) -> str:
    wanted = f"=={version}" if version else ""
    return (
        f"This kernel has acp-jupyter {__version__}, the Jupyter server has "
        f"{version or 'another version'}; the two can't work together. "
        f"Run %pip install -U acp-jupyter{wanted} "
        "and restart the kernel."
    )
