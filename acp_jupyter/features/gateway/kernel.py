"""How a kernel behind a gateway finds its server."""

from __future__ import annotations

from acp_jupyter.errors import ServerUnreachable
from acp_jupyter.features.gateway.channel_transport import ChannelTransport, launch_key
from acp_jupyter.kernel.client.server_client import ServerClient, identity_of

_FIRST_SECONDS = 20.0
"""Limit for a server that still connects to a new kernel of a gateway."""


def find_server() -> ServerClient | None:
    """Return the server that this kernel reaches through its own channels; None if there is none.

    It never falls back to a host on the gateway's machine, which has other files and bounds.
    """
    key, base_path = launch_key()
    if not key:
        return None
    identity = identity_of(key)
    if identity is None:
        raise ServerUnreachable(
            "This kernel runs behind a gateway, and can't tell the Jupyter server which kernel "
            "it is: its connection file is not named kernel-ID.json."
        )
    server = ServerClient(ChannelTransport(base_path), identity)
    server.handshake(_FIRST_SECONDS)
    return server
