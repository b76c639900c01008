"""A server on loopback that publishes a registry of agents, or does worse."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["Publisher", "listed", "published"]

DAY = "Sat, 21 Nov 2026 10:00:00 GMT"


def listed(agent_id: str, package: str = "", **more: Any) -> dict[str, Any]:
    """Return an ``agent.json``."""
    distribution = {"npx": {"package": package or f"@some/{agent_id}@1.0.0", **more}}
    return {
        "id": agent_id,
        "name": agent_id.title(),
        "version": "1.0.0",
        "description": "An agent",
        "repository": f"https://example.org/{agent_id}",
        "distribution": distribution,
    }


def published(*agents: dict[str, Any]) -> bytes:
    """Return a ``registry.json``."""
    return json.dumps({"version": "1.0.0", "agents": agents, "extensions": []}).encode()


class Publisher:
    """The server; a context manager. What it answers can be changed at any time."""

    def __init__(self) -> None:
        self.status = 200
        self.headers: dict[str, str] = {"Last-Modified": DAY}
        self.pieces: Sequence[bytes] = (published(listed("new-one")),)
        self.hangs = False
        """Whether it never ends its answer."""
        self.asked: list[str] = []
        """The paths that were asked for."""
        self._let_go = threading.Event()
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                """Say nothing on stderr."""

            def do_GET(self) -> None:
                publisher.asked.append(self.path)
                self.send_response(publisher.status)
                for name, value in publisher.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    for piece in publisher.pieces:
                        self.wfile.write(piece)
                        self.wfile.flush()
                except OSError:
                    return  # it has heard enough
                if publisher.hangs:
                    publisher._let_go.wait(PATIENCE_SECONDS)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/registry.json"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._let_go.set()
        self._server.shutdown()
        self._server.server_close()
