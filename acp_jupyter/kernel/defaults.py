"""What the user has chosen for this kernel."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["defaults"]


@dataclass(slots=True)
class _Defaults:
    agent: str = "demo"


defaults = _Defaults()
"""Changed by ``%acp use``."""
