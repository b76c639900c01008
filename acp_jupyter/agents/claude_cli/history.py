"""Whether the CLI keeps a conversation: it has a file for each, below its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["is_known"]


def is_known(session_id: str, environment: Mapping[str, str]) -> bool:
    """Tell whether a conversation can be resumed.

    Parameters
    ----------
    session_id
        Letters, digits and dashes.
    """
    home = Path(environment.get("HOME") or "~").expanduser()
    folder = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    return any(folder.glob(f"projects/*/{session_id}.jsonl"))
