"""What lets anybody act as this server's user, or as a kernel: never to be written down."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_jupyter.transcript.redact import KnownSecrets

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

__all__ = ["ServerSecrets"]

_KERNEL_ACTIONS = "https://events.jupyter.org/jupyter_server/kernel_actions/v1"
_MOST_BYTES = 4096


class ServerSecrets:
    """Lets all redactors of a host know the server's own secrets, and each kernel's key.

    Parameters
    ----------
    serverapp
        The server.
    known
        Of the host.
    """

    def __init__(self, serverapp: ServerApp, known: KnownSecrets) -> None:
        self._serverapp = serverapp
        self._known = known

    def begin(self) -> None:
        """Tell them now, and the keys again whenever a kernel starts or ends."""
        self._known.put("server", _own(self._serverapp))
        self._add_keys()

        async def acted(logger: Any, schema_id: str, data: dict[str, Any]) -> None:
            self._add_keys()

        events = self._serverapp.event_logger
        if events is not None:
            events.add_listener(schema_id=_KERNEL_ACTIONS, listener=acted)

    def _add_keys(self) -> None:
        manager = self._serverapp.kernel_manager
        keys = []
        for kernel_id in tuple(manager.list_kernel_ids()):
            session = getattr(manager.get_kernel(kernel_id), "session", None)
            key = getattr(session, "key", b"")
            if isinstance(key, bytes):
                keys.append(key.decode("utf-8", "replace"))
        self._known.put("kernels", keys)


def _own(serverapp: ServerApp) -> Iterator[str]:
    """Yield the token, the password's hash, and the cookie secret as it may be written."""
    identity = serverapp.identity_provider
    yield str(getattr(identity, "token", ""))
    yield str(getattr(identity, "hashed_password", ""))
    secret = serverapp.cookie_secret
    if isinstance(secret, bytes):
        yield secret.hex()
        yield base64.b64encode(secret).decode()
    try:
        with Path(serverapp.cookie_secret_file).open("rb") as file:
            kept = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    yield from kept.splitlines()
