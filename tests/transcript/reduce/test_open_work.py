"""What is open when its turn ends: closed with it, or going on in the background."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from acp_jupyter.protocol.host_events.notes import AgentExited
from acp_jupyter.transcript.model.saved_state import is_at_rest
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.terminal_cards import starts
from tests.support.transcript.traffic import Script

Json = dict[str, Any]
CAN: Json = {"cancel": {}}
A_CALL: Json = {"type": "tool_call", "toolCallId": "c"}
A_TERMINAL: Json = {"type": "terminal", "terminalId": "x"}


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def whole(words: str) -> Json:
    """Return all of a terminal's output, as an update tells it."""
    return {"data": encoded(words.encode())}


class Talk(Script):
    """A session in the words of version 2."""

    def call(self, name: str = "c", **fields: Any) -> None:
        self.update("tool_call_update", toolCallId=name, **fields)

    def begin(self, name: str = "c", **fields: Any) -> None:
        self.call(name, title="Serve", kind="other", status="in_progress", **fields)

    def terminal(self, **fields: Any) -> None:
        self.update("terminal_update", terminalId="x", **fields)

    def prints(self, words: str) -> None:
        self.update("terminal_output_chunk", terminalId="x", data=encoded(words.encode()))

    def lists(self, *works: Json, state: str = "idle") -> None:
        self.update("state_update", state=state, background=list(works))

    @property
    def calls(self) -> list[ToolCall]:
        items = self.transcript.window(0, len(self.transcript.items))
        return [item for item in items if isinstance(item, ToolCall)]

    def only(self) -> ToolCall:
        (call,) = self.calls
        return call


def test_what_is_not_listed_is_closed_with_its_turn() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin(capabilities=CAN)
    talk.begin("d")
    assert talk.calls[0].can_cancel
    talk.lists({"type": "tool_call", "toolCallId": "d"})
    talk.end(prompt)
    closed, goes_on = talk.calls
    assert (closed.status, closed.background, closed.can_cancel) == ("cancelled", False, False)
    assert (goes_on.status, goes_on.background, goes_on.ended_at) == ("in_progress", True, None)
    assert not is_at_rest(talk.transcript)
    talk.lists()
    assert is_at_rest(talk.transcript)


def test_it_may_be_listed_while_its_turn_runs_and_be_taken_back() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin()
    talk.lists(A_CALL, state="running")
    assert talk.only().background
    talk.lists(state="running")
    assert (talk.only().status, talk.only().background) == ("in_progress", False)
    talk.end(prompt)
    assert talk.only().status == "cancelled"


def test_its_updates_find_it_in_a_later_turn() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin()
    talk.lists(A_CALL)
    talk.end(prompt)
    talk.turn("More", "t2")
    talk.call(content=[{"type": "content", "content": {"type": "text", "text": "still here"}}])
    assert (talk.only().output, talk.only().turn_id) == ("still here", "t1")
    talk.call(status="failed")
    assert (talk.only().status, talk.only().background) == ("failed", False)
    # Another that is called so is another call.
    talk.begin()
    assert [call.turn_id for call in talk.calls] == ["t1", "t2"]


def test_its_turn_is_told_again_when_it_ends_during_another() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin()
    talk.lists(A_CALL)
    talk.end(prompt)
    talk.turn("More", "t2")
    talk.events.clear()
    talk.call(status="completed")
    told = [event.turn for event in talk.events if event.kind == "turn_ended"]
    assert [(turn.turn_id, turn.status) for turn in told] == [("t1", "done")]
    assert talk.transcript.session.active_turn_id == "t2"


@pytest.mark.parametrize(("output", "status"), [(True, "completed"), (False, "cancelled")])
def test_what_is_listed_no_more_is_closed_as_far_as_anything_tells(
    output: bool, status: str
) -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin()
    if output:
        words: Json = {"type": "text", "text": "It is there."}
        talk.call(content=[{"type": "content", "content": words}])
    talk.lists(A_CALL)
    talk.end(prompt)
    talk.lists()
    assert (talk.only().status, talk.only().background) == (status, False)


def test_a_session_that_is_resumed_may_tell_that_it_goes_on() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin()
    talk.lists(A_CALL)
    talk.end(prompt)
    talk.note(AgentExited(words="ended", expected=True))
    assert (talk.only().status, talk.transcript.session.background) == ("cancelled", 0)
    talk.lists(A_CALL)
    assert (talk.only().status, talk.only().background) == ("in_progress", True)
    assert talk.only().ended_at is None


def test_what_has_ended_does_not_go_on() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin()
    talk.call(status="completed")
    talk.lists(A_CALL, {"type": "tool_call", "toolCallId": "unknown"}, {"type": "dream"})
    talk.end(prompt)
    assert (talk.only().status, talk.only().background) == ("completed", False)
    assert talk.transcript.session.background == 3


@pytest.mark.parametrize("listed", ["x", None, [1], [{"no": "type"}], {"type": "tool_call"}])
def test_a_list_that_is_malformed_or_missing_closes_nothing(listed: object) -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.begin()
    talk.lists(A_CALL)
    talk.end(prompt)
    talk.update("state_update", state="idle", background=listed)
    talk.update("state_update", state="idle")
    assert talk.only().background


def test_what_is_listed_is_bounded() -> None:
    talk = Talk()
    talk.turn()
    for number in range(300):
        talk.begin(f"c{number}")
    talk.lists(*({"type": "tool_call", "toolCallId": f"c{n}"} for n in range(300)))
    assert sum(call.background for call in talk.calls) == 200
    assert talk.transcript.session.background == 200


def test_a_command_goes_on_in_the_card_of_its_call_which_has_ended() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.terminal(command="serve", capabilities=CAN)
    talk.begin(content=[{"type": "terminal", "terminalId": "x"}])
    talk.call(status="completed")
    terminal = talk.only().terminal
    assert terminal is not None
    assert not terminal.running
    talk.lists(A_TERMINAL)
    talk.end(prompt)
    assert (talk.only().status, talk.only().background, talk.only().cancels_terminal) == (
        "completed",
        True,
        True,
    )
    talk.prints("one\n")
    assert talk.only().output == "one\n"
    talk.terminal(exitStatus={"exitCode": 0})
    assert (talk.only().background, talk.only().exit_code) == (False, 0)
    talk.lists(A_TERMINAL)  # it has ended: the agent is wrong
    assert not talk.only().background


def test_a_command_of_no_call_goes_on_in_a_card_of_its_own() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.terminal(command="serve", capabilities=CAN)
    talk.lists(A_TERMINAL)
    talk.end(prompt)
    assert (talk.only().title, talk.only().status, talk.only().background) == (
        "serve",
        "in_progress",
        True,
    )
    talk.terminal(exitStatus={"exitCode": 1})
    assert (talk.only().status, talk.only().background) == ("failed", False)


def test_a_call_waits_for_its_command() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.terminal(command="serve")
    talk.begin(content=[{"type": "terminal", "terminalId": "x"}])
    talk.lists(A_TERMINAL)
    talk.end(prompt)
    assert (talk.only().status, talk.only().background) == ("in_progress", True)
    talk.terminal(exitStatus={"exitCode": 2})
    talk.lists()
    assert (talk.only().status, talk.only().background) == ("failed", False)


def test_that_it_is_asked_to_end_is_told_until_it_ends_or_refuses() -> None:
    talk = Talk()
    talk.turn()
    talk.begin(capabilities=CAN)
    params = {"sessionId": "a1", "toolCallId": "c"}
    asked: Json = {"jsonrpc": "2.0", "id": 7, "method": "tool_call/cancel", "params": params}
    number = talk.line(">", asked)
    assert talk.only().cancelling
    talk.line("<", {"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "No"}}, number)
    assert not talk.only().cancelling
    number = talk.line(">", asked)
    talk.line("<", {"jsonrpc": "2.0", "id": 7, "result": {}}, number)
    assert (talk.only().cancelling, talk.only().status) == (True, "in_progress")
    talk.call(status="cancelled")
    assert (talk.only().cancelling, talk.only().can_cancel) == (False, False)
    assert talk.only().ended_at is not None


def test_that_it_can_be_cancelled_may_be_taken_back() -> None:
    talk = Talk()
    talk.turn()
    talk.begin(capabilities=CAN)
    talk.call(title="Still")
    assert talk.only().can_cancel
    for none in (None, {}, {"cancel": None}, {"cancel": "yes"}, "x"):
        talk.call(capabilities=CAN)
        talk.call(capabilities=none)
        assert not talk.only().can_cancel


def test_a_terminal_of_no_call_has_a_card_once_it_puts_something_out() -> None:
    talk = Talk()
    talk.turn()
    talk.terminal(command="serve", cwd="/ws/sub")
    assert talk.calls == []
    for words in ("one\n", "one\ntwo\n"):
        talk.prints(words)
        assert (talk.only().title, talk.only().status) == ("serve", "in_progress")
        terminal = talk.only().terminal
        assert terminal is not None
        assert (terminal.command, terminal.cwd, terminal.running) == ("serve", "sub", True)
    assert talk.only().output == "one\none\ntwo\n"


def test_a_terminal_of_no_call_has_a_card_once_it_ends() -> None:
    talk = Talk()
    talk.turn()
    talk.terminal(command="true")
    talk.terminal(exitStatus={"exitCode": 0})
    assert (talk.only().title, talk.only().status) == ("true", "completed")


def test_a_terminal_waits_for_an_open_call_to_name_it() -> None:
    talk = Talk()
    talk.turn()
    talk.begin()
    talk.terminal(command="serve")
    talk.prints("one\n")
    talk.terminal(exitStatus={"exitCode": 3})
    assert (talk.only().title, talk.only().output, talk.only().terminal) == ("Serve", "", None)
    talk.call(content=[A_TERMINAL])
    assert (talk.only().output, talk.only().exit_code) == ("one\n", 3)


def test_an_agent_can_not_speak_for_a_terminal_of_ours_before_a_call_names_it() -> None:
    talk = Talk()
    talk.turn()
    talk.begin()
    starts(talk)
    talk.prints("lie")
    talk.terminal(command="lie", output=whole("lie"), exitStatus={"exitCode": 0})
    talk.call(content=[A_TERMINAL])
    terminal = talk.only().terminal
    assert terminal is not None
    assert (talk.only().output, terminal.command, terminal.running) == ("", "make", True)


@pytest.mark.parametrize(("asked", "status"), [(True, "cancelled"), (False, "failed")])
def test_a_command_that_the_user_cancels_is_cancelled(asked: bool, status: str) -> None:
    talk = Talk()
    talk.turn()
    talk.terminal(command="serve", capabilities=CAN)
    talk.prints("one\n")
    if asked:
        params = {"sessionId": "a1", "terminalId": "x"}
        talk.line(">", {"jsonrpc": "2.0", "id": 7, "method": "terminal/cancel", "params": params})
        assert talk.only().cancelling
    talk.terminal(exitStatus={"signal": "SIGTERM"})
    assert talk.only().status == status


def test_the_command_of_a_call_in_the_background_goes_on_with_it() -> None:
    talk = Talk()
    prompt = talk.turn()
    talk.terminal(command="serve")
    talk.begin(content=[A_TERMINAL])
    talk.lists(A_CALL)
    talk.end(prompt)
    terminal = talk.only().terminal
    assert terminal is not None
    assert terminal.running


@pytest.mark.parametrize("named", [True, False], ids=["named", "waits for its call"])
@pytest.mark.parametrize(
    ("update", "output"),
    [
        ({"output": whole("one\ntwo\n")}, "one\ntwo\n"),
        ({"output": whole("one\n")}, "one\n"),
        ({"output": whole("other\n")}, "other\n"),
        ({"output": whole("")}, ""),
        ({"output": None}, ""),
        ({}, "one\n"),
        ({"output": {"data": 5}}, "one\n"),
        ({"output": "other"}, "one\n"),
    ],
    ids=str,
)
def test_the_output_in_an_update_of_a_terminal_is_all_of_it(
    update: Json, output: str, named: bool
) -> None:
    talk = Talk()
    talk.turn()
    talk.begin(content=[A_TERMINAL] if named else [])
    talk.prints("one\n")
    talk.terminal(**update)
    talk.call(content=[A_TERMINAL])
    assert talk.only().output == output
    talk.prints("more\n")
    assert talk.only().output == f"{output}more\n"


def test_all_of_an_output_begins_with_no_piece_of_a_character() -> None:
    talk = Talk()
    talk.turn()
    talk.begin(content=[A_TERMINAL])
    euro = "€".encode()
    talk.update("terminal_output_chunk", terminalId="x", data=encoded(euro[:2]))
    talk.terminal(output={"data": encoded(b"10 " + euro[:1])})
    talk.update("terminal_output_chunk", terminalId="x", data=encoded(euro[1:]))
    assert talk.only().output == "10 €"
