"""Closed-form questions about CSV files, as InfiAgent-DABench writes and grades them.

A folder has ``da-dev-questions.jsonl``, ``da-dev-labels.jsonl`` and ``da-dev-tables/*.csv``. An
answer is ``@name[value]``, as often as the label has names.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_jupyter.batches.results import JobResult

__all__ = ["PROMPT", "Questions"]

PROMPT = """\
Question {id}. {question}
{constraints}
Answer in this form: {form}
File {file}."""
TABLES = "da-dev-tables"
LABELS = "da-dev-labels.jsonl"


@dataclass(frozen=True)
class Questions:
    """The questions whose table is there."""

    folder: Path

    @property
    def labels_file(self) -> Path:
        return self.folder / LABELS

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

    def grade(self, result: JobResult) -> float:
        """Return 1 if all parts of the answer are as the label has them, else 0."""
        (label,) = (n for n in _lines(self.labels_file) if n["id"] == result.params["id"])
        said = dict(re.findall(r"@(\w+)\[(.*?)\]", result.text))
        wanted = dict(label["common_answers"])
        return float(all(_is_equal(said.get(name), value) for name, value in wanted.items()))


def _is_equal(said: str | None, wanted: str) -> bool:
    if said is None or said == wanted:
        return said is not None
    try:
        return abs(float(said) - float(wanted)) < 1e-6
    except ValueError:
        return False


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
