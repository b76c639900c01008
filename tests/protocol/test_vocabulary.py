"""What is known of the modes of agents."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.vocabulary import UNASKED_WORDS, Unasked, asking_mode, read_unasked

UNASKED: dict[str, Unasked] = {
    "Accept Edits": "edits",
    "auto_edit": "edits",
    "workspace-write": "edits",
    "workspace_access": "edits",
    "auto": "judged",
    "Auto Review": "judged",
    "agent-full-access": "all",
    "auto-approve": "all",
    "Autopilot": "all",
    "allow-all": "all",
    "bypass": "all",
    "bypassPermissions": "all",
    "danger-full-access": "all",
    "Full access": "all",
    "full-auto": "all",
    "unrestricted": "all",
    "YOLO": "all",
    "default": "",
    "plan": "",
    "": "",
}


@pytest.mark.parametrize(("mode", "unasked"), UNASKED.items())
def test_what_a_mode_does_without_asking(mode: str, unasked: Unasked) -> None:
    assert read_unasked(mode) == unasked
    assert read_unasked("plan", mode) == unasked


def test_of_an_id_and_a_name_the_most_counts() -> None:
    assert read_unasked("auto-edit", "YOLO", "auto") == "all"
    assert read_unasked("auto-edit", "auto") == "judged"
    assert read_unasked() == ""


def test_what_is_said_of_such_a_mode() -> None:
    assert UNASKED_WORDS == {
        "edits": "edits files without asking",
        "judged": "decides itself what to ask",
        "all": "asks about nothing",
    }


@pytest.mark.parametrize(
    "name", ["default", "Manual", "ask", "Ask first", "always-ask", "normal", "read-only"]
)
def test_a_mode_in_which_an_agent_asks(name: str) -> None:
    modes = [("1", "YOLO"), ("2", "Plan"), ("3", name)]
    assert asking_mode(modes) == "3"
    assert asking_mode([("a", "plan"), (name, "Some")]) == name
    assert asking_mode(modes[:2]) is None
    assert asking_mode([("yolo", name)]) is None


def test_the_best_of_them_is_taken() -> None:
    assert asking_mode([("r", "read-only"), ("a", "ask"), ("d", "default")]) == "d"
    assert asking_mode([("r", "read-only"), ("a", "ask")]) == "a"
