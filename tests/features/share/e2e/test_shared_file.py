"""A shared turn as a file on disk: no network, nothing in the console, all that was said."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page, expect

from scripts.features.share.gen import TARGET
from tests.support.browser import pictures
from tests.support.browser.accessibility import (
    expect_accessible,
    expect_all_inside,
    is_dark,
    picture,
)
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.scenes.cards import PICTURE
from tests.support.scenes.steps import (
    NO,
    ONCE,
    ask,
    call,
    diff,
    plan,
    player,
    put_scene,
    say,
    text,
    think,
)
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.server.workspace import Workspace

HOSTILE = (
    "</script><script>window.hacked = 1</script>\n\n"
    '<img src="https://hostile.invalid/a.png" onerror="window.hacked = 1">\n\n'
    "![seen](https://hostile.invalid/b.png) [run](javascript:window.hacked=1) "
    "<iframe src=https://hostile.invalid></iframe><style>body { display: none }</style>"
)
EDIT = diff(
    "clean.py", "for row in rows:\n    keep(row)\n", "for row in sorted(rows):\n    keep(row)\n"
)
EDITS = {"toolCallId": "e1", "kind": "edit", "title": "Edit clean.py", "content": [EDIT]}
SCENE = [
    think("First see what is there."),
    plan(1, "Read clean.py", "Sort the rows", "Run the tests"),
    say(
        "The loop keeps their order:\n\n```python\ndef clean(rows):  # all of them\n"
        '    return [row.strip() for row in rows if row != "12"]\n```\n\n'
        "| site | mean |\n|---|--:|\n| Lisboa | 21.4 |\n"
    ),
    call("s1", "Grep", "search", {"pattern": "rows"}, text("clean.py:1:for row in rows:")),
    ask((EDITS, [ONCE, NO])),
    call("e1", "Edit", "edit", {"file_path": "clean.py"}, EDIT),
    call(
        "b1",
        "Bash",
        "execute",
        {"command": "pytest -q", "description": "Run the tests"},
        text("".join(f"line {n} of many\n" for n in range(4_000)) + "\x1b[32m15 passed\x1b[0m\n"),
    ),
    call("p1", "", "execute", {}, PICTURE, title="Plot the rows"),
    call("h1", "Bash", "execute", {"command": "echo '</script><b>x'"}, text(HOSTILE)),
    say(f"Sorted, and **all** tests pass.\n\n{HOSTILE}"),
]  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A shared turn as a file, and the Markdown that notebooks save of it."""
    folder = tmp_path_factory.mktemp("shared")
    with JupyterServer(folder, agents={"plays": player("Player")}) as server:
        put_scene(server.root, SCENE)
        with server.user() as user:
            session_id = open_session(user, "plays")
            turn_id = start_turn(user, session_id, "Sort the rows")
            request = pending(user, session_id)["request_id"]
            path = f"sessions/{session_id}/permissions/{request}"
            user.post(path, json={"option_id": "once"}).raise_for_status()
            bundle = finished(user, turn_id)["bundle"]
            query = {"format": "shared", "turn_id": turn_id}
            answer = user.get(f"sessions/{session_id}/transcript", params=query)
        assert str(server.root) not in answer.text
    file = folder / "turn.html"
    file.write_text(answer.json()["shared"], encoding="utf-8")
    return file, str(bundle["data"]["text/markdown"])


@pytest.mark.long
@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_shared_turn_is_whole_without_a_network(
    browser: Browser, tmp_path: Path, shared: tuple[Path, str], look: str
) -> None:
    """Opened from disk: read, played and printed."""
    file, markdown = shared
    assert file.stat().st_size < 300_000
    visitor = Visitor(browser, tmp_path, dark=look == "dark")
    visitor.context.set_offline(True)
    page, log = visitor.page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 900, "height": 1000})
    page.goto(file.as_uri())
    expect(page.get_by_role("group", name="Steps")).to_be_visible()
    picture(page, f"share, {look}, as it opens")
    assert is_dark(page.locator(".acp-player")) is (look == "dark")
    _expect_all_said(page, markdown)
    picture(page, f"share, {look}, all open")
    expect_all_inside(page)
    expect_accessible(page, "body")
    _play(page, look)
    _print(page)
    assert page.evaluate("[window.hacked ?? null]") == [None]
    assert asked == [file.as_uri()]
    # Chromium tells of each handler of hostile HTML, which is taken out before it is drawn.
    said = [line for line in log.console if "inline event handler violates" not in line]
    assert (log.errors, said) == ([], [])
    visitor.close()


@pytest.mark.long
@pytest.mark.parametrize("look", ["", "-dark"])
def test_the_console_of_an_ordinary_file_is_clean(
    browser: Browser, tmp_path: Path, look: str
) -> None:
    """The one that the README links to."""
    visitor = Visitor(browser, tmp_path, dark=look == "-dark")
    visitor.context.set_offline(True)
    page, log = visitor.page()
    page.set_viewport_size({"width": 820, "height": 560})
    page.goto(TARGET.as_uri())
    expect(page.get_by_role("group", name="Steps")).to_be_visible()
    pictures.take(f"how-to/share{look}", page)
    page.get_by_role("button", name="Open all").click()
    expect(page.get_by_role("main").locator("ins .k").first).to_be_visible()
    expect_accessible(page, "body")
    assert (log.errors, log.console) == ([], [])
    visitor.close()


@pytest.mark.long
def test_a_turn_and_a_session_are_shared_from_the_panel(
    lab: LabPage, workspace: Workspace, tmp_path: Path
) -> None:
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("Player")
    put_scene(lab.server.root, [say("All is well.")])
    panel.say("How is it?")
    expect(panel.log).to_contain_text("All is well.")
    button = panel.log.get_by_role("button", name="Share this turn")
    button.hover()
    picture(panel.root, "share, in the panel")
    with lab.page.expect_download() as turn:
        button.click()
    panel.button("More").click()
    with lab.page.expect_download() as session:
        panel.root.get_by_role("menuitem", name="Share").click()
    for name, download in (("turn", turn.value), ("shared", session.value)):
        assert re.fullmatch(rf"{name}-\w{{8}}\.html", download.suggested_filename)
        download.save_as(tmp_path / name)
        assert "How is it?" in (tmp_path / name).read_text()
    assert lab.log.errors == []


def _expect_all_said(page: Page, markdown: str) -> None:
    page.get_by_role("button", name="Open all").click()
    main = page.get_by_role("main")
    expect(main.locator("details:not([open])")).to_have_count(0)
    expect(main.locator("ins .k, .acp-code .k").first).to_be_visible()
    shown = "".join(main.inner_text().split())
    missing = [piece for piece in _pieces(markdown) if "".join(piece.split()) not in shown]
    # Of HTML in an answer only the words are drawn.
    assert [piece for piece in missing if not re.search("hostile|hacked|<style", piece)] == [], (
        missing
    )
    assert "characters left out" in main.inner_text() or "is left out" in main.inner_text()


def _play(page: Page, look: str) -> None:
    steps = page.get_by_role("slider", name="Step")
    last = int(steps.get_attribute("max") or 0)
    assert last > 6
    page.get_by_role("heading", level=1).click()
    for _ in range(last):
        page.keyboard.press("ArrowLeft")
    expect(steps).to_have_value("0")
    main = page.get_by_role("main")
    expect(main).to_contain_text("Sort the rows")
    expect(main).not_to_contain_text("tests pass")
    expect(page.get_by_role("button", name="Previous step")).to_be_disabled()
    page.get_by_role("button", name="Next step").click()
    expect(steps).to_have_value("1")
    page.get_by_role("button", name="Play").click()
    expect(steps).to_have_value("2")
    page.get_by_role("button", name="Pause").click()
    edit = main.get_by_role("group", name=re.compile("Editing file|Edit clean"))
    while edit.count() == 0:
        page.keyboard.press("ArrowRight")
    picture(page, f"share, {look}, at a step")
    steps.press("End")
    expect(main).to_contain_text("tests pass")


def _print(page: Page) -> None:
    """Paper has all of it; then the page is as it was."""
    page.get_by_role("button", name="Close all").click()
    closed = page.get_by_role("main").locator("details:not([open])")
    expect(closed.first).to_be_visible()
    before = closed.count()
    page.evaluate(
        "addEventListener('beforeprint', () => queueMicrotask(() =>"
        " window.closedOnPaper = document.querySelectorAll('details:not([open])').length))"
    )
    assert len(page.pdf()) > 10_000
    assert page.evaluate("window.closedOnPaper") == 0
    expect(closed).to_have_count(before)


class _Words(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.blocks: list[str] = [""]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"b", "code", "strong", "em", "a", "sub"}:
            self.blocks.append("")

    def handle_data(self, data: str) -> None:
        self.blocks[-1] += data


def _pieces(markdown: str) -> list[str]:
    """Return what is said, line by line and fact by fact, without what the page draws as a sign."""
    words = _Words(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
    lines = [line for block in words.blocks for line in block.splitlines()]
    facts = [fact for line in lines for fact in line.split(" · ")]
    said = [fact for fact in facts if not re.match(r"(---|\+\+\+|@@) ", fact)]
    # A file that was found stands above its lines.
    said = [part for fact in said for part in re.split(r"(?<=\.py):(?=\d)|(?<=\d):(?=\w)", fact)]
    return [re.sub(_SIGNS, "", part) for part in said if part.strip()]


_SIGNS = r"^([+-](?=\s*\w)|\[[x~ ]\] |Image: )| \(in progress\)$"


def test_the_pieces_of_a_turn_are_all_that_it_says() -> None:
    summary = "<summary><b>Edit</b> <code>a.py</code> · Allowed</summary>"
    patch = "```diff\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n```"
    folded = f"<details>\n{summary}\n\n{patch}\n</details>"
    assert _pieces(f"One *two*.\n\n{folded}") == ["One two.", "Edit a.py", "Allowed", "x", "y"]
