"""Permission requests where the eye and the hand are: keys, clicks, focus, and what is in view."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.accessibility import picture
from tests.support.browser.keyboard import InputCount, Keyboard
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView, TurnView
from tests.support.scenes.stage import Stage
from tests.support.scenes.steps import NO, ONCE, Step, ask, diff, hold, put_scene, say

TEXT = "A note."
TO_REQUEST = "Alt+Shift+Y"
SLOW_TO_DRAW = """
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = draw => setTimeout(() => frame(draw), 500);
"""
"""Of a page that has much to do: a second key comes before it has drawn what the first one did."""


def edit(number: int, lines: int = 2) -> tuple[Step, list[Step]]:
    """A request for an edit of a file of its own."""
    path = f"src/part{number}.py"
    new = "".join(f"value_{line} = {line}\n" for line in range(lines))
    details = {"rawInput": {"file_path": path}, "content": [diff(path, "old = 1\n", new)]}
    called = {"toolCallId": f"e{number}", "kind": "edit", "title": f"Edit {path}"}
    return called | details, [ONCE, NO]


def open_stage(lab: LabPage, name: str, steps: list[Step]) -> tuple[Stage, TurnView, Keyboard]:
    """Run a prompt as a person does: with Shift+Enter, which goes on to the note below."""
    stage = Stage(lab, name)
    nb = stage.open("%%acp plays\nEdit.", "count = 1")
    lab.page.evaluate(
        """([path, words]) => {
          const notebook = jupyterapp.shell.currentWidget;
          notebook.content.model.sharedModel.insertCell(
            2, { cell_type: 'markdown', source: words, metadata: {} });
        }""",
        [nb.path, TEXT],
    )
    put_scene(stage.folder, steps)
    nb.cell(1).click()
    lab.page.keyboard.press("Shift+Enter")
    expect(nb.cell(2)).to_have_class(re.compile("jp-mod-active"))
    return stage, nb.turn(1), Keyboard(lab.page)


@pytest.mark.long
def test_keys_are_drawn_where_they_work(lab: LabPage) -> None:
    """One shortcut from command mode, one key; the cell below is as it was, and active again."""
    _, turn, keyboard = open_stage(lab, "consent-keys", [ask(edit(1))])
    allow = turn.option("Allow once")
    expect(allow).to_be_enabled()
    note = lab.page.locator(".jp-Notebook .jp-MarkdownCell")
    expect(note).to_have_class(re.compile("jp-mod-active"))
    assert turn.permission.locator(".btn kbd:visible").count() == 0
    expect(turn.permission).to_contain_text("Alt+Shift+Y")
    keyboard.press(TO_REQUEST)
    expect(turn.permission).to_be_focused()
    expect(allow.locator("kbd")).to_be_visible()
    keyboard.press("1")
    expect(turn.permission).to_have_count(0)
    keyboard.expect_inside(note)
    assert lab.page.locator(".jp-Notebook").inner_text().count(TEXT) == 1
    keyboard.press("Enter")
    keyboard.write("More")
    expect(note).to_contain_text("More")


@pytest.mark.parametrize(
    "theme", [pytest.param("JupyterLab Light", marks=pytest.mark.long), "JupyterLab Dark"]
)
def test_what_is_folded_is_shown_before_it_is_allowed(lab: LabPage, theme: str) -> None:
    """By keys alone: the waiting cell and its notebook stay as they are."""
    asked, options = edit(1, lines=120)
    asked["rawInput"] |= {"run_after": "make deploy", "note": "x" * 5_000}
    name = f"consent-folded-{theme.split()[1]}"
    _, turn, keyboard = open_stage(lab, name, [ask((asked, options))])
    lab.use_theme(theme)
    allow, more = turn.option("Allow once"), turn.permission.get_by_text("Show all of it")
    expect(turn.permission).to_contain_text("run_after")
    keyboard.press(TO_REQUEST)
    expect(turn.permission).to_be_focused()
    cells = lab.page.locator(".jp-Notebook .jp-Cell").count()
    keyboard.press("d", "d", "x", "a", "m")
    assert lab.page.locator(".jp-Notebook .jp-Cell").count() == cells
    keyboard.press("y")
    expect(more).to_be_focused()
    expect(allow).to_be_disabled()
    picture(lab.page, f"request-folded-{theme}")
    allow.scroll_into_view_if_needed()
    expect(turn.option("Reject"), "the buttons were in view for a while").to_be_enabled()
    expect(allow).to_be_disabled()
    keyboard.press("Enter")
    expect(more).to_have_count(0)
    expect(turn.permission.get_by_text("x" * 5_000)).to_have_count(1)
    assert turn.permission.locator("ins").count() == 120
    expect(turn.permission).to_be_focused()
    keyboard.press("y")
    expect(allow).to_be_enabled()
    expect(allow).to_be_in_viewport()
    picture(lab.page, f"request-shown-{theme}")
    keyboard.press("y")
    expect(turn.permission).to_have_count(0)
    assert lab.page.locator(".jp-Notebook .jp-Cell").count() == cells


def test_typing_while_a_request_appears_answers_nothing(lab: LabPage) -> None:
    stage, turn, keyboard = open_stage(
        lab, "consent-typing", [hold("typed"), ask(edit(1), edit(2))]
    )
    code = lab.page.locator(".jp-Notebook .jp-CodeCell").last
    code.locator(".cm-content").click()
    keyboard.press("Control+a")
    keyboard.write("1")
    stage.go_on("typed")
    typed = "1"
    while turn.permission.count() < 2:
        keyboard.write("21")
        typed += "21"
    for _ in range(60):
        keyboard.write("12")
        typed += "12"
    expect(turn.permission).to_have_count(2)
    expect(code.locator(".cm-content")).to_have_text(typed)
    keyboard.press(TO_REQUEST)
    expect(turn.permission.last).to_be_focused()
    # An answer counts once its request was in view for a moment.
    expect(turn.option("Allow once").last).to_be_enabled()
    keyboard.press("2")
    expect(turn.permission).to_have_count(1)
    expect(turn.permission).to_be_focused()
    expect(turn.option("Allow once")).to_be_enabled()
    keyboard.press("2")
    expect(turn.permission).to_have_count(0)
    keyboard.write("3")
    expect(code.locator(".cm-content")).to_have_text(f"{typed}3")


def answered(lab: LabPage) -> list[str]:
    """How the edits of all turns here were answered, as the server has it."""
    with lab.server.user() as client:
        (session,) = client.get("sessions").json()
        route = f"sessions/{session['session_id']}/items"
        items = client.get(route, params={"start": 0, "end": 500}).json()["items"]
    return [item["permission"]["state"] for item in items if item.get("permission")]


@pytest.mark.parametrize("where", ["cell", pytest.param("panel", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "by_keys",
    [pytest.param(False, id="clicks", marks=pytest.mark.long), pytest.param(True, id="keys")],
)
def test_one_edit_takes_one_click_or_two_keys_and_ten_edits_one_more(  # noqa: PLR0915
    lab: LabPage, where: str, by_keys: bool
) -> None:
    stage = Stage(lab, f"consent-{where}-{by_keys}")
    effort = InputCount(lab.page)
    lab.page.add_init_script(SLOW_TO_DRAW)
    nb = stage.open("%%acp plays\nEdit.")
    keyboard = Keyboard(lab.page)
    view: TurnView = nb.turn(1)
    if where == "panel":
        keyboard.press("Alt+Shift+A")
        view = panel = PanelView(lab.page.locator("#acp-jupyter-panel"))
        panel.choose_agent("Player")
        panel.message.click()
    else:
        nb.cell(1).click()

    def send(steps: list[Step]) -> None:
        put_scene(stage.folder, steps)
        if where == "panel":
            keyboard.write("Edit.")
        keyboard.press("Enter" if where == "panel" else "Control+Enter")

    def choose(*options: Locator) -> None:
        """Count from when the first can be chosen to when all have been."""
        expect(view.option("Allow once").first).to_be_enabled()
        effort.begin()
        if by_keys:
            keyboard.press(TO_REQUEST)
        for option in options:
            if by_keys:
                keyboard.press(str(option.get_attribute("data-option")))
            else:
                option.click()
        expect(view.permission).to_have_count(0)
        count = len(options)
        assert (effort.clicks, effort.keys) == ((0, count + 1) if by_keys else (count, 0))

    send([ask(edit(0)), say("One edit.")])
    choose(view.option("Allow once"))
    expect(view.root).to_contain_text("One edit.")
    expect(view.stop).to_have_count(0)
    assert answered(lab) == ["allowed"]

    send([*(ask(edit(number)) for number in range(10)), say("Ten edits.")])
    more = view.permission.locator("summary", has_text="More answers").first
    group = view.root.get_by_role("group", name="Always in this session")
    choose(more, group.get_by_role("button", name="All edits"))
    effort.begin()
    expect(view.root).to_contain_text("Ten edits.")
    assert (effort.clicks, effort.keys) == (0, 0)
    assert answered(lab) == ["allowed"] * 11


@pytest.mark.long
def test_one_edit_takes_one_click_in_the_panel_which_gets_the_message_box_back(
    lab: LabPage,
) -> None:
    stage = Stage(lab, "consent-panel")
    stage.open()
    keyboard = Keyboard(lab.page)
    put_scene(stage.folder, [hold("typed"), ask(edit(1)), say("Done.")])
    keyboard.press("Alt+Shift+A")
    panel = PanelView(lab.page.locator("#acp-jupyter-panel"))
    expect(panel.message).to_be_focused()
    panel.choose_agent("Player")
    panel.message.click()
    keyboard.write("Edit.")
    keyboard.press("Enter")
    keyboard.write("1 more")
    stage.go_on("typed")
    allow = panel.option("Allow once")
    expect(allow).to_be_enabled()
    keyboard.write(" 2 more")
    expect(panel.message).to_have_value("1 more 2 more")
    allow.click()
    expect(panel.permission).to_have_count(0)
    expect(panel.message).to_be_focused()
    keyboard.write("!")
    expect(panel.message).to_have_value("1 more 2 more!")


@pytest.mark.long
def test_an_answer_stays_where_it_is_read_and_a_question_comes_into_view(lab: LabPage) -> None:
    """The prompt is at the foot of the page, as it is in most notebooks."""
    stage = Stage(lab, "consent-view")
    above, below = (["x = 1\ny = 2\nz = 3"] * 14, ["x = 1"] * 3)
    nb = stage.open(*above, "%%acp plays\nEdit.", *below)
    parts = range(20)
    words = [[say(f"Paragraph {part} of an answer.\n\n"), hold(str(part))] for part in parts]
    steps = [step for part in words for step in part]
    put_scene(stage.folder, [*steps, ask(edit(1, lines=18)), ask(edit(2, lines=22))])
    nb.cell(15).click()
    lab.page.keyboard.press("Shift+Enter")
    turn = nb.turn(15)
    read = set()
    for part in parts:
        expect(turn.text(f"Paragraph {part} of")).to_be_attached()
        box = turn.text("Paragraph 0 of").bounding_box()
        read.add(None if box is None else round(box["y"]))
        stage.go_on(str(part))
    assert len(read) == 1, read
    for path in ("src/part1.py", "src/part2.py"):
        expect(turn.permission.get_by_role("region", name=f"Diff of {path}")).to_be_visible()
        allow = turn.option("Allow once")
        expect(allow).to_be_enabled()
        view = lab.page.locator(".jp-WindowedPanel-outer").first.bounding_box()
        card = turn.permission.bounding_box()
        assert view is not None
        assert card is not None
        assert view["y"] <= card["y"]
        assert card["y"] + card["height"] <= view["y"] + view["height"]
        allow.click()
        expect(turn.permission.get_by_text(path)).to_have_count(0)
