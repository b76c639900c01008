"""A kernel without a server."""

from tests.notebooks.conftest import folder, kernel

__all__ = ["folder", "kernel"]
