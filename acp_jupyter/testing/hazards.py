"""What agents often get wrong: the rows of a checklist; each tries one thing."""

from __future__ import annotations

import base64
import contextlib
import io
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.objects import Obj, obj
from acp_jupyter.testing.agent_session import Act, AgentSession, Prompt, open_requests
from acp_jupyter.testing.wire import Wire, error_text
from acp_jupyter.transcript.model.items import AgentMessage, Thought
from acp_jupyter.transcript.model.tool_items import ToolCall

_POLL_SECONDS = 0.02
_IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf"
    "FcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_SILENCE = base64.b64encode(
    b"RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\2\0\0\0\0\0"
).decode()


class NotTried(unittest.SkipTest):
    """A row that this agent, or what is known of it, gives nothing to try; pytest skips it."""


@dataclass(frozen=True)
class Trial:
    """Tries one row at a time, each with a new agent; the parameters are those of `Checklist`."""

    make: Callable[[], Any]
    prompt: str
    asks: str
    works: str
    seconds: float

    # -- the rows, through a host ----------------------------------------------

    def answers(self) -> None:
        """Send one prompt."""
        with self._session() as session:
            self._answered(session, self.prompt)

    def second_prompt(self) -> None:
        """Send another one after it."""
        with self._session() as session:
            self._answered(session, self.prompt)
            self._answered(session, self.prompt)

    def text_blocks(self) -> None:
        """Send the text in two blocks."""
        half = len(self.prompt) // 2
        self._takes(_text(self.prompt[:half]), _text(self.prompt[half:]))

    def resource_link(self) -> None:
        """Send a link to a file behind the text."""
        with self._session() as session:
            note = session.folder / "note.txt"
            note.write_text("A note.\n", "utf-8")
            link: Obj = {"type": "resource_link", "uri": note.as_uri(), "name": note.name}
            self._answered(session, [_text(self.prompt), link])

    def image(self) -> None:
        """Send an image, if it declares them."""
        self._takes_declared("image", {"type": "image", "data": _IMAGE, "mimeType": "image/png"})

    def audio(self) -> None:
        """Send a sound, if it declares them."""
        self._takes_declared("audio", {"type": "audio", "data": _SILENCE, "mimeType": "audio/wav"})

    def embedded_resource(self) -> None:
        """Send a file's text, if it declares them."""
        file: Obj = {"uri": "file:///note.txt", "mimeType": "text/plain", "text": "A note.\n"}
        self._takes_declared("embeddedContext", {"type": "resource", "resource": file})

    def refused_permission(self) -> None:
        """Refuse every permission."""
        if not self.asks:
            raise NotTried("Give asks=, a prompt for which it asks for permission.")
        with self._session() as session:
            before = _files(session.folder)
            refused = set[str]()

            def refuse(_turn_id: str, detail: TurnDetail) -> None:
                for asked in open_requests(detail):
                    if asked.request_id not in refused:
                        refused.add(asked.request_id)
                        session.answer(asked, "reject")

            turn = session.prompt(self.asks, refuse, self.seconds)
            if not refused:
                raise AssertionError(f"It did not ask for permission: {self.asks!r}")
            _no_error(turn, session)
            changed = sorted(before.items() ^ _files(session.folder).items())
            if changed:
                name = changed[0][0]
                raise AssertionError(f"It wrote {name} though the permission was refused.")
            done = _reported_done(session) & {
                call.tool_call_id for call in turn.tool_calls if call.permission is not None
            }
            if done:
                raise AssertionError(
                    f"It says that a refused tool call was completed: {done.pop()}"
                )
            self._answered(session, self.prompt)

    def cancelled_permission(self) -> None:
        """Cancel the turn while the agent waits for a permission."""
        if not self.asks:
            raise NotTried("Give asks=, a prompt for which it asks for permission.")
        with self._session() as session:
            self._cancelled(session, self.asks, open_requests)

    def cancel(self) -> None:
        """Cancel the turn as soon as the agent says or does anything."""
        self._cancelled_at_work(_begun)

    def cancel_in_tool_call(self) -> None:
        """Cancel the turn while a tool call runs."""
        self._cancelled_at_work(_open_calls)

    def load_session(self) -> None:
        """Let a new agent load the session of the first one."""
        can = self._capabilities()
        resumes = "resume" in obj(can.get("sessionCapabilities"))
        if not can.get("loadSession") and not resumes:
            raise NotTried("It does not declare loadSession.")
        with self._session() as session:
            self._answered(session, self.prompt)
            session.serve(self.make())
            self._answered(session, self.prompt)
            replies = list(_replies(session, "session/resume" if resumes else "session/load"))
            if not replies:
                raise AssertionError("It was not asked to load the session.")
            for reply in replies:
                if "error" in reply:
                    raise AssertionError(f"It did not load the session: {error_text(reply)}")

    # -- the rows, without a host ----------------------------------------------

    def two_sessions(self) -> None:
        """Send a prompt in each of two sessions before either is answered."""
        with self._wire() as wire:
            wire.begin()
            sessions = wire.session(), wire.session()
            if sessions[0] == sessions[1]:
                raise AssertionError(f"Two sessions have the same id: {sessions[0]}")
            for sent in [wire.prompt(session, self.prompt) for session in sessions]:
                reply = wire.answer(sent)
                if "error" in reply:
                    raise AssertionError(f"A prompt was answered by an error: {error_text(reply)}")
            said = [update.get("sessionId") for update in wire.updates]
            if set(said) != set(sessions):
                raise AssertionError("What it says in one session comes in another one.")

    def prints_nothing(self) -> None:
        """Look whether it prints: as a program, its standard output is the connection."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), self._wire() as wire:
            wire.begin()
            wire.answer(wire.prompt(wire.session(), self.prompt))
        words = printed.getvalue().strip()
        if words:
            raise AssertionError(f"It prints, which breaks the connection of a program: {words!r}")

    def free_loop(self) -> None:
        """Ask it something while it works."""
        with self._wire() as wire:
            wire.begin()
            wire.prompt(wire.session(), self.works or self.prompt)
            with contextlib.suppress(AssertionError):  # one that is silent at first
                wire.first_message()
            try:
                wire.answer(wire.send("_acp_jupyter/awake", {}))
            except AssertionError:
                raise AssertionError(
                    f"It answered nothing else for {self.seconds:g} s while it worked: a method "
                    "waits without await, as time.sleep does."
                ) from None

    def unknown_method(self) -> None:
        """Send requests that no agent knows."""
        with self._wire() as wire:
            wire.begin()
            session = wire.session()
            for method in ("session/unheard_of", "_acp_jupyter/unheard_of"):
                try:
                    wire.answer(wire.send(method, {"sessionId": session}))
                except AssertionError as error:
                    raise AssertionError(f"{method} was not answered. {error}") from None
            wire.answer(wire.prompt(session, self.prompt))

    def closed_input(self) -> None:
        """Close the connection while it works."""
        with self._wire() as wire:
            wire.begin()
            wire.prompt(wire.session(), self.works or self.prompt)
            with contextlib.suppress(AssertionError):  # one that is silent until it ends
                wire.first_message()
            if not wire.close():
                raise AssertionError(
                    f"It had not ended {self.seconds:g} s after its client: it keeps working when "
                    "it is cancelled."
                )

    # -- what they share -------------------------------------------------------

    @contextlib.contextmanager
    def _session(self) -> Iterator[AgentSession]:
        session = AgentSession(self.make())
        try:
            yield session
        finally:
            session.close()

    @contextlib.contextmanager
    def _wire(self) -> Iterator[Wire]:
        with (
            tempfile.TemporaryDirectory(prefix="acp-talk-") as folder,
            Wire(self.make(), Path(folder).resolve(), self.seconds) as wire,
        ):
            yield wire

    def _answered(self, session: AgentSession, prompt: Prompt) -> None:
        turn = session.prompt(prompt, _allow(session), self.seconds)
        _no_error(turn, session)
        if not turn.text and not turn.tool_calls:
            raise AssertionError("It ended the turn and had said nothing.")

    def _takes(self, *blocks: Obj) -> None:
        with self._session() as session:
            self._answered(session, blocks)

    def _takes_declared(self, capability: str, block: Obj) -> None:
        if not obj(self._capabilities().get("promptCapabilities")).get(capability):
            raise NotTried(f"It does not declare {capability}.")
        self._takes(_text(self.prompt), block)

    def _capabilities(self) -> Obj:
        with self._wire() as wire:
            return wire.begin()

    def _cancelled_at_work(self, begun: Callable[[TurnDetail], object]) -> None:
        if not self.works:
            raise NotTried("Give works=, a prompt at which it works for a second or more.")
        with self._session() as session:
            self._cancelled(session, self.works, begun)

    def _cancelled(
        self, session: AgentSession, prompt: str, begun: Callable[[TurnDetail], object]
    ) -> None:
        cancelled = False
        allow = _allow(session)

        def act(turn_id: str, detail: TurnDetail) -> None:
            nonlocal cancelled
            if not cancelled and begun(detail):
                cancelled = True
                session.cancel(turn_id)
            elif not cancelled:
                allow(turn_id, detail)

        session.prompt(prompt, act, self.seconds)
        if not cancelled:
            raise NotTried(f"The turn ended before there was anything to cancel: {prompt!r}")
        reply = self._reply_to_cancelled(session)
        if "error" in reply:
            raise AssertionError(
                f"It answered the cancelled prompt by an error: {error_text(reply)}"
            )
        reason = obj(reply.get("result")).get("stopReason")
        if reason != "cancelled":
            raise AssertionError(f"It answered the cancelled prompt with {reason}, not cancelled.")
        self._answered(session, self.prompt)

    def _reply_to_cancelled(self, session: AgentSession) -> Obj:
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            for reply in _replies(session, "session/prompt"):
                return reply
            time.sleep(_POLL_SECONDS)
        raise AssertionError(
            f"It was told to cancel, and had not ended the turn {self.seconds:g} s later."
        )


def _text(words: str) -> Obj:
    return {"type": "text", "text": words}


def _allow(session: AgentSession) -> Act:
    """Return what allows all that an agent asks for."""
    answered = set[str]()

    def allow(_turn_id: str, detail: TurnDetail) -> None:
        for asked in open_requests(detail):
            if asked.request_id not in answered:
                answered.add(asked.request_id)
                session.answer(asked, "allow")

    return allow


def _no_error(turn: Turn, session: AgentSession) -> None:
    """Fail if the last prompt was answered by an error, or the turn ended in one."""
    for reply in list(_replies(session, "session/prompt"))[-1:]:
        if "error" in reply:
            raise AssertionError(f"It answered the prompt by an error: {error_text(reply)}")
    if turn.stop_reason == "error":
        turn.raise_for_error()


def _replies(session: AgentSession, method: str) -> Iterator[Obj]:
    """Yield the agent's answers to the requests of a method."""
    asked = set[object]()
    for direction, message in session.messages():
        if direction == ">" and message.get("method") == method:
            asked.add(message.get("id"))
        elif direction == "<" and "method" not in message and message.get("id") in asked:
            yield message


def _reported_done(session: AgentSession) -> set[str]:
    """Return the ids of the tool calls that the agent calls completed."""
    updates = [
        obj(obj(message.get("params")).get("update"))
        for direction, message in session.messages()
        if direction == "<" and message.get("method") == "session/update"
    ]
    return {str(u.get("toolCallId")) for u in updates if u.get("status") == "completed"}


def _files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def _begun(detail: TurnDetail) -> bool:
    return any(isinstance(item, AgentMessage | Thought | ToolCall) for item in detail.items)


def _open_calls(detail: TurnDetail) -> list[ToolCall]:
    return [
        item
        for item in detail.items
        if isinstance(item, ToolCall) and item.status in {"pending", "in_progress"}
        if item.permission is None or item.permission.state != "pending"
    ]


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes
    ----------
    words
        What it asks for.
    try_it
        Raises `AssertionError`, `AcpError` or `NotTried`.
    """

    words: str
    try_it: Callable[[Trial], None]


ROWS = {
    "answers": Row("a prompt is answered", Trial.answers),
    "second_prompt": Row("so is a second one", Trial.second_prompt),
    "text_blocks": Row("a prompt may have several blocks of text", Trial.text_blocks),
    "resource_link": Row("it may link to a file", Trial.resource_link),
    "image": Row("it may have an image", Trial.image),
    "audio": Row("it may have audio", Trial.audio),
    "embedded_resource": Row("it may have the text of a file", Trial.embedded_resource),
    "two_sessions": Row("two sessions are kept apart", Trial.two_sessions),
    "load_session": Row("a new agent loads the session", Trial.load_session),
    "refused_permission": Row("a refused permission is a refusal", Trial.refused_permission),
    "cancelled_permission": Row("a cancel while it asks ends the turn", Trial.cancelled_permission),
    "cancel": Row("a cancel in mid-turn ends the turn", Trial.cancel),
    "cancel_in_tool_call": Row("a cancel in a tool call ends the turn", Trial.cancel_in_tool_call),
    "free_loop": Row("other messages are answered while it works", Trial.free_loop),
    "unknown_method": Row("methods that it does not know are answered", Trial.unknown_method),
    "prints_nothing": Row("it prints nothing", Trial.prints_nothing),
    "closed_input": Row("it ends with its client", Trial.closed_input),
}
