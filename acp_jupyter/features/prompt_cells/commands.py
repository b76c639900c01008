"""The commands that run a prompt cell without its kernel, and their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import POST, BaseCommand, CommandRow
from acp_jupyter.protocol.objects import Model

_MAX_CHARS = 5_000_000
_MAX_VARIABLES = 50


class ReadPromptCell(BaseCommand):
    """Read the first line of a prompt cell, and what the cell names."""

    name: Literal["read_prompt_cell"] = "read_prompt_cell"
    source: str = Field(max_length=_MAX_CHARS)
    """The cell's source, which begins with ``%%acp``."""


class PromptCell(Model):
    """Result of ``read_prompt_cell``."""

    help: str = ""
    """The text of ``%%acp --help``, if that is what the cell is; then nothing is sent."""
    names: tuple[str, ...] = ()
    """Names that may be variables of the kernel: of ``--var``, and after ``@`` in the prompt."""


class RunPromptCell(BaseCommand):
    """Send the prompt of a cell whose kernel doesn't know ``%%acp``, as the magic would.

    The first line's options mean the same as for the magic. Those that are about Python variables
    are refused.
    """

    name: Literal["run_prompt_cell"] = "run_prompt_cell"
    notebook_path: str = Field(min_length=1)
    cell_id: str = Field(min_length=1, max_length=1000)
    source: str = Field(max_length=_MAX_CHARS)
    variables: dict[str, str] = Field(default_factory=dict, max_length=_MAX_VARIABLES)
    """What the kernel says about variables, by their names: the ``names`` of ``read_prompt_cell``
    that it knows."""
    unknown: str = Field(default="", max_length=1000)
    """Why the kernel was not asked about variables, as a sentence; empty if it was."""
    cwd: str | None = None
    """Folder of a new session, absolute; default: chosen from the notebook."""
    can_ask: bool = True
    """False if no user is present."""


class PromptCellTurn(Model):
    """Result of ``run_prompt_cell``."""

    session_id: str
    turn_id: str
    background: bool = False
    """Whether the cell doesn't wait for the end of the turn."""
    timeout: float | None = None
    """Seconds after which the caller should stop the turn."""
    words: str = ""
    """Words for below the cell, such as what going back has done."""


COMMANDS = (
    CommandRow(
        ReadPromptCell,
        POST("prompt-cells/read", body=True),
        PromptCell,
        only_user="read a prompt cell",
    ),
    CommandRow(
        RunPromptCell,
        POST("prompt-cells", status=202, body=True),
        PromptCellTurn,
        only_user="run a prompt cell",
    ),
)
