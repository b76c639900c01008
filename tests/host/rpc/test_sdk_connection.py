"""Requests and answers that go through the SDK's connection."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from acp_jupyter.errors import AgentDied, AgentRequestError
from acp_jupyter.host.rpc.transport import LineTransport
from tests.support.agents.connection import talk_to
from tests.support.agents.fake_agent import fake_agent
from tests.support.processes import alive
from tests.support.wait import eventually_async

pytestmark = pytest.mark.asyncio


def wait_for(event: asyncio.Event) -> Callable[[], Awaitable[None]]:
    async def wait() -> None:
        await event.wait()

    return wait


async def test_no_task_is_left_though_a_question_was_open(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    async with talk_to(fake_agent("permission"), tmp_path) as talk:
        talk.client.before_answer = wait_for(asyncio.Event())
        turn = asyncio.create_task(talk.say("go"))
        await eventually_async(lambda: talk.client.asked)
    with pytest.raises(AgentDied):
        await turn
    assert asyncio.all_tasks() == before


async def test_an_agent_that_is_not_listened_to_is_ended_and_who_waits_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(self: LineTransport) -> None:
        raise ValueError(self)

    async with talk_to(fake_agent("permission"), tmp_path, choice="yes") as talk:
        monkeypatch.setattr(LineTransport, "receive", fail)
        with pytest.raises(AgentDied, match=r"is not listened to any more\. The next prompt"):
            await talk.say("go")
        with pytest.raises(AgentDied, match="is not listened to any more"):
            await talk.session.cancel()
        await talk.connection.wait_closed()
        assert not alive(talk.connection.pid)
        (note,) = talk.notes("deaf")
        assert note["text"] == "is not listened to any more"


async def test_ids_begin_with_1_and_an_error_has_no_data_that_is_null(tmp_path: Path) -> None:
    async with talk_to(fake_agent("dialects"), tmp_path, choice="maybe") as talk:
        await talk.say("go")
        said = [entry.message for entry in talk.entries if entry.direction == ">"]
        ids = [message["id"] for message in said if "method" in message]
        assert ids == [1, 2, 3]
        errors = [message["error"] for message in said if "error" in message]
        assert {"code": -32601, "message": "Method not found"} in errors
        assert all(error.get("data", "") is not None for error in errors)


async def test_a_request_that_takes_too_long_is_taken_back_once(tmp_path: Path) -> None:
    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        os.kill(talk.connection.pid, 19)
        with pytest.raises(AgentRequestError, match="did not answer session/list"):
            await talk.connection.request("session/list", {}, talk, seconds=0.1)
        os.kill(talk.connection.pid, 18)
        await talk.say("go")
        said = [entry.message for entry in talk.entries if entry.direction == ">"]
        (taken_back,) = [each for each in said if each.get("method") == "$/cancel_request"]
        (listed,) = [each for each in said if each.get("method") == "session/list"]
        assert taken_back["params"] == {"requestId": listed["id"]}


async def test_a_turn_that_nobody_waits_for_is_not_taken_back(tmp_path: Path) -> None:
    async with talk_to(fake_agent("permission"), tmp_path, choice="yes") as talk:
        asked = asyncio.Event()
        talk.client.before_answer = wait_for(asked)
        turn = asyncio.create_task(talk.say("go"))
        await eventually_async(lambda: talk.client.asked)
        turn.cancel()
        await asyncio.wait((turn,))
        asked.set()
        await eventually_async(lambda: "result" in talk.entries[-1].message)
        said = [entry.message.get("method") for entry in talk.entries if entry.direction == ">"]
        assert "$/cancel_request" not in said
