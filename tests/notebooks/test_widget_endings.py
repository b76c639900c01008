"""Every trait of a widget, observed on one live turn that ends in each way.

Nothing is lost and no order is wrong: what an observer was told last is what the turn says, each
value is a later state than the one before it, and ``status`` becomes ``done`` last.
"""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.kernel.observed_widgets import NAMES, WATCH, Side, started
from tests.support.processes import family
from tests.support.scenes.steps import (
    NO,
    ONCE,
    Step,
    ask,
    call,
    diff,
    fail,
    go_on,
    hold,
    plan,
    put_scene,
    say,
    think,
    update,
    used,
    write,
)
from tests.support.server.jupyter_server import JupyterServer, free_port
from tests.support.wait import eventually

EDIT: Step = {
    "toolCallId": "edit",
    "title": "Edit a.txt",
    "kind": "edit",
    "status": "pending",
    "content": [diff("a.txt", None, "new\n")],
}

ASKS = [
    think("First think. "),
    say("One. "),
    plan(0, "Read", "Write"),
    call("read", "Read", "read", {"file_path": "b.txt"}, title="Read b.txt"),
    used(100, 1000, 0.5),
    hold("more"),
    think("Then write."),
    say("Two. "),
    plan(1, "Read", "Write"),
    used(200, 1000, 0.75),
    ask((EDIT, [ONCE, NO])),
    say("Three."),
]
FAILS = [*ASKS[:-2], fail("out of luck")]
DONE = update("tool_call_update", toolCallId="edit", status="completed")


def allow(side: Side) -> None:
    if side.user is None:
        side.kernel.run("turn.wait()", answers=["1"]).ok()
        return
    (asked,) = side.tell("widget.pending")
    url = f"sessions/{side.tell('session.id')}/permissions/{asked['request_id']}"
    side.user.post(url, json={"option_id": "once"}).raise_for_status()


def cancel(side: Side) -> None:
    side.run("turn.cancel()")


def kill(side: Side) -> None:
    pids = [pid for pid, command in family(os.getpid()).items() if "fake_agent.py plays" in command]
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class Ending:
    """A way in which the turn ends, and what is so then."""

    scene: list[Step]
    act: Callable[[Side], None] | None
    stop_reason: str
    error: str = ""
    text: str = "One. \n\nTwo. "
    calls: tuple[str, ...] = ("completed", "cancelled")


ENDINGS = {
    "permission": Ending(
        [*ASKS, write("a.txt", "new\n"), DONE],
        allow,
        "end_turn",
        text="One. \n\nTwo. \n\nThree.",
        calls=("completed", "completed"),
    ),
    "cancel": Ending(ASKS, cancel, "cancelled"),
    "killed": Ending(ASKS, kill, "error", "signal 9"),
    "error": Ending(FAILS, None, "error", "out of luck", calls=("completed",)),
}


@pytest.fixture(scope="module", params=["kernel", pytest.param("server", marks=pytest.mark.long)])
def side(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Side]:
    with started(request.param, tmp_path_factory.mktemp(request.param)) as side:
        yield side


@pytest.mark.parametrize("name", ENDINGS)
def test_each_trait_to_the_end(side: Side, name: str) -> None:
    ending = ENDINGS[name]
    (side.folder / "a.txt").unlink(missing_ok=True)
    put_scene(side.folder, ending.scene)
    side.run(f"import ipywidgets\nipywidgets.Widget.close_all()\n{WATCH}")
    side.watch("plays")
    side.run("turn = session.prompt('go')")
    eventually(lambda: side.tell("len(widget.tool_calls)") == 1, what="the first half is told")
    go_on(side.folder, "more")
    if ending.act is not None:
        eventually(lambda: side.tell("widget.status") == "requires_action")
        ending.act(side)
    side.run("settled()")
    seen = [(each, value) for each, value, _ in side.tell("seen")]
    told = {trait: [value for each, value in seen if each == trait] for trait in NAMES}
    assert_in_order(told)
    # Nothing is lost: the last that was told is what is so, and what the turn itself says.
    last = side.tell(f"{{name: getattr(widget, name) for name in {NAMES}}}")
    assert {trait: values[-1] for trait, values in told.items() if values} == {
        trait: last[trait] for trait, values in told.items() if values
    }
    assert (last["text"], last["thoughts"]) == (ending.text, "First think. \n\nThen write.")
    assert [entry["status"] for entry in last["plan"]] == ["completed", "in_progress"]
    assert tuple(each["status"] for each in last["tool_calls"]) == ending.calls
    assert last["usage"]["used"] == 200
    assert (last["status"], last["stop_reason"], last["pending"]) == (
        *("done", ending.stop_reason, ()),
    )
    assert ending.error in last["error"] if ending.error else last["error"] == ""
    assert side.tell("(turn.text, turn.thoughts, turn.stop_reason)") == (
        *(last["text"], last["thoughts"], last["stop_reason"]),
    )
    changed = {"a.txt"} if name == "permission" else set()
    assert {each["path"] for each in last["diffs"]} == changed
    # Each trait changed, but those that this end leaves alone.
    silent = {trait for trait, values in told.items() if not values}
    assert silent == ({"pending", "diffs"} if ending.act is None else set()) | (
        set() if ending.error else {"error"}
    )
    assert seen[-1] == ("status", "done")
    asked = [] if ending.act is None else ["asked"]
    assert [call[0] for call in side.tell("called")] == [*asked, "done"]


@pytest.mark.long
@pytest.mark.parametrize("comes_back", [True, False])
def test_a_server_that_is_killed(tmp_path: Path, comes_back: bool) -> None:
    """Its kernel outlives it, as one of a gateway does: the turn ends in an error all the same."""
    options: dict[str, Any] = {"port": free_port(), "env": {"JUPYTER_TOKEN": uuid.uuid4().hex}}
    with ExitStack() as stack:
        side = stack.enter_context(started("server", tmp_path, **options))
        assert side.server is not None
        stack.callback(lambda: side.kernel.client.shutdown())
        side.run("import os\nparent = os.getppid()\nos.getppid = lambda: parent")
        put_scene(side.folder, ASKS)
        side.run(WATCH)
        side.watch("plays")
        side.run("turn = session.prompt('go')\nown = turn.widget")
        eventually(lambda: side.tell("len(widget.tool_calls)") == 1)
        side.server.kill()
        if comes_back:
            stack.enter_context(JupyterServer(tmp_path, **options))
        ended = "[(each.status, each.stop_reason, bool(each.error)) for each in (widget, own)]"
        eventually(lambda: side.tell(ended) == [("done", "error", True)] * 2, "it has ended")
        assert side.tell("widget.text") == "One. "
        assert side.tell("[name for name, _, _ in seen][-3:]") == ["error", "stop_reason", "status"]
        assert side.tell("[call[0] for call in called]") == ["done"]
        refused = "NotAllowed" if comes_back else "ServerUnreachable"
        assert side.kernel.run("turn.wait()").error == refused


def assert_in_order(told: dict[str, list[Any]]) -> None:
    """Expect that each value is a later state of the turn than the one before it."""
    for trait in ("text", "thoughts"):
        assert all(new.startswith(old) for old, new in pairwise(told[trait])), told[trait]
    progress = ("pending", "in_progress", "completed", "failed", "cancelled")
    for trait in ("plan", "tool_calls"):
        states = [[progress.index(each["status"]) for each in value] for value in told[trait]]
        for old, new in pairwise(states):
            assert len(old) <= len(new)
            assert all(one <= other for one, other in zip(old, new, strict=False))
    amounts = [value["used"] for value in told["usage"]]
    assert amounts == sorted(amounts)
    statuses = [value for value, _ in groupby(told["status"])]
    assert statuses == told["status"]
    order = ("queued", "running", "requires_action", "running", "done")
    rest = iter(order)
    assert all(status in rest for status in statuses), statuses
    assert [len(value) for value in told["pending"]] in ([], [1, 0])
    for trait in ("stop_reason", "error"):
        assert len(told[trait]) <= 1
