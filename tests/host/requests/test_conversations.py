"""What becomes of permission requests and of the question of trust, step by step.

``tests/golden/requests/conversations.json`` has the steps and what each tells; a row is added by
its steps alone. ``ACP_WRITE_GOLDEN=1`` writes what they tell anew, to be read.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from tests.acceptance import golden
from tests.support.asking import told
from tests.support.outcomes import check_table


def test_conversations(tmp_path: Path) -> None:
    numbers = itertools.count(1)
    folder = golden.GOLDEN / "requests"
    check_table(folder, "conversations", lambda steps: told(steps, tmp_path / str(next(numbers))))
