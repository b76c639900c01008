"""What agents read of tables: bounded, without masked values, whatever the library."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas  # type: ignore[import-untyped]
import polars
import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_jupyter.features.fix.kernel import fix_prompt
from acp_jupyter.kernel import masked_values, tables, values, variables
from acp_jupyter.kernel.code_runner import inspection_json
from acp_jupyter.kernel.last_error import last_error_json
from acp_jupyter.kernel.magics.cell import expand
from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.values import preview
from acp_jupyter.kernel.variables import (
    data_variables,
    describe,
    described_text,
    variables_json,
)
from tests.support.kernel.own_shell import own_shell
from tests.support.wait import PATIENCE_SECONDS

pytestmark = pytest.mark.timeout(method="thread")
"""The other method has the process's one timer, which the code under test needs."""

_SECONDS = 1.0
"""Most processor time that a description takes."""
_SECRET = "ann-lee@example.org"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A busy machine takes long for what its libraries do; begin and end without masks."""
    for module, name in (
        (values, "_DETAIL_SECONDS"),
        (variables, "_MAX_SECONDS"),
        (tables, "_COUNTING_SECONDS"),
        (masked_values, "_SECONDS"),
    ):
        monkeypatch.setattr(module, name, PATIENCE_SECONDS)
    masks.__init__(None)  # type: ignore[misc]
    yield
    masks.__init__(None)  # type: ignore[misc]


_ROWS: dict[str, list[Any]] = {"email": [_SECRET, "bob@example.org"], "amount": [7.25, None]}


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_a_table_is_described_by_schema_counts_and_rows(make: Callable[..., object]) -> None:
    text = describe("sales", make(_ROWS)).text
    assert "2 rows × 2 columns" in text
    assert "- amount: " in text
    assert "1 missing, 1 distinct" in text
    assert f"{_SECRET} | 7.25 |" in text
    assert "1 missing values." in text


def test_a_lazy_table_is_described_by_its_columns_and_never_run() -> None:
    connection = duckdb.connect()
    connection.create_function("runs", lambda: 1 / 0, [], "INTEGER")
    relation = connection.sql("select runs() as n, 'a' as email from range(3)")
    lazy = polars.LazyFrame(_ROWS).map_batches(lambda _: 1 / 0)  # type: ignore[arg-type,return-value]
    for value in (relation, lazy):
        assert "email" in describe("t", value).text
        assert "rows are not read" in describe("t", value).text
        variables_json({"t": value, "within": [value]})
        preview([value])


def test_a_table_without_narwhals_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "by_narwhals", lambda _: None)
    assert "where narwhals is installed" in describe("t", polars.DataFrame(_ROWS)).text
    masks.add(["email"])
    assert _SECRET not in describe("t", polars.DataFrame(_ROWS)).text


class _Hostile(pandas.DataFrame):
    """A subclass with everything overridden that a description could ask."""

    def _raise(self, *_: object, **__: object) -> Any:
        raise RuntimeError("no")

    @property
    def shape(self) -> Any:
        while True:
            pass

    __repr__ = __len__ = head = isna = to_string = _raise
    columns = property(_raise)


def test_a_subclass_that_raises_or_never_ends_is_described_as_its_data() -> None:
    text = describe("t", _Hostile(_ROWS)).text
    assert "DataFrame of 2 rows × 2 columns." in text
    assert "2 rows × 2 columns" in variables_json({"t": _Hostile(_ROWS)})


_WIDE = {f"c{number}": [1, 2, 3] for number in range(20_000)}
_LONG_CELLS = {f"c{number}": ["x" * 1_000_000 + str(number)] * 10 for number in range(10)}


@pytest.mark.parametrize("rows", [_WIDE, _LONG_CELLS], ids=["wide", "long cells"])
@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_a_description_is_short_and_quick(make: Callable[..., object], rows: object) -> None:
    masks.add(["c3"])
    table = make(rows)
    describe("t", make({"a": [1]}))  # its library is imported by now
    begun = time.thread_time()
    assert len(describe("t", table).text) < 13_000
    assert time.thread_time() - begun < _SECONDS


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    with own_shell(tmp_path, monkeypatch) as made:
        yield made
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        vars(sys).pop(name, None)


_CELLS = (
    f"import pandas, polars, dataclasses\nrows = {_ROWS!r}",
    "from acp_jupyter.context import mask\nsales = pandas.DataFrame(rows)\ndel rows",
    "mask(sales, ['email'])",
    "part = sales.head(1); column = sales.email; other = polars.from_dict(sales.to_dict('list'))",
    "by_email = sales.set_index('email'); series = other['email']; lazy = other.lazy()",
    "wide = sales.assign(k=1).pivot(index='k', columns='email', values='amount')",
    "listed = column.tolist(); words = ' and '.join(listed); inside = {'a': [{'b': listed}]}",
    "held = dataclasses.make_dataclass('Held', ['frame'])(sales)\ntwo = [sales, other]",
    "array = column.to_numpy(); records = sales.to_records(); index = by_email.index",
    "def use(given=listed): return int(given[0])",
    "def fails(frame):\n    cell = frame.email[0]\n    return int(cell)",
    "fails(sales)",
)


def _all_ways(shell: InteractiveShell) -> Iterator[str]:
    """Yield what agents get by each way on which a value leaves the kernel."""
    named = data_variables(shell.user_ns, shell.user_ns_hidden)
    for name in (*named, "use"):
        yield describe(name, shell.user_ns[name]).text  # --var, and @ in a cell
        yield described_text(name)  # @ in the panel
        yield inspection_json(shell, name, len(name))
        yield expand(f"{{{name}}}", shell.user_ns)
    yield expand("{sales.email[0]} {column[0]} {words}", shell.user_ns)
    yield variables_json(shell.user_ns, shell.user_ns_hidden)
    yield last_error_json(shell)
    assert sys.last_value is not None
    yield fix_prompt(shell, sys.last_value)


def test_no_masked_value_leaves_by_any_way(shell: InteractiveShell) -> None:
    for cell in _CELLS:
        shell.run_cell(cell)  # type: ignore[no-untyped-call]
    found = list(_all_ways(shell))
    assert len(found) > 50
    for text in found:
        assert _SECRET not in text
        assert "ann-lee" not in text
    assert any("7.25" in text for text in found)  # what is not masked is there
    frames = json.loads(last_error_json(shell))
    assert frames["words"] == "ValueError: invalid literal for int() with base 10: '[masked]'"


def test_where_too_much_is_masked_to_be_looked_for_no_text_is_shown(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masked_values, "_SEARCHED_CELLS", 1)
    for cell in _CELLS:
        shell.run_cell(cell)  # type: ignore[no-untyped-call]
    for text in _all_ways(shell):
        assert "ann-lee" not in text
    assert "may hold masked values" in describe("listed", shell.user_ns["listed"]).text
