"""The subcommand ``%acp share``."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.kernel.magics.subcommand import Subcommand


def _share(rest: Sequence[str]) -> None:
    from acp_jupyter.features.share.kernel import run_share

    run_share(rest)


SUBCOMMANDS = (
    Subcommand(
        "share PATH [options]",
        "write the last turn as a page for others, which plays in steps",
        _share,
        after="export",
        details=(
            "PATH ends with .html",
            "--all         all turns of the session",
            "--session ID  which one; default: the one used last here",
            "--thoughts    with the agent's reasoning",
            "--force       replace the file, if there is one",
            "Secrets that are known or look like one are taken out, and so are places on this "
            "machine.",
            "Example: %acp share talk.html",
        ),
        options=("--all", "--session", "--thoughts", "--force"),
    ),
)
