"""Closed-form questions about CSV files, in the form in which InfiAgent-DABench asks them.

A folder has ``da-dev-questions.jsonl``, ``da-dev-labels.jsonl`` and ``da-dev-tables/*.csv``. An
answer is ``@name[value]``, as often as the label has names; it is right if each value is the
label's, or the same number within 1e-6. The questions and tables are our own: the data of
InfiAgent-DABench may not be used commercially (CC BY-NC 4.0).
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import acp_jupyter
from acp_jupyter.features.batches.results import BatchResults, JobResult
from tests.features.batches.support.jobs import configure_agents, job_notebook
from tests.support.agents.fake_agent import script
from tests.support.wait import PATIENCE_SECONDS

__all__ = [
    "OWN",
    "PROMPT",
    "Questions",
    "asking_folder",
    "configure_answers",
    "meeting",
    "run_questions",
]

PROMPT = """\
Question {id}. {question}
{constraints}
Answer in this form: {form}
File {file}."""
TABLES = "da-dev-tables"
AGENTS = ("right", "wrong")


@dataclass(frozen=True)
class Questions:
    """The questions whose table is there."""

    folder: Path

    def params(self) -> list[dict[str, Any]]:
        """Return the parameters of `PROMPT` for each question."""
        return [
            {
                "id": asked["id"],
                "question": asked["question"],
                "constraints": asked["constraints"],
                "form": asked["format"],
                "file": f"{TABLES}/{asked['file_name']}",
            }
            for asked in _lines(self.folder / "da-dev-questions.jsonl")
            if (self.folder / TABLES / asked["file_name"]).is_file()
        ]

    def labels(self) -> dict[int, dict[str, str]]:
        """Return the right answers, by question."""
        lines = _lines(self.folder / "da-dev-labels.jsonl")
        return {label["id"]: dict(label["common_answers"]) for label in lines}

    def grade(self, result: JobResult) -> float:
        """Return 1 if all parts of the answer are as the label has them, else 0."""
        return float(is_right(result.text, self.labels()[result.params["id"]]))


OWN = Questions(Path(__file__).parents[3] / "fixtures" / "closed_form")


def is_right(text: str, label: Mapping[str, str]) -> bool:
    """Return whether a text has the answers of a label."""
    said = dict(re.findall(r"@(\w+)\[(.*?)\]", text))
    return all(_is_equal(said.get(name), value) for name, value in label.items())


def configure_answers(folder: Path) -> None:
    """Configure an agent that computes right answers to `OWN`, and one that computes wrong ones."""
    solutions = str(OWN.folder / "solutions.toml")
    right, wrong = script("answers", solutions), script("answers", solutions, "wrong")
    configure_agents(folder, right=right, wrong=wrong)


def asking_folder(folder: Path, *cells: str) -> None:
    """Write a notebook that asks a question, and logs its start, with the tables beside it.

    Parameters
    ----------
    cells
        Run before the question.
    """
    configure_answers(folder)
    shutil.copytree(OWN.folder / TABLES, folder / TABLES)
    job_notebook(folder / "n.ipynb", *cells, f"%%acp --format\n{PROMPT}")


def meeting(jobs: int) -> str:
    """Return a cell in which a job waits until so many jobs run at once; alone, it fails."""
    return f"""\
import time, uuid
place = pathlib.Path(log).with_name("meeting")
place.mkdir(exist_ok=True)
(place / uuid.uuid4().hex).touch()
deadline = time.monotonic() + {PATIENCE_SECONDS}
while len(list(place.iterdir())) < {jobs}:
    assert time.monotonic() < deadline, "it runs alone"
    time.sleep(0.01)"""


def run_questions(log: Path, count: int, **more: Any) -> BatchResults:
    """Run the notebook of the current folder for the first questions and both agents.

    Parameters
    ----------
    log
        Where jobs log their start.
    count
        How many questions.
    more
        Further arguments of `batch`.
    """
    params = [{**each, "log": str(log), "name": f"n{each['id']}"} for each in OWN.params()]
    return acp_jupyter.batch(
        *("n.ipynb", params[:count], AGENTS),
        policy="allow-all",
        inputs=["data.csv", "{file}"],
        grade=OWN.grade,
        trust=True,
        progress=False,
        **more,
    )


def _is_equal(said: str | None, wanted: str) -> bool:
    if said is None or said == wanted:
        return said is not None
    try:
        return abs(float(said) - float(wanted)) < 1e-6
    except ValueError:
        return False


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
