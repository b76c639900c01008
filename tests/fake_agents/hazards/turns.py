"""Turns that end otherwise than they should, or not at all."""

from __future__ import annotations

import os
import signal
import sys

from _wire import Json, Prompt, Wire

from hazards.mode import Mode, chunk, notify

__all__ = ["MODES"]

CANCELLED = -32800


def ends_with(reason: str) -> Prompt:
    def prompt(wire: Wire, session_id: str, _: str) -> str:
        wire.text(session_id, "Hello.")
        return reason

    return prompt


def no_stop_reason(wire: Wire, session_id: str, _: str) -> str:
    wire.text(session_id, "Hello.")
    wire.send({"id": wire.prompt_id, "result": None})
    return ""


def answers_with(error: object) -> Prompt:
    def prompt(wire: Wire, session_id: str, _: str) -> str:
        wire.text(session_id, "I was about to ")
        wire.send({"id": wire.prompt_id, "error": error})
        return ""

    return prompt


def usage_in_answer(wire: Wire, session_id: str, _: str) -> str:
    wire.text(session_id, "Hello.")
    usage = {"totalTokens": 30, "inputTokens": 20, "outputTokens": 10, "thoughtTokens": None}
    wire.send({"id": wire.prompt_id, "result": {"stopReason": "end_turn", "usage": usage}})
    return ""


def late_updates(wire: Wire, session_id: str, _: str) -> str:
    """Say the tail of the text and finish a call after the answer (opencode, codex)."""
    wire.update(session_id, "tool_call", toolCallId="a", title="make", status="in_progress")
    wire.text(session_id, "The tail ")
    wire.send({"id": wire.prompt_id, "result": {"stopReason": "end_turn"}})
    wire.text(session_id, "came late.")
    wire.update(session_id, "tool_call_update", toolCallId="a", status="completed")
    wire.update(session_id, "usage_update", used=5, size=10)
    return ""


def answered_twice(wire: Wire, session_id: str, _: str) -> str:
    wire.text(session_id, "Hello.")
    for reason in ("end_turn", "refusal"):
        wire.send({"id": wire.prompt_id, "result": {"stopReason": reason}})
    return ""


def open_calls(wire: Wire, session_id: str, _: str) -> str:
    for status in ("pending", "in_progress"):
        wire.update(session_id, "tool_call", toolCallId=status, title=status, status=status)
    return "end_turn"


def never_answers(wire: Wire, session_id: str, _: str) -> str:
    """Say all, and forget to answer the prompt; a cancel is answered."""
    wire.text(session_id, "That is all.")
    while not wire.rest(60):
        pass
    return "cancelled"


def until_cancelled(wire: Wire, session_id: str) -> None:
    wire.update(session_id, "tool_call", toolCallId="a", title="sleep", status="in_progress")
    wire.text(session_id, "Working.")
    while not wire.rest(60):
        pass


def cancel_answered_by_error(wire: Wire, session_id: str, _: str) -> str:
    until_cancelled(wire, session_id)
    wire.send({"id": wire.prompt_id, "error": {"code": CANCELLED, "message": "cancelled"}})
    return ""


def cancel_answered_end_turn(wire: Wire, session_id: str, _: str) -> str:
    until_cancelled(wire, session_id)
    wire.send({"id": wire.prompt_id, "result": {"stopReason": "end_turn"}})
    return ""


def cancel_never_answered(wire: Wire, session_id: str, _: str) -> str:
    until_cancelled(wire, session_id)
    while wire.line(60) != b"":
        pass
    sys.exit(0)


def talks_on_after_cancel(wire: Wire, session_id: str, _: str) -> str:
    until_cancelled(wire, session_id)
    wire.update(session_id, "tool_call_update", toolCallId="a", status="failed")
    wire.text(session_id, " I had to finish this.")
    wire.send({"id": wire.prompt_id, "result": {"stopReason": "cancelled"}})
    wire.text(session_id, " And this.")
    return ""


def refuses_a_second(wire: Wire, session_id: str, text: str) -> str:
    """Cancel the turn when a second prompt comes before it has ended (codex never answers it)."""
    del text
    wire.text(session_id, "First. ")
    while (message := wire.line(0.2)) is not None:
        if b"session/prompt" in message:
            wire.text(session_id, "Two at once!")
            break
    return "end_turn"


def echoes_steps(wire: Wire, session_id: str, _: str) -> str:
    """Send the same words again, as agents do that retry a cut stream."""
    for _round in range(3):
        notify(wire, session_id, chunk({"type": "text", "text": "part "}))
    return "end_turn"


def dies(wire: Wire, session_id: str, _: str) -> str:
    """Be killed in the first turn of a process's life, after a last word; a new process is well."""
    wire.text(session_id, "I was about to ")
    print("out of memory, maybe", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
    return "end_turn"


_AUTH: Json = {"code": -32000, "message": "Authentication required"}
MODES = {
    "stop_unknown": Mode(ends_with("sunset")),
    "stop_sequence": Mode(ends_with("stop_sequence")),
    "stop_error": Mode(ends_with("error")),
    "stop_missing": Mode(no_stop_reason),
    "stop_refusal": Mode(ends_with("refusal")),
    "stop_max_tokens": Mode(ends_with("max_tokens")),
    "error_as_text": Mode(answers_with("oops")),
    "error_without_code": Mode(answers_with({"message": {"deep": "trouble"}})),
    "error_of_provider": Mode(
        answers_with({"code": 400, "message": '{"error": {"message": "Bad model"}}'})
    ),
    "error_cancelled_unasked": Mode(answers_with({"code": CANCELLED, "message": "Gone"})),
    "error_auth": Mode(answers_with(_AUTH)),
    "usage_in_answer": Mode(usage_in_answer),
    "late_updates": Mode(late_updates),
    "answered_twice": Mode(answered_twice),
    "open_calls": Mode(open_calls),
    "never_answers": Mode(never_answers),
    "cancel_answered_by_error": Mode(cancel_answered_by_error),
    "cancel_answered_end_turn": Mode(cancel_answered_end_turn),
    "cancel_never_answered": Mode(cancel_never_answered),
    "talks_on_after_cancel": Mode(talks_on_after_cancel),
    "refuses_a_second": Mode(refuses_a_second),
    "says_it_again": Mode(echoes_steps),
    "dies_mid_turn": Mode(dies),
}
