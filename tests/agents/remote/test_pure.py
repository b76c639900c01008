"""What needs no connection: addresses, folders, and what was missed of a turn."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.agents.remote import missed
from acp_jupyter.agents.remote.address import Address, AddressError
from acp_jupyter.agents.remote.bridge import Bridge
from acp_jupyter.agents.remote.folders import Folders
from acp_jupyter.agents.remote.http_link import HttpLink
from acp_jupyter.agents.remote.link import LinkLost, Refused
from acp_jupyter.agents.remote.missed import ReceivedTurn

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("url", "variables", "words"),
    [
        ("ftp://a/acp", {}, "must begin with wss:// or https://"),
        ("wss:///acp", {}, "name a host"),
        ("wss://[a/acp", {}, "not a URL"),
        ("wss://me:word@a/acp", {}, "environment variable"),
        ("ws://a/acp", {"Authorization": "TOKEN"}, "unencrypted"),
        ("http://10.0.0.1/acp", {"Authorization": "TOKEN"}, "unencrypted"),
    ],
)
def test_an_address_that_cannot_be_used_says_why(
    url: str, variables: dict[str, str], words: str
) -> None:
    with pytest.raises(AddressError, match=words):
        Address.of(url, variables, {})


@pytest.mark.parametrize("url", ["ws://127.0.0.1:1/acp", "ws://[::1]/a", "http://localhost/a"])
def test_headers_may_go_unencrypted_to_this_machine(url: str) -> None:
    address = Address.of(url, {"Authorization": "TOKEN"}, {})
    assert address.headers({"TOKEN": " Bearer x "}) == {"Authorization": "Bearer x"}


@pytest.mark.parametrize("environment", [{}, {"TOKEN": ""}, {"TOKEN": "a\nb"}, {"TOKEN": "ä"}])
def test_a_header_without_a_value_says_which_variable(environment: dict[str, str]) -> None:
    with pytest.raises(AddressError, match="TOKEN"):
        Address.of("wss://a", {"Authorization": "TOKEN"}, {}).headers(environment)


def test_an_error_never_shows_the_query() -> None:
    address = Address.of("wss://a/acp?key=secret#x", {}, {})
    assert all("secret" not in address.explain(status) for status in (401, 302, 404))
    assert address.shown == "wss://a/acp"


def test_paths_are_mapped_both_ways_and_nothing_else_is() -> None:
    folders = Folders({"/home/me": "/w", "/home/me/data": "/data/"})
    ours: Json = {
        "params": {
            "cwd": "/home/me",
            "additionalDirectories": ["/home/me/data/a", "/home/mean"],
            "path": "/home/me/data",
            "text": "/home/me",
            "uri": "file:///home/me/a%20b",
            "toolCall": {"locations": [{"path": "/home/me/x"}], "rawInput": {"file_path": "/etc"}},
        }
    }
    there: Json = {
        "params": {
            "cwd": "/w",
            "additionalDirectories": ["/data/a", "/home/mean"],
            "path": "/data",
            "text": "/home/me",
            "uri": "file:///w/a%20b",
            "toolCall": {"locations": [{"path": "/w/x"}], "rawInput": {"file_path": "/etc"}},
        }
    }
    assert folders.to_agent(ours) == there
    assert folders.from_agent(there) == ours


def text(words: str, kind: str = "agent_message_chunk") -> Json:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": words}}


USER = text("before", "user_message_chunk"), text("the past"), text("go", "user_message_chunk")
CALL: Json = {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Edit"}
IMAGE: Json = {
    "sessionUpdate": "agent_message_chunk",
    "content": {"type": "image", "data": "AA==", "mimeType": "image/png"},
}


def seen(*updates: Json) -> ReceivedTurn:
    turn = ReceivedTurn(1, "go")
    for update in updates:
        turn.add(update)
    return turn


@given(st.lists(st.sampled_from(["a", "bc", "é ", "\n"])), st.data())
def test_text_is_told_on_from_where_it_broke(words: list[str], data: st.DataObject) -> None:
    """However the agent cuts it the second time."""
    whole = "".join(words)
    came = data.draw(st.integers(0, len(whole)))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=4)) | {0, len(whole)})
    again = [text(whole[a:b]) for a, b in itertools.pairwise(cuts)]
    missed = seen(*map(text, whole[:came])).missed([*USER, *again])
    assert "".join(update["content"]["text"] for update in missed) == whole[came:]  # type: ignore[index]


def test_of_a_text_that_is_too_long_to_be_compared_nothing_is_told_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(missed, "_MAX_CHARS", 4)
    turn = seen(text("So it "))
    assert list(turn.missed([*USER, text("So it is"), CALL])) == [CALL]


def test_states_are_told_again_and_other_parts_once() -> None:
    thought = text("hm", "agent_thought_chunk")
    turn = seen(text("So "), thought, IMAGE)
    again = [*USER, thought, text("So it"), CALL, IMAGE, {**IMAGE, "messageId": "2"}, text(" is")]
    assert list(turn.missed(again)) == [
        text("it"),
        CALL,
        {**IMAGE, "messageId": "2"},
        text(" is"),
    ]


@pytest.mark.parametrize(
    "again",
    [
        [],
        [text("So it is")],
        [*USER[:2], text("So it is")],
        [*USER, text("Told in other words")],
    ],
)
def test_what_is_another_turn_or_another_text_is_not_told(again: list[Json]) -> None:
    assert list(seen(text("So ")).missed(again)) == []


def test_a_login_that_is_not_accepted_names_what_to_check() -> None:
    url = "wss://agents.example/acp"
    told = [Address.of(url, names, {}).explain(401) for names in ({"Authorization": "TOKEN"}, {})]
    assert "Check the variable TOKEN." in told[0]
    assert "Name a header under headers." in told[1]


@pytest.mark.parametrize(
    ("status", "error"), [(401, LinkLost), (404, LinkLost), (302, LinkLost), (500, Refused)]
)
def test_a_server_that_knows_the_connection_no_more_is_connected_to_again(
    status: int, error: type[Exception]
) -> None:
    """What it can't answer for another reason is an answer."""

    async def body() -> AsyncIterator[bytes]:
        yield b"Sorry"

    async def send() -> None:
        transport = httpx.MockTransport(lambda _: httpx.Response(status, content=body()))
        link = HttpLink(
            Address.of("https://agents.example/acp", {}, {}),
            {},
            httpx.AsyncClient(transport=transport),
        )
        with pytest.raises(error, match=f"answered {status}"):
            await link.send({"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}})

    asyncio.run(send())


class FakeLink:
    """Answers a request after some updates."""

    def __init__(self, *updates: Json) -> None:
        self.gaps: dict[str, float] = {}
        self._messages = list(updates)

    async def open(self, initialize: Json) -> Json:
        raise NotImplementedError

    async def send(self, message: Json) -> None:
        self._messages.append({"jsonrpc": "2.0", "id": message["id"], "result": {}})

    async def receive(self) -> Json:
        if not self._messages:
            await asyncio.Event().wait()
        return self._messages.pop(0)

    async def close(self) -> None:
        raise NotImplementedError


def test_what_is_told_of_another_session_meanwhile_is_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not taken for a part of what a session tells when it is opened again."""

    def said(session_id: str) -> Json:
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "A"}}
        params = {"sessionId": session_id, "update": update}
        return {"jsonrpc": "2.0", "method": "session/update", "params": params}

    async def opened_again() -> tuple[list[Json], list[Json]]:
        passed_on: list[Json] = []

        async def pass_on(message: Json) -> None:
            passed_on.append(message)

        bridge = Bridge(Address.of("wss://agents.example/acp", {}, {}), {})
        bridge._link = FakeLink(said("one"), said("another"))
        monkeypatch.setattr(bridge, "_to_host", pass_on)
        return await bridge._call("session/load", "one", {}), passed_on

    told, passed_on = asyncio.run(opened_again())
    assert told == [said("one")["params"]["update"]]
    assert passed_on == [said("another")]
