"""Which job is which, which parameters are some, and which folder is a batch's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import BadRequest
from acp_jupyter.features.batches.jobs import BatchFolder, Job, checked_params, digest_of, key_of


def test_the_key_is_the_content() -> None:
    job = Job(params={"a": 1, "b": 2}, agent="demo")
    same = Job(params={"b": 2, "a": 1}, agent="demo")
    assert key_of(job, "n", "i") == key_of(same, "n", "i")
    others = [
        job.model_copy(update=change)
        for change in (
            {"params": {"a": 1, "b": "2"}},
            {"agent": "claude"},
            {"policy": "deny"},
            {"sandbox": "folder"},
            {"network": "none"},
            {"seed": 0},
        )
    ]
    keys = {key_of(each, "n", "i") for each in (job, *others)}
    assert len(keys | {key_of(job, "other", "i"), key_of(job, "n", "other")}) == 9


def test_a_job_without_a_sandbox_has_the_key_that_it_had_before_there_were_any() -> None:
    job = Job(params={"a": 1}, agent="demo")
    assert key_of(job, "n", "i") == digest_of(
        [1, "n", "i", {"params": {"a": 1}, "agent": "demo", "policy": "ask", "seed": None}]
    )


@pytest.mark.parametrize(
    "params", ["text", [1], [{"a b": 1}], [{1: 2}], [{"a": {1, 2}}], [{"a": float("nan")}]]
)
def test_what_is_no_parameters_is_said(params: Any) -> None:
    with pytest.raises(BadRequest):
        checked_params(params)


def test_no_parameters_are_one_run() -> None:
    assert checked_params(()) == ({},)
    assert checked_params({"a": (1, 2)}) == ({"a": [1, 2]},)


def test_a_folder_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    with pytest.raises(BadRequest, match="not the folder of a batch"):
        BatchFolder(tmp_path / "mine").open()
    BatchFolder(tmp_path / "new").open()
    BatchFolder(tmp_path / "new").open()


def test_what_was_left_long_ago_is_removed(tmp_path: Path) -> None:
    batch = BatchFolder(tmp_path)
    batch.open()
    for name in ("old", "new"):
        (tmp_path / "unfinished" / name).mkdir(parents=True)
    os.utime(tmp_path / "unfinished" / "old", (0, 0))
    batch.open()
    assert [path.name for path in (tmp_path / "unfinished").iterdir()] == ["new"]


def test_a_result_that_is_torn_is_none(tmp_path: Path) -> None:
    batch = BatchFolder(tmp_path)
    batch.job("k").mkdir(parents=True)
    assert batch.outcome("k") is None
    (batch.job("k") / "result.json").write_text('{"key": "k", "fini')
    assert batch.outcome("k") is None
