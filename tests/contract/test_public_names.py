"""Every name that Python code outside this package may import, and how it is called."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator
from importlib.util import find_spec
from types import FunctionType
from typing import Any, get_args

import pytest
from anywidget import AnyWidget
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

import acp_jupyter
from acp_jupyter import context, errors, packets, testing, widgets
from tests.contract.golden import check

PROGRAMS = ("demo", "replay", "claude_cli")
"""Of ``acp_jupyter.agents``, each started with ``python -m``."""


def test_the_names_of_the_package() -> None:
    check("names_acp_jupyter.txt", _exported(acp_jupyter))


def test_the_names_of_context() -> None:
    check("names_context.txt", _exported(context))


def test_the_names_of_packets() -> None:
    check("names_packets.txt", _exported(packets))


def test_the_names_of_testing() -> None:
    check("names_testing.txt", _exported(testing))


def test_the_names_of_widgets() -> None:
    """With their traits; what they share with all ipywidgets is not ours."""
    check("names_widgets.txt", _widgets())


def test_the_fields_of_packets() -> None:
    check("fields_of_packets.txt", _schemas(packets.Packet))


def test_the_errors() -> None:
    assert {error.__name__ for error in _errors()} == set(errors.__all__)
    check("errors.txt", (_error(error) for error in _errors()))


def test_the_traits_of_the_server_extension() -> None:
    (point,) = acp_jupyter._jupyter_server_extension_points()
    assert point["module"] == "acp_jupyter"
    assert acp_jupyter._jupyter_labextension_paths() == [
        {"src": "labextension", "dest": "acp-jupyter"}
    ]
    extension: Any = point["app"]
    traits = extension.class_own_traits(config=True)
    lines = (
        f"c.{extension.__name__}.{name}: {type(trait).__name__} = {trait.default()!r}"
        for name, trait in sorted(traits.items())
    )
    check("traits.txt", lines)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bundled_agents_are_programs(name: str) -> None:
    assert find_spec(f"acp_jupyter.agents.{name}.__main__") is not None


@pytest.mark.parametrize(
    "module",
    [
        "acp_jupyter",
        "acp_jupyter.context",
        "acp_jupyter.packets",
        "acp_jupyter.errors",
        "acp_jupyter.widgets",
    ],
)
def test_nothing_else_is_there_by_accident(module: str) -> None:
    names = importlib.import_module(module).__all__
    assert len(set(names)) == len(names)
    for name in names:
        getattr(importlib.import_module(module), name)
    with pytest.raises(AttributeError):
        _ = importlib.import_module(module).no_such_name


# -- telling -----------------------------------------------------------------


def _exported(module: Any) -> Iterator[str]:
    for name in sorted(module.__all__):
        value = getattr(module, name)
        if name == "__version__":
            yield f"{name}: {type(value).__name__}"
        elif isinstance(value, FunctionType):
            yield f"{name}{_signature(value)}"
        elif isinstance(value, type):
            yield f"class {name}"
            yield from _members(value)
        else:
            yield from _alias(name, value)


def _widgets() -> Iterator[str]:
    common = {name for name, _ in inspect.getmembers_static(AnyWidget)}
    kinds: list[Any] = [getattr(widgets, name) for name in sorted(widgets.__all__)]
    for kind in kinds:
        bases = [base for base in kind.__mro__[1:] if base in kinds]
        known = common.union(*(dir(base) for base in bases))
        yield f"class {' < '.join(each.__name__ for each in (kind, *bases))}{_signature(kind)}"
        for name, trait in sorted(kind.class_traits().items()):
            if name not in known and not name.startswith("_"):
                access = "read-only" if trait.read_only else "read and write"
                place = "kernel and page" if trait.metadata.get("sync") else "kernel"
                yield f"    .{name}: {type(trait).__name__}, {access}, {place}"
        for name, method in inspect.getmembers_static(kind, inspect.isfunction):
            if name not in known and not name.startswith("_"):
                yield f"    .{name}{_signature(method)}"


def _alias(name: str, value: Any) -> Iterator[str]:
    """Tell a literal or a constant with its values, a union with the names of its models."""
    inner = getattr(value, "__value__", value)
    words = get_args(inner)
    if words and all(isinstance(word, str) for word in words):
        yield f"{name} = {' | '.join(map(repr, words))}"
    elif isinstance(inner, frozenset | set):
        yield f"{name} = {sorted(inner)!r}"
    elif isinstance(inner, tuple | str | int):
        yield f"{name} = {inner!r}"
    else:
        models = sorted(model.split(" ")[0] for model in _schemas(value))
        yield f"{name} = {' | '.join(models)}"


def _members(kind: type) -> Iterator[str]:
    """Tell what a class has in public; how it is made is the concern of its package."""
    for name, member in inspect.getmembers_static(kind):
        if name.startswith("_") and name not in {"__await__", "_repr_mimebundle_"}:
            continue
        if isinstance(member, property):
            assert member.fget is not None
            yield f"    .{name}: {inspect.get_annotations(member.fget).get('return')}"
        elif isinstance(member, staticmethod | classmethod):
            yield f"    .{name}{_signature(member.__func__)}"
        elif isinstance(member, FunctionType):
            yield f"    .{name}{_signature(member)}"
        elif not _is_of_tuple(name):
            yield f"    .{name}"
    given = {name for base in kind.__mro__ for name in inspect.get_annotations(base)}
    shown = {name for name, _ in inspect.getmembers_static(kind)}
    yield from (f"    .{name}" for name in sorted(given - shown) if not name.startswith("_"))


def _is_of_tuple(name: str) -> bool:
    return hasattr(tuple, name)


class _Written:
    """An annotation or a default that reads as it is written."""

    def __init__(self, value: object) -> None:
        if isinstance(value, FunctionType):
            self._text = value.__name__
        else:
            self._text = value if isinstance(value, str) else inspect.formatannotation(value)

    def __repr__(self) -> str:
        return self._text


def _signature(function: Any) -> str:
    told = inspect.signature(function)
    parameters = []
    for parameter in told.parameters.values():
        if parameter.annotation is not parameter.empty:
            parameter = parameter.replace(annotation=_Written(parameter.annotation))
        if isinstance(parameter.default, FunctionType):
            parameter = parameter.replace(default=_Written(parameter.default))
        parameters.append(parameter)
    returns: Any = told.return_annotation
    if returns is not told.empty:
        returns = _Written(returns)
    return str(told.replace(parameters=parameters, return_annotation=returns))


class _Plain(GenerateJsonSchema):
    """Without what is prose or comes from a class's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _schemas(kind: Any) -> Iterator[str]:
    """Tell the models of a union, one a line."""
    schema = TypeAdapter(kind).json_schema(
        by_alias=False, mode="serialization", schema_generator=_Plain
    )
    for name, model in sorted(schema["$defs"].items()):
        fields = {field: _worded(told) for field, told in model.get("properties", {}).items()}
        yield f"{name} {json.dumps(fields or _worded(model), sort_keys=True)}"


def _worded(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _worded(part) for key, part in schema.items() if key != "description"}
    return [_worded(part) for part in schema] if isinstance(schema, list) else schema


def _errors() -> list[type[errors.AcpError]]:
    """Return the tree, each after its base."""
    found, at = [errors.AcpError], 0
    while at < len(found):
        found += found[at].__subclasses__()
        at += 1
    ours = [error for error in found if error.__module__ == errors.__name__]
    return sorted(ours, key=lambda error: [base.__name__ for base in error.__mro__[::-1]])


def _error(error: type[errors.AcpError]) -> str:
    bases = [base.__name__ for base in error.__mro__[1:-1] if base is not BaseException]
    return f"{error.__name__} < {' < '.join(bases)}: {error.reason} {error.status}"
