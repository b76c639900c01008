"""`acp_jupyter.testing`, as an author of an agent uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import acp
import pytest
from acp.schema import PermissionOption, ToolCallUpdate

from acp_jupyter import testing
from acp_jupyter.errors import BadRequest
from acp_jupyter.testing import Conversation

Talk = Callable[..., Conversation]
talk_to = testing.talk_to


class Clerk:
    """Asks before it writes, and waits where it is told to."""

    def on_connect(self, conn: Any) -> None:
        self.conn = conn
        self.stopped = asyncio.Event()

    async def prompt(self, prompt: Any, session_id: str, **kwargs: Any) -> acp.PromptResponse:
        await self.say(session_id, f"You said {prompt[0].text}. ")
        match prompt[0].text:
            case "write":
                await self.write(session_id)
            case "wait":
                await self.stopped.wait()
                return acp.PromptResponse(stop_reason="cancelled")
            case _:
                pass
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        self.stopped.set()

    async def say(self, session_id: str, words: str) -> None:
        await self.conn.session_update(session_id, acp.update_agent_message_text(words))

    async def write(self, session_id: str) -> None:
        await self.conn.session_update(session_id, acp.start_tool_call("c", "Write", kind="edit"))
        options = [
            PermissionOption(option_id="yes", name="Do it", kind="allow_once"),
            PermissionOption(option_id="no", name="Leave it", kind="reject_once"),
        ]
        answer = await self.conn.request_permission(
            session_id=session_id, tool_call=ToolCallUpdate(tool_call_id="c"), options=options
        )
        chosen = getattr(answer.outcome, "option_id", "none")
        await self.say(session_id, f"You chose {chosen}.")


@pytest.fixture(scope="module")
def person() -> Any:
    with Conversation(Clerk()) as person:
        yield person


@pytest.mark.parametrize(
    ("answer", "chosen"), [("allow", "yes"), ("no", "no"), ("Leave it", "no"), ("yes", "yes")]
)
def test_the_script_answers(person: Conversation, answer: str, chosen: str) -> None:
    turn = person.say("write", answers=[answer])
    assert turn.text.endswith(f"You chose {chosen}.")
    assert turn.stop_reason == "end_turn"


def test_the_script_stops_the_turn(person: Conversation) -> None:
    turn = person.say("wait", cancel_at="You said wait")
    assert turn.stop_reason == "cancelled"


def test_blocks_of_the_sdk_and_its_updates(person: Conversation) -> None:
    turn = person.say([acp.text_block("Hello")])
    assert [update.content.text for update in turn.updates] == ["You said Hello. "]
    assert "You said Hello." in person.transcript()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ({"prompt": "write"}, "The script has no answer for this: "),
        ({"prompt": "write", "answers": ["maybe"]}, "'maybe' is none of its options: yes, no"),
        ({"prompt": "Hi", "answers": ["yes"]}, "The agent did not ask for 1 of the answers"),
        ({"prompt": "Hi", "cancel_at": "Bye"}, "The turn ended, and the agent had not said 'Bye'"),
        ({"prompt": "wait", "seconds": 0.0}, "The turn did not end within 0 s."),
    ],
)
def test_what_the_script_does_not_say_fails(script: dict[str, Any], words: str) -> None:
    with Conversation(Clerk()) as person, pytest.raises(AssertionError) as failed:
        person.say(**script)
    assert words in str(failed.value)


def test_the_fixture_works_in_a_folder_of_the_test(talk_to: Talk, tmp_path: Path) -> None:
    person = talk_to(Clerk(), tmp_path)
    assert person.folder == tmp_path.resolve()
    assert person.say("Hi").text == "You said Hi. "


def test_what_is_no_agent_is_said_at_once() -> None:
    with pytest.raises(BadRequest, match="Clerk is a class"):
        Conversation(Clerk)
