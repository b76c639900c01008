"""The HTTP handlers: decode, command, call, encode."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypeAlias

from jupyter_server.utils import url_path_join
from pydantic_core import from_json
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler, authenticated

from acp_jupyter._version import __version__
from acp_jupyter.delivery.callers import KernelCaller
from acp_jupyter.delivery.frames import API_VERSION
from acp_jupyter.delivery.kernel_proof import NONCE_HEADER
from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.server.auth import AcpHandler
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.kernel_work import (
    KernelWorkDoneHandler,
    KernelWorkHandler,
    KernelWorkPrintedHandler,
)
from acp_jupyter.server.routes import API, ROUTES, Verb, build_command
from acp_jupyter.server.sse import PacketsHandler
from acp_jupyter.server.stream import StreamHandler

__all__ = ["handlers"]

_CHUNK_BYTES = 64 * 1024

HandlerSpec: TypeAlias = tuple[str, type[RequestHandler], dict[str, Any]]


class CommandHandler(AcpHandler):
    """A route of the table."""

    def initialize(self, *, backend: Backend, **more: Any) -> None:
        """Take the route's verbs as well."""
        super().initialize(backend=backend)
        self._verbs: Mapping[str, Verb] = more["verbs"]
        verb = self._verbs.get(self.request.method or "")
        if verb is not None:
            self.body_bytes = verb.body_bytes
        self._waiting: asyncio.Task[bytes] | None = None

    @authenticated
    async def get(self, **path: str) -> None:
        """Read something; changes nothing."""
        await self._run(path)

    @authenticated
    async def post(self, **path: str) -> None:
        """Create or change something."""
        await self._run(path)

    @authenticated
    async def delete(self, **path: str) -> None:
        """End something."""
        await self._run(path)

    def on_connection_close(self) -> None:
        """Stop waiting for an answer that nobody reads."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().on_connection_close()

    async def _run(self, path: Mapping[str, str]) -> None:
        verb = self._verbs.get(self.request.method or "")
        if verb is None:
            self.set_header("Allow", ", ".join(self._verbs))
            raise HTTPError(405)
        query = {name: self.get_query_argument(name) for name in self.request.query_arguments}
        body = self.request.body if verb.raw_body else self._body()
        command = build_command(verb, path, query, body)
        self._waiting = asyncio.create_task(
            self.backend.handle_json(command, self.caller), name=f"acp-{verb.command}"
        )
        try:
            result = await self._waiting
        except asyncio.CancelledError:
            if self._waiting.cancelled():
                return  # the caller hung up
            raise
        self.set_header("Cache-Control", "no-store")
        self.set_status(verb.status)
        await self.finish(result)

    def _body(self) -> object:
        if not self.request.body.strip():
            return None
        try:
            return from_json(self.request.body)
        except ValueError:
            raise BadRequest("The request is not valid (its body is not JSON).") from None


class KernelHandler(AcpHandler):
    """The handshake: a kernel learns who it is here, and that this is its own server."""

    @authenticated
    async def get(self) -> None:
        """Answer a kernel."""
        caller = self.caller
        if not isinstance(caller, KernelCaller):
            raise NotAllowed("Only kernels ask for this.")
        nonce = self.request.headers[NONCE_HEADER]
        await self.finish(
            {
                "api_version": API_VERSION,
                "version": __version__,
                "kernel_id": caller.kernel_id,
                "notebook_path": caller.notebook_path,
                "proof": self.backend.kernels.server_proof(caller.kernel_id, nonce),
            }
        )


class TrafficHandler(AcpHandler):
    """The raw protocol traffic of a session, for people and for the kernel that made it.

    It holds whole files, and what other kernels' prompts were answered.
    """

    @authenticated
    async def get(self, session_id: str) -> None:
        """Send the log as it is now."""
        path = await self.backend.traffic_path(session_id, self.caller)
        self.set_header("Content-Type", "application/x-ndjson")
        self.set_header("Cache-Control", "no-store")
        self.set_attachment_header(f"{session_id}.ndjson")
        with await asyncio.to_thread(path.open, "rb") as file:
            left = await asyncio.to_thread(lambda: path.stat().st_size)
            while left > 0 and (chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES)):
                self.write(chunk[:left])
                left -= len(chunk)
                try:
                    await self.flush()
                except StreamClosedError:
                    return
        await self.finish(set_content_type="application/x-ndjson")


def handlers(backend: Backend) -> list[HandlerSpec]:
    """Return the route list, below the server's base URL."""
    shared = {"backend": backend}
    fixed: list[HandlerSpec] = [
        (f"{API}/kernel", KernelHandler, shared),
        (f"{API}/kernel/work", KernelWorkHandler, shared),
        (f"{API}/kernel/work/printed", KernelWorkPrintedHandler, shared),
        (f"{API}/kernel/work/done", KernelWorkDoneHandler, shared),
        (f"{API}/sessions/(?P<session_id>[^/]+)/traffic", TrafficHandler, shared),
        (f"{API}/sessions/(?P<session_id>[^/]+)/packets", PacketsHandler, shared),
        (f"{API}/stream", StreamHandler, shared),
    ]
    table: list[HandlerSpec] = [
        (route.pattern, CommandHandler, {**shared, "verbs": route.verbs}) for route in ROUTES
    ]
    return [(url_path_join("/", path), handler, kwargs) for path, handler, kwargs in fixed + table]
