"""A server, and a kernel of a notebook in it."""

from tests.notebook_tools.in_a_server.conftest import kernel, path, server, side

__all__ = ["kernel", "path", "server", "side"]
