"""A session as one HTML file that anybody can open."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.output.html import AgentHtml, html_page
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.support.planted_secret import SECRET
from tests.support.transcript.traffic import Script

GOLDEN = Path(__file__).parents[2] / "golden"
TURNS = [*GOLDEN.glob("turn_*.json"), *GOLDEN.glob("turns/*.json")]
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x1b[31m\u202e"
ITEMS: TypeAdapter[tuple[Item, ...]] = TypeAdapter(tuple[Item, ...])


class Page(HTMLParser):
    """What a browser would find."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words += data

    def harmless(self) -> Page:
        """It runs nothing and fetches nothing."""
        assert not {"script", "iframe", "object", "embed", "link", "base", "form"} & set(self.tags)
        for tag, name, value in self.attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in {"style", "srcdoc", "background", "srcset"}, (tag, name)
            if name in {"src", "poster"}:
                assert value.startswith(("data:image/", "data:audio/")), value
            if name == "href":
                assert value.startswith(("https://", "http://", "mailto:")), value
        styles = self.html.partition("<style>")[2].partition("</style>")[0]
        assert "url(" not in styles
        assert "@import" not in styles
        return self


def page(
    session: SessionState, turns: list[TurnState], items: tuple[Item, ...], **more: bool
) -> Page:
    redactor = Redactor.of_environments({"LEAKY_API_KEY": SECRET}, {})
    scrubber = Scrubber.of_session(session, redactor, "/home/ada")
    return Page(html_page(session, turns, items, scrubber, **more)).harmless()


def of_script(script: Script, **more: bool) -> Page:
    state = script.transcript
    turns = [state.turns[turn_id] for turn_id in state.turn_order]
    return page(state.session, turns, state.window(0, len(state.items)), **more)


def golden(path: Path) -> Page:
    data: dict[str, Any] = json.loads(path.read_text())
    turns = [e["turn"] for e in data["events"] if e["kind"] == "turn_ended"]
    return page(
        SessionState.model_validate(data["session"]),
        [TurnState.model_validate(turn) for turn in turns],
        ITEMS.validate_python(data["items"]),
        thoughts=True,
    )


@pytest.mark.parametrize("path", TURNS, ids=lambda path: path.stem)
def test_every_golden_turn_is_a_page(path: Path) -> None:
    drawn = golden(path)
    for item in json.loads(path.read_text())["items"]:
        if item["kind"] == "tool_call":
            assert item["title"] in drawn.words
        if item["kind"] in {"error", "notice"}:
            assert item.get("message", item.get("text")) in drawn.words


def test_every_kind_of_item_is_drawn() -> None:
    """A new kind needs a macro of its name, or the page fails."""
    kinds = {get_args(model.model_fields["kind"].annotation)[0] for model in _models()}
    macros = set(re.findall(r"macro (\w+)\(item\b", _template("item.html")))
    assert kinds - macros == set()


def _models() -> tuple[Any, ...]:
    return get_args(get_args(Item.__value__)[0])


def _template(name: str) -> str:
    folder = Path(html_page.__code__.co_filename).parent / "templates"
    return (folder / name).read_text()


def test_a_turn_with_all_that_matters() -> None:
    drawn = golden(GOLDEN / "turn_allowed.json")
    assert drawn.tags.count("details") == 4
    assert drawn.tags.count("del") == 3
    assert drawn.tags.count("ins") == 1
    assert "-    return df\n" in drawn.words
    assert "+    return df.copy()\n" in drawn.words
    assert ("div", "aria-label", "Diff of src/clean.py") in drawn.attributes
    for words in ("Allowed once", "Read clean.py", "+1 −3", "exit code 0", "4 passed", "iterrows"):
        assert words in drawn.words
    assert "<strong>1.9 s</strong>" in drawn.html
    assert "policy ask · 1 file changed: src/clean.py" in drawn.words


def test_thoughts_are_left_out_unless_asked_for() -> None:
    script = Script()
    script.turn()
    script.text("I wonder", kind="agent_thought_chunk")
    assert "I wonder" not in of_script(script).words
    assert "I wonder" in of_script(script, thoughts=True).words


def test_nothing_that_an_agent_says_gets_out_of_its_place() -> None:
    script = Script()
    script.turn(EVIL)
    script.text(EVIL)
    script.text(EVIL, kind="agent_thought_chunk")
    script.update("plan", entries=[{"content": EVIL, "priority": "high", "status": "pending"}])
    diff = {"type": "diff", "path": EVIL, "oldText": EVIL, "newText": f"{EVIL}\n+++\n---"}
    call = {"toolCallId": EVIL, "title": EVIL, "kind": "edit"}
    script.update("tool_call", **call, content=[diff], rawInput={"command": EVIL})
    name = [{"optionId": EVIL, "name": EVIL, "kind": "allow_once"}]
    script.answer(script.ask(call, name), EVIL)
    todos = [{"content": EVIL, "status": "pending", "activeForm": EVIL}]
    script.update("tool_call", toolCallId="t", title="todowrite", rawInput={"todos": todos})
    script.update("notice", title=EVIL, message=EVIL, _meta={"acp-jupyter/detail": EVIL})
    script.text("x", kind="agent_message_chunk")
    image = {"type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zz4="}
    script.update("agent_message_chunk", content=image)
    link = {"type": "resource_link", "uri": "javascript:alert(1)", "name": EVIL}
    script.update("agent_message_chunk", content=link)
    drawn = of_script(script, thoughts=True)
    assert "img" not in drawn.tags
    assert "\x1b" not in drawn.html
    assert "\u202e" not in drawn.html
    assert drawn.words.count("<script>alert(1)</script>") > 10


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](javascript:alert(1))", "[a](javascript:alert(1))"),
        ("[a](file:///etc/passwd)", "[a](file:///etc/passwd)"),
        ("[a](data:text/html,x)", "[a](data:text/html,x)"),
        ("[a](src/clean.py)", "[a](src/clean.py)"),
        ("[a](https://example.org)", "a"),
        ("![a cat](https://example.org/cat.png)", "a cat https://example.org/cat.png"),
        ("<b onclick=x>bold</b>", "<b onclick=x>bold</b>"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
        ("~~no~~", "no"),
    ],
)
def test_markdown_leads_to_the_web_or_nowhere(text: str, shown: str) -> None:
    drawn = Page(str(AgentHtml()(text))).harmless()
    assert drawn.words.split() == shown.split()
    assert ("a" in drawn.tags) == (shown == "a")


@given(st.text(alphabet="<>[]()!*_`~|#-\n \\&;:\"'=abjavscript:x/", max_size=200))
@example("[]()")
def test_any_markdown_is_harmless(text: str) -> None:
    Page(str(AgentHtml()(text))).harmless()


@pytest.mark.parametrize("text", ["[" * 60_000, "*a_" * 20_000, "`" * 60_000, "> " * 30_000])
def test_odd_markdown_takes_no_time(text: str) -> None:
    """The test's own time limit is the bound."""
    assert AgentHtml()(text)


def test_what_is_too_long_for_markdown_is_shown_as_it_is() -> None:
    assert AgentHtml()("<b>" * 50_000).startswith("<pre>&lt;b&gt;")
    render = AgentHtml(all_chars=10)
    assert [render("*x*  .").startswith("<pre>") for _ in range(2)] == [False, True]


def test_secrets_and_places_stay_here() -> None:
    script = Script(cwd="/home/ada/ws")
    script.turn(f"Use {SECRET} in /home/ada/ws/x.py")
    script.text(f"It is {SECRET}, in /home/ada/other")
    html = of_script(script).html
    assert SECRET not in html
    assert "/home/ada" not in html


def test_a_running_turn_says_so() -> None:
    script = Script()
    script.turn()
    assert "Turn running…" in of_script(script).words


def test_images_and_sounds_are_in_the_file() -> None:
    drawn = golden(GOLDEN / "turns" / "blocks.json")
    assert {"img", "audio"} <= set(drawn.tags)


def test_light_and_dark() -> None:
    css = _template("session.css")
    names = [set(re.findall(r"(--[\w-]+):", block)) for block in css.split(":root {")[1:3]]
    assert names[0] == names[1] != set()
    assert "prefers-color-scheme: dark" in css


def test_a_question_and_its_answer_are_drawn_as_words() -> None:
    script = Script()
    schema = {"type": "object", "properties": {"name": {"type": "string", "title": "<b>Name"}}}
    params = {"mode": "form", "message": "Who <script>?", "requestedSchema": schema}
    script.line("<", {"id": 1, "method": "elicitation/create", "params": params})
    answer = {"action": "accept", "content": {"name": "<img src=x>"}}
    script.line(">", {"id": 1, "result": answer}, re=len(script.entries))
    drawn = of_script(script)
    for words in ("Who <script>?", "<b>Name", "<img src=x>", "Answered"):
        assert words in drawn.words
