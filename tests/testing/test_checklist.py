"""The checklist, with an agent that does all well and one that does badly in each row."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import unittest
import uuid
from pathlib import Path
from typing import Any

import acp
import pytest
from acp.schema import (
    AgentCapabilities,
    Implementation,
    PermissionOption,
    PromptCapabilities,
    ToolCallUpdate,
)

from acp_jupyter.testing import HAZARDS, Checklist, Report
from tests.support.wait import PATIENCE_SECONDS

ALL = PromptCapabilities(image=True, audio=True, embedded_context=True)
NONE = PromptCapabilities()
OPTIONS = [
    PermissionOption(option_id="yes", name="Do it", kind="allow_once"),
    PermissionOption(option_id="no", name="Leave it", kind="reject_once"),
]


class Good:
    """Does all of it well."""

    takes = ALL

    def __init__(self) -> None:
        self.turns: dict[str, asyncio.Event] = {}

    def on_connect(self, conn: Any) -> None:
        self.conn = conn

    async def initialize(self, protocol_version: int, **kwargs: Any) -> acp.InitializeResponse:
        can = AgentCapabilities(load_session=True, prompt_capabilities=self.takes)
        info = Implementation(name="good", version="1")
        return acp.InitializeResponse(protocol_version=1, agent_capabilities=can, agent_info=info)

    async def new_session(self, cwd: str, **kwargs: Any) -> acp.NewSessionResponse:
        return acp.NewSessionResponse(session_id=uuid.uuid4().hex)

    async def load_session(self, session_id: str, **kwargs: Any) -> acp.LoadSessionResponse:
        return acp.LoadSessionResponse()

    async def prompt(self, prompt: Any, session_id: str, **kwargs: Any) -> acp.PromptResponse:
        self.turns[session_id] = asyncio.Event()
        words = "".join(block.text for block in prompt if block.type == "text")
        await self.work(session_id, words)
        return acp.PromptResponse(stop_reason=self.reason(session_id))

    def reason(self, session_id: str) -> Any:
        return "cancelled" if self.turns[session_id].is_set() else "end_turn"

    async def work(self, session_id: str, words: str) -> None:
        if words == "ask":
            await self.ask(session_id)
        elif words == "work":
            await self.update(session_id, acp.start_tool_call("w", "Work", status="in_progress"))
            await self.turns[session_id].wait()
        else:
            await self.say(session_id, f"You said {words}.")

    async def ask(self, session_id: str) -> None:
        await self.update(session_id, acp.start_tool_call("c", "Write", kind="edit"))
        answer = await self.conn.request_permission(
            session_id=session_id, tool_call=ToolCallUpdate(tool_call_id="c"), options=OPTIONS
        )
        await self.answered(session_id, answer)

    async def answered(self, session_id: str, answer: Any) -> None:
        allowed = getattr(answer.outcome, "option_id", "") == "yes"
        done = acp.update_tool_call("c", status="completed" if allowed else "failed")
        await self.update(session_id, done)

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        self.turns[session_id].set()

    async def say(self, session_id: str, words: str) -> None:
        await self.update(session_id, acp.update_agent_message_text(words))

    async def update(self, session_id: str, update: Any) -> None:
        await self.conn.session_update(session_id, update)


class Bad(Good):
    """Each of these does one thing badly."""


class Mute(Bad):
    async def work(self, session_id: str, words: str) -> None:
        pass


class OneTurn(Bad):
    async def work(self, session_id: str, words: str) -> None:
        assert len(self.turns) == 1
        assert not hasattr(self, "done"), "the second turn"
        self.done = True
        await super().work(session_id, words)


class OneBlock(Bad):
    async def prompt(self, prompt: Any, session_id: str, **kwargs: Any) -> acp.PromptResponse:
        (block,) = prompt
        return await super().prompt([block], session_id)


class TextOnly(Bad):
    async def prompt(self, prompt: Any, session_id: str, **kwargs: Any) -> acp.PromptResponse:
        assert all(block.text for block in prompt)
        return await super().prompt(prompt, session_id)


class Newest(Bad):
    async def new_session(self, cwd: str, **kwargs: Any) -> acp.NewSessionResponse:
        self.newest = uuid.uuid4().hex
        return acp.NewSessionResponse(session_id=self.newest)

    async def say(self, session_id: str, words: str) -> None:
        await super().say(self.newest, words)


class OneId(Bad):
    async def new_session(self, cwd: str, **kwargs: Any) -> acp.NewSessionResponse:
        return acp.NewSessionResponse(session_id=cwd)


class Forgets(Bad):
    async def load_session(self, session_id: str, **kwargs: Any) -> acp.LoadSessionResponse:
        raise KeyError(session_id)


class Overrules(Bad):
    async def new_session(self, cwd: str, **kwargs: Any) -> acp.NewSessionResponse:
        self.cwd = cwd
        return await super().new_session(cwd)

    async def answered(self, session_id: str, answer: Any) -> None:
        await asyncio.to_thread(Path(self.cwd, "list.txt").write_text, "new")


class SaysDone(Bad):
    async def answered(self, session_id: str, answer: Any) -> None:
        await self.update(session_id, acp.update_tool_call("c", status="completed"))


class Presumes(Bad):
    async def answered(self, session_id: str, answer: Any) -> None:
        if answer.outcome.option_id == "yes":
            await super().answered(session_id, answer)


class EndTurn(Bad):
    def reason(self, session_id: str) -> Any:
        return "end_turn"


class Deaf(Bad):
    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        pass


class Raises(Bad):
    async def work(self, session_id: str, words: str) -> None:
        await super().work(session_id, words)
        if self.turns[session_id].is_set():
            raise RuntimeError("stopped")


class Blocks(Bad):
    released = threading.Event()

    async def work(self, session_id: str, words: str) -> None:
        await self.say(session_id, words)
        self.released.wait()


class Waits(Bad):
    async def ext_method(self, method: str, params: Any) -> Any:
        await asyncio.Event().wait()


class Prints(Bad):
    async def work(self, session_id: str, words: str) -> None:
        print("debug", words)
        await super().work(session_id, words)


class Stays(Bad):
    released = threading.Event()

    async def work(self, session_id: str, words: str) -> None:
        await self.say(session_id, words)
        while not self.released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)


def checklist(make: Any, seconds: float = PATIENCE_SECONDS) -> Checklist:
    return Checklist(make, prompt="Hello", asks="ask", works="work", seconds=seconds)


@pytest.mark.parametrize("hazard", HAZARDS)
def test_a_good_agent_passes(hazard: str) -> None:
    checklist(Good).check(hazard)


WRONG = [
    ("answers", Mute, "It ended the turn and had said nothing."),
    ("second_prompt", OneTurn, "It answered the prompt by an error: Internal error (the second"),
    ("text_blocks", OneBlock, "It answered the prompt by an error"),
    ("resource_link", TextOnly, "'ResourceContentBlock' object has no attribute 'text'"),
    ("image", TextOnly, "'ImageContentBlock' object has no attribute 'text'"),
    ("audio", TextOnly, "'AudioContentBlock' object has no attribute 'text'"),
    ("embedded_resource", TextOnly, "object has no attribute 'text'"),
    ("two_sessions", Newest, "What it says in one session comes in another one."),
    ("two_sessions", OneId, "Two sessions have the same id: "),
    ("load_session", Forgets, "It did not load the session: Internal error"),
    ("refused_permission", Overrules, "It wrote list.txt though the permission was refused."),
    ("refused_permission", SaysDone, "It says that a refused tool call was completed: c"),
    ("cancelled_permission", Presumes, "object has no attribute 'option_id'"),
    ("cancel", EndTurn, "It answered the cancelled prompt with end_turn, not cancelled."),
    ("cancel", Deaf, "It was told to cancel, and had not ended the turn 1 s later."),
    ("cancel_in_tool_call", Raises, "It answered the cancelled prompt by an error"),
    ("free_loop", Blocks, "It answered nothing else for 1 s while it worked: a method waits"),
    ("unknown_method", Waits, "_acp_jupyter/unheard_of was not answered. Nothing came within 1 s."),
    (
        "prints_nothing",
        Prints,
        "It prints, which breaks the connection of a program: 'debug",
    ),
    ("closed_input", Stays, "It had not ended 1 s after its client: it keeps working"),
]


@pytest.fixture
def released() -> Any:
    """What a bad agent waits for is over at the test's end."""
    for agent in (Blocks, Stays):
        agent.released.clear()
    yield
    for agent in (Blocks, Stays):
        agent.released.set()


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize(("hazard", "agent", "words"), WRONG)
def test_a_bad_agent_fails_in_words(hazard: str, agent: type[Bad], words: str) -> None:
    waits = agent in {Deaf, Blocks, Waits, Stays}
    with pytest.raises(AssertionError) as failed:
        checklist(agent, 1.0 if waits else PATIENCE_SECONDS).check(hazard)
    assert words in str(failed.value)


def test_every_row_has_a_bad_agent() -> None:
    assert {hazard for hazard, _agent, _words in WRONG} == set(HAZARDS)


class Modest:
    """Has a prompt and nothing else."""

    def on_connect(self, conn: Any) -> None:
        self.conn = conn

    async def prompt(self, prompt: Any, session_id: str, **kwargs: Any) -> acp.PromptResponse:
        await self.conn.session_update(session_id, acp.update_agent_message_text("Yes."))
        return acp.PromptResponse(stop_reason="end_turn")


@pytest.fixture(scope="module")
def report() -> Report:
    return Checklist(Modest).run()


def test_what_an_agent_does_not_declare_is_not_tried(report: Report) -> None:
    assert report.failed == ()
    not_tried = {row.hazard: row.words for row in report if row.state == "not tried"}
    assert not_tried == {
        "image": "It does not declare image.",
        "audio": "It does not declare audio.",
        "embedded_resource": "It does not declare embeddedContext.",
        "load_session": "It does not declare loadSession.",
        "refused_permission": "Give asks=, a prompt for which it asks for permission.",
        "cancelled_permission": "Give asks=, a prompt for which it asks for permission.",
        "cancel": "Give works=, a prompt at which it works for a second or more.",
        "cancel_in_tool_call": "Give works=, a prompt at which it works for a second or more.",
    }


def test_the_report_is_a_table_by_name(report: Report) -> None:
    lines = repr(report).splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == [row.state for row in report]
    assert lines[0] == "passed     answers               a prompt is answered"


@pytest.mark.parametrize(
    ("make", "works", "hazard", "words"),
    [
        (Modest, "", "image", "It does not declare image."),
        (Modest, "", "cancel", "Give works="),
        (Good, "Hi", "cancel_in_tool_call", "The turn ended before there was anything to cancel"),
    ],
)
def test_a_test_of_what_is_not_tried_is_skipped(
    make: Any, works: str, hazard: str, words: str
) -> None:
    """Not counted as one that has passed."""
    with pytest.raises(unittest.SkipTest, match=words):
        Checklist(make, works=works).check(hazard)
