"""A server, and who asks it."""

from tests.server.conftest import browser, kernel, server, user

__all__ = ["browser", "kernel", "server", "user"]
