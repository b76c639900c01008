"""The JSON values of a log."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.log_json import LogProblem, LogValue, PrettyPrinted, read_values

MAX = 64 * 1024 * 1024


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"a": 1}', [LogValue(1, {"a": 1}, "")]),
        ('{"a": 1},', [LogValue(1, {"a": 1}, "")]),
        ('[{"a": 1}, 2]', [LogValue(1, {"a": 1}, ""), LogValue(1, 2, "")]),
        ("[]", [LogValue(1, [], "")]),
        ('10:00 sent {"a": {"b": 1}}', [LogValue(1, {"a": {"b": 1}}, "10:00 sent ")]),
        (f'{"x" * 300}{{"a": 1}}', [LogValue(1, {"a": 1}, "x" * 300)]),
    ],
)
def test_a_value_in_one_line(line: str, found: list[LogValue]) -> None:
    assert list(read_values([line])) == found


def test_what_stands_before_a_value_is_short() -> None:
    (problem,) = read_values([f'{"x" * 301}{{"a": 1}}'])
    assert problem == LogProblem(1, "This is not JSON (Expecting value at character 1).")


def test_the_longest_line_that_is_read() -> None:
    (problem,) = read_values([" " * MAX, " " * (MAX + 1)])
    assert problem == LogProblem(2, "The line is longer than 67,108,864 characters.")


def test_the_longest_object_that_is_kept_is_the_same_for_each() -> None:
    printed = PrettyPrinted(6)
    kept = ["[", '{"a":1', "},", '{"b":2', "}", ',{"c":34']
    found = [each for number, line in enumerate(kept, 1) for each in printed.feed(number, line)]
    assert found == [(2, '{"a":1}'), (4, '{"b":2}'), (6, "")]
    assert not printed.in_object


def test_what_is_closed_twice_is_told_and_the_next_object_is_read() -> None:
    lines = ["[", '{"a": 1}', "]}", "{", '"b": 2', "}"]
    assert list(read_values(lines)) == [
        LogValue(2, {"a": 1}),
        LogProblem(3, "This value in the array is not an object, or is too long."),
        LogValue(4, {"b": 2}),
    ]
