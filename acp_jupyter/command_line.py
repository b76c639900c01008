"""``jupyter acp``: the commands for a terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

_COMMANDS = {
    "batch": "run a notebook or a prompt for many parameters and agents",
    "check": "run a copy of a notebook from the top and compare its outputs",
    "doctor": "say what works here: Python, the sandbox, the agents",
    "mcp": "serve the tools of an open notebook over MCP on stdio",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit code."""
    given = [*(sys.argv[1:] if words is None else words)]
    parser = argparse.ArgumentParser("jupyter acp", description="Agents in notebooks.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, words_of_help in _COMMANDS.items():
        commands.add_parser(name, help=words_of_help, add_help=False)
    command, rest = parser.parse_args(given[:1]).command, given[1:]
    if command == "batch":  # import only what the command needs
        from acp_jupyter.batches import command as batch

        return batch.main(rest)
    if command == "check":
        from acp_jupyter.checks import check

        return check.main(rest)
    if command == "doctor":
        from acp_jupyter import doctor

        return doctor.main(rest)
    from acp_jupyter.notebook_tools.outside import command as mcp

    mcp.main(rest)


if __name__ == "__main__":
    sys.exit(main())
