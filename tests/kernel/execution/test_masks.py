"""Which columns are masked: by code, by files, by an administrator."""

from __future__ import annotations

import json
from pathlib import Path

import pandas  # type: ignore[import-untyped]
import polars
import pytest

from acp_jupyter import context
from acp_jupyter.host.bounds import MASKS_VARIABLE, Bounds
from acp_jupyter.kernel import masks as module
from acp_jupyter.kernel.masks import FILE, Masks, read_rules


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def masks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Masks:
    """The masks of a kernel that begins, used by the public function too."""
    made = Masks(folder)
    monkeypatch.setattr(context, "masks", made)
    monkeypatch.setattr(module, "masks", made)
    return made


def _write(folder: Path, text: str) -> None:
    (folder / FILE).parent.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(text)


def test_code_masks_columns_of_that_name_in_all_tables(masks: Masks) -> None:
    frame = pandas.DataFrame({"Email": ["a"], "amount": [1]})
    context.mask(frame, ["Email"])
    assert masks.active
    assert masks.which(["EMAIL", "amount", ("email", "first")]) == [True, False, True]


def test_an_allow_list_masks_all_other_columns_and_later_ones(masks: Masks) -> None:
    frame = pandas.DataFrame({"email": ["a"], "amount": [1], "city": ["b"]})
    context.mask(frame, allow=["amount"])
    assert masks.which(["email", "amount", "city", "later"], (), frame) == [True, False, True, True]
    assert masks.which(["email", "later"], ()) == [True, False]


@pytest.mark.parametrize("table", [pandas.DataFrame({"a": [1]}), polars.DataFrame({"a": [1]})])
def test_a_wrong_name_is_an_error_and_masks_nothing(masks: Masks, table: object) -> None:
    with pytest.raises(ValueError, match="no column 'emial', so nothing was masked"):
        context.mask(table, ["a", "emial"])
    with pytest.raises(TypeError, match="Give a list"):
        context.mask(table, "a")
    with pytest.raises(TypeError, match="has no columns"):
        context.mask([1], ["a"])
    assert not masks.active


def test_a_file_masks_by_table_until_it_changes(masks: Masks, folder: Path) -> None:
    _write(
        folder, 'mask = ["*_ssn"]\n[tables."sales*"]\nmask = ["email"]\n[tables.pay]\nallow = ["n"]'
    )
    columns = ["my_SSN", "email", "n"]
    assert masks.which(columns, ("Sales_2",)) == [True, True, False]
    assert masks.which(columns, ("other",)) == [True, False, False]
    assert masks.which(columns, ("pay",)) == [True, True, False]
    assert masks.which(columns, None) == [True, True, False]  # a column alone may be of any table
    _write(folder, 'mask = ["n"]  # changed')
    assert masks.which(columns, ("pay",)) == [False, False, True]
    (folder / FILE).unlink()
    assert not masks.active


def test_files_of_the_folders_above_count_too(
    masks: Masks, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(folder, 'mask = ["email"]')
    below = folder / "deep" / "er"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    _write(below, 'mask = ["n"]')
    assert masks.which(["email", "n", "a"]) == [True, True, False]


@pytest.mark.parametrize(
    "text",
    ["mask = [", 'mask = "email"', "mask = [1]", "tables = 3", "[tables]\nsales = 1", "a = '\x00'"],
)
def test_a_file_that_cannot_be_read_masks_everything(folder: Path, text: str) -> None:
    _write(folder, text)
    assert read_rules(folder / FILE).masked == ("*",)


def test_an_administrators_bound_holds(masks: Masks, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Bounds.of({"required_masks": ["email"]})
    both = Bounds.of({"required_masks": ["iban"]}).within(machine)
    assert both.masks == ("email", "iban")
    monkeypatch.setenv(MASKS_VARIABLE, json.dumps(both.masks))
    assert masks.which(["Email", "iban", "n"]) == [True, True, False]
    monkeypatch.setenv(MASKS_VARIABLE, "[broken")
    assert masks.which(["n"]) == [True]
