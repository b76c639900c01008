"""A page's connection to a kernel of a gateway; it answers if the gateway is down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session
from jupyter_server.gateway.connections import GatewayWebSocketConnection
from tornado.websocket import WebSocketClosedError

__all__ = ["PageConnection", "use_page_connection"]

_LOST = (
    "The gateway that runs this kernel does not answer, so this cell was not run. "
    "Run it again when the gateway is back. If it fails again, choose "
    "Kernel > Reconnect to Kernel first."
)


class PageConnection(GatewayWebSocketConnection):
    """Ends a cell with an error where jupyter_server would silently drop the cell."""

    def handle_incoming_message(self, message: str) -> None:
        """Send a page's message to the gateway, or refuse to run its cell."""
        request = _execute_request(message)
        if request is not None and self._is_lost():
            self._refuse(request)
        else:
            super().handle_incoming_message(message)

    def _is_lost(self) -> bool:
        if self.ws is None:  # still connecting; this is called again afterwards
            tried = self.ws_future
            return tried is not None and tried.done() and tried.exception() is not None
        try:
            self.ws.ping()
        except (OSError, WebSocketClosedError):
            return True
        return False

    def _refuse(self, request: Mapping[str, Any]) -> None:
        session = Session()

        def tell(channel: str, kind: str, content: Mapping[str, Any]) -> None:
            message = session.msg(kind, dict(content), parent=dict(request))
            text = json.dumps({**message, "channel": channel}, default=json_default)
            self.handle_outgoing_message(text)

        tell("iopub", "status", {"execution_state": "busy"})
        tell("iopub", "stream", {"name": "stderr", "text": f"{_LOST}\n"})
        failed = {"ename": "GatewayDown", "evalue": _LOST, "traceback": []}
        tell("shell", "execute_reply", {"status": "error", "execution_count": None, **failed})
        tell("iopub", "status", {"execution_state": "idle"})


def use_page_connection(settings: dict[str, Any]) -> None:
    """Use this class for new connections, unless the user has configured another one."""
    if settings.get("kernel_websocket_connection_class") is GatewayWebSocketConnection:
        settings["kernel_websocket_connection_class"] = PageConnection


def _execute_request(text: str | bytes) -> dict[str, Any] | None:
    """Return the message if it runs code, else None."""
    if isinstance(text, bytes) or '"execute_request"' not in text:
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    header = message.get("header") if isinstance(message, dict) else None
    runs = isinstance(header, dict) and header.get("msg_type") == "execute_request"
    return message if runs else None
