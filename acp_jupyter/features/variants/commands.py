"""Commands about variants: one prompt tried in several ways, each in a copy of the folder."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.api.models.turns import MAX_HUNK_FILES
from acp_jupyter.protocol.host_events.session import FileHunks, Network, Restore, Sandbox


class CreateVariant(BaseCommand):
    """Create a session for one turn in a copy of the folder.

    In a notebook whose kernel this server has started, it gets a kernel of its own when its agent
    first needs it, and the notebook tools for the copy.
    """

    name: Literal["create_variant"] = "create_variant"
    agent: str
    try_id: str = Field(default="", max_length=100)
    """The same for all variants of a prompt; empty for the first one."""
    cwd: str | None = None
    """The folder to copy, absolute or relative to the server's root; default: chosen from the
    notebook."""
    notebook_path: str = ""
    trust: bool = False
    """Whether agents may run in the folder and its copies; see ``create_session``."""
    ask_trust: bool = False
    sandbox: Sandbox | None = None
    """Default: that of the notebook's session with this agent, else as for a new session."""
    network: Network | None = None
    """Network of the sandbox, with the same default. A kernel can only restrict it."""
    tools: bool = True
    """Whether the agent gets the notebook tools, and so a kernel."""
    restore: Restore = "none"
    """What that kernel begins with."""
    cell_id: str = Field(default="", max_length=200)
    """The cell that asks: ``rerun`` runs the cells above it."""


class KeepVariant(BaseCommand):
    """Apply what a turn has changed in a copy to the folder that was copied, or remove it again.

    The turn is that of a variant, or of a session in the sandbox ``copy``; then what earlier turns
    have changed in the same files is kept with it, unless single ``hunks`` are named. All of it or
    nothing: it is refused where a file of a variant was changed since the copy was made, or, in
    that sandbox, where a person has changed the same place.
    """

    name: Literal["keep_variant"] = "keep_variant"
    turn_id: str
    paths: tuple[str, ...] | None = Field(default=None, max_length=1000)
    """Which files; default: all that can be kept."""
    hunks: tuple[FileHunks, ...] = Field(default=(), max_length=MAX_HUNK_FILES)
    """Parts of files, in place of whole ones."""
    undo: bool = False

    @model_validator(mode="after")
    def _files_or_parts(self) -> KeepVariant:
        if self.hunks and self.paths is not None:
            msg = "send either paths or hunks"
            raise ValueError(msg)
        return self
