"""Rows of tables in the core's tests."""

from __future__ import annotations

from typing import Any

from tests.support.server.kernel_fields import FORCED, LESS, MADE, NAMES, OWN, Fields
from tests.support.server.writing_routes import TOLD, Row, json_body

_NO_COPY = f"No copy of the folder can be made|{TOLD}"

KERNEL_FIELDS: dict[str, Fields] = {
    "create_variant": {
        "agent": MADE,
        "try_id": NAMES,
        "cwd": MADE,
        "notebook_path": FORCED,
        "trust": OWN,
        "ask_trust": OWN,
        "tools": LESS,
        "sandbox": MADE,
        "network": LESS,
        "restore": MADE,
        "cell_id": MADE,
    },
}

WRITING_ROUTES = {
    "create_variant": Row(
        "variants", json_body(agent="own_tools"), full=_NO_COPY, read_only=_NO_COPY
    ),
}

ALLOWING_FIELDS: dict[str, dict[str, Any]] = {"variants": {"agent": "hello", "trust": True}}
