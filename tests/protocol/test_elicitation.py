"""The fields of a form that an agent asks its user to fill in."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.elicitation import ElicitationField, read_field


def field(name: str = "answer", **raw: Any) -> ElicitationField:
    read = read_field(name, {"type": "string", **raw}, required=False)
    assert isinstance(read, ElicitationField), read
    return read


def test_as_many_choices_as_people_can_look_at() -> None:
    names = [str(number) for number in range(1000)]
    assert len(field(enum=names).choices) == 1000
    refused = read_field("answer", {"type": "string", "enum": [*names, "more"]}, required=False)
    assert refused == "The field 'answer' offers more than 1000 choices."


@pytest.mark.parametrize(
    "name",
    [
        *("password", "pass phrase", "pass_code", "passwd", "client_secret", "GITHUB_TOKEN"),
        *("credentials", "apiKey", "api-key", "private_key", "access key", "pwd", "db_pin"),
        *("otp", "cvv code"),
    ],
)
def test_what_is_named_like_a_secret_is_hidden(name: str) -> None:
    assert field(name).secret
    assert field("x", title=name).secret


@pytest.mark.parametrize("name", ["compass", "pine", "keyboard", "option", "passenger"])
def test_other_names_are_shown(name: str) -> None:
    assert not field(name).secret


def test_bounds_are_read_in_both_spellings() -> None:
    camel = field(type="array", items={"enum": ["a"]}, minItems=1, maxItems=2)
    snake = field(type="array", items={"enum": ["a"]}, min_items=1, max_items=2)
    assert (camel.min_items, camel.max_items) == (snake.min_items, snake.max_items) == (1, 2)
    camel, snake = field(minLength=3, maxLength=4), field(min_length=3, max_length=4)
    assert (camel.min_length, camel.max_length) == (snake.min_length, snake.max_length) == (3, 4)
    number = field(type="number", minimum=1, maximum=2.5)
    assert (number.minimum, number.maximum) == (1, 2.5)
