"""Rows of tables in the core's tests."""

from __future__ import annotations

from tests.support.server.kernel_fields import NAMES, Fields

KERNEL_FIELDS: dict[str, Fields] = {
    "list_prompts": {"session_id": NAMES, "notebook_path": NAMES},
}
