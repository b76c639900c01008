"""`Version2`: one conversation with an agent, in terms of version 1.

Most of it is spelling; see `setup` and `updates`. The end of a turn needs memory: version 2 answers
a prompt as soon as the agent accepts it, and reports the end of the work in a ``state_update``. In
version 1 the response to the prompt is the end, so it is made from that update.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import JsonValue

from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.objects import Obj, items, obj, text
from acp_jupyter.protocol.traffic import TrafficEntry, text_chunk
from acp_jupyter.protocol.version_2.call_contents import CallContents
from acp_jupyter.protocol.version_2.setup import (
    hello_in_version_1,
    is_hello,
    mode_option,
    request_in_version_1,
    request_in_version_2,
    setup_in_version_1,
)
from acp_jupyter.protocol.version_2.updates import (
    ENDED,
    background_in_version_1,
    permission_in_version_1,
    updates_in_version_1,
)

Message = Mapping[str, Any]

_STATE = "state_update"
_AT_WORK = frozenset({"running", "requires_action"})
_OF_STATE = frozenset({"sessionUpdate", "state", "background"})
_MAX_PROMPTS = 100
"""Open prompts; the oldest are forgotten first."""
_INTERNAL_ERROR = -32603


@dataclass(slots=True)
class _Prompt:
    """A prompt whose turn has not ended."""

    session_id: str
    seq: int
    """The number of its line in the log."""
    accepted: bool = False
    at_work: bool = False
    """Whether the agent has worked since it was sent, and has not stopped."""


class Version2:
    """Reads a conversation, and translates it into version 1.

    A conversation in version 1 passes through unchanged, except for names that only version 2 has:
    an agent that announces one version and uses the other is understood, too.


    Attributes
    ----------
    spoken
        Whether the agent has answered ``initialize`` in version 2.
    """

    def __init__(self) -> None:
        self.spoken = False
        self._stdio = True
        self._mode = "mode"
        """The id of the config option for the mode; an agent has one."""
        self._prompts: OrderedDict[int | str, _Prompt] = OrderedDict()
        self._contents = CallContents()

    def saved(self) -> Obj | None:
        """Return the state as JSON; None if there is none."""
        if not self.is_used:
            return None
        prompts: list[JsonValue] = [
            [name, each.session_id, each.seq, each.accepted, each.at_work]
            for name, each in self._prompts.items()
        ]
        return {
            "spoken": self.spoken,
            "stdio": self._stdio,
            "mode": self._mode,
            "prompts": prompts,
            "contents": self._contents.saved(),
        }

    @property
    def is_used(self) -> bool:
        """Whether the agent has sent anything that only version 2 has."""
        return self.spoken or self._contents.in_pieces

    @classmethod
    def of_saved(cls, saved: Obj) -> Self:
        """Return a conversation that continues from a saved state."""
        one = cls()
        one.spoken, one._stdio = saved["spoken"] is True, saved["stdio"] is True
        one._mode = text(saved["mode"])
        for each in items(saved["prompts"]):
            match each:
                case [int() | str() as name, str(of), int(seq), bool(accepted), bool(at_work)]:
                    one._prompts[name] = _Prompt(of, seq, accepted, at_work)
                case _:
                    raise ValueError(each)
        one._contents = CallContents.of_saved(obj(saved["contents"]))
        return one

    # -- to the agent ------------------------------------------------------------

    def written(self, method: str, params: Message) -> tuple[str, dict[str, Any]]:
        """Return a request or notification in the form that this conversation's agent takes."""
        if not self.spoken:
            return method, dict(params)
        return request_in_version_2(method, dict(params), stdio=self._stdio, mode=self._mode)

    def sent(self, message: Message, seq: int = 0) -> None:
        """Record a sent message; ``seq`` is the number of its line in the log."""
        method, request_id = message.get("method"), message.get("id")
        if method == "initialize":
            self._prompts.clear()  # a new process, which knows of none of them
            self._contents = CallContents()
        elif method == "session/prompt" and isinstance(request_id, int | str):
            self._prompts[request_id] = _Prompt(_session(message), seq)
            if len(self._prompts) > _MAX_PROMPTS:
                self._prompts.popitem(last=False)

    # -- from the agent ----------------------------------------------------------

    def accepts(self, message: Message) -> bool:
        """Return whether a response says that a prompt was accepted: its turn is still running."""
        if not self.spoken or "method" in message or self._prompt_of(message) is None:
            return False
        result = obj(message.get("result"))
        return isinstance(result.get("messageId"), str) and "stopReason" not in result

    def ends(self, message: Message) -> int | str | None:
        """Return the id of the prompt whose turn a ``state_update`` ends."""
        if not self.spoken or message.get("method") != "session/update":
            return None
        return next(iter(self._ended(message)), None)

    def received(self, message: Message) -> list[Message]:
        """Return a message from the agent in terms of version 1.

        It may become no message, or several.
        """
        match message.get("method"):
            case "session/update":
                return self._update(message)
            case "session/request_permission":
                params = obj(message.get("params"))
                asked = permission_in_version_1(params, self._contents)
                return [message if asked is params else {**message, "params": asked}]
            case None if "id" in message:
                return self._answer(message)
            case _:
                return [message]

    def entries(self, entry: TrafficEntry) -> Iterator[TrafficEntry]:
        """Return a line of a log, of either direction, in terms of version 1."""
        if entry.direction == "!":
            yield entry
            return
        if entry.direction == ">":
            self.sent(entry.message, entry.seq)
            message = request_in_version_1(entry.message) if self.spoken else entry.message
            yield entry if message is entry.message else entry._replace(message=message, raw="")
            return
        asked = {name: self._prompts[name].seq for name in self._ended(entry.message)}
        for message in self.received(entry.message):
            if message is entry.message:
                yield entry
                continue
            answered = None if "method" in message else asked.get(message["id"], entry.re)
            yield entry._replace(message=message, re=answered, raw="")

    def _answer(self, message: Message) -> list[Message]:
        result = obj(message.get("result"))
        if "protocolVersion" in result:
            self.spoken = is_hello(result)
            if not self.spoken:
                return [message]
            session = obj(obj(result.get("capabilities")).get("session"))
            self._stdio = isinstance(obj(session.get("mcp")).get("stdio"), dict)
            return [{**message, "result": hello_in_version_1(result)}]
        prompt = self._prompt_of(message)
        if prompt is None:
            self._mode = (
                text(mode_option(result.get("configOptions")).get("configId")) or self._mode
            )
            return setup_in_version_1(message)
        if self.accepts(message):
            prompt.accepted = True
            return []
        del self._prompts[message["id"]]
        return [message]

    def _update(self, message: Message) -> list[Message]:
        params = obj(message.get("params"))
        update = params.get("update")
        if not isinstance(update, dict) or text_chunk(message) is not None:
            return [message]
        if update.get("sessionUpdate") == _STATE:
            listed = background_in_version_1(update)
            listing = (
                [] if listed is None else [{**message, "params": {**params, "update": listed}}]
            )
            rest = self._rest(message, params, update)
            return [*rest, *listing, *self.ended_by(message)]
        old = updates_in_version_1(update, self._contents, _session(message))
        if not self.spoken and text(update.get("status")) in ENDED:
            self._contents.forget(text(update.get("toolCallId")))
        if len(old) == 1 and old[0] is update:
            return [message]
        return [{**message, "params": {**params, "update": each}} for each in old]

    def _rest(self, message: Message, params: Obj, update: Obj) -> list[Message]:
        """Return the unsent contents of calls, when the work ends."""
        if update.get("state") != "idle":
            return []
        kind = {"sessionUpdate": "tool_call_update"}
        rest = self._contents.end_turn(_session(message))
        updates = ({**kind, "toolCallId": name, "content": content} for name, content in rest)
        return [{**message, "params": {**params, "update": each}} for each in updates]

    def ended_by(self, message: Message) -> list[Message]:
        """Return the responses to the prompts whose turns a ``state_update`` ends.

        Any other message changes nothing and returns nothing.
        """
        update = obj(obj(message.get("params")).get("update"))
        if update.get("sessionUpdate") != _STATE:
            return []
        ended = self._ended(message)
        for name, prompt in self._of(_session(message)):
            prompt.at_work = update.get("state") in _AT_WORK and name not in ended
        for name in ended:
            del self._prompts[name]
        return [_prompt_answer(name, update) for name in ended]

    def _ended(self, message: Message) -> list[int | str]:
        """Return the prompts whose turns a message ends.

        A state may be repeated, with the reason of an earlier end. A state that comes before the
        prompt was accepted, and before any work since then, ends nothing.
        """
        update = obj(obj(message.get("params")).get("update"))
        if update.get("sessionUpdate") != _STATE or update.get("state") != "idle":
            return []
        has_reason = bool(text(update.get("stopReason")))
        open_prompts = self._of(_session(message)) if self.spoken else ()
        return [
            name for name, each in open_prompts if each.at_work or (has_reason and each.accepted)
        ]

    def _of(self, session_id: str) -> list[tuple[int | str, _Prompt]]:
        return [(n, each) for n, each in self._prompts.items() if each.session_id == session_id]

    def _prompt_of(self, answer: Message) -> _Prompt | None:
        request_id = answer.get("id")
        known = isinstance(request_id, int | str) and request_id in self._prompts
        return self._prompts[request_id] if known else None  # type: ignore[index]


def in_version_1(found: Iterable[TrafficEntry | LogProblem]) -> Iterator[TrafficEntry | LogProblem]:
    """Return the entries of a log in terms of version 1."""
    version_2 = Version2()
    for each in found:
        if isinstance(each, TrafficEntry):
            yield from version_2.entries(each)
        else:
            yield each


def _session(message: Message) -> str:
    return text(obj(message.get("params")).get("sessionId"))


def _prompt_answer(request_id: int | str, update: Obj) -> Message:
    """Return version 1's response to a prompt whose turn ended in that state."""
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id}
    if update.get("stopReason") == "error":
        empty: Obj = {"code": _INTERNAL_ERROR, "message": "Internal error"}
        return {**answer, "error": obj(update.get("error")) or empty}
    result = {key: value for key, value in update.items() if key not in _OF_STATE}
    if not text(result.get("stopReason")):
        result["stopReason"] = "end_turn"
    return {**answer, "result": result}
