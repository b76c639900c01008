"""How the first line of a ``%%acp`` cell is made up, and the words of its help."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from IPython.core.error import UsageError

if TYPE_CHECKING:
    from acp_jupyter.protocol.host_events.permissions import Policy

__all__ = [
    "CELL_OPTIONS",
    "FLAGS",
    "POLICIES",
    "REPEATED",
    "SEE_HELP",
    "LineParser",
    "cell_parser",
]

POLICIES: tuple[Policy, ...] = ("ask", "read-only", "accept-edits", "allow-all", "deny")

CELL_OPTIONS = (
    "--session",
    "--new",
    "--mode",
    "--model",
    "--config",
    "--policy",
    "--attach",
    "--var",
    "--allow",
    "--deny",
    "--trust",
    "--no-tools",
    "--out",
    "--timeout",
    "--background",
    "--format",
    "--help",
)

FLAGS = ("--new", "--trust", "--no-tools", "--background", "--format", "-h", "--help")
"""Those that no value follows."""

REPEATED = ("--config", "--attach", "--var", "--allow", "--deny")
"""Those that may stand there more than once."""

SEE_HELP = "%%acp --help lists the options."


class LineParser(argparse.ArgumentParser):
    """Raises where argparse would end the process.

    Parameters
    ----------
    see
        The end of each complaint: where help is.
    """

    def __init__(self, prog: str, *, see: str, **more: str) -> None:
        super().__init__(prog=prog, add_help=False, allow_abbrev=False, **more)  # type: ignore[arg-type]
        self._see = see

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse ``--`` as a value, which argparse takes for a list."""
        for word in args or ():
            option, _, value = word.partition("=")
            if option.startswith("--") and value == "--":
                self.error(f"argument {option}: -- is no value")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Complain in the words of a magic."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}. {self._see}")


def cell_parser() -> LineParser:
    """Return what reads the first line."""
    parser = LineParser(
        "%%acp",
        see=SEE_HELP,
        usage="%%%%acp [AGENT] [options]",
        description="Send the cell below this line to an agent and wait for the end of its turn.",
        epilog="Example: %%acp claude --policy accept-edits --out turn. "
        "%acp help lists the other commands, %acp agents the agents.",
    )
    who = parser.add_argument_group("Who")
    who.add_argument(
        "agent", nargs="?", metavar="AGENT", help="its id; default: as chosen by %%acp use, or demo"
    )
    who.add_argument(
        "--session",
        default="",
        metavar="NAME",
        help="which session of this notebook; each agent has one without a name",
    )
    who.add_argument("--new", action="store_true", help="start the session anew")
    who.add_argument("--mode", metavar="MODE", help="the session's mode, from now on")
    who.add_argument("--model", metavar="MODEL", help="its model, from now on")
    who.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one of its other options, from now on; may be repeated",
    )
    _add_prompt(parser.add_argument_group("What goes with the prompt"))
    _add_permissions(parser.add_argument_group("What it may do without asking"))
    turn = parser.add_argument_group("The turn")
    turn.add_argument(
        "--out", metavar="NAME", help="bind the Turn to a variable; _acp always holds the last"
    )
    turn.add_argument("--timeout", metavar="SECONDS", help="stop the turn after this time")
    turn.add_argument("--background", action="store_true", help="do not wait for its end")
    turn.add_argument("-h", "--help", action="store_true", help="show this")
    return parser


def _add_prompt(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--attach",
        action="append",
        default=[],
        metavar="PATH",
        help="a file that goes with the prompt: image, sound, text or notebook, or a pattern such "
        "as 'data/*.csv'; may be repeated",
    )
    group.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME",
        help="a variable that is described to the agent: a DataFrame, an array, a figure, a "
        "function, anything; may be repeated",
    )
    group.add_argument(
        "--format",
        action="store_true",
        help="replace {name} in the prompt by the variable; {{ and }} are braces",
    )


def _add_permissions(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--policy",
        metavar="POLICY",
        help=f"how permission requests of this turn are answered: {', '.join(POLICIES)}",
    )
    group.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="RULE",
        help="what is allowed in this turn: 'execute:git status *', 'edit:src/**', read, or "
        "'fetch:https://docs.python.org/*'; may be repeated",
    )
    group.add_argument(
        "--deny",
        action="append",
        default=[],
        metavar="RULE",
        help="what is rejected in this turn, in the same form; it wins over --allow",
    )
    group.add_argument(
        "--trust", action="store_true", help="let the agent run in this folder, whatever is in it"
    )
    group.add_argument(
        "--no-tools",
        action="store_true",
        help="offer the agent no tools for this notebook and its kernel",
    )
