"""Which names a cell sets and uses."""

from __future__ import annotations

import ast

import pytest

from acp_jupyter.cells.names import bindings, names_of

MATCH = """
match value:
    case [first, *others]:
        pass
    case {"a": 1, **rest}:
        pass
    case (1 | 2) as small:
        pass
    case _:
        pass
"""
IN_A_METHOD = """
class A:
    x = 1
    def method(self):
        return x
"""
IN_A_CLASS = """
class A:
    x = 1
    try:
        pass
    except ValueError as error:
        y = x
"""


def test_a_pattern_sets_what_it_captures() -> None:
    names = names_of(MATCH)
    assert names.sets == {"first", "others", "rest", "small"}
    assert names.uses == {"value"}
    own, of_cell = bindings(ast.parse(MATCH).body)
    assert (own, of_cell) == ({"first", "others", "rest", "small"}, set())


@pytest.mark.parametrize(("source", "uses"), [(IN_A_METHOD, {"x"}), (IN_A_CLASS, {"ValueError"})])
def test_only_the_body_of_a_class_sees_its_names(source: str, uses: set[str]) -> None:
    names = names_of(source)
    assert names.sets == {"A"}
    assert names.uses == uses


@pytest.mark.parametrize(
    "arguments", ["x: Shape", "*x: Shape", "x, *, y: Shape", "x, /, y, **z: Shape"]
)
def test_a_function_uses_the_names_of_its_annotations(arguments: str) -> None:
    assert names_of(f"def f({arguments}): pass").uses == {"Shape"}


def test_an_error_that_is_given_no_name_sets_none() -> None:
    source = "try:\n    pass\nexcept ValueError:\n    pass\nexcept OSError as error:\n    pass\n"
    assert bindings(ast.parse(source).body) == ({"error"}, set())
