"""The kernels of a server that is configured with a gateway."""

from __future__ import annotations

from jupyter_server.serverapp import ServerApp

from acp_jupyter.features.gateway.kernels import GatewayKernels
from acp_jupyter.features.gateway.page_connection import use_page_connection


def remote_kernels(app: ServerApp) -> GatewayKernels | None:
    """Return the kernels of the server's gateway; None if it has none."""
    if not app.gateway_config.gateway_enabled:
        return None
    use_page_connection(app.web_app.settings)
    return GatewayKernels(app.kernel_manager, app.web_app, app.base_url)
