"""What is known of a log before it is imported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from acp_jupyter.packets.dialects.imports.kinds import Dialect, likely_dialect
from acp_jupyter.packets.dialects.imports.sessions import TrafficFacts, survey_traffic
from acp_jupyter.packets.dialects.imports.sse import is_framed, unframed
from acp_jupyter.packets.dialects.traffic_log.lines import LogValue, read_values
from acp_jupyter.packets.json_fields import obj, text

__all__ = ["LogFacts", "LogLines", "survey"]

LogLines = Callable[[], Iterable[bytes | str]]
"""Gives the lines of a log from its beginning, each time it is called."""

_LOOKED_AT = 1000
_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:[\\/]|\\\\).{1,4095}", re.DOTALL)
_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class LogFacts:
    """A log as a whole.

    Attributes
    ----------
    dialect
        How it is read.
    looks_like
        What its first lines look like; None where nothing is known.
    named
        Whether somebody said how it is to be read.
    framed
        Whether it is a capture of an event stream.
    agent_name
        As the log says it, or empty.
    cwd
        The agent's folder, absolute, on whatever machine; or empty.
    session
        The protocol's id of the session that is read.
    others
        The other sessions of the log that have prompts.
    own
        Whether it has a host's notes of its turns.
    prompts
        Whether it has prompts.
    """

    dialect: Dialect
    likely_dialect: Dialect | None
    named: bool = False
    framed: bool = False
    agent_name: str = ""
    cwd: str = ""
    session: str = ""
    others: tuple[str, ...] = ()
    own: bool = False
    prompts: bool = False


def survey(lines: LogLines, dialect: Dialect | None = None, session: str = "") -> LogFacts | None:
    """Look at a log; None where it is of no kind that is known.

    Parameters
    ----------
    lines
        The log.
    dialect
        How it is to be read; by default as it looks.
    session
        Which session of it, by the protocol's id; otherwise the one with most lines.
    """
    framed = is_framed(lines())
    plain = (lambda: unframed(lines())) if framed else lines
    looks_like = likely_dialect(plain())
    read_as = dialect or looks_like
    if read_as is None:
        return None
    named = dialect is not None
    match read_as:
        case "traffic":
            return _of_traffic(survey_traffic(plain()), looks_like, session, named, framed)
        case "claude-cli":
            return _of_claude(plain(), looks_like, named, framed)
        case "packets" | "build-mode":
            return LogFacts(read_as, looks_like, named, framed)


def _of_traffic(
    found: TrafficFacts, likely_dialect: Dialect | None, session: str, named: bool, framed: bool
) -> LogFacts:
    wanted = "" if found.own else session if session in found.sessions else found.largest()
    chosen = found.sessions.get(wanted)
    others = () if found.own else _prompted(found, wanted)
    return LogFacts(
        "traffic",
        likely_dialect,
        named,
        framed,
        agent_name=found.agent_name[:_NAME_CHARS],
        cwd=_folder(found.cwd or (chosen.cwd if chosen else "")),
        session=wanted,
        others=others,
        own=found.own,
        prompts=chosen is not None and chosen.prompts > 0,
    )


def _prompted(found: TrafficFacts, wanted: str) -> tuple[str, ...]:
    return tuple(name for name, facts in found.sessions.items() if facts.prompts and name != wanted)


def _of_claude(
    lines: Iterable[bytes | str], looks_like: Dialect | None, named: bool, framed: bool
) -> LogFacts:
    session = cwd = ""
    for found in islice(read_values(lines), _LOOKED_AT):
        value = obj(found.value) if isinstance(found, LogValue) else {}
        session = session or text(value.get("session_id"))
        cwd = cwd or text(value.get("cwd"))
        if session and cwd:
            break
    return LogFacts(
        "claude-cli",
        looks_like,
        named,
        framed,
        agent_name="Claude CLI",
        cwd=_folder(cwd),
        session=session,
    )


def _folder(cwd: str) -> str:
    return cwd if _ABSOLUTE.fullmatch(cwd) else ""
