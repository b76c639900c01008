"""Whatever an agent may say by the schema is read, and never an unknown thing."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given

from acp_jupyter.host.rpc import sdk
from acp_jupyter.protocol.normalise import normalise
from acp_jupyter.protocol.packets import Unknown
from acp_jupyter.transcript.model.state import Transcript
from tests.conformance.reading import after, entries_of, read
from tests.conformance.shapes import CORPORA, VERSION_2, Message, messages_of_agents
from tests.conformance.values import NAMES, values_of
from tests.support.generated import examples

MESSAGES = messages_of_agents()
UPDATES = [message for message in MESSAGES if message.method == "session/update"]
OF_CHILDREN = frozenset(
    f"session/update {kind}"
    for kind in ("subagent_update", "session_message", "session_message_chunk")
)
"""What they say is a change of a child's call, or nothing where no child is known."""
IS_EXTENSION = frozenset({"auth/status_update"})
"""Is read in the spelling that agents use as long as it is unstable: with an underscore."""
REQUESTS = [message for message in MESSAGES if message.sort == "request"]
GENERATED = examples(12)
SDK_REQUESTS = frozenset(
    {
        "session/request_permission",
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/release",
    }
)


def named(messages: list[Message] | tuple[Message, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("message", messages, ids=str)


def texts_of(transcript: Transcript) -> list[str]:
    items = transcript.window(0, len(transcript.items))
    return [item.text for item in items if item.kind == "agent_message"]


@named([*MESSAGES, *messages_of_agents(version=2)])
def test_every_valid_message_is_read_and_the_turn_goes_on(message: Message) -> None:
    definitions = {"$defs": dict({**CORPORA, **VERSION_2}[message.corpus])}
    validator = jsonschema.Draft202012Validator({**message.schema, **definitions})

    @GENERATED
    @given(values_of(message.schema))
    def check(body: Any) -> None:
        validator.validate(body)
        assert any(words.endswith("goes on") for words in texts_of(after(message, body)))

    check()


@named(UPDATES)
def test_no_update_of_the_protocol_is_unknown(message: Message) -> None:
    kind = message.schema["properties"]["update"]["properties"]["sessionUpdate"]["const"]

    @GENERATED
    @given(values_of(message.schema).filter(lambda body: says_something(kind, body["update"])))
    def check(body: Any) -> None:
        packets = read(message, body)
        assert len(packets) == 1 or message.name in OF_CHILDREN
        assert not any(isinstance(packet, Unknown) for packet in packets)

    check()


def says_something(kind: str, update: dict[str, Any]) -> bool:
    """Tell what the schema lets pass and nobody can use: a tool call without an id, no mode."""
    needed = {"tool_call": "toolCallId", "tool_call_update": "toolCallId"}
    needed["current_mode_update"] = "currentModeId"
    needed["compaction_summary_chunk"] = "compactionId"
    return kind not in needed or bool(update[needed[kind]])


@named([m for m in MESSAGES if m.method not in IS_EXTENSION])
def test_what_is_valid_needs_no_repair(message: Message) -> None:
    @GENERATED
    @given(values_of(message.schema, NAMES))
    def check(body: Any) -> None:
        line = dict(entries_of(message, body)[-1].message)
        (normal,) = normalise(line)
        assert plain(normal) == plain(line)

    check()


def plain(value: Any) -> Any:
    """Return ``value`` without nulls, which say the same as nothing."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if item is not None}
    return value


@named([message for message in REQUESTS if message.method in SDK_REQUESTS])
def test_every_valid_request_passes_the_sdk(message: Message) -> None:
    @GENERATED
    @given(values_of(message.schema))
    def check(body: Any) -> None:
        (normal,) = normalise(dict(entries_of(message, body)[-1].message))
        sdk.asked(message.method, {**normal["params"], "_meta": None})

    check()
