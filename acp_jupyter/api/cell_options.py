"""The options in the first line of a ``%%acp`` cell: their parser, their help, their values.

`LineParser` also reads the options of ``%acp`` subcommands.
"""

from __future__ import annotations

import argparse
import difflib
import keyword
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from acp_jupyter.errors import BadLine
from acp_jupyter.features import registered
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.protocol.turn_limit import TurnLimitError, read_turn_limit

if TYPE_CHECKING:
    from acp_jupyter.api.models.command_row import BaseCommand
    from acp_jupyter.protocol.host_events.session import (
        Network,
        Policy,
        RuleEffect,
        Sandbox,
    )
    from acp_jupyter.transcript.model.session_state import TurnState


class FeatureOptions(Protocol):
    """A feature's options of a cell that it runs."""

    @property
    def option(self) -> str:
        """The option that makes the feature run it."""

    def run(self, shell: Any, options: CellOptions, prompt: str) -> None:
        """Run the cell with IPython's shell, in place of sending its prompt to one agent."""


class CellFeature(Protocol):
    """Adds options to the first line of a cell."""

    after: str
    """The option that its options follow in the help."""
    options: tuple[str, ...]
    """All its options; those without a value are in ``flags``, too."""
    flags: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]]
    """The values that Tab offers, by option."""

    def add_arguments(self, group: argparse._ArgumentGroup) -> None:
        """Add the options to the parser."""

    def read(self, given: argparse.Namespace, rest: list[str]) -> FeatureOptions | None:
        """Return what was asked for; None if the cell is not the feature's.

        ``rest`` has the words after the first that are no options.
        """

    def prepare(self, given: argparse.Namespace) -> Preparation | None:
        """Return what is done before the prompt is sent, if anything was asked for."""


class Preparation(Protocol):
    """What a feature does before a prompt is sent."""

    def in_kernel(self, session: Any, cell: Any) -> Any:
        """Do it in a kernel that knows the magic; return the `Session` that gets the prompt."""

    def command(
        self, session_id: str, turns: Iterable[TurnState], cell_id: str
    ) -> BaseCommand | None:
        """Return the command that does it where the kernel has no magic; None for nothing.

        The result of the command names the session that gets the prompt: `RewindReply`.
        """


_FEATURES: tuple[CellFeature, ...] = tuple(registered("cell").values())


def _options_after(option: str) -> tuple[str, ...]:
    return tuple(
        each for feature in _FEATURES if feature.after == option for each in feature.options
    )


def _add_of_features(group: argparse._ArgumentGroup, option: str) -> None:
    for feature in _FEATURES:
        if feature.after == option:
            feature.add_arguments(group)


@dataclass(frozen=True, slots=True)
class CellOptions:
    """The parsed first line of a cell."""

    agent: str | None = None
    session: str = ""
    new: bool = False
    policy: Policy | None = None
    sandbox: Sandbox | None = None
    network: Network | None = None
    attach: tuple[str, ...] = ()
    var: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Names of what doesn't go along this time: ``cell 3``, a variable, a file."""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    trust: bool = False
    no_tools: bool = False
    out: str | None = None
    timeout: float | None = None
    limit: str = ""
    """The most that the turn may use."""
    help: bool = False
    mode: str | None = None
    model: str | None = None
    config: tuple[str, ...] = ()
    """Options as ``NAME=VALUE``."""
    background: bool = False
    format: bool = False
    feature: FeatureOptions | None = None
    """The options of a feature that runs the cell."""
    prepare: tuple[Preparation, ...] = ()
    """What features do before the prompt is sent."""


_FIRST_LINE = re.compile(r"\s*%%acp(?:[ \t]([^\n]*))?(?:\n|\Z)")


def split_cell(source: str) -> tuple[str, str] | None:
    """Return a prompt cell's first line, after ``%%acp``, and its prompt; None for other cells."""
    line = _FIRST_LINE.match(source)
    return None if line is None else (line[1] or "", source[line.end() :].strip("\n"))


def cell_help() -> str:
    """Return the text of ``%%acp --help``."""
    return cell_parser().format_help().replace("usage: ", "", 1)


def parse_cell_line(line: str) -> CellOptions:
    """Parse the first line of a cell."""
    try:
        words = shlex.split(clean_json(line))
    except ValueError as error:
        raise BadLine(f"A quotation mark is not closed ({error}). {SEE_HELP}") from None
    given, rest = cell_parser().parse_known_args(words)
    if option := next((word for word in rest if word.startswith("-")), None):
        raise BadLine(_unknown(option))
    found = (each.read(given, rest) for each in _FEATURES)
    feature = next((each for each in found if each is not None), None)
    if rest and feature is None:
        raise BadLine(_unknown(rest[0]))
    policy = next((policy for policy in POLICIES if policy == given.policy), None)
    if given.policy is not None and policy is None:
        choices = ", ".join(POLICIES)
        raise BadLine(f"There is no policy {given.policy!r}. Type one of: {choices}.")
    sandbox = None if given.sandbox is None else named_sandbox(given.sandbox)
    if given.out is not None and (not given.out.isidentifier() or keyword.iskeyword(given.out)):
        raise BadLine(f"{given.out!r} can't be a variable. Type, for example, --out turn.")
    return CellOptions(
        agent=None if feature else given.agent,
        session=given.session,
        new=given.new,
        policy=policy,
        sandbox=sandbox,
        network=None if given.network is None else named_network(given.network),
        attach=tuple(given.attach),
        var=tuple(given.var),
        without=tuple(filter(None, given.without)),
        allow=checked_rules(given.allow, "allow"),
        deny=checked_rules(given.deny, "deny"),
        trust=given.trust,
        no_tools=given.no_tools,
        out=given.out,
        timeout=_seconds(given.timeout),
        limit=_checked_limit(given.limit),
        help=given.help,
        mode=given.mode,
        model=given.model,
        config=tuple(given.config),
        background=given.background,
        format=given.format,
        feature=feature,
        prepare=tuple(filter(None, (each.prepare(given) for each in _FEATURES))),
    )


def named_sandbox(name: str, *more: str) -> Sandbox:
    """Return the sandbox of that name."""
    found = next((each for each in SANDBOXES if each == name), None)
    if found is None:
        raise BadLine(
            f"There is no sandbox {name!r}. Type one of: {', '.join((*SANDBOXES, *more))}."
        )
    return found


def named_network(name: str) -> Network:
    """Return the network of that name."""
    found = next((each for each in NETWORKS if each == name), None)
    if found is None:
        raise BadLine(f"There is no network {name!r}. Type one of: {', '.join(NETWORKS)}.")
    return found


def _unknown(word: str) -> str:
    if not word.startswith("-"):
        return f"{word!r} is not expected here: write the prompt below the first line."
    close = difflib.get_close_matches(word.split("=")[0], CELL_OPTIONS, 1)
    hint = f" Type {close[0]}." if close else f" The options are: {', '.join(CELL_OPTIONS)}."
    return f"There is no option {word}.{hint}"


def _checked_limit(text: str) -> str:
    """Check a limit and return it unchanged."""
    try:
        read_turn_limit(text)
    except TurnLimitError as error:
        raise BadLine(f"--limit: {error}") from None
    return text


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise BadLine(f"{text!r} is not a number of seconds. Type, for example, --timeout 60.")
    return seconds


POLICIES: tuple[Policy, ...] = ("ask", "read-only", "accept-edits", "allow-all", "deny")

SANDBOXES: tuple[Sandbox, ...] = ("off", "folder", "copy", "read-only")

NETWORKS: tuple[Network, ...] = ("all", "hosts", "none")

CELL_OPTIONS = (
    "--session",
    "--new",
    *_options_after("--new"),
    "--mode",
    "--model",
    "--config",
    "--policy",
    "--sandbox",
    "--network",
    "--attach",
    "--var",
    "--without",
    "--allow",
    "--deny",
    "--trust",
    "--no-tools",
    "--out",
    "--timeout",
    "--limit",
    "--background",
    *_options_after("--background"),
    "--format",
    "--help",
)

FLAGS = (
    "--new",
    "--trust",
    "--no-tools",
    "--background",
    *(option for feature in _FEATURES for option in feature.flags),
    "--format",
    "-h",
    "--help",
)
"""Options without a value."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "--policy": POLICIES,
    "--sandbox": SANDBOXES,
    "--network": NETWORKS,
    "--out": (),
    "--timeout": (),
    "--limit": (),
    **{option: words for feature in _FEATURES for option, words in feature.choices.items()},
}
"""The values that Tab offers, by option."""

REPEATED = ("--config", "--attach", "--var", "--without", "--allow", "--deny")
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
        """Raise `BadLine`."""
        raise BadLine(f"{message[:1].upper()}{message[1:]}. {self._see}")


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
    _add_of_features(who, "--new")
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
    turn.add_argument(
        "--limit",
        default="",
        metavar="LIMIT",
        help="stop the turn when it has used this much: '10 min, 200k tokens, 30 calls, 2 USD'",
    )
    turn.add_argument("--background", action="store_true", help="don't wait until it has ended")
    _add_of_features(turn, "--background")
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
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help="leave this out of what goes along with this prompt: a pinned cell as 'cell 3', "
        "or a variable or file that is named elsewhere; may be repeated",
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
            raise BadLine(f"--{effect}: {error}") from None
    return tuple(texts)
