"""Events on their way to a reader."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.api.subscription import Subscription, merge_events
from acp_jupyter.transcript.model.events import Event, TextAppended
from tests.support.transcript.event_view import View
from tests.support.transcript.traffic import Script

STEPS = st.lists(
    st.sampled_from(["text", "thought", "tool", "output", "end", "plan", "ask", "answer", "late"]),
    max_size=40,
)


def play(steps: list[str]) -> list[Event]:
    """Enter lines of every kind; return all events."""
    script = Script()
    prompt = script.turn()
    asked: list[str] = []
    output = ""
    for number, step in enumerate(steps):
        match step:
            case "text":
                script.text(f"w{number} \U0001f600 ")
            case "thought":
                script.text(f"t{number} ", kind="agent_thought_chunk")
            case "tool":
                script.update("tool_call", toolCallId="c", title=f"Tool {number}", kind="execute")
            case "output":
                output = output + f"{number}\n" if number % 5 else f"new {number}\n"
                content = [{"type": "content", "content": {"type": "text", "text": output}}]
                script.update("tool_call_update", toolCallId="c", content=content)
            case "end":
                # What is new is at the end, before it or nothing at all.
                whole = "\U0001f600" * 1_000 + "m" * (number % 7) + f"{number % 3} %"
                content = [{"type": "content", "content": {"type": "text", "text": whole}}]
                script.update("tool_call_update", toolCallId="e", content=content)
            case "plan":
                script.update("plan", entries=[{"content": f"step {number}"}])
            case "ask":
                asked.append(script.ask({"toolCallId": f"a{number}", "title": "x"}))
            case "answer" if asked:
                script.answer(asked.pop(), "once")
            case _:
                script.update("usage_update", used=number, size=100)
    script.end(prompt)
    script.text("tail")
    return script.events


@given(steps=STEPS, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_merged_flushes_give_the_same_view(steps: list[str], cuts: list[int]) -> None:
    events = play(steps)
    whole = View().take(events)
    places = sorted({0, len(events), *(cut for cut in cuts if cut < len(events))})
    view = View()
    for start, end in itertools.pairwise(places):
        flush = merge_events(events[start:end])
        assert [e.seq for e in flush] == sorted(e.seq for e in flush)
        assert not flush or flush[-1].seq == events[end - 1].seq
        view.take(flush)
    assert view.state() == whole.state()


@given(steps=STEPS, resumed=st.integers(0, 200))
def test_resuming_at_any_event_loses_and_doubles_nothing(steps: list[str], resumed: int) -> None:
    events = play(steps)
    cut = min(resumed, len(events))
    seen = View().take(merge_events(events[:cut]))
    after = events[cut - 1].seq if cut else 0
    seen.take(merge_events(event for event in events if event.seq > after))
    assert seen.state() == View().take(events).state()


def append(seq: int, offset: int, text: str) -> TextAppended:
    return TextAppended(
        session_id="s", seq=seq, item_id="i", field="text", offset=offset, text=text
    )


def test_a_reader_is_woken_once_until_it_takes() -> None:
    wakes: list[None] = []
    subscription = Subscription("s", lambda: wakes.append(None))
    subscription.push([append(1, 0, "a")])
    subscription.push([append(2, 1, "b")])
    assert len(wakes) == 1
    (event,) = subscription.take()
    assert (event.seq, event.kind) == (2, "text_appended")
    assert subscription.take() == ()
    subscription.push([append(3, 2, "c")])
    assert len(wakes) == 2


def test_very_much_is_taken_in_parts_and_says_the_same() -> None:
    wakes: list[None] = []
    subscription = Subscription("s", lambda: wakes.append(None))
    script = Script()
    script.turn()
    script.text("x" * 3_000_000)
    script.text("y", kind="agent_thought_chunk")
    script.text("\U0001f600" * 700_000)
    subscription.push(script.events)
    taken: list[Event] = []
    while part := subscription.take():
        texts = (event.text for event in part if isinstance(event, TextAppended))
        assert sum(map(len, texts)) <= 1_000_000
        taken += part
    assert len(wakes) > 3
    assert [event.seq for event in taken] == sorted(event.seq for event in taken)
    assert View().take(taken).state() == View().take(script.events).state()
