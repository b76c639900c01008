"""Reading the values of messages."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import JsonValue, create_model

from acp_jupyter.protocol.objects import Model, bool_or_none


@pytest.mark.parametrize(
    ("value", "told"),
    [(True, True), (False, False), (None, None), ("true", None), (1, None), ([], None), ({}, None)],
)
def test_a_value_that_is_no_boolean_is_none(value: JsonValue, told: bool | None) -> None:
    assert bool_or_none(value) is told


@pytest.fixture
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_threads_take_turns_often")
def test_a_model_that_threads_use_first_at_the_same_time_is_whole_in_each() -> None:
    threads = 8
    ready = threading.Barrier(threads)

    def use(kind: type[Model]) -> JsonValue:
        ready.wait()
        return kind.model_validate({"number": 1, "text": "one"}).model_dump()

    with ThreadPoolExecutor(threads) as pool:
        for _ in range(100):
            kind = create_model("Kind", __base__=Model, number=int, text=str)
            assert list(pool.map(use, [kind] * threads)) == [{"number": 1, "text": "one"}] * threads
