"""Agents that answer questions about tables in the kernel, right and wrong, graded.

The questions are our own, in the form of InfiAgent-DABench, whose data may not be used
commercially (CC BY-NC 4.0).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acp_jupyter
from acp_jupyter.batches.results import BatchResults
from tests.support.batches import configure_agents
from tests.support.fake_agents import script
from tests.support.questions import PROMPT, Questions

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.long]
ASKED = [
    ("What is the mean rain?", "rain.csv", [["mean_rain", "4.50"]]),
    ("Which month is the wettest, and how wet?", "rain.csv", [["month", "May"], ["rain", "9"]]),
    ("How many towns are there?", "towns.csv", [["towns", "3"]]),
]
RAIN = "month,rain\nMay,9\nJune,0\n"
TOWNS = "town,size\nBasel,2\nBern,1\nBiel,0\n"


@pytest.fixture
def own(tmp_path: Path) -> Questions:
    folder = tmp_path / "questions"
    (folder / "da-dev-tables").mkdir(parents=True)
    (folder / "da-dev-tables" / "rain.csv").write_text(RAIN)
    (folder / "da-dev-tables" / "towns.csv").write_text(TOWNS)
    questions, labels = [], []
    for number, (question, file, answers) in enumerate(ASKED):
        form = " ".join(f"@{name}[{name}]" for name, _ in answers)
        more = {"constraints": "None.", "format": form, "file_name": file}
        questions.append({"id": number, "question": question, **more})
        labels.append({"id": number, "common_answers": answers})
    for name, lines in (("da-dev-questions", questions), ("da-dev-labels", labels)):
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text)
    return Questions(folder)


def _asked(
    folder: Path, questions: Questions, monkeypatch: pytest.MonkeyPatch, **more: object
) -> BatchResults:
    labels = str(questions.labels_file)
    configure_agents(
        folder, right=script("answers", labels), wrong=script("answers", labels, "wrong")
    )
    monkeypatch.chdir(questions.folder)
    return acp_jupyter.batch(
        PROMPT,
        questions.params(),
        ["right", "wrong"],
        policy="allow-all",
        inputs=["{file}"],
        out=folder / "answers.batch",
        grade=questions.grade,
        trust=True,
        workers=2,
        **more,  # type: ignore[arg-type]
    )


def _grades(results: BatchResults) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {"right": [], "wrong": []}
    for result in results:
        found[result.agent].append(result.grade)
    return found


def test_who_computes_the_labelled_answers_gets_all_and_who_does_not_gets_none(
    folder: Path, own: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = _asked(folder, own, monkeypatch)
    assert [result.error for result in results] == [""] * 2 * len(ASKED)
    assert _grades(results) == {"right": [1.0] * len(ASKED), "wrong": [0.0] * len(ASKED)}
