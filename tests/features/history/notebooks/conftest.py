"""A kernel's folder."""

from tests.notebooks.conftest import folder

__all__ = ["folder"]
