"""A server extension for tests: runs code in kernels as an agent's tools do."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join

from acp_jupyter.notebook.kernel_runner import KernelTrouble

__all__ = ["DOOR_CONFIG"]

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
        except KernelTrouble as trouble:
            await self.finish({"trouble": trouble.trouble, "message": str(trouble)})
        else:
            await self.finish({} if found is None else found.model_dump(mode="json"))


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(serverapp: ServerApp) -> None:
    (app,) = serverapp.extension_manager.extension_apps["acp_jupyter"]
    path = url_path_join(serverapp.base_url, "door")
    routes = [(path, Door, {"app": app})]
    serverapp.web_app.add_handlers(".*$", routes)  # type: ignore[no-untyped-call]
