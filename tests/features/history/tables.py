"""Rows of tables in the core's tests."""

from __future__ import annotations

from tests.support.server.kernel_fields import LESS, NAMES, Fields, never
from tests.support.server.writing_routes import WORDS, Row, json_body

KERNEL_FIELDS: dict[str, Fields] = {
    "rewind_session": {"session_id": NAMES, "turn_id": NAMES, "files": LESS, "also": NAMES},
    "undo_rewind": {"session_id": NAMES, "files": LESS},
    "get_history": never("notebook_path", "turn_id", "before", "path"),
}

WRITING_ROUTES = {
    "rewind_session": Row(
        "sessions/{changing}/rewind", json_body(turn_id="{change}"), full=WORDS, read_only=WORDS
    ),
    "undo_rewind": Row(
        "sessions/{talk}/undo-rewind", full="did not begin", read_only="can't be written"
    ),
}
