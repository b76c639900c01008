"""Rows of tables in the core's tests."""

from __future__ import annotations

from typing import Any

from tests.support.server.kernel_fields import Fields, never
from tests.support.server.writing_routes import WORDS, Row, json_body

KERNEL_FIELDS: dict[str, Fields] = {
    "read_prompt_cell": never("source"),
    "run_prompt_cell": never(
        "notebook_path", "cell_id", "source", "variables", "unknown", "cwd", "can_ask"
    ),
}

WRITING_ROUTES = {
    "read_prompt_cell": Row("prompt-cells/read", json_body(source="%%acp\nHello")),
    "run_prompt_cell": Row(
        "prompt-cells",
        json_body(notebook_path="n.ipynb", cell_id="c", source="%%acp own_tools\nHello"),
        full=WORDS,
        read_only=WORDS,
    ),
}

_SOURCE = "%%acp hello\nHi"

OF_COMMANDS: dict[str, dict[str, Any]] = {
    "read_prompt_cell": {"source": _SOURCE},
    "run_prompt_cell": {"source": _SOURCE, "cell_id": "c"},
}
