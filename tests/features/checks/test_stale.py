"""Which outputs are stale: by names and run order, beside what marimo and running itself say."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.cells.names import is_prompt, names_of
from acp_jupyter.features.checks.stale import CellRun, CodeCell, StaleCell, find_stale
from tests.cells.notebooks_of_names import IN_JUPYTER_ONLY, LIKE_MARIMO, NamedNotebook
from tests.support.environments import apps_environment


def cells(*sources: str) -> list[CodeCell]:
    return [CodeCell(cell_id=str(index), source=source) for index, source in enumerate(sources)]


def run_of(*cells: CodeCell, kernel: int = 0) -> list[CellRun]:
    return [CellRun(cell_id=cell.cell_id, source=cell.source, kernel=kernel) for cell in cells]


def changed(notebook: Sequence[CodeCell], index: int, source: str) -> list[CodeCell]:
    now = CodeCell(cell_id=notebook[index].cell_id, source=source)
    return [*notebook[:index], now, *notebook[index + 1 :]]


def ids(found: Sequence[StaleCell]) -> list[str]:
    return [cell.cell_id for cell in found]


def dependents(sources: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Change one cell after the other of a notebook that was run in order."""
    notebook = cells(*sources)
    found: list[tuple[int, ...]] = []
    for index, source in enumerate(sources):
        now = changed(notebook, index, source + "\n0")
        stale = ids(find_stale(now, run_of(*notebook)))
        found.append(tuple(int(each) for each in stale if each != str(index)))
    return tuple(found)


@pytest.mark.parametrize("notebook", [*LIKE_MARIMO, *IN_JUPYTER_ONLY], ids=lambda each: each.what)
def test_names_connect_cells(notebook: NamedNotebook) -> None:
    assert dependents(notebook.sources) == notebook.dependents


@pytest.mark.long
def test_marimo_says_the_same_of_the_converted_notebooks(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    python = apps_environment(tmp_path_factory.mktemp("wheel"))
    done = subprocess.run(
        [str(python), str(Path(__file__).parents[2] / "hosts/apps/marimo_dependents.py")],
        input=json.dumps([notebook.sources for notebook in LIKE_MARIMO]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = [tuple(map(tuple, each)) for each in json.loads(done.stdout)]
    assert told == [notebook.dependents for notebook in LIKE_MARIMO]


NAMES = ("a", "b", "c", "d")
lines = st.builds(
    lambda target, numbers, used: f"{target} = {' + '.join([str(numbers), *used])}",
    st.sampled_from(NAMES),
    st.integers(0, 9),
    st.lists(st.sampled_from(NAMES), max_size=2),
)
sources = st.lists(
    st.lists(lines, min_size=1, max_size=3).map("\n".join), min_size=1, max_size=5, unique=True
)


@given(sources=sources, data=st.data())
def test_a_value_that_would_be_another_is_stale(sources: list[str], data: st.DataObject) -> None:
    """The oracle is Python: what a run of the notebook gives before and after the change."""
    notebook = cells(*sources)
    index = data.draw(st.integers(0, len(sources) - 1))
    now = changed(notebook, index, data.draw(st.lists(lines, min_size=1).map("\n".join)))
    stale = ids(find_stale(now, run_of(*notebook)))
    was, is_ = values(notebook), values(now)
    for cell in notebook:
        if was[cell.cell_id] != is_[cell.cell_id]:
            assert cell.cell_id in stale


def values(notebook: Sequence[CodeCell]) -> dict[str, object]:
    """What the names that each cell sets are after it, or its error."""
    space: dict[str, object] = dict.fromkeys(NAMES, 1)
    found: dict[str, object] = {}
    for cell in notebook:
        exec(cell.source, space)
        found[cell.cell_id] = [space[name] for name in sorted(names_of(cell.source).sets)]
    return found


@given(sources=sources, order=st.lists(st.integers(0, 4), max_size=8))
def test_nothing_is_stale_where_no_source_was_changed(sources: list[str], order: list[int]) -> None:
    notebook = cells(*sources)
    runs = [*notebook, *(notebook[index % len(notebook)] for index in order)]
    found = find_stale(notebook, run_of(*runs))
    assert all(cause.change == "set_elsewhere" for each in found for cause in each.causes)


@given(st.text())
def test_any_text_is_read(source: str) -> None:
    names_of(source)


def test_deep_and_long_sources_are_read_without_an_error() -> None:
    assert names_of("(" * 5000 + ")" * 5000).uses == set()
    assert names_of("-" * 50_000 + "a").sets == set()
    assert names_of("a = 1\n" * 100_000).sets == set()


def test_it_says_through_which_names() -> None:
    notebook = cells("raw = 1", "df = raw + 1", "print(df)")
    (_, _, last) = find_stale(changed(notebook, 0, "raw = 2"), run_of(*notebook))
    (cause,) = last.causes
    assert (cause.cell_id, cause.change, cause.run) == ("0", "changed", 0)
    assert [(link.name, link.cell_id) for link in cause.path] == [("df", "1"), ("raw", "0")]


def test_it_is_stale_until_all_that_it_uses_has_run_too() -> None:
    notebook = cells("a = 1", "b = a", "b")
    now = changed(notebook, 0, "a = 2")
    runs = run_of(*notebook)
    assert ids(find_stale(now, [*runs, *run_of(now[2])])) == ["0", "1", "2"]
    assert ids(find_stale(now, [*runs, *run_of(now[0])])) == ["1", "2"]
    assert ids(find_stale(now, [*runs, *run_of(now[0], now[1])])) == ["2"]
    assert ids(find_stale(now, [*runs, *run_of(*now)])) == []


def test_taken_back_to_the_letter_nothing_is_stale() -> None:
    notebook = cells("a = 1", "a")
    assert find_stale(changed(notebook, 0, "a = 1"), run_of(*notebook)) == []
    now = changed(notebook, 0, "a = 2")
    runs = [*run_of(*notebook), *run_of(now[0])]
    assert ids(find_stale(notebook, runs)) == ["0"]


def test_a_comment_makes_nothing_stale() -> None:
    notebook = cells("a = 1", "a")
    now = changed(notebook, 0, "# The first.\na  =  1  # one")
    assert find_stale(now, run_of(*notebook)) == []
    assert ids(find_stale(now, run_of(*notebook), python=False)) == ["0"]


def test_the_order_of_runs_counts_before_that_of_cells() -> None:
    notebook = cells("a = 1", "print(a)", "a = 2")
    runs = run_of(notebook[0], notebook[2], notebook[1])
    now = changed(notebook, 2, "a = 3")
    assert ids(find_stale(now, runs)) == ["1", "2"]


def test_a_cell_that_was_never_run_is_not_stale() -> None:
    notebook = cells("a = 1", "a")
    assert ids(find_stale(changed(notebook, 0, "a = 2"), run_of(notebook[0]))) == ["0"]


def test_what_was_set_before_a_restart_is_gone() -> None:
    notebook = cells("a = 1", "a")
    runs = [*run_of(notebook[0]), *run_of(notebook[1], kernel=1)]
    assert ids(find_stale(changed(notebook, 0, "a = 2"), runs)) == ["0", "1"]
    stale = find_stale(changed(notebook, 0, "a = 2"), runs)[1]
    assert [cause.change for cause in stale.causes] == ["set_elsewhere"]


def test_a_deleted_cell_and_one_that_comes_between() -> None:
    notebook = cells("a = 1", "a")
    (gone,) = find_stale(notebook[1:], run_of(*notebook))
    assert [cause.change for cause in gone.causes] == ["deleted"]
    between = CodeCell(cell_id="new", source="a = a + 1")
    (stale,) = find_stale([notebook[0], between, notebook[1]], run_of(*notebook))
    (cause,) = stale.causes
    assert (cause.cell_id, cause.change, cause.run) == ("new", "set_elsewhere", None)
    runs = run_of(notebook[0], between, notebook[1])
    assert find_stale([notebook[0], between, notebook[1]], runs) == []


def test_a_prompt_is_never_stale_nor_what_its_answer_depends_on() -> None:
    notebook = cells("df = 1", "%%acp --var df --out turn\nDescribe it", "turn.text")
    assert ids(find_stale(changed(notebook, 0, "df = 2"), run_of(*notebook))) == ["0"]


@pytest.mark.parametrize(
    ("source", "asks"),
    [
        ("%%acp\nHello", True),
        ("%%time\n%%acp --var df\nHello", True),
        ("x = 1\n%acp fix", True),
        ("answer = %acp last", True),
        ("%time %acp fix", True),
        ("# then %acp fix", False),
        ("print('%acp fix')", False),
        ("%acp_other", False),
    ],
)
def test_cells_with_our_magics_ask_agents(source: str, asks: bool) -> None:
    assert is_prompt(source) == asks
    notebook = cells("df = 1", source)
    stale = find_stale(changed(notebook, 1, f"{source}\n0"), run_of(*notebook))
    assert ids(stale) == ([] if asks else ["1"])


def test_other_languages_have_no_names() -> None:
    notebook = cells("a <- 1", "print(a)")
    now = changed(notebook, 0, "a <- 2")
    assert ids(find_stale(now, run_of(*notebook), python=False)) == ["0"]


def test_the_causes_of_a_cell_are_limited() -> None:
    notebook = cells(*(f"n{index} = 1" for index in range(50)))
    every = CodeCell(cell_id="sum", source=" + ".join(f"n{index}" for index in range(50)))
    runs = run_of(*notebook, every)
    now = [CodeCell(cell_id=each.cell_id, source=each.source + "0") for each in notebook]
    assert len(find_stale([*now, every], runs)[-1].causes) == 5
