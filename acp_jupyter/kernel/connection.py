"""Which host this kernel works with: its server's, or one of its own."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from acp_jupyter.errors import ServerUnreachable
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.http_client import KernelIdentity, ServerClient
from acp_jupyter.kernel.surroundings import current_shell, kernel_of, notebook_name, own_key

__all__ = ["host_client"]

_URL_VARIABLE = "ACP_JUPYTER_URL"
_lock = threading.Lock()
_clients: list[HostClient] = []
"""At most one, made when it is first needed."""


def host_client() -> HostClient:
    """Return this kernel's host, found once.

    Raises
    ------
    VersionMismatch
        The server has another version; the message says what to type.
    """
    with _lock:
        if not _clients:
            _clients.append(_find())
        return _clients[0]


def _find() -> HostClient:
    url, identity = os.environ.get(_URL_VARIABLE, ""), _identity()
    if url and identity is not None:
        server = ServerClient(url, identity)
        try:
            server.handshake()
        except ServerUnreachable as error:
            print(f"{error} Agents run in this kernel instead.")  # noqa: T201 - for the cell
        else:
            return server
    from acp_jupyter.kernel.embedded import EmbeddedHost

    return EmbeddedHost(notebook_name())


def _identity() -> KernelIdentity | None:
    kernel = kernel_of(current_shell())
    file = getattr(getattr(kernel, "parent", None), "connection_file", "")
    key = own_key()
    name = Path(file).stem if isinstance(file, str) else ""
    if not name.startswith("kernel-") or not key:
        return None
    return KernelIdentity(name.removeprefix("kernel-"), key)
