"""The widget in pages that are not Jupyter's: its colours, its icons, its buttons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.support.browser.accessibility import (
    expect_accessible,
    expect_all_inside,
    is_dark,
    picture,
)
from tests.support.browser.chromium import Visitor
from tests.support.browser.plain_page import show_widget
from tests.support.browser.roles import TurnView
from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import Kernel
from tests.support.kernel.comm import Comm
from tests.support.scenes import cards
from tests.support.scenes.steps import NO, ONCE, ask, diff, plan, player, put_scene, say, think
from tests.support.wait import eventually

SCENE = [
    think("First see what is there."),
    say("I make `clean.py` **faster**, see [its page](https://example.org):\n\n```python\n"
        "def clean(rows):  # all of them\n    return [row.strip() for row in rows[:10]]\n```\n"),
    plan(1, "Read clean.py", "Replace the loop", "Run the tests"),
    *cards.CARDS[:-1],
    ask(
        (
            {
                "toolCallId": "e9",
                "kind": "edit",
                "title": "Edit clean.py",
                "content": [diff("clean.py", "for row in rows:\n", "for row in sorted(rows):\n")],
            },
            [ONCE, NO],
        )
    ),
]  # fmt: skip

DARK = "background: #191c20; color: #e4e6ea;"
# What the pages of ipywidgets' own manager have, as in Panel and Shiny; others are missing.
LIGHT_VARIABLES = """<style>:root { --jp-layout-color0: white; --jp-layout-color1: white;
  --jp-layout-color2: #eee; --jp-ui-font-color0: black; --jp-ui-font-color1: rgba(0, 0, 0, 0.8);
  --jp-content-font-color1: black; --jp-success-color1: #4caf50; --jp-error-color1: #f44336;
  --jp-warn-color1: #ff9800; --jp-brand-color1: #2196f3; }</style>"""
# Panel's page is dark before its text is light.
DARK_GROUND = "<style>html { background: #121212; } h1 { color: white; }</style>"
# Some of Bootstrap's, which Shiny's pages have.
BOOTSTRAP = """<style>.row > * { width: 100%; flex-shrink: 0; } .btn { font-size: 40px; }
  .badge { position: absolute; left: -99px; } .muted, .cut, .grow { color: #eee; }</style>"""


@dataclass(frozen=True)
class Place:
    """A page, and whether it is dark."""

    dark: bool = False
    dark_system: bool = False
    head: str = ""
    body: str = ""
    shadow: bool = False


PLACES = {
    "light": Place(),
    "light in a dark system": Place(dark_system=True),
    "dark as the system": Place(
        dark=True, dark_system=True, head="<meta name=color-scheme content='light dark'>"
    ),
    "dark by itself": Place(dark=True, body=f"style='{DARK}'"),
    "dark with some light variables": Place(
        dark=True, head=LIGHT_VARIABLES, body=f"style='{DARK}'"
    ),
    "dark with a shadow root": Place(dark=True, body=f"style='{DARK}'", shadow=True),
    "dark, and its text not yet light": Place(dark=True, head=DARK_GROUND),
    "light with classes named as ours": Place(head=BOOTSTRAP),
}


PART_WORDS = {
    "plan": "Replace the loop",
    "tool_calls": "Searching content",
    "text": "its page",
    "permission": "Allow once",
    "diffs": "1 file changed",
}
SHORT = {"dark with some light variables"}


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Comm]:
    """The comm of a turn with a card of each kind, that waits for a permission."""
    folder = tmp_path_factory.mktemp("plain")
    work, config = folder / "work", folder / "config"
    for each in (work, config):
        each.mkdir()
    agents = {"agent_servers": {"plays": player("Player")}}
    (config / "acp_agents.json").write_text(json.dumps(agents))
    trust_in_data_dir(folder / "data", folder)
    put_scene(work, SCENE)
    with Kernel(work) as kernel:
        code = (
            "from acp_jupyter import connect\n"
            "turn = connect('plays').prompt('Show each kind of tool')\n"
            "turn.widget"
        )
        comm = Comm(kernel, kernel.run(code, watched=True).ok())
        eventually(comm.pending, what="the request reaches the page")
        yield comm


@pytest.mark.parametrize(
    "name",
    [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in PLACES],
)
def test_a_page_without_jupyters_variables(
    browser: Browser, tmp_path: Path, asking: Comm, name: str
) -> None:
    """Text, buttons and diffs are legible, and as dark as the page is."""
    place = PLACES[name]
    visitor = Visitor(browser, tmp_path, dark=place.dark_system)
    page, log = visitor.page()
    show_widget(page, asking, head=place.head, body=place.body, shadow=place.shadow)
    view = TurnView(page.locator("main"))
    expect(view.option("Allow once")).to_be_visible()
    picture(view.root, f"plain page, {name}, closed")
    closed = view.log.locator("[aria-expanded=false]")
    while closed.count() > 0:
        closed.first.click()
    lines = view.diff("src/clean.py")
    added, removed = (background(lines.locator(mark).first) for mark in ("ins", "del"))
    assert len({added, removed, "rgba(0, 0, 0, 0)"}) == 3
    assert is_dark(page.locator(".acp")) is place.dark
    icon = view.log.locator("svg.i > use").first.evaluate("use => use.getBBox().width")
    assert icon > 4
    picture(view.root, f"plain page, {name}")
    expect_all_inside(page)
    expect_accessible(page, "main")
    assert log.errors == []
    visitor.close()


def test_a_page_that_changes_its_theme(browser: Browser, tmp_path: Path, asking: Comm) -> None:
    """By its class or the system. It has no manager of widgets: the kernel gives the code."""
    visitor = Visitor(browser, tmp_path)
    page, _ = visitor.page()
    head = f"<style>.night {{ {DARK} }}</style>"
    head += "<meta name=color-scheme content='light dark'>"
    show_widget(page, asking, head=head, manager=False)
    assert page.evaluate("sent.filter(message => message.code).length") == 1
    assert not is_dark(page.locator(".acp"))
    for dark, change in (
        (True, "document.body.className = 'night'"),
        (False, "document.body.className = ''"),
        (True, "document.documentElement.className = 'night'"),
        (False, "document.documentElement.removeAttribute('class')"),
    ):
        page.evaluate(change)
        page.wait_for_function(_DARK, arg=dark)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(_DARK, arg=True)
    visitor.close()


def test_a_page_that_strips_styles_and_scripts(
    browser: Browser, tmp_path: Path, asking: Comm
) -> None:
    """Its policy allows the widget's module, but no style or script in the document."""
    visitor = Visitor(browser, tmp_path)
    page, log = visitor.page()
    policy = "default-src 'none'; script-src 'self' blob:; style-src 'none'; img-src data:"
    show_widget(
        page, asking, head=f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    )
    view = TurnView(page.locator("main"))
    expect(view.option("Allow once")).to_be_visible()
    lines = view.diff("clean.py")
    added, removed = (background(lines.locator(mark).first) for mark in ("ins", "del"))
    assert len({added, removed, "rgba(0, 0, 0, 0)"}) == 3
    picture(view.root, "plain page, strict policy")
    view.choose("Allow once")
    assert "answer_permission" in page.evaluate("JSON.stringify(sent)")
    assert page.evaluate("sent.every(message => !message.code)")
    assert log.errors == []
    visitor.close()


@pytest.mark.long
@pytest.mark.parametrize("part", ["plan", "tool_calls", "text", "permission", "diffs"])
def test_a_part_where_style_elements_are_removed(
    browser: Browser, tmp_path: Path, asking: Comm, part: str
) -> None:
    """Nothing of it needs one: a page that removes them and all that is inline shows it whole."""
    visitor = Visitor(browser, tmp_path)
    page, log = visitor.page()
    policy = "script-src 'self' blob: 'unsafe-eval'; style-src 'none'; img-src data:"
    alone = copy(asking)
    alone.state = {**asking.state, "part": part}
    show_widget(page, alone, head=f'<meta http-equiv="Content-Security-Policy" content="{policy}">')
    view = page.locator(f".acp[data-part={part}]")
    expect(view).to_contain_text(PART_WORDS[part])
    assert view.evaluate("each => getComputedStyle(each).fontFamily").startswith("system-ui")
    assert view.locator("style, script, [onclick]").count() == 0
    picture(view, f"plain page, strict policy, {part}")
    assert log.errors == []
    visitor.close()


@pytest.mark.long
def test_a_page_that_forbids_what_the_widget_is_packed_in(
    browser: Browser, tmp_path: Path, asking: Comm
) -> None:
    """It says so in words; nothing waits for ever."""
    visitor = Visitor(browser, tmp_path)
    page, _ = visitor.page()
    policy = "default-src 'none'; script-src 'self' 'unsafe-eval'"
    show_widget(
        page, asking, head=f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    )
    expect(page.locator("#place")).to_contain_text("This page’s policy blocks blob: scripts")
    visitor.close()


_DARK = """dark => {
  const view = document.querySelector('#place > div').shadowRoot.querySelector('.acp');
  const numbers = getComputedStyle(view).backgroundColor.match(/\\d+/g);
  return (Number(numbers[0]) < 128) === dark;
}"""


def background(element: Locator) -> str:
    return str(element.evaluate("each => getComputedStyle(each).backgroundColor"))
