"""Published agents and *Fix*: a diff at the cell, one key takes it, one takes it back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser.fix import (
    BROKEN,
    FIXED,
    expect_answerable,
    expect_side_by_side,
    fail,
    note,
    source,
)
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.mockllm.parts import Say, Steps, Use
from tests.support.published.in_a_page import Place
from tests.support.server.jupyterlab_server import stop_kernels
from tests.support.server.user import AsUser

pytestmark = [pytest.mark.agents, pytest.mark.long, pytest.mark.timeout(900)]

_ASKED_FOR = "A cell of this notebook failed"
_VARIABLES = "prices: list length 3 = [3, 1, 2]"
"""Of the error's frame, as ``last_error`` tells it; they stand in no cell or traceback."""


@pytest.fixture
def place(running: Place) -> Iterator[Place]:
    yield running
    stop_kernels(running.lab.server)


def _told(place: Place, what: str) -> str:
    """Return the id or fingerprint that stands in the prompt, as a model reads it there."""
    found: list[str] = re.findall(rf"whose {what} is `(\w+)`", place.model.request)
    return found[-1] if found else ""


def _proposes(place: Place, *reads: str, edits: bool = False) -> None:
    """Have the model use those tools, and then edit the cell."""
    part = {"edits": [{"old": "len(price)", "new": "len(prices)"}]}
    change: dict[str, object] = {**part} if edits else {"source": FIXED}
    place.model.prompts[_ASKED_FOR] = "scenario=fix"

    def steps() -> Steps:
        cell = {"cell_id": _told(place, "id"), "fingerprint": _told(place, "fingerprint")}
        uses: Steps = [[Use([rf"{tool}$"], {}, exact=True)] for tool in reads]
        edit = Use([r"edit_cell$"], {**cell, **change}, exact=True)
        return [*place.agent.searches(*reads, "edit_cell"), *uses, [edit], [Say("That is done.")]]

    place.model.scripts["fix"] = steps


def _expect_proposed(place: Place, nb: OpenNotebook) -> None:
    fix = note(nb, 1)
    expect(fix).to_contain_text(f"{place.agent.name} proposes a fix")
    expect(fix.locator("del")).to_contain_text("len(price)")
    expect(fix.locator("ins")).to_contain_text("len(prices)")
    expect_answerable(fix, "Apply and run")
    expect(fix).to_be_focused()
    assert source(nb, 1) == BROKEN.encode()


def _take_and_take_back(place: Place, nb: OpenNotebook) -> None:
    """Press two keys: one applies the proposal and runs the cell, one takes that back."""
    keys, error, fix = place.lab.page.keyboard, nb.outputs(1), note(nb, 1)
    keys.press("y")
    ran = f"The fix by {place.agent.name} works: the cell ran without an error."
    expect(fix).to_contain_text(ran)
    assert source(nb, 1) == FIXED.encode()
    expect_side_by_side(nb)
    expect_answerable(fix, "Take back")
    expect(fix).to_be_focused()
    keys.press("n")
    expect(fix).to_have_count(0)
    assert (source(nb, 1), nb.outputs(1)) == (BROKEN.encode(), error)
    expect(nb.output(1).locator(".acp-Before")).to_have_count(0)


def _answers(place: Place, nb: OpenNotebook) -> list[str]:
    """Return how all that was asked in the newest turn was answered, once it has ended."""
    with AsUser(place.lab.server) as user:
        turn_id = user.newest_turn(user.session_of(nb.path, place.agent.agent_id))
        asked = AsUser.permissions(user.ended(turn_id))
    return [permission["outcome"] for permission in asked]


def test_one_key_takes_its_fix_and_one_takes_it_back(place: Place) -> None:
    _proposes(place)
    keys = place.lab.page.keyboard
    nb = fail(place.lab, place.workspace("fix"), place.agent.agent_id)
    nb.prompt_mark(1).click()  # makes the cell active
    keys.press("Alt+Shift+F")
    _expect_proposed(place, nb)
    _take_and_take_back(place, nb)
    assert _answers(place, nb) == ["Allowed once"]

    # The button has the focus; what comes is declined.
    keys.press("Enter")
    _expect_proposed(place, nb)
    keys.press("Escape")
    expect(note(nb, 1)).to_have_count(0)
    assert _answers(place, nb) == ["Rejected"]
    assert source(nb, 1) == BROKEN.encode()


def test_a_question_before_it_reads_the_frames_is_answered_at_the_cell(place: Place) -> None:
    _proposes(place, "last_error", edits=True)
    nb = fail(place.lab, place.workspace("frames"), place.agent.agent_id)
    nb.cell(1).get_by_role("button", name="Fix", exact=True).click()
    if place.agent.asks_to_read:
        fix = note(nb, 1)
        expect(fix).to_contain_text("Claude Agent asks to read: mcp__notebook__last_error")
        expect_answerable(fix, "Allow once")
        expect(fix).to_be_focused()
        assert _VARIABLES not in place.model.request
        place.lab.page.keyboard.press("y")
    _expect_proposed(place, nb)
    assert _VARIABLES in place.model.request
    _take_and_take_back(place, nb)
    asked = 2 if place.agent.asks_to_read else 1
    assert _answers(place, nb) == ["Allowed once"] * asked
