"""Questions to the user over stdin: permissions, trust in a folder, and forms (ACP: elicitation).

Every frontend serves stdin while a cell runs. Only a host in this kernel takes answers from here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import JsonValue

from acp_jupyter.api.models.turns import AnswerElicitation, AnswerPermission
from acp_jupyter.errors import (
    FolderNotTrusted,
    InvalidAnswers,
    PermissionGone,
    PermissionSettled,
    QuestionGone,
    QuestionSettled,
)
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.recording import is_replaying
from acp_jupyter.kernel.execution_context import current_shell, kernel_of
from acp_jupyter.kernel.turn.input_line import InputWithdrawn, read_line, while_wanted
from acp_jupyter.protocol.elicitation import ElicitationField
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.model.items import Elicitation, answer_texts
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall
from acp_jupyter.transcript.output.diff_text import unified_diff
from acp_jupyter.transcript.output.plain_text import other_details

_SECONDS = 30.0


def answer_request(
    client: HostClient,
    session_id: str,
    item: ToolCall | Elicitation,
    wanted: Callable[[], bool],
    note: str = "",
) -> None:
    """Ask the user about a turn's open request, and answer it.

    Parameters
    ----------
    wanted
        Whether it still waits: the question ends with it.
    """
    try:
        with while_wanted(wanted):
            if isinstance(item, Elicitation):
                ask_elicitation(client, session_id, item, note)
            elif item.permission is not None:
                ask_permission(client, session_id, item, item.permission, note)
    except InputWithdrawn:
        echo("This is no longer asked.")


def ask_permission(
    client: HostClient,
    session_id: str,
    call: ToolCall,
    permission: Permission,
    note: str = "",
) -> None:
    """Ask the user and answer the request. There is no default; interrupting stops the turn."""
    with _shown(_with_note(_question(call, permission), note), permission.title):
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
        echo(error)


def ask_trust(error: FolderNotTrusted) -> bool:
    """Ask the user whether agents may run in a folder. There is no default."""
    meaning = (
        "Agents run what a folder configures: hooks, MCP servers, project instructions. "
        "Trust only folders whose content you trust."
    )
    if is_replaying():
        meaning = f"Playing a recording makes the file changes that it contains. {meaning}"
    choices = "  [1] Trust this folder\n  [2] Don't trust"
    question = f"{_visible(error.message)}\n  {meaning}\n{choices}"
    with _shown(question, "Trust this folder?"):
        return _number(2) == 1


@contextmanager
def _shown(question: str, title: str) -> Iterator[None]:
    """Show a question; a notebook clears it after the answer, so that it is not saved."""
    if kernel_of(current_shell()) is None:
        echo(question)
        yield
        return
    from IPython.display import display

    handle = display({"text/plain": question}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        handle.update({"text/plain": _visible(title)}, raw=True)


def _chosen(permission: Permission) -> str | None:
    """Return the chosen option's id, or None if input has ended."""
    number = _number(len(permission.options))
    return None if number is None else permission.options[number - 1].option_id


def _number(count: int) -> int | None:
    """Return the typed number, from 1; None if input has ended."""
    numbers = f"1 to {count}" if count > 1 else "1"
    while True:
        try:
            answer = read_line(f"Your answer ({numbers}): ").strip()
        except EOFError:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= count:
            return int(answer)
        echo(f"Type a number: {numbers}. Interrupting stops the turn.")


def _question(call: ToolCall, permission: Permission) -> str:
    lines = [permission.title]
    if permission.reason:
        lines.append(f"  {permission.reason}")
    lines += [f"  $ {line}" for line in call.command.splitlines()]
    lines += [f"  {name}: {value}" for name, value in other_details(call)]
    paths = dict.fromkeys((call.path, *(location.path for location in call.locations)))
    lines += [f"  {path}" for path in paths if path]
    for diff in call.diffs:
        lines += [f"  {line}" for line in unified_diff(diff).splitlines()]
    options = enumerate(permission.options, 1)
    lines += [f"  [{number}] {option.name}" for number, option in options]
    return "\n".join(_visible(line) for line in lines)


def _with_note(question: str, note: str) -> str:
    return f"{question}\n{note}" if note else question


def _visible(line: str) -> str:
    """Return the line with characters escaped that hide or reorder its text."""
    return re.sub(r"[^\t\x20-\x7e]", lambda found: _written_out(found[0]), line)


def _written_out(character: str) -> str:
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
    return f"\\u{{{ord(character):04x}}}" if hidden else character


_ACTIONS = {1: "accept", 2: "decline", 3: "cancel"}
_Answers = dict[str, JsonValue]


def ask_elicitation(client: HostClient, session_id: str, item: Elicitation, note: str = "") -> None:
    """Ask the user and answer the question. Interrupting stops the turn."""
    answers: _Answers = {}
    wrong: dict[str, str] = {}
    with _shown(_with_note(_words(item), note), item.title):
        action = _ACTIONS.get(_number(3) or 0, "cancel")
        while True:
            if action == "accept" and item.fields:
                fields = [f for f in item.fields if not wrong or f.name in wrong]
                filled = _fill(fields, answers, wrong)
                action = _reviewed(item, answers) if filled else "cancel"
            try:
                _send(client, session_id, item, action, answers if action == "accept" else {})
            except InvalidAnswers as error:
                wrong = {name: error.fields[name] for name in error.fields}
                continue
            except (QuestionSettled, QuestionGone) as error:
                echo(error)
            return


def _send(
    client: HostClient, session_id: str, item: Elicitation, action: str, content: _Answers
) -> None:
    command = AnswerElicitation.model_validate(
        {
            "session_id": session_id,
            "request_id": item.request_id,
            "action": action,
            "content": content,
        }
    )
    client.call(command, _SECONDS)


def _words(item: Elicitation) -> str:
    lines = [item.title]
    for words in (item.heading, item.message, item.description):
        lines += [f"  {line}" for line in words.splitlines()]
    if item.mode == "url":
        lines += [f"  {item.url}", f"  This leads to {item.host}. Open it yourself."]
        lines += ["  [1] I open it"]
    else:
        lines += ["  [1] Answer"]
    lines += ["  [2] Decline", "  [3] Cancel"]
    return "\n".join(_visible(line) for line in lines)


def _fill(fields: Sequence[ElicitationField], answers: _Answers, wrong: dict[str, str]) -> bool:
    """Ask field by field; return False if input ended before the last one."""
    for field in fields:
        try:
            value = _typed(field, wrong.get(field.name, ""))
        except EOFError:
            return False
        if value is None:
            answers.pop(field.name, None)
        else:
            answers[field.name] = value
    return True


def _typed(field: ElicitationField, problem: str) -> JsonValue:
    """Return the typed value of a field; the host checks it."""
    lines = [f"! {problem}"] if problem else []
    lines += [field.label + (" (required)" if field.required else "")]
    lines += [f"  {words}" for words in (field.description, field.words) if words]
    lines += [f"  [{n}] {choice.label}" for n, choice in enumerate(field.choices, 1)]
    echo("\n".join(_visible(line) for line in lines))
    prompt = _visible(f"{field.label}{_hint(field)}: ")
    typed = read_line(prompt, secret=field.secret).strip()
    if not typed:
        return _plain(field.default)
    match field.type:
        case "boolean":
            return {"y": True, "yes": True, "n": False, "no": False}.get(typed.lower(), typed)
        case "choice":
            return _choice(field, typed)
        case "choices":
            return [_choice(field, part.strip()) for part in typed.split(",")]
        case _:
            return typed


def _hint(field: ElicitationField) -> str:
    what = {"boolean": "yes or no", "choice": "a number", "choices": "numbers, with commas"}
    default = "" if field.default is None else f"Enter keeps {_default_text(field)}"
    hints = [hint for hint in (what.get(field.type, ""), default) if hint]
    return f" ({'; '.join(hints)})" if hints else ""


def _default_text(field: ElicitationField) -> str:
    content = {field.name: _plain(field.default)}
    plain = field.model_copy(update={"secret": False})
    return next(answer.text for answer in answer_texts((plain,), content))


def _plain(value: Any) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


def _choice(field: ElicitationField, typed: str) -> str:
    if typed.isdecimal() and 1 <= int(typed) <= len(field.choices):
        return field.choices[int(typed) - 1].value
    return typed


def _reviewed(item: Elicitation, answers: _Answers) -> str:
    """Show the answers and ask whether to send them."""
    given = [f"  {answer.label}: {answer.text}" for answer in answer_texts(item.fields, answers)]
    lines = [
        "Your answers:",
        *(given or ["  none"]),
        "  [1] Submit",
        "  [2] Decline",
        "  [3] Cancel",
    ]
    echo("\n".join(_visible(line) for line in lines))
    return _ACTIONS.get(_number(3) or 0, "cancel")
