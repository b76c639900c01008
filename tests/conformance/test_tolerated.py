"""With one field wrong that the schema marks as tolerable, the rest of a message still arrives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from acp_jupyter.host.rpc import sdk
from acp_jupyter.protocol.normalise import normalise
from acp_jupyter.protocol.packets import Unknown
from tests.conformance.faults import Fault, annotated_places, faults_of
from tests.conformance.reading import after, entries_of, read
from tests.conformance.shapes import CORPORA, Message, messages_of_agents
from tests.conformance.test_received import SDK_REQUESTS, texts_of

CASES = list(
    {
        (str(m), fault.path, repr(fault.wrong)): (m, fault)
        for m in messages_of_agents()
        for fault in faults_of(m.schema)
    }.values()
)


def test_every_annotated_field_has_a_fault() -> None:
    places = {corpus: annotated_places(corpus) for corpus in CORPORA}
    assert {fault.place for _, fault in CASES} == set().union(*places.values())
    counts = {corpus: len(each) for corpus, each in places.items()}
    assert counts == {"unstable": 287, "stable": 205, "1.21": 203}


def named(cases: list[tuple[Message, Fault]]) -> pytest.MarkDecorator:
    ids = [f"{message} {fault.path}" for message, fault in cases]
    return pytest.mark.parametrize(("message", "fault"), cases, ids=ids)


@named(CASES)
def test_the_rest_still_arrives(message: Message, fault: Fault) -> None:
    assert texts_of(after(message, fault.wrong)) == texts_of(after(message, fault.right))
    got, meant = read(message, fault.wrong), read(message, fault.right)
    assert [type(packet) for packet in got] == [type(packet) for packet in meant]
    assert not any(isinstance(packet, Unknown) for packet in got)
    changed = {
        path
        for one, other in zip(got, meant, strict=True)
        for path in differences(one.model_dump(), other.model_dump(), "")
    }
    # Text in place of a list of content is read as text, and a tool's output follows from it.
    assert len([path for path in changed if not path.endswith(".output")]) <= 1, changed


@named([case for case in CASES if case[0].method in SDK_REQUESTS])
def test_a_request_still_passes_the_sdk(message: Message, fault: Fault) -> None:
    for body in (fault.wrong, fault.right):
        (normal,) = normalise(dict(entries_of(message, body)[-1].message))
        sdk.asked(message.method, {**normal["params"], "_meta": None})


def test_variables_given_as_a_map_are_read() -> None:
    params = {"sessionId": "s", "command": "ls", "env": {"A": "1"}, "args": None}
    (normal,) = normalise({"id": 1, "method": "terminal/create", "params": params})
    request = sdk.asked("terminal/create", normal["params"])
    assert request is not None
    assert request.model_dump()["env"] == [{"field_meta": None, "name": "A", "value": "1"}]


def differences(got: Any, meant: Any, path: str) -> Iterator[str]:
    """Yield where two dumps differ; what is more in a list is one difference."""
    if isinstance(got, dict) and isinstance(meant, dict):
        for key in got.keys() | meant.keys():
            yield from differences(got.get(key), meant.get(key), f"{path}.{key}")
    elif isinstance(got, list | tuple) and isinstance(meant, list | tuple):
        for one, other in zip(got, meant, strict=False):
            yield from differences(one, other, f"{path}[]")
        if len(got) != len(meant):
            yield path
    elif got != meant:
        yield path
