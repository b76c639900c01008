"""The subcommand ``%acp fix``."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.core.getipython import get_ipython

from acp_jupyter.kernel.magics.subcommand import Subcommand


def _fix(rest: Sequence[str]) -> None:
    from acp_jupyter.features.fix.kernel import run_fix

    shell = get_ipython()
    assert shell is not None
    run_fix(shell, rest)


SUBCOMMANDS = (
    Subcommand(
        "fix [AGENT] [options]",
        "send the last error of this kernel to an agent",
        _fix,
        after="network",
        details=("The options are those of a cell: %%acp --help. Example: %acp fix --policy ask",),
        takes_cell_options=True,
    ),
)
