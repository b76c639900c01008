"""The reason in an error's data, in whatever shape it comes."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from acp_jupyter.protocol.errors import error_detail
from acp_jupyter.protocol.parse.session import error

REASON = "the plan has no credits left"


@pytest.mark.parametrize(
    "data",
    [
        REASON,
        {"details": REASON},
        {"message": REASON, "code": 4},
        {"error": {"message": REASON}},
        {"error": {"error": {"type": "quota", "message": REASON}}},
        {"details": "", "error": [{"message": REASON}]},
        {"errors": [REASON, {}]},
        [{"reason": REASON}],
        {"cause": {"message": f" {REASON}\n"}},
    ],
)
def test_the_reason_is_found_in_any_shape(data: JsonValue) -> None:
    assert error_detail(data) == REASON
    packet = error({"code": -32603, "message": "Internal error", "data": data})
    assert (packet.message, packet.detail) == ("Internal error", REASON)


def test_what_is_no_reason_is_left_out() -> None:
    nested: JsonValue = REASON
    for _ in range(400):
        nested = {"error": nested}
    others: list[JsonValue] = [None, "", {}, [], 0, {"service": "session"}, {"details": "", "n": 3}]
    assert [error_detail(data) for data in (nested, *others)] == [""] * 8
