"""Reading the values of messages."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from acp_jupyter.protocol.objects import bool_or_none


@pytest.mark.parametrize(
    ("value", "told"),
    [(True, True), (False, False), (None, None), ("true", None), (1, None), ([], None), ({}, None)],
)
def test_a_value_that_is_no_boolean_is_none(value: JsonValue, told: bool | None) -> None:
    assert bool_or_none(value) is told
