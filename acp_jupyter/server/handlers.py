"""The HTTP handlers, and the routes, read from the table of commands."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar

from jupyter_server.utils import url_path_join
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler, authenticated

from acp_jupyter._version import __version__
from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.api.kernel_auth import NONCE_HEADER
from acp_jupyter.api.models.command_row import CommandRow, Result
from acp_jupyter.api.models.command_table import COMMANDS, Command, needs_proof
from acp_jupyter.api.models.frames import API_VERSION, validation_message
from acp_jupyter.api.models.turns import GetTurn, TurnDetail
from acp_jupyter.errors import BadRequest, HostClosed, NotAllowed
from acp_jupyter.features import registered
from acp_jupyter.notebook_tools.kernel_work import (
    FinishedWork,
    KeepWaiting,
    PrintedSoFar,
    WorkQuery,
)
from acp_jupyter.protocol.objects import Model
from acp_jupyter.server.auth import AcpHandler, is_program
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.events import EventsHandler
from acp_jupyter.server.streams import PacketsHandler, StreamHandler

API = "acp-jupyter/api"


@cache
def _adapter() -> TypeAdapter[Command]:
    return TypeAdapter(Command)


def _by_path() -> Mapping[str, Mapping[str, CommandRow]]:
    found: dict[str, dict[str, CommandRow]] = {}
    for method in ("GET", "POST", "DELETE"):
        for row in COMMANDS:
            if row.route is not None and row.route.method == method:
                found.setdefault(row.route.path, {})[method] = row
    return found


ROUTES = _by_path()
"""The paths below the API's root, each with its commands by HTTP method."""


def pattern(path: str) -> str:
    """Return a path for tornado, with ``{field}`` as a group."""
    return f"{API}/" + path.replace("{", "(?P<").replace("}", ">[^/]+)")


def build_command(
    row: CommandRow, path: Mapping[str, str], query: Mapping[str, str], body: object
) -> Command:
    """Make a command from a request's path, query and body; the path wins.

    Parameters
    ----------
    body
        The decoded JSON body, None if it is empty; or the raw body.
    """
    route = row.route
    assert route is not None
    carried: object = {route.raw_body: body} if route.raw_body else {}
    if route.body and body is not None:
        carried = body
    if not isinstance(carried, dict):
        raise BadRequest("The request is not valid (its body must be a JSON object).")
    asked = {to: query[name] for name, to in route.query.items() if name in query}
    try:
        return _adapter().validate_python({**carried, **asked, **path, "name": row.name})
    except ValidationError as error:
        raise BadRequest(validation_message(error)) from None


_CHUNK_BYTES = 64 * 1024

HandlerSpec: TypeAlias = tuple[str, type[RequestHandler], dict[str, Any]]


class CommandHandler(AcpHandler):
    """A route of the command table."""

    def initialize(self, *, backend: Backend, **more: Any) -> None:
        """Store the path's commands by HTTP method, and the backend."""
        super().initialize(backend=backend)
        self._rows: Mapping[str, CommandRow] = more["rows"]
        row = self._rows.get(self.request.method or "")
        if row is not None and row.route is not None:
            self.body_bytes = row.route.body_bytes
        self._waiting: asyncio.Future[tuple[Result, bytes]] | None = None
        self._is_gone = asyncio.Event()

    @authenticated
    async def post(self, **path: str) -> None:
        """Run the command of the path and the method; a GET command changes nothing."""
        row = self._rows.get(self.request.method or "")
        if row is None or row.route is None:
            self.set_header("Allow", ", ".join(self._rows))
            raise HTTPError(405)
        query = {name: self.get_query_argument(name) for name in self.request.query_arguments}
        body = self.request.body if row.route.raw_body else self._body()
        command = build_command(row, path, query, body)
        backend, caller = self.backend, self.caller
        if isinstance(caller, UserCaller) and needs_proof(command) and not is_program(self):
            raise NotAllowed(
                "Only a page's own connection can do this, or a program with a token in its "
                "Authorization header. A cookie does not count: scripts in outputs have it, too."
            )
        await backend.before(command, caller)
        if self._is_gone.is_set():
            return

        async def encoded() -> tuple[Result, bytes]:
            # Here, as a whole transcript would block Jupyter's loop.
            result = await backend.dispatcher.handle(command, caller)
            return result, to_json(result)

        self._waiting = asyncio.wrap_future(backend.host.submit(encoded()))
        try:
            result, answer = await self._waiting
        except asyncio.CancelledError:
            if not self._waiting.cancelled():
                raise
            if self._is_gone.is_set():
                return
            raise HostClosed("The server stopped before this was done.") from None
        backend.after(command, caller, result)
        self.set_header("Cache-Control", "no-store")
        self.set_status(row.route.status)
        await self.finish(answer)

    get = delete = post

    def on_connection_close(self) -> None:
        """Stop waiting for the reply, as the client has disconnected."""
        self._is_gone.set()
        if self._waiting is not None:
            self._waiting.cancel()
        super().on_connection_close()

    def _body(self) -> object:
        if not self.request.body.strip():
            return None
        try:
            return from_json(self.request.body)
        except ValueError:
            raise BadRequest("The request is not valid (its body is not JSON).") from None


class KernelHandler(AcpHandler):
    """The handshake: proves to a kernel that this is its own server, and returns its identity."""

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

    It holds whole files, and answers to other kernels' prompts.
    """

    @authenticated
    async def get(self, session_id: str) -> None:
        """Send the present content of the log."""
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
        (f"{API}/kernel/sessions/(?P<session_id>[^/]+)/events", EventsHandler, shared),
        (f"{API}/sessions/(?P<session_id>[^/]+)/traffic", TrafficHandler, shared),
        (f"{API}/sessions/(?P<session_id>[^/]+)/packets", PacketsHandler, shared),
        (f"{API}/stream", StreamHandler, shared),
    ]
    for routes in registered("routes").values():
        fixed += [(f"{API}/{path}", handler, shared) for path, handler in routes.items()]
    table: list[HandlerSpec] = [
        (pattern(path), CommandHandler, {**shared, "rows": rows}) for path, rows in ROUTES.items()
    ]
    return [(url_path_join("/", path), handler, kwargs) for path, handler, kwargs in fixed + table]


def page_handlers(backend: Backend) -> list[HandlerSpec]:
    """Return the pages for people, which are no part of the API."""
    return [
        (url_path_join("/acp-jupyter", path), handler, {"backend": backend})
        for of_feature in registered("pages").values()
        for path, handler in of_feature.items()
    ]


_Model = TypeVar("_Model", bound=Model)


class _WorkHandler(AcpHandler):
    """Takes a kernel's model."""

    def _kernel(self) -> KernelCaller:
        if not isinstance(self.caller, KernelCaller):
            raise NotAllowed("Only kernels ask for this.")
        return self.caller

    def _body(self, kind: type[_Model]) -> _Model:
        try:
            return kind.model_validate_json(self.request.body)
        except ValidationError as error:
            raise BadRequest(validation_message(error)) from None


class KernelWorkHandler(_WorkHandler):
    """A waiting cell's poll for work and for its turn's end."""

    _waiting: asyncio.Task[bytes] | None = None

    @authenticated
    async def post(self) -> None:
        """Answer at once if there is work or the turn has ended, else after the kernel's time."""
        kernel, asked = self._kernel(), self._body(WorkQuery)
        self._waiting = asyncio.create_task(self._follow(kernel, asked), name="acp-kernel-work")
        await asyncio.wait([self._waiting])
        if self._waiting.cancelled():
            return  # the kernel disconnected
        self.set_header("Cache-Control", "no-store")
        await self.finish(self._waiting.result())

    def on_connection_close(self) -> None:
        """Stop the poll: the cell was interrupted, or its kernel has ended."""
        self._hung_up = True
        if self._waiting is not None:
            self._waiting.cancel()
        super().on_connection_close()

    async def _follow(self, kernel: KernelCaller, request: WorkQuery) -> bytes:
        backend = self.backend
        command = GetTurn(turn_id=request.turn_id, wait_seconds=request.wait_seconds)

        async def turn() -> TurnDetail:
            detail = await backend.dispatcher.handle(command, kernel)
            assert isinstance(detail, TurnDetail)
            return detail

        async def followed() -> bytes:
            return to_json(await backend.cells.follow(kernel.kernel_id, turn()))

        return await backend.host.run(followed())


class KernelWorkPrintedHandler(_WorkHandler):
    """Receives from a cell what the code that it runs for a tool has printed so far."""

    @authenticated
    async def post(self) -> None:
        """Show the printed text so far."""
        kernel, printed = self._kernel(), self._body(PrintedSoFar)
        backend = self.backend

        async def take() -> None:
            backend.cells.print(kernel.kernel_id, printed)

        await backend.host.run(take())
        self.set_status(204)
        await self.finish()


class KernelWorkDoneHandler(_WorkHandler):
    """Receives the result of code that a waiting cell ran for an agent."""

    @authenticated
    async def post(self) -> None:
        """Store the result; the reply says whether the cell keeps waiting."""
        kernel, finished = self._kernel(), self._body(FinishedWork)
        backend = self.backend

        async def taken() -> bool:
            return backend.cells.finish(kernel.kernel_id, finished)

        go_on = await backend.host.run(taken())
        self.set_header("Cache-Control", "no-store")
        await self.finish(to_json(KeepWaiting(go_on=go_on)))
