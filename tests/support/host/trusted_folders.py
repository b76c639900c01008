"""Folders that are trusted beforehand, as an administrator configures them."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.store.permission_stores import TrustStore

__all__ = ["trust_in_data_dir", "trusting"]


def trusting(folder: Path) -> TrustStore:
    """Return a store that trusts one folder; what else is trusted is kept in it."""
    return TrustStore(folder / "trust.json", [folder])


def trust_in_data_dir(jupyter_data_dir: Path, folder: Path) -> None:
    """Trust a folder as its user did before, for hosts in kernels."""
    TrustStore(jupyter_data_dir / "acp-jupyter" / "trust.json").trust(folder)
