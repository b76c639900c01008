"""Ids."""

from __future__ import annotations

import uuid

__all__ = ["gen_id"]


def gen_id() -> str:
    """Return an id that nothing else has (S5.46)."""
    return uuid.uuid4().hex
