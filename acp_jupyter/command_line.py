"""``jupyter acp``: the commands for a terminal."""

from __future__ import annotations

import argparse
import pkgutil
import sys
from collections.abc import Sequence

from acp_jupyter.features import programs

_DOCTOR = ("say what works here: Python, the sandbox, the agents", "acp_jupyter.doctor:main")
"""What it does, and its place: only the command that runs is imported."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit code."""
    given = [*(sys.argv[1:] if words is None else words)]
    known = {"doctor": _DOCTOR, **programs()}
    parser = argparse.ArgumentParser("jupyter acp", description="Agents in notebooks.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (words_of_help, _) in sorted(known.items()):
        commands.add_parser(name, help=words_of_help, add_help=False)
    _, place = known[parser.parse_args(given[:1]).command]
    code: int = pkgutil.resolve_name(place)(given[1:])
    return code


if __name__ == "__main__":
    sys.exit(main())
