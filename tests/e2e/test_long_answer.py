"""A very long answer: few elements in the page, and all of its words for everybody."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.browser.timers import COUNT_TIMERS
from tests.support.server.workspace import Workspace

LOAD = "%load_ext acp_jupyter"
_PARTS = 400
_ELEMENTS = "document.getElementsByTagName('*').length"
_UNSEEN = ".acp-unseen"
_DRAWN_IN_VIEW = """view => {
  const box = view.closest('.acp-log, .jp-WindowedPanel-outer').getBoundingClientRect();
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  const spots = [0.1, 0.3, 0.5, 0.7, 0.9].map(part =>
    document.elementsFromPoint(box.left + box.width / 2, top + part * (bottom - top)));
  const inText = spots.filter(spot => spot.some(each => each.closest('.acp-prose')));
  return inText.length > 2 && !spots.flat().some(each => each.matches('.acp-unseen'));
}"""
# The script's search does not scroll a box, as the search of the browser's window does.
_FIND = """(log, words) => {
  document.activeElement.blur();
  getSelection().removeAllRanges();
  const found = find(words, false, false, true);
  const { top } = getSelection().getRangeAt(0).getBoundingClientRect();
  log.scrollTop += top - log.getBoundingClientRect().top - log.clientHeight / 2;
  return found;
}"""
_TOP_LINE = """log => {
  const top = log.getBoundingClientRect().top;
  const lines = [...log.querySelectorAll('.acp-prose > :not(.acp-unseen)')];
  const line = lines.find(each => each.getBoundingClientRect().top > top);
  return [line.textContent.slice(0, 30), Math.round(line.getBoundingClientRect().top - top)];
}"""
_WHERE = """(log, words) => {
  const lines = [...log.querySelectorAll('.acp-prose > :not(.acp-unseen)')];
  const line = lines.find(each => each.textContent.startsWith(words));
  return line && Math.round(line.getBoundingClientRect().top - log.getBoundingClientRect().top);
}"""


def answer() -> str:
    """Return many parts, each with a word of its own in each kind of block."""
    parts = []
    for n in range(_PARTS):
        parts.append(f"## Part {n:04}\n\nSome *text* of needle-{n:04} with `code` & **more**.\n\n")
        parts.append(f"1. one-{n:04}\n2. two\n   - inner [link](https://example.org)\n\n")
        parts.append(
            f"```python\nname_{n:04} = {n}\n```\n\n| a | b |\n| --- | --- |\n| {n} | x |\n\n"
        )
    return "".join(parts) + "The last line of all.\n"


def words_of(text: str) -> list[str]:
    return re.findall(r"needle-\d{4}|one-\d{4}|name_\d{4}", text)


def say_it(lab: LabPage, workspace: Workspace) -> PanelView:
    (workspace.folder / "answer.md").write_text(answer())
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("says")
    panel.say(str(workspace.folder / "answer.md"))
    expect(panel.log).to_contain_text("The last line of all.")
    expect(panel.stop).to_have_count(0)
    return panel


def scrolled(log: Locator, to: str) -> None:
    log.evaluate(f"log => {{ log.scrollTop = {to}; }}")


def drawn_in_view(page: Page, log: Locator) -> None:
    handle = log.element_handle()
    page.wait_for_function(_DRAWN_IN_VIEW, arg=handle)


@pytest.mark.long
@pytest.mark.parametrize("where", ["cell", "panel"])
def test_20_000_chunks_are_few_elements(lab: LabPage, workspace: Workspace, where: str) -> None:
    prompt = "bench N=20000 size=20 rate=0"
    if where == "cell":
        notebook = lab.open(workspace.notebook(LOAD, f"%%acp demo\n{prompt}"))
        notebook.load_extension()
        notebook.run_to_end(1)
        view = notebook.output(1).locator(".acp-prose")
    else:
        lab.open_empty(workspace.name)
        panel = lab.panel
        panel.choose_agent("demo")
        panel.say(prompt)
        view = panel.root.locator(".acp-prose")
    expect(view).to_contain_text(re.compile(r"END\s*$"))
    assert len(view.evaluate("view => view.textContent")) > 300_000
    # Each way to the middle and back leaves what it drew as words again.
    for to in ("'center'", "'start'", "'end'"):
        view.evaluate(f"view => view.scrollIntoView({{block: {to}}})")
        lab.page.wait_for_function(_DRAWN_IN_VIEW, arg=view.element_handle())
    lab.page.wait_for_function(f"{_ELEMENTS} < 3000")


def test_all_words_are_found_copied_printed_and_read_aloud(
    lab: LabPage, workspace: Workspace
) -> None:
    panel = say_it(lab, workspace)
    page, log = lab.page, panel.log
    whole = words_of(answer())
    expect(log.locator(_UNSEEN).first).to_be_attached()
    assert words_of(str(log.text_content())) == whole

    # A screen reader reads what the browser's tree of roles says.
    assert words_of(read_aloud(page)) == whole

    # The browser's search selects what it finds, and shows it as it is drawn.
    assert log.evaluate(_FIND, "needle-0123")
    found = log.locator("p", has_text="needle-0123")
    expect(found).to_be_in_viewport()
    assert page.evaluate("getSelection().toString()") == "needle-0123"
    assert found.locator("code").count() == 1
    drawn_in_view(page, log)

    # All is selected and copied; the box for messages takes what was copied.
    log.focus()
    page.keyboard.press("Control+a")
    selected = str(page.evaluate("getSelection().toString()"))
    assert words_of(selected) == whole
    scrolled(log, "0")
    drawn_in_view(page, log)
    assert words_of(str(page.evaluate("getSelection().toString()"))) == whole
    page.keyboard.press("Control+c")
    page.evaluate("getSelection().removeAllRanges()")
    panel.message.focus()
    page.keyboard.press("Control+v")
    assert words_of(panel.message.input_value()) == whole

    # What is printed is drawn; afterwards it is words again.
    page.evaluate(
        "addEventListener('beforeprint', () => { window.unseen ="
        " document.querySelectorAll('.acp-unseen').length; })"
    )
    page.pdf()
    assert page.evaluate("window.unseen") == 0
    expect(log.locator(_UNSEEN).first).to_be_attached()


@pytest.mark.long
def test_what_is_read_stays_in_place(lab: LabPage, workspace: Workspace) -> None:
    panel = say_it(lab, workspace)
    page, log = lab.page, panel.log
    # Whoever is at the end follows it.
    assert log.evaluate("log => log.scrollHeight - log.scrollTop - log.clientHeight") < 24
    # Up through what was never drawn: nothing jumps but by what was scrolled.
    scrolled(log, "log.scrollHeight / 2")
    drawn_in_view(page, log)
    box = log.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(12):
        words, top = log.evaluate(_TOP_LINE)
        before = log.evaluate("log => log.scrollTop")
        page.mouse.wheel(0, -200)
        page.wait_for_function(
            "([log, top]) => log.scrollTop !== top", arg=[log.element_handle(), before]
        )
        drawn_in_view(page, log)
        page.wait_for_function(
            f"([log, words, top]) => Math.abs(({_WHERE})(log, words) - top) <= 2",
            arg=[log.element_handle(), words, top + 200],
        )
    # A selection stays while what is selected is out of sight, and back again.
    line = log.locator("p", has_text="needle-").first
    line.evaluate("line => getSelection().selectAllChildren(line)")
    selected = page.evaluate("getSelection().toString()")
    scrolled(log, "0")
    drawn_in_view(page, log)
    assert page.evaluate("getSelection().toString()") == selected
    # Another answer comes below: who reads here stays here.
    words, top = log.evaluate(_TOP_LINE)
    panel.message.fill(str(workspace.folder / "answer.md"))
    panel.message.press("Enter")
    expect(log.locator(".acp-turn")).to_have_count(2)
    scrolled(log, "0")
    expect(panel.stop).to_have_count(0)
    assert log.evaluate(_TOP_LINE) == [words, top]


@pytest.mark.long
def test_a_page_with_finished_turns_is_at_rest(lab: LabPage, workspace: Workspace) -> None:
    lab.page.add_init_script(COUNT_TIMERS)
    prompts = ["%%acp demo\nmarkdown", "%%acp demo\nlist", "%%acp demo\nbench N=2000"]
    notebook = lab.open(workspace.notebook(LOAD, *prompts))
    notebook.load_extension()
    for index, _ in enumerate(prompts, start=1):
        notebook.run(index)
        # The clock of the running turn is one: they are counted.
        lab.page.wait_for_function("liveTimers.size > 0")
        notebook.wait_for_end(index)
    panel = lab.panel
    expect(panel.root.locator(".acp-turn")).to_have_count(3)
    lab.page.wait_for_function("liveTimers.size === 0")


def read_aloud(page: Page) -> str:
    """Return what the accessibility tree of the page says, in its order."""
    cdp = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = cdp.send("Accessibility.getFullAXTree")["nodes"]
    cdp.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    said: list[str] = []

    def walk(node: dict[str, Any]) -> None:
        if node.get("role", {}).get("value") == "StaticText":
            said.append(str(node.get("name", {}).get("value", "")))
            return
        for child in node.get("childIds", []):
            if child in by_id:
                walk(by_id[child])

    walk(nodes[0])
    return " ".join(said)
