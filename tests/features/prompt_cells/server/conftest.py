"""A server that tests share."""

from tests.server.conftest import user

__all__ = ["user"]
