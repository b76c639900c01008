"""What an agent says that it can do."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from acp_jupyter.protocol.session_packets import Ability, abilities

SESSION = ("resume", "list", "fork", "close", "delete", "title", "archive")
YES: tuple[object, ...] = (True, {}, {"more": 1})
NO: tuple[object, ...] = (False, None, 1, "yes", [])
PLACES: dict[str, tuple[tuple[str, ...], ...]] = {
    # where the protocol puts it; in both spellings
    "load": (("loadSession",), ("load_session",)),
    **{name: (("sessionCapabilities", name), ("session_capabilities", name)) for name in SESSION},
    "logout": (("auth", "logout"),),
    "authStatus": (("auth", "status"),),
    **{
        name: (("mcpCapabilities", name), ("mcp_capabilities", name))
        for name in ("http", "sse", "acp")
    },
    "additionalDirectories": (
        ("sessionCapabilities", "additionalDirectories"),
        ("session_capabilities", "additional_directories"),
    ),
    "systemPrompt": (
        ("sessionCapabilities", "systemPrompt"),
        ("session_capabilities", "system_prompt"),
    ),
}


def _hello(place: tuple[str, ...], value: object, *, snake: bool = False) -> dict[str, Any]:
    for key in reversed(place):
        value = {key: value}
    return {"agent_capabilities" if snake else "agentCapabilities": value}


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, places in PLACES.items() for place in places]
)
def test_an_ability_stands_at_its_place(name: str, place: tuple[str, ...]) -> None:
    for snake in (False, True):
        for yes in YES:
            assert abilities(_hello(place, yes, snake=snake)) == (name,)
        for no in NO:
            assert abilities(_hello(place, no, snake=snake)) == ()


def test_steering_is_told_beside_the_protocol() -> None:
    assert abilities({"_meta": {"steering": {"supported": True}}}) == ("steering",)
    assert abilities({"_meta": {"steering": True}}) == ()
    assert abilities({}) == ()
    assert {*PLACES, "steering"} == {*get_args(Ability)}
