"""Nothing of the schemas is left out: each definition is in what is read or in what is sent."""

from __future__ import annotations

import pytest

from tests.conformance.faults import closure, written_by_agents
from tests.conformance.shapes import CORPORA, VERSION_2, messages_of_agents

ALL = {**CORPORA, **VERSION_2}

ENVELOPES = {
    f"{side}{sort}"
    for side in ("Agent", "Client", "Proxy")
    for sort in ("Request", "Response", "Notification")
}
"""Unions of all messages of a side. What a message is, is told by its method here."""
EXTENSIONS = {"ExtRequest", "ExtResponse", "ExtNotification"}


@pytest.mark.parametrize("corpus", ALL)
def test_every_definition_is_read_or_sent(corpus: str) -> None:
    definitions = ALL[corpus]
    sent = {
        name
        for name, schema in definitions.items()
        if (schema.get("x-side"), name.endswith("Response")) in {("agent", False), ("client", True)}
    }
    of_conductors = {n for n, schema in definitions.items() if schema.get("x-side") == "proxy"}
    covered = written_by_agents(definitions) | closure(
        definitions, sent | of_conductors | {"Error"}
    )
    assert definitions.keys() - covered == (ENVELOPES | EXTENSIONS) & definitions.keys()


def test_how_much_there_is() -> None:
    sizes = {corpus: len(definitions) for corpus, definitions in ALL.items()}
    version_1 = {"unstable": 252, "stable": 178, "1.21": 170}
    assert sizes == {**version_1, "2 unstable": 262, "2 stable": 197}
    assert len(messages_of_agents()) == 62
