"""*Fix* in Notebook 7, by an agent that answers with a code block, or with no fix at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.fix import (
    BROKEN,
    FIXED,
    expect_answerable,
    expect_side_by_side,
    fail,
    note,
    source,
)
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.scenes.steps import die, go_on, hold, put_scene, say
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace

pytestmark = pytest.mark.long

_BLOCK = say(f"The name is `prices`:\n\n```python\n{FIXED}\n```\n\nThat is all.")


@pytest.fixture
def nb(lab: LabPage, visitor: Visitor, workspace: Workspace) -> Iterator[OpenNotebook]:
    """A notebook with a cell that failed, in Notebook 7."""
    page = LabPage(visitor, lab.server, "notebook")
    nb = fail(page, workspace, "plays")
    yield nb
    assert not [said for said in page.log.console if "failed to activate" in said]


@pytest.fixture
def user(lab: LabPage) -> Iterator[AsUser]:
    with AsUser(lab.server) as user:
        yield user


def _ask(nb: OpenNotebook) -> Locator:
    """Click *Fix*; return its note."""
    nb.cell(1).get_by_role("button", name="Fix", exact=True).click()
    return note(nb, 1)


def _expect_ready(fix: Locator) -> None:
    """The difference, in view for long enough to be answered."""
    expect(fix).to_contain_text("Player proposes a fix")
    expect(fix.locator("del")).to_contain_text("len(price)")
    expect(fix.locator("ins")).to_contain_text("len(prices)")
    apply = fix.get_by_role("button", name="Apply and run")
    expect(apply).to_have_attribute("aria-disabled", "false")


def _newest_stop_reason(user: AsUser, nb: OpenNotebook) -> str:
    turn_id = user.newest_turn(user.session_of(nb.path, "plays"))
    return str(user.ended(turn_id)["turn"]["stop_reason"])


def test_a_code_block_of_the_answer_is_applied_run_and_taken_back(
    nb: OpenNotebook, workspace: Workspace
) -> None:
    keys, before, error = nb.lab.page.keyboard, source(nb, 1), nb.outputs(1)
    put_scene(workspace.folder, [_BLOCK])
    fix = _ask(nb)
    _expect_ready(fix)
    assert (source(nb, 1), nb.outputs(1)) == (before, error)
    fix.focus()
    keys.press("y")
    expect(fix).to_contain_text("The fix by Player works: the cell ran without an error.")
    assert source(nb, 1) == FIXED.encode()
    expect_side_by_side(nb)
    expect_answerable(fix, "Take back")
    keys.press("n")
    expect(fix).to_have_count(0)
    assert (source(nb, 1), nb.outputs(1)) == (before, error)


def test_a_cell_that_is_edited_while_the_agent_works_is_not_written_over(
    nb: OpenNotebook, workspace: Workspace
) -> None:
    put_scene(workspace.folder, [hold("edited"), _BLOCK])
    fix = _ask(nb)
    expect(fix).to_contain_text("Player looks at the error")
    nb.set_source(1, "mean = 3")
    go_on(workspace.folder, "edited")
    expect(fix).to_contain_text("You have changed this cell since")
    expect(fix.get_by_role("button", name="Apply and run")).to_have_count(0)
    fix.focus()
    nb.lab.page.keyboard.press("y")
    assert source(nb, 1) == b"mean = 3"
    nb.set_source(1, BROKEN)
    _expect_ready(fix)
    fix.focus()
    nb.lab.page.keyboard.press("Escape")
    expect(fix).to_have_count(0)
    assert source(nb, 1) == BROKEN.encode()


def test_no_fix_a_stop_and_a_death_are_said_and_it_can_be_asked_again(
    nb: OpenNotebook, workspace: Workspace, user: AsUser
) -> None:
    before, error = source(nb, 1), nb.outputs(1)
    put_scene(workspace.folder, [say("I see nothing wrong with it.")])
    fix = _ask(nb)
    expect(fix).to_contain_text("Player proposed no fix.")
    expect(fix.get_by_role("button", name="Open the session")).to_be_visible()

    # By Esc in the note: it goes, and so does the turn.
    put_scene(workspace.folder, [hold("never"), _BLOCK])
    fix.get_by_role("button", name="Ask again").click()
    expect(fix).to_contain_text("Player looks at the error")
    expect_answerable(fix, "Stop")
    fix.focus()
    nb.lab.page.keyboard.press("Escape")
    expect(fix).to_have_count(0)
    assert _newest_stop_reason(user, nb) == "cancelled"

    # From elsewhere: the note stays, and says it.
    fix = _ask(nb)
    expect(fix).to_contain_text("Player looks at the error")
    session_id = user.session_of(nb.path, "plays")
    user.post(f"sessions/{session_id}/cancel", {}).raise_for_status()
    expect(fix).to_contain_text("The agent was stopped.")

    put_scene(workspace.folder, [say("I was about to "), die("out of memory, maybe")])
    fix.get_by_role("button", name="Ask again").click()
    expect(fix).to_contain_text("was killed by signal 9")
    assert (source(nb, 1), nb.outputs(1)) == (before, error)

    put_scene(workspace.folder, [_BLOCK])
    fix.get_by_role("button", name="Ask again").click()
    _expect_ready(fix)
    fix.get_by_role("button", name="Dismiss").click()
    expect(fix).to_have_count(0)
    assert (source(nb, 1), nb.outputs(1)) == (before, error)
