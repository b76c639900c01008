"""The subcommand ``%acp prompts``."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.kernel.magics.subcommand import Subcommand


def _prompts(rest: Sequence[str]) -> None:
    from acp_jupyter.features.prompts.kernel import list_prompts

    list_prompts(rest)


SUBCOMMANDS = (
    Subcommand(
        "prompts",
        "list the saved prompts of this folder",
        _prompts,
        after="network",
        details=(
            "A file .acp/prompts/NAME.md is /NAME at the beginning of a prompt. Its arguments "
            "follow:",
            '  /review file=clean.py focus="empty rows"',
        ),
    ),
)
