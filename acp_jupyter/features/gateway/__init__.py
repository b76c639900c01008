"""Kernels that run behind a gateway: the server's connections to them, and their requests."""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(remote_kernels="server:remote_kernels", find_server="kernel:find_server")
