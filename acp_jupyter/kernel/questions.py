"""Permission requests over stdin: every frontend serves it while a cell runs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from acp_jupyter.api.models.permissions import AnswerPermission
from acp_jupyter.errors import FolderNotTrusted, PermissionGone, PermissionSettled
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.recording import is_replaying
from acp_jupyter.kernel.surroundings import current_shell, kernel_of
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall
from acp_jupyter.transcript.output.outcomes import other_details
from acp_jupyter.transcript.output.unified_diff import unified_diff

__all__ = ["ask", "ask_trust"]

_SECONDS = 30.0


def ask(client: HostClient, session_id: str, call: ToolCall, permission: Permission) -> None:
    """Ask the user and answer the request. There is no default; interrupting stops the turn.

    Parameters
    ----------
    client
        A host that takes answers from here.
    session_id, call, permission
        What is asked.
    """
    with _shown(_question(call, permission), permission.title):
        option_id = _chosen(permission)
    command = AnswerPermission(
        session_id=session_id,
        request_id=permission.request_id,
        option_id=option_id,
        outcome="cancelled" if option_id is None else None,
    )
    try:
        client.call(command, _SECONDS)
    except (PermissionSettled, PermissionGone) as error:
        print(error)  # noqa: T201 - for the user


def ask_trust(error: FolderNotTrusted) -> bool:
    """Ask the user whether agents may run in a folder. There is no default."""
    meaning = (
        "Agents run what a folder configures: hooks, MCP servers, project instructions. "
        "Trust only folders whose content you trust."
    )
    if is_replaying():
        meaning = f"Playing a record makes the changes to files that it holds. {meaning}"
    choices = "  [1] Trust this folder\n  [2] Don't trust"
    question = f"{_visible(error.message)}\n  {meaning}\n{choices}"
    with _shown(question, "Trust this folder?"):
        return _number(2) == 1


@contextmanager
def _shown(question: str, title: str) -> Iterator[None]:
    """Show what is asked; in a notebook only as long as it is: commands are not for the record."""
    if kernel_of(current_shell()) is None:
        print(question)  # noqa: T201 - for the user
        yield
        return
    from IPython.display import display

    handle = display({"text/plain": question}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        handle.update({"text/plain": _visible(title)}, raw=True)


def _chosen(permission: Permission) -> str | None:
    """Return the chosen option's id, or None where input has ended."""
    number = _number(len(permission.options))
    return None if number is None else permission.options[number - 1].option_id


def _number(count: int) -> int | None:
    """Return the number that is typed, from 1; None where input has ended."""
    numbers = f"1 to {count}" if count > 1 else "1"
    while True:
        try:
            answer = input(f"Your answer ({numbers}): ").strip()
        except EOFError:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= count:
            return int(answer)
        print(f"Type a number: {numbers}. Interrupting stops the turn.")  # noqa: T201


def _question(call: ToolCall, permission: Permission) -> str:
    lines = [permission.title]
    if permission.reason:
        lines.append(f"  {permission.reason}")
    lines += [f"  $ {line}" for line in call.command.splitlines()]
    lines += [f"  {name}: {value}" for name, value in other_details(call)]
    paths = dict.fromkeys((call.path, *(place.path for place in call.locations)))
    lines += [f"  {path}" for path in paths if path]
    for diff in call.diffs:
        lines += [f"  {line}" for line in unified_diff(diff).splitlines()]
    options = enumerate(permission.options, 1)
    lines += [f"  [{number}] {option.name}" for number, option in options]
    return "\n".join(_visible(line) for line in lines)


def _visible(line: str) -> str:
    """Return the line with what would hide or reorder its text written out."""
    return re.sub(r"[^\t\x20-\x7e]", lambda found: _written_out(found[0]), line)


def _written_out(character: str) -> str:
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
    return f"\\u{{{ord(character):04x}}}" if hidden else character
