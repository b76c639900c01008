"""The options in the first line of a ``%%acp`` cell: their parser, their help, their values.

`LineParser` also reads the options of ``%acp`` subcommands.
"""

from __future__ import annotations

import argparse
import difflib
import keyword
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from IPython.core.error import UsageError

from acp_jupyter.protocol.json import clean_json

if TYPE_CHECKING:
    from acp_jupyter.protocol.host_events.session import (
        Network,
        Policy,
        Restore,
        RuleEffect,
        Sandbox,
    )


@dataclass(frozen=True, slots=True)
class CellOptions:
    """The parsed first line of a cell."""

    agent: str | None = None
    session: str = ""
    new: bool = False
    rewind: bool = False
    policy: Policy | None = None
    sandbox: Sandbox | None = None
    network: Network | None = None
    attach: tuple[str, ...] = ()
    var: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    trust: bool = False
    no_tools: bool = False
    out: str | None = None
    timeout: float | None = None
    help: bool = False
    mode: str | None = None
    model: str | None = None
    config: tuple[str, ...] = ()
    """Options as ``NAME=VALUE``."""
    background: bool = False
    format: bool = False
    several: tuple[str, ...] = ()
    """The agents of ``--try``."""
    restore: Restore | None = None
    """How to restore variables in the variants' kernels."""


def cell_help() -> str:
    """Return the text of ``%%acp --help``."""
    return cell_parser().format_help().replace("usage: ", "", 1)


def parse_cell_line(line: str) -> CellOptions:
    """Parse the first line of a cell."""
    try:
        words = shlex.split(clean_json(line))
    except ValueError as error:
        raise UsageError(f"A quotation mark is not closed ({error}). {SEE_HELP}") from None
    given, rest = cell_parser().parse_known_args(words)
    several = _several(given, rest) if given.several else ()
    restore = _restore(given.restore, several)
    if rest and not several:
        raise UsageError(_unknown(rest[0]))
    policy = next((policy for policy in POLICIES if policy == given.policy), None)
    if given.policy is not None and policy is None:
        choices = ", ".join(POLICIES)
        raise UsageError(f"There is no policy {given.policy!r}. Type one of: {choices}.")
    sandbox = None if given.sandbox is None else named_sandbox(given.sandbox)
    if given.out is not None and (not given.out.isidentifier() or keyword.iskeyword(given.out)):
        raise UsageError(f"{given.out!r} can't be a variable. Type, for example, --out turn.")
    return CellOptions(
        agent=None if several else given.agent,
        session=given.session,
        new=given.new,
        rewind=given.rewind,
        policy=policy,
        sandbox=sandbox,
        network=None if given.network is None else named_network(given.network),
        attach=tuple(given.attach),
        var=tuple(given.var),
        allow=checked_rules(given.allow, "allow"),
        deny=checked_rules(given.deny, "deny"),
        trust=given.trust,
        no_tools=given.no_tools,
        out=given.out,
        timeout=_seconds(given.timeout),
        help=given.help,
        mode=given.mode,
        model=given.model,
        config=tuple(given.config),
        background=given.background,
        format=given.format,
        several=several,
        restore=restore,
    )


def named_sandbox(name: str, *more: str) -> Sandbox:
    """Return the sandbox of that name."""
    found = next((each for each in SANDBOXES if each == name), None)
    if found is None:
        raise UsageError(
            f"There is no sandbox {name!r}. Type one of: {', '.join((*SANDBOXES, *more))}."
        )
    return found


def named_network(name: str) -> Network:
    """Return the network of that name."""
    found = next((each for each in NETWORKS if each == name), None)
    if found is None:
        raise UsageError(f"There is no network {name!r}. Type one of: {', '.join(NETWORKS)}.")
    return found


def _restore(text: str | None, several: tuple[str, ...]) -> Restore | None:
    if text is None:
        return None
    found = next((each for each in RESTORES if each == text), None)
    if found is None:
        raise UsageError(f"There is no --restore {text!r}. Type one of: {', '.join(RESTORES)}.")
    if not several:
        raise UsageError("--restore is about the kernels of --try: leave it out, or add --try.")
    return found


def _several(given: argparse.Namespace, rest: list[str]) -> tuple[str, ...]:
    """Return the agents of ``--try``, which commas part."""
    if option := next((word for word in rest if word.startswith("-")), None):
        raise UsageError(_unknown(option))
    if given.session or given.new or given.rewind:
        raise UsageError(
            "--try starts sessions of its own: leave out --session, --new and --rewind."
        )
    words = " ".join(filter(None, (given.agent, *rest)))
    agents = tuple(each.strip() for each in words.split(",") if each.strip())
    if words := next((each for each in agents if " " in each), ""):
        raise UsageError(f"Put a comma between the agents: {', '.join(words.split())}.")
    if len(agents) < 2:
        raise UsageError(
            "--try needs two agents or more: %%acp claude, codex --try. The same one again is fine."
        )
    return agents


def _unknown(word: str) -> str:
    if not word.startswith("-"):
        return f"{word!r} is not expected here: write the prompt below the first line."
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


POLICIES: tuple[Policy, ...] = ("ask", "read-only", "accept-edits", "allow-all", "deny")

SANDBOXES: tuple[Sandbox, ...] = ("off", "folder", "copy", "read-only")

NETWORKS: tuple[Network, ...] = ("all", "hosts", "none")

RESTORES: tuple[Restore, ...] = ("dill", "rerun", "none")

CELL_OPTIONS = (
    "--session",
    "--new",
    "--rewind",
    "--mode",
    "--model",
    "--config",
    "--policy",
    "--sandbox",
    "--network",
    "--attach",
    "--var",
    "--allow",
    "--deny",
    "--trust",
    "--no-tools",
    "--out",
    "--timeout",
    "--background",
    "--try",
    "--restore",
    "--format",
    "--help",
)

FLAGS = (
    "--new",
    "--rewind",
    "--trust",
    "--no-tools",
    "--background",
    "--try",
    "--format",
    "-h",
    "--help",
)
"""Options without a value."""

REPEATED = ("--config", "--attach", "--var", "--allow", "--deny")
"""Options that may be repeated."""

SEE_HELP = "%%acp --help lists the options."


class LineParser(argparse.ArgumentParser):
    """An argument parser that raises where argparse would exit the process.

    Parameters
    ----------
    see
        End of each error message: how to get help.
    """

    def __init__(self, prog: str, *, see: str, **more: str) -> None:
        super().__init__(prog=prog, add_help=False, allow_abbrev=False, **more)  # type: ignore[arg-type]
        self._see = see

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse ``--`` as a value, which argparse takes for a list."""
        for word in args or ():
            option, _, value = word.partition("=")
            if option.startswith("--") and value == "--":
                self.error(f"argument {option}: -- is not a value")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}. {self._see}")


def cell_parser() -> LineParser:
    """Return the parser of a cell's first line."""
    parser = LineParser(
        "%%acp",
        see=SEE_HELP,
        usage="%%%%acp [AGENT] [options]",
        description="Send the text below this line to an agent, and wait until its turn has ended. "
        "@ in it attaches a file, a variable or a cell: @data/a.csv, @df, @cell 3.",
        epilog="Example: %%acp claude --policy accept-edits --out turn. "
        "%acp help lists the other commands, %acp agents the agents.",
    )
    who = parser.add_argument_group("Who")
    who.add_argument(
        "agent",
        nargs="?",
        metavar="AGENT",
        help="its id; default: the one chosen with %%acp use, or demo",
    )
    who.add_argument(
        "--session",
        default="",
        metavar="NAME",
        help="a session by its name; each agent has one without a name",
    )
    who.add_argument("--new", action="store_true", help="start a new session")
    who.add_argument(
        "--rewind",
        action="store_true",
        help="if this cell has run before, go back to before that first, with the files and what "
        "the agent remembers",
    )
    who.add_argument("--mode", metavar="MODE", help="set the session's mode")
    who.add_argument("--model", metavar="MODEL", help="set the session's model")
    who.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set one of its other options; can be repeated",
    )
    _add_prompt(parser.add_argument_group("What to send with the prompt"))
    _add_permissions(parser.add_argument_group("What it may do without asking"))
    turn = parser.add_argument_group("The turn")
    turn.add_argument(
        "--out", metavar="NAME", help="store the turn in this variable; _acp always holds the last"
    )
    turn.add_argument("--timeout", metavar="SECONDS", help="stop the turn after this time")
    turn.add_argument("--background", action="store_true", help="don't wait until it has ended")
    turn.add_argument(
        "--try",
        dest="several",
        action="store_true",
        help="let several agents try it, each in a copy of the folder: claude, codex, or with "
        "models claude:opus, claude:haiku; keep the best",
    )
    turn.add_argument(
        "--restore",
        metavar="HOW",
        help="with --try: what the kernel of each begins with. dill: copies of the variables (the "
        "default where dill is installed); rerun: the cells above run again; none: nothing",
    )
    turn.add_argument("-h", "--help", action="store_true", help="show this help")
    return parser


def _add_prompt(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--attach",
        action="append",
        default=[],
        metavar="PATH",
        help="send a file along: image, sound, text or notebook, or a pattern such "
        "as 'data/*.csv'; may be repeated",
    )
    group.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME",
        help="describe a variable to the agent: a DataFrame, an array, a figure, a "
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
        help=f"how to answer the permission requests of this turn: {', '.join(POLICIES)}",
    )
    group.add_argument(
        "--sandbox",
        metavar="SANDBOX",
        help=f"what the agent can reach in this turn, whatever it asks: {', '.join(SANDBOXES)}",
    )
    group.add_argument(
        "--network",
        metavar="NETWORK",
        help="what the agent reaches from its sandbox from now on, at most what it reaches now: "
        f"{', '.join(NETWORKS)}",
    )
    group.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="RULE",
        help="allow this without asking: 'execute:git status *', 'edit:src/**', read, or "
        "'fetch:https://docs.python.org/*'; may be repeated",
    )
    group.add_argument(
        "--deny",
        action="append",
        default=[],
        metavar="RULE",
        help="reject this, in the same form; it wins over --allow",
    )
    group.add_argument(
        "--trust", action="store_true", help="trust this folder: let the agent run in it"
    )
    group.add_argument(
        "--no-tools",
        action="store_true",
        help="offer the agent no tools for this notebook and its kernel",
    )


def checked_rules(texts: list[str], effect: RuleEffect) -> tuple[str, ...]:
    """Check the syntax of rules and return them unchanged."""
    if not texts:
        return ()
    from acp_jupyter.transcript.rule_text import RuleTextError, read_rule

    for text in texts:
        try:
            read_rule(text, effect=effect, scope="turn", rule_id="")
        except RuleTextError as error:
            raise UsageError(f"--{effect}: {error}") from None
    return tuple(texts)
