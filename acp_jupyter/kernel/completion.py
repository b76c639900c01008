"""Tab completion of the magics."""

from __future__ import annotations

from typing import Any

from acp_jupyter.kernel.options import CELL_OPTIONS, POLICIES
from acp_jupyter.kernel.subcommand_names import SUBCOMMANDS

__all__ = ["complete"]


def complete(_shell: object, event: Any) -> list[str]:
    """Return what may stand at the cursor. IPython: ``complete_command`` hook.

    Parameters
    ----------
    event
        With the line and the word at the cursor.
    """
    line: str = event.line
    before = line[: len(line) - len(event.symbol)].split() if event.symbol else line.split()
    cell = line.lstrip().startswith("%%")
    found = _cell_words(before) if cell else _line_words(before)
    return [word for word in found if word.startswith(event.symbol)]


def _cell_words(before: list[str]) -> list[str]:
    match before[-1]:
        case "--policy":
            return list(POLICIES)
        case "--session" | "--out" | "--timeout":
            return []
        case _:
            pass
    named = any(not word.startswith("-") for word in before[1:])
    unused = [option for option in CELL_OPTIONS if option not in before]
    return unused if named else [*_agent_names(), *unused]


def _line_words(before: list[str]) -> list[str]:
    if len(before) == 1:
        return [words.split()[0] for words in SUBCOMMANDS]
    return _agent_names() if before[1:] == ["use"] else []


def _agent_names() -> list[str]:
    from acp_jupyter.errors import AcpError
    from acp_jupyter.kernel.connection import host_client

    try:
        return [agent.id for agent in host_client().agents()]
    except AcpError:
        return []
