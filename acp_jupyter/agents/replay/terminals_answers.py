"""What a log tells of its terminals where its client has noted nothing: only the answers do."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from acp_jupyter.agents.replay.steps import Answered, Ask, Object, RecordedSession, TerminalNote
from acp_jupyter.protocol.host_events.workspace import (
    TerminalExited,
    TerminalOutput,
    TerminalStarted,
)

__all__ = ["told_by_answers"]

_TAIL_CHARS = 200


@dataclass(slots=True)
class _Known:
    text: str = ""
    exited: TerminalExited | None = None


def told_by_answers(
    session: RecordedSession, noted: Collection[str]
) -> dict[int, list[TerminalNote]]:
    """Return notes by the request whose answer tells them.

    Parameters
    ----------
    noted
        Ids of terminals of which the log's notes tell all.
    """
    found: dict[int, list[TerminalNote]] = {}
    known: dict[str, _Known] = {}
    asks: dict[int, Ask] = {}
    for part in session.parts:
        for step in part.steps:
            if isinstance(step, Ask):
                asks[step.seq] = step
            elif isinstance(step, Answered) and step.seq in asks:
                notes = list(_told(asks.pop(step.seq), known, noted))
                if notes:
                    found[step.seq] = notes
    return found


def _told(ask: Ask, known: dict[str, _Known], noted: Collection[str]) -> Iterator[TerminalNote]:
    result = ask.answer.get("result") if ask.answer is not None else None
    if not isinstance(result, Mapping):
        return
    of_answer = ask.method == "terminal/create"
    terminal_id = (result if of_answer else ask.params).get("terminalId")
    if not isinstance(terminal_id, str) or terminal_id in noted:
        return
    if of_answer:
        known[terminal_id] = _Known()
        cwd = ask.params.get("cwd")
        yield TerminalStarted(
            terminal_id=terminal_id,
            command=_command(ask.params),
            cwd=cwd if isinstance(cwd, str) else "",
        )
        return
    terminal = known.get(terminal_id)
    if terminal is None:
        return
    match ask.method:
        case "terminal/output":
            yield from _put_out(terminal_id, terminal, result.get("output"))
            yield from _ended(terminal_id, terminal, result.get("exitStatus"))
        case "terminal/wait_for_exit":
            yield from _ended(terminal_id, terminal, result)
        case _:
            pass


def _put_out(terminal_id: str, terminal: _Known, output: object) -> Iterator[TerminalNote]:
    """Yield what is new; each answer holds all of the output, or its end."""
    if not isinstance(output, str) or output == terminal.text:
        return
    before = terminal.text
    terminal.text = output
    if output.startswith(before):
        new = output[len(before) :]
    else:
        tail = before[-_TAIL_CHARS:]
        at = output.rfind(tail)
        new = output[at + len(tail) :] if at >= 0 else f"\n…\n{output}"
    yield TerminalOutput(terminal_id=terminal_id, text=new)
    if terminal.exited is not None:
        yield terminal.exited  # what puts out is taken to run


def _ended(terminal_id: str, terminal: _Known, status: object) -> Iterator[TerminalNote]:
    if terminal.exited is not None or not isinstance(status, Mapping):
        return
    code, signal = status.get("exitCode"), status.get("signal")
    terminal.exited = TerminalExited(
        terminal_id=terminal_id,
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        signal=signal if isinstance(signal, str) else "",
    )
    yield terminal.exited


def _command(params: Object) -> str:
    """Return a command as one would type it: agents send a line, or a program and its arguments."""
    command, args = params.get("command"), params.get("args")
    words = [arg for arg in args if isinstance(arg, str)] if isinstance(args, list) else []
    return " ".join([command if isinstance(command, str) else "", *map(shlex.quote, words)])
