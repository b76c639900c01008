"""Published agents behind the server, end to end but for their models: what the user sees."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.mockllm import FakeModel
from tests.support.published import PUBLISHED, Published, processes_of
from tests.support.published_talk import Talk
from tests.support.server import JupyterServer
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.timeout(180)]

Json = dict[str, Any]

HELLO_PY = 'def main():\n    print("hello")\n'
DONE = "All done: **finished** the task."


@dataclass(frozen=True)
class Place:
    """A server with one agent, and a session of it."""

    agent: Published
    server: JupyterServer
    home: Path
    talk: Talk

    def another(self, name: str) -> Talk:
        """Open another session."""
        return Talk(self.talk.user, self.agent.agent_id, self.server.root / name)


@contextmanager
def place_of(agent: Published, folder: Path) -> Iterator[Place]:
    home = folder / "agent-home"
    home.mkdir(parents=True)
    with FakeModel() as model:
        agents = {agent.agent_id: agent.entry(home, model)}
        with JupyterServer(folder, agents=agents) as server, server.user() as user:
            talk = Talk(user, agent.agent_id, server.root / "work")
            yield Place(agent, server, home, talk)
        eventually(lambda: not processes_of(home), 10, "processes of the agent are left")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(agent, id=agent.agent_id, marks=[pytest.mark.long] if agent.long else [])
        for agent in PUBLISHED
    ],
)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """One process for most tests: it takes seconds to start."""
    agent: Published = request.param
    with place_of(agent, tmp_path_factory.mktemp(agent.agent_id)) as place:
        yield place


@pytest.fixture
def talk(place: Place) -> Iterator[Talk]:
    yield place.talk
    place.talk.settle()


@pytest.fixture
def agent(place: Place) -> Published:
    return place.agent


def test_it_says_who_it_is(agent: Published, talk: Talk) -> None:
    info = talk.state["agent_info"]
    assert (info["name"], info["version"]) == (agent.name, agent.version)


def test_text_and_thoughts(agent: Published, talk: Talk) -> None:
    played = talk.play("hello")
    assert played.turn["stop_reason"] == "end_turn"
    said = "# Hello\n\nSome **Markdown**.\n\n- one\n- two\n"
    assert played.text.strip() == f"{agent.first_words}{said}".strip()
    assert "First the request" in played.thoughts
    assert played.calls == []


def test_a_file_is_written_after_it_was_allowed(agent: Published, talk: Talk) -> None:
    file = talk.folder / "new.py"
    turn_id = talk.start("write_file file=new.py")
    call = talk.asked(turn_id)
    assert not file.exists()
    assert call["permission"]["title"] == f"{agent.name} wants to create a file"
    kinds = [option["option_kind"] for option in call["permission"]["options"]]
    assert kinds.count("allow_once") == kinds.count("reject_once") == 1
    (diff,) = call["diffs"]
    assert (diff["path"], diff["is_new_file"], diff["added"]) == ("new.py", True, 2)
    talk.answer(call, "allow_once")
    played = talk.end(turn_id)
    assert file.read_text() == HELLO_PY
    call = played.call
    assert (call["status"], call["tool_kind"]) == ("completed", "edit")
    assert call["path"] == "new.py"
    assert "new.py" in f"{call['title']} {call['description']}"
    assert [(diff["path"], diff["added"]) for diff in call["diffs"]] == [("new.py", 2)]
    assert call["permission"]["outcome"] == "Allowed once"
    assert played.text.endswith(DONE)
    assert played.turn["stop_reason"] == "end_turn"


def test_a_file_is_edited_after_it_was_allowed(agent: Published, talk: Talk) -> None:
    file = talk.folder / "old.py"
    file.write_text(HELLO_PY)
    turn_id = talk.start("edit_file file=old.py")
    asked = talk.asked(turn_id)
    assert file.read_text() == HELLO_PY
    assert asked["permission"]["title"] == f"{agent.name} wants to edit a file"
    talk.answer(asked, "allow_once")
    played = talk.end(turn_id)
    assert file.read_text() == HELLO_PY.replace("hello", "goodbye")
    read, edit = played.calls
    assert (read["status"], read["path"]) == ("completed", "old.py")
    assert edit["status"] == "completed"
    (diff,) = edit["diffs"]
    assert (diff["path"], diff["added"], diff["removed"]) == ("old.py", 1, 1)
    assert not diff["is_new_file"]


def test_a_command_its_output_and_its_exit_code(agent: Published, talk: Talk) -> None:
    played = talk.play("run_command")
    assert len(played.asked) == ("run_command" in agent.asks)
    call = played.call
    assert call["tool_kind"] == "execute"
    assert shown_command(call) == "echo out; exit 3"
    assert call["status"] == agent.failed_command
    if agent.command_output:
        assert call["output"].splitlines()[-1] == "out"
        assert call["exit_code"] == 3
    for asked in played.asked:
        assert asked["permission"]["title"] == f"{agent.name} wants to run a command"
        assert shown_command(asked) == "echo out; exit 3"
    assert played.text.endswith(DONE)


def test_a_command_that_was_rejected_is_not_run(agent: Published, talk: Talk) -> None:
    played = talk.play("touch file=rejected.txt", "reject_once")
    assert not (talk.folder / "rejected.txt").exists()
    call = played.call
    assert call["status"] == "failed"
    assert (call["permission"]["state"], call["permission"]["outcome"]) == ("rejected", "Rejected")
    assert "touch" in shown_command(call)
    assert played.text.endswith(DONE) is agent.goes_on_after_no
    assert talk.state["waiting"] == 0


def test_a_plan_is_shown_once_and_in_its_last_state(agent: Published, talk: Talk) -> None:
    played = talk.play("todo_plan")
    contents = ["Read the notebook", "Write the function", "Run the tests"]
    plans = played.of("plan")
    lists = [call["todos"] for call in played.calls if call["todos"] is not None]
    match agent.plan:
        case "plan":
            (plan,) = plans
            assert [entry["content"] for entry in plan["entries"]] == contents
            assert {entry["status"] for entry in plan["entries"]} <= {"completed", "pending"}
            assert lists == []
        case "todos":
            assert plans == []
            assert [todo["content"] for todo in lists[-1]] == contents
            assert {todo["status"] for todo in lists[-1]} == {"completed"}
        case _:
            assert "no tool matches" in played.text


def test_many_tools_in_one_turn(agent: Published, talk: Talk) -> None:
    (talk.folder / "hello.py").write_text(HELLO_PY)
    played = talk.play("many_tools")
    assert played.turn["stop_reason"] == "end_turn"
    assert (talk.folder / "many.py").read_text() == HELLO_PY.replace("hello", "goodbye")
    # Who has no tool to list files says so.
    assert len(played.calls) + played.text.count("no tool matches") == 8
    assert {call["status"] for call in played.calls} <= {"completed", "failed"}
    assert all(call["title"] for call in played.calls)
    commands = [shown_command(call) for call in played.calls if call["tool_kind"] == "execute"]
    assert [command for command in commands if "echo" in command] == ["echo one", "echo two"]
    assert talk.state["waiting"] == 0


def test_a_long_stream_arrives_whole(agent: Published, talk: Talk) -> None:
    played = talk.play("long_stream chunks=2000")
    assert played.text == agent.first_words + "".join(f"w{n} " for n in range(2000))


def test_prompts_in_one_session_are_answered_one_after_the_other(
    agent: Published, talk: Talk
) -> None:
    ids = [talk.start("count chunks=30 rate=60"), talk.start("hello")]
    first, second = (talk.end(turn_id) for turn_id in ids)
    assert first.turn["ended_at"] <= second.turn["started_at"]
    assert first.text == agent.first_words + "".join(f"w{n} " for n in range(30))
    assert "Some **Markdown**" in second.text


def test_two_sessions_at_once(agent: Published, place: Place, talk: Talk) -> None:
    other = place.another("other")
    writing = other.start("write_file")
    request = other.asked(writing)
    assert "Some **Markdown**" in talk.play("hello").text
    assert other.look(writing)["turn"]["status"] == "requires_action"
    other.answer(request, "allow_once")
    assert other.end(writing).text.endswith(DONE)
    assert (other.folder / "hello.py").read_text() == HELLO_PY
    ids = [(each, each.start("count chunks=60 rate=30")) for each in (talk, other)]
    both = [each.end(turn_id) for each, turn_id in ids]
    assert both[1].turn["started_at"] < both[0].turn["ended_at"]
    said = agent.first_words + "".join(f"w{n} " for n in range(60))
    assert [played.text for played in both] == [said, said]


def test_stop_while_it_writes(agent: Published, talk: Talk) -> None:
    turn_id = talk.start("count chunks=2000 rate=20")
    talk.until_text(turn_id, "w5 ")
    ended_by_stop(talk, turn_id)
    assert "Some **Markdown**" in talk.play("hello").text


def test_stop_while_a_command_runs(agent: Published, place: Place, talk: Talk) -> None:
    turn_id = talk.start("sleep_command")
    if "sleep_command" in agent.asks:
        talk.answer(talk.asked(turn_id), "allow_once")
    eventually(lambda: "sleep" in names(place.home), 60, "the command runs")
    ended_by_stop(talk, turn_id)
    (call,) = (i for i in talk.look(turn_id)["items"] if i["kind"] == "tool_call")
    # One calls it completed, and says in the output that it was cancelled.
    assert call["status"] in {"cancelled", "failed"} or "cancelled" in call["output"]
    if not agent.keeps_commands:
        eventually(lambda: "sleep" not in names(place.home), 10, "the command has ended")
    assert "Some **Markdown**" in talk.play("hello").text


def test_stop_while_it_asks(agent: Published, talk: Talk) -> None:
    """C4."""
    turn_id = talk.start("touch file=touched.txt")
    talk.asked(turn_id)
    ended_by_stop(talk, turn_id)
    assert talk.state["waiting"] == 0
    assert not (talk.folder / "touched.txt").exists()
    assert "Some **Markdown**" in talk.play("hello").text


def test_an_error_of_the_model_ends_the_turn_in_words(talk: Talk) -> None:
    played = talk.play("error")
    assert "mock error" in played.turn["failure"]["message"]
    assert played.turn["stop_reason"] == "error"
    assert "Some **Markdown**" in talk.play("hello").text


@pytest.mark.long
def test_a_stream_that_is_cut(agent: Published, talk: Talk) -> None:
    turn_id = talk.start("drop")
    talk.until_text(turn_id, "This stream")
    if agent.retries_cut_streams:
        ended_by_stop(talk, turn_id)
    else:
        played = talk.end(turn_id, seconds=120)
        assert played.turn["failure"]["message"]
    assert "Some **Markdown**" in talk.play("hello").text


def test_a_killed_agent_is_noticed_and_the_next_prompt_works(place: Place) -> None:
    talk = place.another("killed")
    turn_id = talk.start("count chunks=2000 rate=20")
    talk.until_text(turn_id, "w5 ")
    running = processes_of(place.home)
    pids = {process.pid for process in running}
    for process in running:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    killed = time.monotonic()
    played = talk.end(turn_id, seconds=5)
    assert time.monotonic() - killed < 1
    assert "killed by signal 9" in played.turn["failure"]["message"]
    eventually(
        lambda: not pids & {process.pid for process in processes_of(place.home)},
        5,
        "processes of the agent are left",
    )
    assert "Some **Markdown**" in talk.play("hello").text


def ended_by_stop(talk: Talk, turn_id: str) -> None:
    stopped = time.monotonic()
    talk.stop(turn_id)
    played = talk.end(turn_id, seconds=10)
    assert played.turn["stop_reason"] == "cancelled"
    assert time.monotonic() - stopped < 5


def shown_command(call: Json) -> str:
    """Return the command that a user reads; one agent tells it in the title alone."""
    return str(call["command"] or call["title"])


def names(home: Path) -> set[str]:
    return {process.name() for process in processes_of(home)}
