"""The traits of widgets on live turns, with the host in the server and in the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.support.kernel.observed_widgets import NAMES, WATCH, Side, started
from tests.support.wait import eventually


@pytest.fixture(scope="module", params=["server", "kernel"])
def side(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Side]:
    with started(request.param, tmp_path_factory.mktemp(request.param)) as side:
        yield side


@pytest.fixture(autouse=True)
def fresh(side: Side) -> None:
    side.run("import ipywidgets\nipywidgets.Widget.close_all()")
    side.run(WATCH)


def test_the_traits_follow_a_turn_to_its_end(side: Side) -> None:
    side.watch("demo")
    assert side.tell("(widget.status, widget.text, widget.plan)") == ("", "", ())
    side.run("turn = session.prompt('plan rate=0')\nsettled()")
    assert side.tell("values('status')") in (
        ["queued", "running", "done"],
        ["running", "done"],
    )
    assert side.tell("widget.text == turn.text != ''")
    assert side.tell("widget.thoughts == turn.thoughts")
    assert side.tell("[entry['status'] for entry in widget.plan]") == ["completed"] * side.tell(
        "len(turn.plan)"
    )
    assert set(side.tell("widget.plan[0]")) == {"content", "priority", "status"}
    assert side.tell("widget.stop_reason") == "end_turn"
    assert side.tell("[name for name, _, _ in seen][-1]") == "status"
    assert side.tell("called") == [("done", "done", side.tell("turn.text"))]
    assert side.tell("repr(turn)").endswith(" of demo: done, end_turn>")


def test_text_grows_and_changes_at_most_ten_times_a_second(side: Side) -> None:
    side.watch("slow_stream")
    side.run("turn = session.prompt('go')\nsettled()")
    texts = side.tell("values('text')")
    assert len(texts) > 5
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))
    assert texts[-1] == "".join(f"word{number} " for number in range(200))
    times = side.tell("[at for name, _, at in seen if name == 'text']")
    for start in times:
        assert sum(start <= at < start + 1 for at in times) <= 11


def test_what_is_asked_is_seen_by_code_and_not_answered(side: Side) -> None:
    (side.folder / "edited.txt").unlink(missing_ok=True)
    side.watch("permission")
    side.run("turn = session.prompt('new text')")
    eventually(lambda: side.tell("[each['kind'] for each in widget.pending]") == ["permission"])
    (asked,) = side.tell("widget.pending")
    assert asked["title"] == "permission wants to create a file"
    assert asked["options"] == ("Allow", "Allow for this session", "Reject")
    assert side.tell("widget.status") == "requires_action"
    assert side.tell("called") == [("asked", asked["title"])]
    (call,) = side.tell("widget.tool_calls")
    assert (call["kind"], call["paths"]) == ("edit", ("edited.txt",))
    assert side.tell("[each['path'] for each in widget.diffs]") == ["edited.txt"]
    if side.user is None:
        side.run("turn.cancel()\nsettled()")
        assert side.tell("(widget.pending, widget.stop_reason)") == ((), "cancelled")
        assert not (side.folder / "edited.txt").exists()
        return
    session_id = side.tell("session.id")
    url = f"sessions/{session_id}/permissions/{asked['request_id']}"
    side.user.post(url, json={"option_id": "yes"}).raise_for_status()
    side.run("settled()")
    assert side.tell("(widget.pending, widget.stop_reason)") == ((), "end_turn")
    assert side.tell("[(d['path'], d['new_text'], d['added']) for d in widget.diffs]") == [
        ("edited.txt", "new text\n", 1)
    ]
    # Between the two it runs, perhaps for less than is told apart.
    statuses = [each for each in side.tell("values('status')") if each != "running"]
    assert statuses[-2:] == ["requires_action", "done"]


def test_three_prompts_at_once_are_shown_one_after_the_other(side: Side) -> None:
    side.watch("hello")
    side.run(
        "turns = [session.prompt(word) for word in ('one', 'two', 'three')]\n"
        "while len([call for call in called if call[0] == 'done']) < 3: time.sleep(0.02)"
    )
    assert side.tell("[call[2] for call in called]") == side.tell("[t.text for t in turns]")
    assert side.tell("widget.text == turns[-1].text")


def test_a_turns_own_widget_and_a_finished_one(side: Side) -> None:
    side.run("turn = connect('hello').prompt('Hi')\nwidget = watch(turn.widget)\nsettled()")
    assert side.tell("widget.text == turn.text != ''")
    assert side.tell("turn.widget is widget")
    side.run("late = watch(TurnWidget(turn))")
    assert side.tell("(late.text == turn.text, late.status)") == (True, "done")
    assert side.tell("len([call for call in called if call[0] == 'done'])") == 2


def test_turns_and_reprs_are_as_they_are(side: Side) -> None:
    """Whoever sent the prompt, and without a call that brings a turn up to date."""
    side.run("session = connect('hello', session='shared', new=True)")
    side.run("turn = session.prompt('Hi')\nwhile turn.duration is None: time.sleep(0.02)")
    eventually(lambda: side.tell("repr(turn)").endswith(" of hello: done, end_turn>"))
    if side.user is not None:
        url = f"sessions/{side.tell('session.id')}/prompt"
        side.user.post(url, json={"prompt": "from the panel"}).raise_for_status()
    else:
        side.run("connect('hello', session='shared').prompt('another object')")
    assert side.tell("[turn.id == session.turns[0].id, len(session.turns)]") == [True, 2]
    assert side.tell("session.turns[0] is turn and session.turns[1] is session.turns[1]")
    eventually(lambda: side.tell("session.turns[1].text") != "")


def test_an_observer_that_fails_stops_nothing(side: Side) -> None:
    side.watch("hello")
    side.run(
        "def fails(change): raise ZeroDivisionError\n"
        "widget.observe(fails, 'text')\n"
        "turn = session.prompt('Hi')\nsettled()"
    )
    assert side.tell("widget.status") == "done"
    assert side.tell("[call[0] for call in called]") == ["done"]
    assert side.tell("values('text')[-1] == turn.text")


def test_traits_are_not_set_from_outside(side: Side) -> None:
    """Neither by code nor by a page."""
    side.run("turn = connect('hello').prompt('Hi').wait()\nwidget = turn.widget")
    for name in NAMES:
        assert side.kernel.run(f"widget.{name} = widget.{name}").error == "TraitError"
    side.run("facts = set(widget.keys) - widget._from_page")
    side.run("before = {name: getattr(widget, name) for name in facts}")
    side.run("widget.set_state({name: 'other' for name in facts})")
    assert side.tell("before == {name: getattr(widget, name) for name in facts}")
    assert side.tell("widget._from_page.isdisjoint(dir(type(turn)))")


def test_links_and_layouts(side: Side) -> None:
    side.watch("hello")
    side.run(
        "import ipywidgets, traitlets\n"
        "label = ipywidgets.Label()\n"
        "traitlets.dlink((widget, 'status'), (label, 'value'))\n"
        "box = ipywidgets.Tab([ipywidgets.GridBox([widget]), ipywidgets.Accordion([widget])])\n"
        "turn = session.prompt('Hi')\nsettled()"
    )
    assert side.tell("label.value") == "done"
    side.run("out = ipywidgets.Output()\nout.append_display_data(turn.widget)")
    assert side.tell("list(out.outputs[0]['data'])") == [
        "text/plain",
        "application/vnd.jupyter.widget-view+json",
        "text/markdown",
    ]
    assert side.tell("turn.text in out.outputs[0]['data']['text/markdown']")
    side.run("def note(x): pass\nipywidgets.interactive(note, x=label)")


def test_a_closed_widget_hears_no_more(side: Side) -> None:
    side.watch("slow_stream")
    side.run("turn = session.prompt('go')\nwhile not widget.text: time.sleep(0.02)")
    side.run(
        "other = TurnWidget(turn)\nwidget.close()\ncount, long = len(seen), len(other.text) + 60\n"
        "while len(other.text) < long and other.status != 'done': time.sleep(0.02)\nturn.cancel()"
    )
    assert side.tell("len(seen) - count") <= 2


def test_nothing_runs_for_finished_turns(side: Side) -> None:
    side.run(
        "turns = [connect('hello').prompt('Hi').wait() for _ in range(3)]\n"
        "widgets = [turn.widget for turn in turns]\n"
        "import threading"
    )
    names = "[t.name for t in threading.enumerate() if t.name == 'acp-widgets']"
    side.run("import ipywidgets\nipywidgets.Widget.close_all()")
    eventually(lambda: side.tell(names) == [], "the feeds end")
