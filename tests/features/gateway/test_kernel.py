"""How a kernel behind a gateway finds its server."""

from __future__ import annotations

import pytest

from acp_jupyter.errors import ServerUnreachable
from acp_jupyter.features.gateway import channel_transport
from acp_jupyter.features.gateway.kernel_requests import KEY_VARIABLE
from acp_jupyter.kernel.client import server_client
from acp_jupyter.kernel.client.server_client import host_client


def test_behind_a_gateway_no_agents_run_in_a_kernel_without_an_id(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channel_transport, "_launch", [])
    monkeypatch.setattr(server_client, "_clients", [])
    monkeypatch.setenv(KEY_VARIABLE, "key")
    for _ in range(2):
        with pytest.raises(ServerUnreachable, match="connection file is not named"):
            host_client()
