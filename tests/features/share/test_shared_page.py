"""What is shared of a turn or a session: one file, below its limits, without secrets and places."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from acp_jupyter.errors import BadRequest
from acp_jupyter.features.share.shared_page import shared_page
from acp_jupyter.transcript.model.items import AgentMessage, Item, UserMessage
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.support.planted_secret import SECRET
from tests.support.transcript.traffic import Script

GOLDEN = Path(__file__).parents[2] / "golden"
TURNS = [*GOLDEN.glob("turn_*.json"), *GOLDEN.glob("turns/*.json")]
ITEMS: TypeAdapter[tuple[Item, ...]] = TypeAdapter(tuple[Item, ...])
EVIL = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>{{turns}}\x1b[31m\u202e"


class Page(HTMLParser):
    """What a browser would find before a script runs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.html = page
        self.tags: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.words = ""
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append((found, ""))
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            attributes, text = self.scripts.pop()
            self.scripts.append((attributes, text + data))
        else:
            self.words += data

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The records of the turns."""
        assert [attributes.get("type") for attributes, _ in self.scripts] == [
            "application/json",
            "text/plain",
            None,
        ]
        return [turn["record"] for turn in json.loads(self.scripts[0][1])["turns"]]

    @property
    def size(self) -> int:
        return len(self.html.encode())


def page(
    session: SessionState, turns: list[TurnState], items: tuple[Item, ...], *, thoughts: bool = True
) -> Page:
    redactor = Redactor.of_environments({"LEAKY_API_KEY": SECRET}, {})
    scrubber = Scrubber.of_session(session, redactor, "/home/ada")
    return Page(shared_page(session, turns, items, scrubber, thoughts=thoughts))


def of_script(script: Script, *, thoughts: bool = True) -> Page:
    state = script.transcript
    turns = [state.turns[turn_id] for turn_id in state.turn_order]
    return page(state.session, turns, state.window(0, len(state.items)), thoughts=thoughts)


def texts(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


@pytest.mark.parametrize("path", TURNS, ids=lambda path: path.stem)
def test_every_golden_turn_is_a_page(path: Path) -> None:
    data: dict[str, Any] = json.loads(path.read_text())
    turns = [
        TurnState.model_validate(e["turn"]) for e in data["events"] if e["kind"] == "turn_ended"
    ]
    session = SessionState.model_validate(data["session"])
    drawn = page(session, turns, ITEMS.validate_python(data["items"]))
    assert drawn.size < 300_000
    said = texts({"turns": drawn.turns})
    for item in data["items"]:
        if item["kind"] == "tool_call":
            assert json.dumps(item["title"], ensure_ascii=False) in said


def test_two_scripts_run_and_nothing_is_fetched() -> None:
    script = Script()
    script.end(script.turn())
    policy = dict(part.split(" ", 1) for part in of_script(script).policy.split("; "))
    assert policy["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-\S+' 'sha256-\S+'", policy["script-src"])
    assert re.fullmatch(r"'sha256-\S+'", policy["style-src"])
    assert (policy["img-src"], policy["media-src"]) == ("data:", "data:")
    assert (policy["base-uri"], policy["form-action"]) == ("'none'", "'none'")


def test_nothing_that_an_agent_says_gets_out_of_its_place() -> None:
    script = Script(agent=EVIL)
    prompt = script.turn(EVIL)
    script.text(EVIL)
    script.text(EVIL, kind="agent_thought_chunk")
    script.update("tool_call", toolCallId=EVIL, title=EVIL, kind="edit", rawInput={"command": EVIL})
    script.end(prompt)
    drawn = of_script(script)
    assert drawn.tags.count("script") == 3
    assert not {"img", "iframe", "object", "embed", "base", "form"} & set(drawn.tags)
    (turn,) = drawn.turns
    assert [item["kind"] for item in turn["items"]][:2] == ["user_message", "agent_message"]
    assert "\u202e" not in drawn.words
    assert "</script><script>" in drawn.words, "as words"


def test_secrets_and_places_stay_here() -> None:
    script = Script(cwd="/home/ada/ws")
    prompt = script.turn(f"Use {SECRET} in /home/ada/ws/x.py")
    script.text(f"It is {SECRET}, in /home/ada/other and /home/ada/ws/data.csv")
    picture = {"type": "resource_link", "uri": "file:///home/ada/ws/plot.png", "name": "plot"}
    script.update("agent_message_chunk", content=picture)
    script.end(prompt)
    drawn = of_script(script)
    assert SECRET not in drawn.html
    assert "/home" not in drawn.html
    assert "ada" not in texts({"turns": drawn.turns})
    assert "./x.py" in drawn.words
    assert "~/other" in texts(drawn.turns[0])


def test_ids_of_this_server_are_not_told() -> None:
    script = Script()
    script.end(script.turn(turn_id="4f1d6bb6c8a94c21a3d2"))
    drawn = of_script(script)
    assert "4f1d6bb6c8a94c21a3d2" not in drawn.html


def test_the_prompt_is_there_and_thoughts_only_if_wanted() -> None:
    script = Script()
    prompt = script.turn("What is **this**?")
    script.text("I wonder", kind="agent_thought_chunk")
    script.text("A folder.")
    script.end(prompt)
    with_thoughts, without = of_script(script), of_script(script, thoughts=False)
    assert with_thoughts.turns[0]["items"][0]["text"] == "What is **this**?"
    assert "I wonder" in texts(with_thoughts.turns[0])
    assert "I wonder" not in without.html
    assert "What is **this**?" in without.words
    assert "A folder." in without.words


def _calls(turn_id: str, count: int, output: str) -> list[Item]:
    return [
        ToolCall(
            id=f"{turn_id}-{number}",
            turn_id=turn_id,
            tool_call_id=f"c{number}",
            title=f"Step {number}",
            tool_kind="execute",
            ui_kind="execute",
            status="completed",
            output=output,
        )
        for number in range(count)
    ]


def _turn(turn_id: str) -> TurnState:
    return TurnState(turn_id=turn_id, session_id="s1", status="done", prompt="Go on")


@pytest.mark.parametrize("output", ["row 1, 2, 3\n", "<", "\u00e9\u4e16\u754c", '"\\'])
def test_a_huge_turn_is_bounded_and_says_what_is_left_out(output: str) -> None:
    items: list[Item] = [
        UserMessage(id="u", turn_id="t", text="Much " * 20_000),
        *_calls("t", 150, output * 3_000),
        AgentMessage(id="m", turn_id="t", text=f"{output * 60_000}The end."),
        AgentMessage(id="n", turn_id="t", text="All done."),
    ]
    drawn = page(Script().transcript.session, [_turn("t")], tuple(items))
    assert drawn.size < 300_000
    found = drawn.turns[0]["items"]
    assert found[0]["kind"] == "user_message"
    assert "characters left out" in found[0]["text"]
    assert re.fullmatch(r"[\d,]+ earlier items? (is|are) not saved here\..*", found[1]["text"])
    assert "All done." in texts(drawn.turns[0])


def test_many_long_turns_are_bounded_and_the_newest_are_there() -> None:
    names = [f"t{number}" for number in range(60)]
    items: list[Item] = []
    for name in names:
        items += [UserMessage(id=f"u{name}", turn_id=name, text=name)]
        items += _calls(name, 50, "row\n" * 600)
    drawn = page(Script().transcript.session, [_turn(name) for name in names], tuple(items))
    assert drawn.size < 5_000_000
    asked = [record["items"][0]["text"] for record in drawn.turns]
    assert 30 < len(asked) < 60
    assert asked == names[-len(asked) :]
    assert f"{60 - len(asked)} earlier turns are left out" in drawn.words


def _picture(chars: int) -> dict[str, str]:
    data = base64.b64encode(b"\x89PNG" + b"x" * chars)[: chars // 4 * 4].decode()
    return {"type": "image", "mimeType": "image/png", "data": data}


def test_pictures_of_cells_are_there_and_what_is_too_large_says_so() -> None:
    script = Script()
    prompt = script.turn()
    content = [{"type": "content", "content": _picture(300_000)}]
    call = {"toolCallId": "c", "title": "notebook_run_cells", "kind": "execute"}
    script.update("tool_call", **call, status="completed", content=content)
    script.update("agent_message_chunk", content=_picture(1_200_000))
    script.end(prompt)
    turn = of_script(script).turns[0]
    block = next(item for item in turn["items"] if item["kind"] == "tool_call")["blocks"][0]
    assert (block["type"], len(block["data"])) == ("image", 300_000)
    late = next(item for item in turn["items"] if item["kind"] == "content_block")
    assert "data" not in late
    assert (late["type"], late["name"]) == ("other", "Image (left out: too large for this file)")


def test_what_came_between_turns_is_there() -> None:
    script = Script()
    script.update("notice", title="The agent was restarted", message="Why")
    script.end(script.turn("Go on"))
    between, turn = of_script(script).turns
    assert between["items"][0]["kind"] == "notice"
    assert "footer" not in between
    assert turn["items"][0]["text"] == "Go on"


def test_a_running_turn_is_shared_as_far_as_it_has_come() -> None:
    script = Script()
    script.turn("Go on")
    script.text("So far.")
    drawn = of_script(script)
    assert "final" not in drawn.turns[0]
    assert "Turn running" in drawn.words


def test_without_a_turn_there_is_nothing_to_share() -> None:
    with pytest.raises(BadRequest, match="no turn to share"):
        of_script(Script())
