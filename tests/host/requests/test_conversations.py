"""What becomes of permission requests and of the question of trust, step by step.

``tests/golden/requests/conversations.json`` has the steps and what each tells; a row is added by
its steps alone. ``ACP_WRITE_GOLDEN=1`` writes what they tell anew, to be read.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.acceptance import golden
from tests.support.host.conversation import told

FILE = golden.GOLDEN / "requests/conversations.json"
ROWS: dict[str, list[str]] = json.loads(FILE.read_text())


@pytest.mark.parametrize("steps", ROWS)
def test_a_conversation(steps: str, tmp_path: Path) -> None:
    found = told(steps, tmp_path)
    if os.environ.get("ACP_WRITE_GOLDEN"):
        ROWS[steps] = found
        FILE.write_text(json.dumps(ROWS, indent=1) + "\n")
    assert found == ROWS[steps]
