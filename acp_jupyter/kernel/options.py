"""The first line of a ``%%acp`` cell."""

from __future__ import annotations

import difflib
import keyword
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from acp_jupyter.kernel.cell_parser import (
    CELL_OPTIONS,
    FLAGS,
    POLICIES,
    REPEATED,
    SEE_HELP,
    LineParser,
    cell_parser,
)
from acp_jupyter.kernel.rules import checked_rules
from acp_jupyter.protocol.json import clean_json

if TYPE_CHECKING:
    from acp_jupyter.protocol.host_events.permissions import Policy

__all__ = [
    "CELL_OPTIONS",
    "FLAGS",
    "POLICIES",
    "REPEATED",
    "CellOptions",
    "LineParser",
    "cell_help",
    "parse_cell_line",
]


@dataclass(frozen=True, slots=True)
class CellOptions:
    """What the first line says."""

    agent: str | None = None
    session: str = ""
    new: bool = False
    policy: Policy | None = None
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
    """Each as ``NAME=VALUE``."""
    background: bool = False
    format: bool = False


def cell_help() -> str:
    """Return the words of ``%%acp --help``."""
    return cell_parser().format_help().replace("usage: ", "", 1)


def parse_cell_line(line: str) -> CellOptions:
    """Return what the first line says.

    Raises
    ------
    UsageError
        It can't be understood; the message says what to type.
    """
    try:
        words = shlex.split(clean_json(line))
    except ValueError as error:
        raise UsageError(f"A quotation mark is not closed ({error}). {SEE_HELP}") from None
    given, rest = cell_parser().parse_known_args(words)
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
