"""The first line of a ``%%acp`` cell."""

from __future__ import annotations

import argparse
import difflib
import keyword
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from IPython.core.error import UsageError

from acp_jupyter.kernel.rules import checked_rules

if TYPE_CHECKING:
    from acp_jupyter.packets.notes import Policy

__all__ = [
    "CELL_OPTIONS",
    "POLICIES",
    "REPEATED",
    "CellOptions",
    "LineParser",
    "cell_help",
    "parse_cell_line",
]

POLICIES: tuple[Policy, ...] = ("ask", "read-only", "accept-edits", "allow-all", "deny")


@dataclass(frozen=True, slots=True)
class CellOptions:
    """What the first line says."""

    agent: str | None = None
    session: str = ""
    new: bool = False
    policy: Policy | None = None
    attach: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    trust: bool = False
    out: str | None = None
    timeout: float | None = None
    help: bool = False
    mode: str | None = None
    model: str | None = None
    config: tuple[str, ...] = ()
    """Each as ``NAME=VALUE``."""
    background: bool = False
    format: bool = False


_SEE_HELP = "%%acp --help lists the options."


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

    def error(self, message: str) -> NoReturn:
        """Complain in the words of a magic."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}. {self._see}")


def _parser() -> LineParser:
    parser = LineParser(
        "%%acp",
        see=_SEE_HELP,
        usage="%%%%acp [AGENT] [options]",
        description="Send the cell below this line to an agent and wait for the end of its turn.",
        epilog="%acp help lists the other commands, %acp agents the agents.",
    )
    parser.add_argument(
        "agent", nargs="?", metavar="AGENT", help="its id; default: as chosen by %%acp use, or demo"
    )
    parser.add_argument(
        "--session",
        default="",
        metavar="NAME",
        help="which session of this notebook; each agent has one without a name",
    )
    parser.add_argument("--new", action="store_true", help="start the session anew")
    parser.add_argument("--mode", metavar="MODE", help="the session's mode, from now on")
    parser.add_argument("--model", metavar="MODEL", help="its model, from now on")
    parser.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one of its other options, from now on; may be repeated",
    )
    parser.add_argument(
        "--policy",
        metavar="POLICY",
        help=f"how permission requests of this turn are answered: {', '.join(POLICIES)}",
    )
    parser.add_argument(
        "--attach",
        action="append",
        default=[],
        metavar="PATH",
        help="a file that goes with the prompt: image, sound or text; may be repeated",
    )
    for effect, what in (("allow", "allowed"), ("deny", "rejected")):
        parser.add_argument(
            f"--{effect}",
            action="append",
            default=[],
            metavar="RULE",
            help=f"what is {what} in this turn without asking, e.g. 'execute:git status *', "
            "'edit:src/**', read, or 'fetch:https://docs.python.org/*'; may be repeated",
        )
    parser.add_argument(
        "--trust", action="store_true", help="let the agent run in this folder, whatever is in it"
    )
    parser.add_argument(
        "--out", metavar="NAME", help="bind the Turn to a variable; _acp always holds the last"
    )
    parser.add_argument("--timeout", metavar="SECONDS", help="stop the turn after this time")
    parser.add_argument("--background", action="store_true", help="do not wait for its end")
    parser.add_argument(
        "--format",
        action="store_true",
        help="replace {name} in the prompt by the variable; {{ and }} are braces",
    )
    parser.add_argument("-h", "--help", action="store_true", help="show this")
    return parser


CELL_OPTIONS = (
    "--session",
    "--new",
    "--mode",
    "--model",
    "--config",
    "--policy",
    "--attach",
    "--allow",
    "--deny",
    "--trust",
    "--out",
    "--timeout",
    "--background",
    "--format",
    "--help",
)

REPEATED = ("--config", "--allow", "--deny")
"""Those that may stand there more than once."""


def cell_help() -> str:
    """Return the words of ``%%acp --help``."""
    return _parser().format_help().replace("usage: ", "", 1)


def parse_cell_line(line: str) -> CellOptions:
    """Return what the first line says.

    Raises
    ------
    UsageError
        It can't be understood; the message says what to type.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"A quotation mark is not closed ({error}). {_SEE_HELP}") from None
    given, rest = _parser().parse_known_args(words)
    if rest:
        raise UsageError(_unknown(rest[0]))
    policy = next((policy for policy in POLICIES if policy == given.policy), None)
    if given.policy is not None and policy is None:
        choices = ", ".join(POLICIES)
        raise UsageError(f"There is no policy {given.policy!r}. Type one of: {choices}.")
    if given.out is not None and (not given.out.isidentifier() or keyword.iskeyword(given.out)):
        raise UsageError(f"{given.out!r} can't be a variable. Type, for example, --out turn.")
    return CellOptions(
        agent=given.agent,
        session=given.session,
        new=given.new,
        policy=policy,
        attach=tuple(given.attach),
        allow=checked_rules(given.allow, "allow"),
        deny=checked_rules(given.deny, "deny"),
        trust=given.trust,
        out=given.out,
        timeout=_seconds(given.timeout),
        help=given.help,
        mode=given.mode,
        model=given.model,
        config=tuple(given.config),
        background=given.background,
        format=given.format,
    )


def _unknown(word: str) -> str:
    if not word.startswith("-"):
        return f"{word!r} is one word too many: write the prompt below the first line."
    close = difflib.get_close_matches(word.split("=")[0], CELL_OPTIONS, 1)
    hint = f" Type {close[0]}." if close else f" The options are: {', '.join(CELL_OPTIONS)}."
    return f"There is no option {word}.{hint}"


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"{text!r} is not a number of seconds. Type, for example, --timeout 60.")
    return seconds
