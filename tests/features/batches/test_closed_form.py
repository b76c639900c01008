"""Agents that answer questions about tables by computing in the kernel, right and wrong, graded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acp_jupyter
from acp_jupyter.features.batches.results import BatchResults
from tests.features.batches.support.jobs import configure_agents
from tests.features.batches.support.questions import OWN, PROMPT, configure_answers, is_right

pytestmark = pytest.mark.filterwarnings("default")
QUESTIONS = 12
AT_ONCE = 3
CONCEPTS = 7
"""All that InfiAgent-DABench names."""


def _ask(
    folder: Path, monkeypatch: pytest.MonkeyPatch, first: int, last: int, *, replay: bool = False
) -> BatchResults:
    monkeypatch.chdir(OWN.folder)
    return acp_jupyter.batch(
        *(PROMPT, OWN.params()[first:last], ["right", "wrong"]),
        policy="allow-all",
        inputs=["{file}"],
        out=folder / "answers.batch",
        grade=OWN.grade,
        trust=True,
        workers=2,
        progress=False,
        replay=replay,
    )


def _grades(results: BatchResults) -> dict[str, list[float | None]]:
    assert [result.error for result in results] == [""] * len(results)
    found: dict[str, list[float | None]] = {"right": [], "wrong": []}
    for result in results:
        found[result.agent].append(result.grade)
    return found


def test_the_questions_are_counted() -> None:
    lines = (OWN.folder / "da-dev-questions.jsonl").read_text().splitlines()
    asked = [json.loads(line) for line in lines]
    assert len(OWN.params()) == len(asked) == len(OWN.labels()) == QUESTIONS
    assert [each["id"] for each in asked] == [*OWN.labels()] == [*range(QUESTIONS)]
    assert len({concept for each in asked for concept in each["concepts"]}) == CONCEPTS


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("The town is @town[Bern], with @rain[9.50].", True),
        ("@rain[9.5]\n@town[Bern] @more[1]", True),
        ("@town[Bern] @rain[9.51]", False),
        ("@town[bern] @rain[9.50]", False),
        ("@town[Bern]", False),
        ("Bern, 9.50", False),
    ],
)
def test_an_answer_is_right_if_all_its_parts_are(text: str, right: bool) -> None:
    assert is_right(text, {"town": "Bern", "rain": "9.50"}) == right


def test_who_computes_right_gets_the_question_and_who_computes_wrong_does_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure_answers(folder)
    assert _grades(_ask(folder, monkeypatch, 0, 1)) == {"right": [1.0], "wrong": [0.0]}


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(0, QUESTIONS, AT_ONCE))
def test_every_question_is_graded_and_again_from_its_recording_without_an_agent(
    folder: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    configure_answers(folder)
    found = _ask(folder, monkeypatch, first, first + AT_ONCE)
    grades = _grades(found)
    assert grades == {"right": [1.0] * AT_ONCE, "wrong": [0.0] * AT_ONCE}
    # The agents are gone: only the recordings have what they said.
    configure_agents(folder, right={"command": "gone"}, wrong={"command": "gone"})
    again = _ask(folder, monkeypatch, first, first + AT_ONCE, replay=True)
    assert _grades(again) == grades
    assert [result.text for result in again] == [result.text for result in found]
    assert {result.folder.parent.name for result in again} == {"replayed"}
