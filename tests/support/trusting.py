"""Folders that are trusted beforehand, as an administrator configures them."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.trust_store import TrustStore

__all__ = ["trusting"]


def trusting(folder: Path) -> TrustStore:
    """Return a store that trusts one folder; what else is trusted is kept in it."""
    return TrustStore(folder / "trust.json", [folder])
