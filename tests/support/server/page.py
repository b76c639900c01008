"""What a page of JupyterLab has that a script in it has not: the key that it was loaded with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import httpx
from websockets.sync.client import ClientConnection

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["AS_A_PAGE", "command_over", "page_key"]

AS_A_PAGE = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"}
"""How Chromium asks for a page that somebody opens."""


def page_key(client: httpx.Client, url: str, headers: Mapping[str, str] = AS_A_PAGE) -> str:
    """Load JupyterLab at a server's URL and return the key in its configuration."""
    page = client.get(f"{url}lab", headers=dict(headers)).raise_for_status()
    found = re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page.text, re.DOTALL)
    assert found is not None, page.text
    key: str = json.loads(found[1])["acpPageKey"]
    assert not key or page.headers["Cache-Control"] == "no-store"
    return key


def command_over(stream: ClientConnection, command: Mapping[str, Any]) -> Any:
    """Send a command as pages do and return its reply."""
    stream.send(json.dumps({"type": "command", "id": 1, "command": dict(command)}))
    while True:
        frame = json.loads(stream.recv(timeout=PATIENCE_SECONDS))
        if frame["type"] == "reply":
            return frame
