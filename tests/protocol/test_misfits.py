"""What is said of values that do not fit, field by field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, Json, ValidationError, field_validator

from acp_jupyter.protocol.objects import Model, misfits


class Inner(Model):
    deep: int = 0


class Form(Model):
    """A field of each kind; all but one may be left out."""

    name: str
    flag: bool = False
    count: Annotated[int, Field(gt=0, lt=10)] = 1
    share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0
    word: Annotated[str, Field(min_length=2, max_length=3)] = "ab"
    some: Annotated[str, Field(min_length=1)] = "a"
    listed: Annotated[tuple[int, ...], Field(min_length=2, max_length=3)] = (1, 2)
    rows: list[int] = Field(default_factory=list)
    many: tuple[Inner, ...] = ()
    table: dict[str, int] = Field(default_factory=dict)
    inner: Inner = Inner()
    kind: Literal["a", "b"] = "a"
    code: Annotated[str, Field(pattern="^[a-z]+$")] = "a"
    written: Json[Any] = None
    own: str = ""

    @field_validator("own")
    @classmethod
    def _is_own(cls, value: str) -> str:
        if value == "bad":
            raise ValueError("must not be bad")
        return value


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": 5}, ["name must be text"]),
        ({}, ["name is missing"]),
        ({"more": 1}, ["name is missing", "more is not known here"]),
        ({"name": "a", "flag": "odd"}, ["flag must be true or false"]),
        ({"name": "a", "flag": []}, ["flag must be true or false"]),
        ({"name": "a", "count": "x"}, ["count must be a whole number"]),
        ({"name": "a", "count": []}, ["count must be a whole number"]),
        ({"name": "a", "count": 1.5}, ["count must be a whole number"]),
        ({"name": "a", "count": 0}, ["count must be more than 0"]),
        ({"name": "a", "count": 10}, ["count must be less than 10"]),
        ({"name": "a", "share": "x"}, ["share must be a number"]),
        ({"name": "a", "share": []}, ["share must be a number"]),
        ({"name": "a", "share": float("nan")}, ["share must be a number"]),
        ({"name": "a", "share": -1}, ["share must be at least 0.0"]),
        ({"name": "a", "share": 2}, ["share must be at most 1.0"]),
        ({"name": "a", "word": "a"}, ["word must have at least 2 characters"]),
        ({"name": "a", "word": "abcd"}, ["word must have at most 3 characters"]),
        ({"name": "a", "some": ""}, ["some is empty"]),
        ({"name": "a", "listed": 5}, ["listed must be a list"]),
        ({"name": "a", "rows": 5}, ["rows must be a list"]),
        ({"name": "a", "listed": [1]}, ["listed must have at least 2 items"]),
        ({"name": "a", "listed": [1, 2, 3, 4]}, ["listed must have at most 3 items"]),
        ({"name": "a", "many": 5}, ["many must be a list"]),
        ({"name": "a", "many": [{}, {"deep": "x"}]}, ["many.1.deep must be a whole number"]),
        ({"name": "a", "table": 5}, ["table must be an object"]),
        ({"name": "a", "inner": 5}, ["inner must be an object"]),
        ({"name": "a", "kind": "c"}, ["kind must be 'a' or 'b'"]),
        ({"name": "a", "code": "A"}, ["code does not have the right form"]),
        ({"name": "a", "written": "{"}, ["written is not JSON"]),
        ({"name": "a", "written": 5}, ["written is not valid"]),
        ({"name": "a", "own": "bad"}, ["own must not be bad"]),
        ({"name": "a", "x" * 101: 1}, [f"{'x' * 100} is not known here"]),
    ],
)
def test_what_does_not_fit_is_told_by_its_field(fields: Any, words: list[str]) -> None:
    with pytest.raises(ValidationError) as raised:
        Form.model_validate(fields)
    assert misfits(raised.value) == words


def test_what_is_no_object_at_all() -> None:
    with pytest.raises(ValidationError) as raised:
        Form.model_validate(5)
    assert misfits(raised.value) == ["must be an object"]
    with pytest.raises(ValidationError) as raised:
        Form.model_validate_json("{")
    assert misfits(raised.value) == ["is not JSON"]


def test_what_is_read_from_an_object_is_told_alike() -> None:
    with pytest.raises(ValidationError) as raised:
        Form.model_validate(5, from_attributes=True)
    assert misfits(raised.value) == ["must be an object"]


def test_what_was_read_is_not_altered() -> None:
    form = Form(name="a")
    with pytest.raises(ValidationError):
        setattr(form, "name", "b")  # noqa: B010 - mypy knows better
