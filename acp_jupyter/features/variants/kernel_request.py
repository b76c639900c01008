"""The kernel that a variant should get, or why it gets none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.features.variants.commands import Restore
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.protocol.host_events.session import Variant


@dataclass(frozen=True, slots=True)
class VariantKernelRequest:
    """The kernel that a variant should get."""

    variant: Variant
    copy: FolderCopy
    notebook: Path
    """The absolute path of the user's notebook with the prompt, not of its copy."""
    kernel_id: str
    """The kernel that runs the asking cell; empty if unknown."""
    cell_id: str
    """The id of the asking cell; empty if unknown."""
    restore: Restore


@dataclass(frozen=True, slots=True)
class NoKernel:
    """Why a variant has no kernel."""

    why: str

    @property
    def words(self) -> str:
        """The reason as a sentence for users."""
        return f"It has no kernel and no notebook tools: {self.why}."
