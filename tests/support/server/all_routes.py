"""All routes of the server extension, as the code lists them."""

from __future__ import annotations

import re
from typing import cast

from acp_jupyter.server.backend import Backend
from acp_jupyter.server.handlers import handlers

__all__ = ["PATHS"]

_ROOT = "/acp-jupyter/api/"


def _example(pattern: str) -> str:
    assert pattern.startswith(_ROOT), pattern
    return re.sub(r"\(\?P<(\w+)>[^)]*\)", r"some-\1", pattern.removeprefix(_ROOT))


PATHS = tuple(_example(pattern) for pattern, *_ in handlers(cast("Backend", None)))
"""One example of every route, below the extension's root."""
