"""Updates that are not as the protocol has them: what the user sees of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hazards import updates

from acp_jupyter.transcript.model.items import Plan
from acp_jupyter.transcript.model.tool_items import ContentBlockItem
from tests.support.host.agent_session import AgentSession

Meet = Callable[[str], AgentSession]


@pytest.mark.parametrize("mode", updates.MODES)
def test_the_turn_ends_and_the_session_goes_on(meet: Meet, mode: str) -> None:
    agent_session = meet(mode)
    turn = agent_session.turn()
    assert (turn.stop_reason, turn.failure) == ("end_turn", None)
    assert agent_session.errors == []
    agent_session.goes_on()


def test_a_turn_without_any_update_says_so(meet: Meet) -> None:
    assert meet("nothing").turn().words == "The agent sent no answer."


def test_a_kind_and_a_status_that_nobody_knows(meet: Meet) -> None:
    agent_session = meet("odd_kind_and_status")
    agent_session.turn()
    saved, made, flown = (agent_session.calls[name] for name in "abc")
    assert (saved.title, saved.tool_kind, saved.status) == ("Save notes.txt", "edit", "completed")
    assert (made.title, made.tool_kind, made.status) == ("make test", "execute", "cancelled")
    assert (flown.title, flown.tool_kind, flown.status) == ("Fly", "other", "cancelled")


def test_a_call_without_a_title_is_shown(meet: Meet) -> None:
    agent_session = meet("call_without_title")
    agent_session.turn()
    call = agent_session.calls["a"]
    assert call.title
    assert call.command == "ls -l"


def test_content_as_a_string_is_shown(meet: Meet) -> None:
    agent_session = meet("content_string")
    agent_session.turn()
    assert agent_session.text == "a plain string"
    assert agent_session.calls["a"].output == "tool output as a string"


def test_content_without_its_wrapper_is_shown(meet: Meet) -> None:
    agent_session = meet("content_bare_block")
    agent_session.turn()
    assert agent_session.calls["a"].output == "bare block"


def test_content_in_a_list_is_one_message(meet: Meet) -> None:
    agent_session = meet("content_list")
    agent_session.turn()
    assert agent_session.text == "one two"


def test_content_of_an_unknown_type_takes_nothing_else_away(meet: Meet) -> None:
    agent_session = meet("content_of_unknown_type")
    agent_session.turn()
    (block,) = (item for item in agent_session.items if isinstance(item, ContentBlockItem))
    assert (block.type, block.name) == ("other", "hologram")
    assert "kept too" in agent_session.calls["a"].output


def test_an_image_with_its_older_field_is_an_image(meet: Meet) -> None:
    agent_session = meet("media_type")
    agent_session.turn()
    (block,) = (item for item in agent_session.items if isinstance(item, ContentBlockItem))
    assert (block.type, block.mime_type) == ("image", "image/png")


def test_a_plan_without_priorities_is_whole(meet: Meet) -> None:
    agent_session = meet("plan_without_priority")
    agent_session.turn()
    (plan,) = (item for item in agent_session.items if isinstance(item, Plan))
    assert [(entry.content, entry.status, entry.priority) for entry in plan.entries] == [
        ("look", "completed", "medium"),
        ("think", "pending", "medium"),
        ("write", "pending", "medium"),
    ]


def test_usage_of_null_leaves_what_was_known(meet: Meet) -> None:
    agent_session = meet("usage_of_nothing")
    agent_session.turn()
    usage = agent_session.session.state.usage
    assert usage is not None
    assert (usage.used, usage.size) == (100, 1000)


def test_usage_as_floats_is_counted(meet: Meet) -> None:
    agent_session = meet("usage_as_floats")
    agent_session.turn()
    usage = agent_session.session.state.usage
    assert usage is not None
    assert (usage.used, usage.size) == (12, 200_000)


def test_commands_without_descriptions_are_offered(meet: Meet) -> None:
    agent_session = meet("commands_incomplete")
    agent_session.turn()
    assert [command.name for command in agent_session.session.state.commands] == ["init", "plan"]


def test_snake_case_is_read(meet: Meet) -> None:
    agent_session = meet("snake_case")
    agent_session.turn()
    assert agent_session.text == "snake "
    call = agent_session.calls["a"]
    assert (call.command, call.status) == ("ls", "completed")


def test_further_fields_do_no_harm(meet: Meet) -> None:
    agent_session = meet("extra_fields")
    agent_session.turn()
    assert agent_session.text == "with extras"


def test_a_status_never_goes_backwards(meet: Meet) -> None:
    agent_session = meet("status_backwards")
    agent_session.turn()
    assert agent_session.calls["a"].status == "completed"


def test_a_title_that_changes_leaves_one_card(meet: Meet) -> None:
    agent_session = meet("title_changes")
    agent_session.turn()
    call = agent_session.calls["a"]
    assert "List the files" in f"{call.title} {call.description}"
    assert call.command == "ls -l"


def test_one_id_announced_twice_is_one_card(meet: Meet) -> None:
    agent_session = meet("one_id_announced_twice")
    agent_session.turn()
    call = agent_session.calls["a"]
    assert (call.status, call.output, call.path) == ("completed", "A", "a")


@pytest.mark.parametrize(("mode", "output"), [("input_emptied", "ok"), ("meta_only", "A")])
def test_what_says_nothing_erases_nothing(meet: Meet, mode: str, output: str) -> None:
    agent_session = meet(mode)
    agent_session.turn()
    assert (agent_session.calls["a"].status, agent_session.calls["a"].output) == (
        "completed",
        output,
    )


def test_empty_chunks_open_no_message(meet: Meet) -> None:
    agent_session = meet("empty_chunks")
    agent_session.turn()
    assert [item.text for item in agent_session.items if item.kind == "agent_message"] == ["Words."]


def test_an_echoed_prompt_is_shown_once(meet: Meet) -> None:
    agent_session = meet("prompt_echoed")
    agent_session.turn()
    assert [item.text for item in agent_session.items if item.kind == "user_message"] == ["go"]


def test_an_empty_old_text_is_a_new_file(meet: Meet) -> None:
    agent_session = meet("old_text_empty")
    agent_session.turn()
    (diff,) = agent_session.calls["a"].diffs
    assert (diff.path, diff.is_new_file, diff.new_text) == ("new.txt", True, "x\n")


def test_places_of_any_shape_are_read(meet: Meet) -> None:
    agent_session = meet("places_of_any_shape")
    agent_session.turn()
    assert [place.path for place in agent_session.calls["a"].locations] == ["/x", "y"]


def test_a_terminal_that_nobody_made_is_no_error(meet: Meet) -> None:
    agent_session = meet("terminal_of_nobody")
    agent_session.turn()
    assert agent_session.calls["a"].status == "completed"
    assert "notes.txt" in agent_session.calls["a"].output


def test_an_option_of_unknown_type_hides_no_other(meet: Meet) -> None:
    agent_session = meet("options_of_any_shape")
    agent_session.turn()
    (option,) = agent_session.session.state.config_options
    assert (option.id, option.type, option.current_value) == ("fast", "boolean", True)


def test_a_mode_that_nobody_announced_is_shown(meet: Meet) -> None:
    agent_session = meet("mode_of_nobody")
    agent_session.turn()
    assert agent_session.session.state.current_mode_id == "yolo"


def test_a_notice_is_a_line(meet: Meet) -> None:
    agent_session = meet("notice")
    agent_session.turn()
    assert [(notice.severity, notice.title, notice.text) for notice in agent_session.notices] == [
        ("warning", "Careful", ""),
        ("info", "New", "Words"),
        ("error", "L" * 299 + "…", ""),
    ]


def test_output_that_is_sent_whole_again_is_shown_once(meet: Meet) -> None:
    agent_session = meet("whole_buffer_again")
    agent_session.turn()
    assert agent_session.calls["a"].output == "one\ntwo\nthree\n"


def test_an_unknown_update_is_not_nothing(meet: Meet) -> None:
    agent_session = meet("unknown_update")
    turn = agent_session.turn()
    assert [notice.title for notice in agent_session.notices] == ["hologram"]
    assert turn.words == ""


def test_a_compaction_is_one_line_with_its_summary(meet: Meet) -> None:
    agent_session = meet("compaction")
    agent_session.turn()
    told = [(line.severity, line.title, line.text, line.detail) for line in agent_session.notices]
    assert told == [
        ("info", "Older messages were summarised", "", "We ran."),
        ("warning", "The context could not be summarised", "no room", "half done"),
        ("info", "Context", "", ""),
        ("info", "Making room in the context", "", ("long " * 1600)[:-1] + "…"),
    ]


def test_plans_are_kept_apart_and_a_removed_one_is_empty(meet: Meet) -> None:
    agent_session = meet("plans_by_id")
    agent_session.turn()
    plans = [item for item in agent_session.items if isinstance(item, Plan)]
    assert [([entry.content for entry in plan.entries], plan.text) for plan in plans] == [
        (["think"], ""),
        ([], ""),
    ]
