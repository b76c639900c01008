"""A server extension for tests: runs code in kernels as an agent's tools do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join

from acp_jupyter.notebook_tools.kernel_runner import KernelError
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["DOOR_CONFIG", "Tool"]

DOOR_CONFIG = f"c.ServerApp.jpserver_extensions = {{{__name__!r}: True}}"


class Door(APIHandler):
    """``{"op", "kernel_id", …}`` in, the result or the trouble out."""

    def initialize(self, app: Any) -> None:
        self._app = app

    def check_xsrf_cookie(self) -> None:
        """Tests have the token."""

    async def post(self) -> None:
        asked = json.loads(self.request.body)
        work = getattr(self._app.kernel_runner, asked.pop("op"))(**asked)
        try:
            found = await asyncio.wrap_future(self._app._backend.host.submit(work))
        except KernelError as trouble:
            await self.finish({"trouble": trouble.trouble, "message": str(trouble)})
        else:
            await self.finish({} if found is None else found.model_dump(mode="json"))


class Tool:
    """An agent's tool, as a test uses it: through the door."""

    def __init__(self, server: JupyterServer, kernel_id: str) -> None:
        self._server = server
        self._kernel_id = kernel_id
        self._pool = ThreadPoolExecutor(2)

    def __call__(self, op: str, **more: object) -> dict[str, Any]:
        with self._server.user() as user:
            body = {"op": op, "kernel_id": self._kernel_id, **more}
            answer = user.post(f"{self._server.url}door", json=body, timeout=PATIENCE_SECONDS)
            found: dict[str, Any] = answer.raise_for_status().json()
            return found

    def run(self, code: str, seconds: float = PATIENCE_SECONDS) -> dict[str, Any]:
        return self("execute", code=code, timeout_seconds=seconds)

    def later(self, work: Callable[[], dict[str, Any]]) -> Future[dict[str, Any]]:
        return self._pool.submit(work)


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(serverapp: ServerApp) -> None:
    (app,) = serverapp.extension_manager.extension_apps["acp_jupyter"]
    path = url_path_join(serverapp.base_url, "door")
    routes = [(path, Door, {"app": app})]
    serverapp.web_app.add_handlers(".*$", routes)  # type: ignore[no-untyped-call]
