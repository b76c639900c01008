"""Published agents behind the server, end to end but for their models: what the user sees."""

from __future__ import annotations

import pytest

from tests.support.published.on_a_server import DONE, HELLO_PY, Place, is_held_by_ours
from tests.support.published.programs import PUBLISHED, Published
from tests.support.published.session import Json, PublishedSession

pytestmark = pytest.mark.agents


def test_it_says_who_it_is(agent: Published, talk: PublishedSession) -> None:
    info = talk.state["agent_info"]
    assert (info["name"], info["version"]) == (agent.name, agent.version)


def test_the_mode_that_it_opens_in_and_the_one_in_which_it_asks(
    agent: Published, place: Place
) -> None:
    """In a fresh home: nobody has chosen a mode."""
    folder = place.server.root / "as-it-opens"
    talk = PublishedSession(place.talk.user, agent.agent_id, folder, policy="allow-all")
    assert talk.state["unasked"] == agent.unasked
    asking = place.talk.state
    assert asking["unasked"] == ""
    modes = (o["current_value"] for o in asking["config_options"] if o["category"] == "mode")
    if agent.mode:
        assert next(modes) == agent.mode


@pytest.mark.long
def test_text_and_thoughts(agent: Published, talk: PublishedSession) -> None:
    played = talk.play("hello")
    assert played.turn["stop_reason"] == "end_turn"
    said = "# Hello\n\nSome **Markdown**.\n\n- one\n- two\n"
    assert played.text.strip() == f"{agent.first_words}{said}".strip()
    assert "First the request" in played.thoughts
    assert played.calls == []


def test_a_file_is_written_after_it_was_allowed(agent: Published, talk: PublishedSession) -> None:
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


@pytest.mark.long
def test_a_file_is_edited_after_it_was_allowed(agent: Published, talk: PublishedSession) -> None:
    if is_held_by_ours(agent, talk):
        return  # it reads by a command
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


@pytest.mark.long
def test_a_command_its_output_and_its_exit_code(agent: Published, talk: PublishedSession) -> None:
    if is_held_by_ours(agent, talk):
        return
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


def test_a_command_that_was_rejected_is_not_run(agent: Published, talk: PublishedSession) -> None:
    played = talk.play("touch file=rejected.txt", "reject_once")
    assert not (talk.folder / "rejected.txt").exists()
    call = played.call
    assert call["status"] == "failed"
    assert (call["permission"]["state"], call["permission"]["outcome"]) == ("rejected", "Rejected")
    assert "touch" in shown_command(call)
    assert played.text.endswith(DONE) is agent.goes_on_after_no
    assert talk.state["waiting"] == 0


KEPT = [
    pytest.param(
        agent,
        scenario,
        id=f"{agent.agent_id}-{scenario}",
        # Once in the gate, by the agent that starts soonest.
        marks=[] if agent.agent_id == "claude" else [pytest.mark.long],
    )
    for agent in PUBLISHED
    for scenario in sorted(agent.keeps_allowed)
]


@pytest.mark.parametrize(("place", "scenario"), KEPT, indirect=["place"])
def test_what_is_allowed_for_the_session_is_not_asked_again(place: Place, scenario: str) -> None:
    talk = place.another(f"always-{scenario}")
    assert len(talk.play(f"{scenario} file=one.py", "allow_always").asked) == 1
    again = talk.play(f"{scenario} file=two.py", "reject_once")
    assert again.asked == []
    assert again.text.endswith(DONE)
    assert (talk.folder / "two.py").exists() is (scenario == "write_file")
    assert len(place.another(f"another-{scenario}").play(scenario).asked) == 1


@pytest.mark.long
def test_a_plan_is_shown_once_and_in_its_last_state(
    agent: Published, talk: PublishedSession
) -> None:
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


@pytest.mark.long
def test_a_question_is_a_form_to_fill_in(agent: Published, talk: PublishedSession) -> None:
    turn_id = talk.start("ask")
    if not agent.asks_questions:
        played = talk.end(turn_id)
        assert played.turn["stop_reason"] == "end_turn"
        assert played.of("elicitation") == []
        return
    question = talk.question(turn_id)
    assert question["title"] == f"Question from {agent.name}"
    assert talk.state["waiting"] == 1
    field = question["fields"][0]
    assert field["label"] == "Which colour?"
    assert [choice["value"] for choice in field["choices"]] == ["red", "green"]
    talk.reply(question, {field["name"]: "green"})
    played = talk.end(turn_id)
    assert played.text.endswith(DONE)
    (answered,) = played.of("elicitation")
    assert (answered["state"], answered["answers"][0]["text"][:5]) == ("accepted", "green")


@pytest.mark.long
def test_many_tools_in_one_turn(agent: Published, talk: PublishedSession) -> None:
    if is_held_by_ours(agent, talk):
        return
    (talk.folder / "hello.py").write_text(HELLO_PY)
    played = talk.play("many_tools")
    assert played.turn["stop_reason"] == "end_turn"
    assert (talk.folder / "many.py").read_text() == HELLO_PY.replace("hello", "goodbye")
    # Who has no tool to list files says so.
    assert len(played.calls) + played.text.count("no tool matches") == 8
    assert {call["status"] for call in played.calls} <= {"completed", "failed"}
    assert all(call["title"] for call in played.calls)
    commands = [shown_command(call) for call in played.calls if call["tool_kind"] == "execute"]
    # Some run them side by side.
    assert sorted(c for c in commands if "echo" in c) == ["echo one", "echo two"]
    assert talk.state["waiting"] == 0


@pytest.mark.long
def test_a_long_stream_arrives_whole(agent: Published, talk: PublishedSession) -> None:
    played = talk.play("long_stream chunks=2000")
    assert played.text == agent.first_words + "".join(f"w{n} " for n in range(2000))


@pytest.mark.long
def test_prompts_in_one_session_are_answered_one_after_the_other(
    agent: Published, talk: PublishedSession
) -> None:
    ids = [talk.start("count chunks=30 rate=60"), talk.start("hello")]
    first, second = (talk.end(turn_id) for turn_id in ids)
    assert first.turn["ended_at"] <= second.turn["started_at"]
    assert first.text == agent.first_words + "".join(f"w{n} " for n in range(30))
    assert "Some **Markdown**" in second.text


@pytest.mark.long
def test_two_sessions_at_once(agent: Published, place: Place, talk: PublishedSession) -> None:
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


def shown_command(call: Json) -> str:
    """Return the command that a user reads; one agent tells it in the title alone."""
    return str(call["command"] or call["title"])
