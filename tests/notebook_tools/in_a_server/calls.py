"""An agent's calls of the notebook tools, as prompts and answers."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["NOTEBOOK", "PICTURE", "answers_in", "steps"]

NOTEBOOK = "work/n.ipynb"
PICTURE = """\
import base64
from IPython.display import Image, display
display(Image(base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)))
"""


def steps(*calls: tuple[str, dict[str, Any]]) -> str:
    """Return the prompt that makes the agent call these tools."""
    return json.dumps([{"tool": tool, "args": args} for tool, args in calls])


def answers_in(text: str) -> list[dict[str, Any]]:
    """Return what the tools answered, as the agent says it."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]
