"""Rows of tables in the core's tests."""

from __future__ import annotations

from typing import Any

from tests.support.server.kernel_fields import NEVER, Fields, never
from tests.support.server.writing_routes import GONE, Row, json_body

KERNEL_FIELDS: dict[str, Fields] = {
    "make_outside_key": never("notebook_path", "policy"),
    "list_outside_keys": {"": NEVER},
    "revoke_outside_key": never("key_id"),
}

WRITING_ROUTES = {
    "make_outside_key": Row(
        "outside-keys",
        json_body(notebook_path="n.ipynb"),
        full="no notebook",
        read_only="no notebook",
    ),
    "revoke_outside_key": Row("outside-keys/none", full=GONE, read_only=GONE, method="DELETE"),
}

GRANTING: dict[str, dict[str, Any]] = {"make_outside_key": {"notebook_path": "nb.ipynb"}}

OTHER_CALLERS = {"outside": "a key of an agent outside"}
