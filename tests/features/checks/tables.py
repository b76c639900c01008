"""Rows of tables in the core's tests."""

from __future__ import annotations

from typing import Any

from tests.support.server.kernel_fields import Fields, never
from tests.support.server.writing_routes import Row, json_body

KERNEL_FIELDS: dict[str, Fields] = {"find_stale": never("cells", "runs", "python")}

WRITING_ROUTES = {"find_stale": Row("stale", json_body(cells=[], runs=[]))}

OF_COMMANDS: dict[str, dict[str, Any]] = {"find_stale": {"cells": (), "runs": ()}}

OTHER_CALLERS = {"check": "user"}
