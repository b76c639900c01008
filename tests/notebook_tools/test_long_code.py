"""Code that runs long: what the user sees of it on its card meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools.outputs import Outputs
from acp_jupyter.notebook_tools.tool_permissions import CallCard
from acp_jupyter.protocol.objects import Obj, items, obj, text
from tests.notebook_tools.in_process import Dictionary
from tests.notebook_tools.talk import calls_of, start, using
from tests.support.host.driver import Driver
from tests.support.virtual_loop import in_virtual_time
from tests.support.wait import eventually


@pytest.mark.parametrize("hide", [False, True])
def test_what_it_prints_stands_on_its_card_while_it_runs(
    driver: Driver, session: Session, kernel: Dictionary, hide: bool
) -> None:
    step = using("run_code", {"code": "wait"}, hide=hide)
    turn_id = start(driver, session, step, policy="allow-all")
    eventually(
        lambda: [call.output for call in calls_of(session)] == ["waiting\n"],
        "what was printed is shown",
    )
    (call,) = calls_of(session)
    assert (call.status, call.tool_kind) == ("in_progress", "execute")
    driver.run(lambda: session.cancel(turn_id))
    driver.done(session, turn_id)
    # The agent may end its turn before its call of the tool is withdrawn.
    eventually(lambda: kernel.interrupted == 1, what="the code is interrupted")


def printed(packets: list[Obj]) -> list[str]:
    contents = (obj(each) for packet in packets for each in items(packet.get("content")))
    return [text(obj(each["content"]).get("text")) for each in contents]


@in_virtual_time
async def test_much_is_shown_seldom_and_the_newest_is() -> None:
    said: list[Obj] = []
    card = CallCard(said.append, "c", own=True).begun()
    for number in range(1000):
        card.print(f"line {number}")
    await asyncio.sleep(0.9)
    assert printed(said) == []
    await asyncio.sleep(10)
    assert printed(said) == ["line 999"]
    card.print("line 999")  # nothing new
    card.print("end")
    await asyncio.sleep(10)
    assert printed(said) == ["line 999", "end"]


@in_virtual_time
async def test_nothing_is_shown_after_the_end() -> None:
    said: list[Obj] = []
    card = CallCard(said.append, "c", own=True).begun()
    card.print("on its way")
    card.done(failed=False, text="the result")
    card.print("too late")
    await asyncio.sleep(60)
    assert printed(said) == ["the result"]
    assert [packet.get("status") for packet in said] == ["in_progress", "completed"]


def test_the_end_of_what_was_printed() -> None:
    outputs = Outputs()
    assert outputs.tail() == ""
    outputs.print("stdout", "a\n" * 3000)
    outputs.display({"text/plain": "shown"})
    outputs.print("stderr", "b")
    assert outputs.tail() == ("a\n" * 3000)[-3999:] + "b"
