"""Messages, thoughts and notices: what an agent adds to, puts in the place of, or says too late."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.errors import NobodyToAsk
from acp_jupyter.protocol.host_events.notes import TurnFailed, TurnQueued
from acp_jupyter.protocol.host_events.session import AgentSilentNote, Variant
from acp_jupyter.transcript.model.items import Notice, UserMessage
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript
from tests.support.transcript.traffic import Script

Json = dict[str, Any]


def shown(script: Script) -> list[Any]:
    """Return what follows the prompt."""
    state = script.transcript
    items = state.window(0, len(state.items))
    return [item for item in items if not isinstance(item, UserMessage) or item.steered]


def said(script: Script) -> list[tuple[str, str]]:
    items = shown(script)
    return [(item.kind, item.text) for item in items if item.kind in {"agent_message", "thought"}]


def words(text: str) -> Json:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("update", "after"),
    [
        (("agent_message", "m"), [("agent_message", "New"), ("thought", "Hm")]),
        (("agent_thought", "m"), [("agent_message", "Old"), ("thought", "New")]),
        (
            ("agent_message", "n"),
            [("agent_message", "Old"), ("thought", "Hm"), ("agent_message", "New")],
        ),
    ],
)
def test_a_whole_message_takes_the_place_of_the_one_with_its_id(
    update: tuple[str, str], after: list[tuple[str, str]]
) -> None:
    """A thought may have the same id."""
    script = Script()
    script.turn()
    script.text("Old", messageId="m")
    script.text("Hm", kind="agent_thought_chunk", messageId="m")
    kind, message_id = update
    script.update(kind, messageId=message_id, content=[words("New")])
    assert said(script) == after


def test_a_whole_message_without_an_id_takes_no_place() -> None:
    script = Script()
    script.turn()
    script.text("One. ")
    script.update("agent_message", content=[words("Two.")])
    assert said(script) == [("agent_message", "One. Two.")]


def test_what_is_said_after_nobody_could_be_asked_is_not_shown() -> None:
    script = Script()
    prompt = script.turn()
    script.text("I will ask. ")
    script.note(TurnFailed(turn_id="t1", message="No.", reason=NobodyToAsk.reason))
    script.text("I was rejected.")
    assert said(script) == [("agent_message", "I will ask. ")]
    script.end(prompt)
    script.text("Next.")
    assert ("agent_message", "Next.") in said(script)


def test_late_text_of_a_subagent_is_not_joined_to_the_agents() -> None:
    script = Script()
    prompt = script.turn()
    script.update("tool_call", toolCallId="c1", title="Task", kind="other", status="in_progress")
    script.text("Done.")
    script.end(prompt)
    script.text("Late.", _meta={"parentToolCallId": "c1"})
    assert [(item.text, item.parent_id) for item in shown(script) if hasattr(item, "text")] == [
        ("Done.", ""),
        ("Late.", shown(script)[0].id),
    ]


def test_late_text_goes_on_in_a_session_of_one_message() -> None:
    """An imported log does not tell the prompt."""
    script = Script()
    script.line("!", {"note": "turn_queued", "turn_id": "t1", "prompt": []})
    script.line("!", {"note": "turn_started", "turn_id": "t1"})
    asked: Json = {"id": 1, "method": "session/prompt", "params": {"sessionId": "a1", "prompt": []}}
    prompt = script.line(">", asked)
    script.text("The tail ")
    script.end(prompt)
    script.text("is here.")
    assert said(script) == [("agent_message", "The tail is here.")]


def test_a_message_that_the_agent_takes_in_while_it_works_stands_there() -> None:
    script = Script()
    script.turn()
    script.text("One. ")
    prompt = [words("Turn left")]
    asked: Json = {"sessionId": "a1", "prompt": prompt}
    number = script.line(">", {"id": 5, "method": "_session/steering", "params": asked})
    script.line("<", {"id": 5, "result": {"outcome": "injected"}}, number)
    script.text("Two.")
    assert [(item.kind, item.text) for item in shown(script)] == [
        ("agent_message", "One. "),
        ("user_message", "Turn left"),
        ("agent_message", "Two."),
    ]


def test_an_image_that_the_agent_takes_in_while_it_works_stands_there() -> None:
    script = Script()
    script.turn()
    image = {"type": "image", "data": "aQ==", "mimeType": "image/png"}
    asked: Json = {"sessionId": "a1", "prompt": [image]}
    number = script.line(">", {"id": 5, "method": "_session/steering", "params": asked})
    script.line("<", {"id": 5, "result": {"outcome": "injected"}}, number)
    assert [(item.kind, item.turn_id) for item in shown(script)] == [("content_block", "t1")]


@pytest.mark.parametrize(
    "variant", [None, Variant(try_id="y", number=2, folder="/ws")], ids=["alone", "variant"]
)
def test_a_prompt_is_told_by_its_text_and_what_is_beside_it(variant: Variant | None) -> None:
    opening = Script().opening.model_copy(update={"variant": variant})
    image: Json = {"type": "image", "data": "aQ==", "mimeType": "image/png"}
    link: Json = {"type": "resource_link", "uri": "file:///ws/a.csv", "name": "a.csv"}
    queued = TurnQueued(turn_id="t1", prompt=(words("Look"), image, link, words("again")))
    state, _ = reduce(opened_transcript(opening, 1.0), queued, 2.0)
    turn = state.turns["t1"]
    assert (turn.prompt, turn.variant) == ("Look\nagain", 0 if variant is None else 2)
    (message,) = state.window(0, len(state.items))
    assert isinstance(message, UserMessage)
    told = [(each.type, each.name, each.uri) for each in message.attachments]
    assert told == [
        ("image", "image", ""),
        ("resource_link", "a.csv", "file:///ws/a.csv"),
        ("text", "again", ""),
    ]


def notices(script: Script) -> list[Notice]:
    return [item for item in shown(script) if isinstance(item, Notice)]


@pytest.mark.parametrize(
    ("update", "after"),
    [
        ({}, ("Full", "All.")),
        ({"error": None}, ("", "All.")),
        ({"summary": None}, ("Full", "")),
        ({"summary": []}, ("Full", "")),
        ({"error": "Fuller", "summary": [words("Most.")]}, ("Fuller", "Most.")),
    ],
)
def test_null_empties_what_was_said_of_a_compaction(update: Json, after: tuple[str, str]) -> None:
    script = Script()
    script.turn()
    about = {"compactionId": "k", "status": "failed"}
    script.update("compaction_update", **about, error="Full", summary=[words("All.")])
    script.update("compaction_update", **about, **update)
    assert [(notice.text, notice.detail) for notice in notices(script)] == [after]


@pytest.mark.parametrize(
    ("length", "after"), [(300, "x" * 300), (301, "x" * 299 + "…"), (10_000, "x" * 299 + "…")]
)
def test_the_title_of_a_notice_is_cut(length: int, after: str) -> None:
    script = Script()
    script.turn()
    script.update("notice", title="x" * length)
    assert [notice.title for notice in notices(script)] == [after]


def test_an_unknown_update_is_told_once_in_a_turn() -> None:
    script = Script()
    for turn in ("t1", "t2"):
        prompt = script.turn(turn_id=turn)
        for kind in ("_new", "_newer", "_new"):
            script.update(kind, x=1)
        script.end(prompt)
    told = [(notice.turn_id, notice.title) for notice in notices(script)]
    assert told == [("t1", "_new"), ("t1", "_newer"), ("t2", "_new"), ("t2", "_newer")]


def test_an_agent_that_speaks_again_is_not_silent() -> None:
    script = Script()
    script.turn()
    script.note(AgentSilentNote(turn_id="t1", since=5.0))
    assert script.transcript.session.silent_since == 5.0
    script.text("Here.")
    assert script.transcript.session.silent_since is None
