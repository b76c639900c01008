"""Sockets for this user's other programs: Unix sockets, or local ports where there are none.

Any program can connect to a port, so each connection also needs a key.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.system.portable import is_portable

__all__ = ["PrivateSocket", "connect", "listen"]

_PATH_BYTES = 100
"""Longest path of a socket; the limit of Unix is about 104 bytes."""


@dataclass(frozen=True, slots=True)
class PrivateSocket:
    """A listening socket."""

    server: asyncio.Server
    address: str
    """``unix:PATH`` or ``tcp:HOST:PORT``, for `connect`."""
    folder: str
    """The folder of the socket, which its owner removes; empty for a port."""


async def listen(
    connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None],
    name: str,
    line_bytes: int,
) -> PrivateSocket:
    """Listen on a new socket called ``name``."""
    if sys.platform == "win32" or is_portable():
        server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=line_bytes)
        return PrivateSocket(server, f"tcp:127.0.0.1:{server.sockets[0].getsockname()[1]}", "")
    else:  # mypy knows it as the branch of the other systems
        folder = await asyncio.to_thread(_make_folder, name)
        path = str(Path(folder, name))
        server = await asyncio.start_unix_server(connected, path, limit=line_bytes)
        os.chmod(path, 0o600)
        return PrivateSocket(server, f"unix:{path}", folder)


async def connect(
    address: str, line_bytes: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a socket."""
    kind, _, where = address.partition(":")
    if sys.platform != "win32" and kind == "unix":
        return await asyncio.open_unix_connection(where, limit=line_bytes)
    host, _, port = where.rpartition(":")
    return await asyncio.open_connection(host, int(port), limit=line_bytes)


def _make_folder(name: str) -> str:
    folder = tempfile.mkdtemp(prefix="acp-")
    if len(os.fsencode(folder)) > _PATH_BYTES - len(f"/{name}"):
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix="acp-", dir="/tmp")
    return folder
