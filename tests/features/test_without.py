"""The core works without a feature: another one is tried after each commit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_rest_works_without_a_feature() -> None:
    """`make test-all` tries every one, with all checks and the fast tests."""
    command = [sys.executable, "scripts/without.py", "--in-turn", "--quick"]
    env = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
