"""The subcommand ``%acp rewind``."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.kernel.magics.subcommand import Subcommand


def _rewind(rest: Sequence[str]) -> None:
    from acp_jupyter.features.history.kernel import rewind

    rewind(rest)


SUBCOMMANDS = (
    Subcommand(
        "rewind [N] [options]",
        "take the last N turns back: files, and what the agent remembers",
        _rewind,
        after="fork",
        details=(
            "N             how many turns of the session used last here; default: 1",
            "--keep-files  leave the files as they are",
            "--undo        redo what was reverted, and continue in the earlier session",
            "The kernel's variables stay as they are. %%acp --rewind goes back to before the "
            "cell's earlier run.",
        ),
        options=("--keep-files", "--undo"),
    ),
)
