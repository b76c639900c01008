"""Saved prompts in a kernel: the agent that one names, and the list of ``%acp prompts``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from acp_jupyter.features.prompts.commands import ListPrompts, SavedPrompt, SavedPrompts
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.magics.help import print_text, table
from acp_jupyter.kernel.session import defaults

if TYPE_CHECKING:
    from acp_jupyter.api.cell_options import CellOptions


def with_agent(options: CellOptions, prompt: str) -> CellOptions:
    """Return a cell's options: if they name no agent, with the one that its saved prompt is for."""
    words = prompt.split(maxsplit=1)
    named = options.agent is not None or options.feature is not None
    if named or not words or not words[0].startswith("/"):
        return options
    found = (each for each in _prompts("").prompts if f"/{each.name}" == words[0])
    agent = next((each.agent for each in found), "")
    return dataclasses.replace(options, agent=agent) if agent else options


def list_prompts(rest: Sequence[str]) -> None:
    """Show the saved prompts of this notebook's folder."""
    if rest:
        raise UsageError("Type %acp prompts alone.")
    found = _prompts(defaults.session_id)
    if not found.prompts:
        print_text(
            f"There are no saved prompts in {found.folder}. Write one as a file there: "
            ".acp/prompts/NAME.md is /NAME in a prompt."
        )
        return
    titles = ("Prompt", "What for", "Arguments", "Agent", "Policy")
    table(titles, [_row(each) for each in found.prompts])
    if found.left_out:
        print_text(f"{found.left_out} more files are not listed.")


def _row(prompt: SavedPrompt) -> tuple[str, ...]:
    what = prompt.problem or prompt.description
    if prompt.hidden:
        what = "Not used: the agent has a command of this name. Give the file another name."
    arguments = (
        each.name if each.default is None else f"{each.name}={each.default}"
        for each in prompt.arguments
    )
    return f"/{prompt.name}", what, ", ".join(arguments), prompt.agent, prompt.policy or ""


def _prompts(session_id: str) -> SavedPrompts:
    client = host_client()
    command = ListPrompts(session_id=session_id, notebook_path=client.notebook_path)
    found: SavedPrompts = client.run(command)
    return found
