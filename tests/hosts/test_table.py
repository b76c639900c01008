"""What the documentation says of hosts is tried: the table's cells, the examples of apps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS_FOLDER = Path(__file__).parents[1]
PAGE = TESTS_FOLDER.parent / "docs" / "hosts.md"
APPS_PAGE = PAGE.parent / "how-to" / "apps.md"
COLUMNS = ("Live", "Asked by", "Saved", "Replay")
NOTEBOOK_7 = "test_notebook_7"
IN_A_CELL = "test_allow_and_reject_in_a_blocking_cell"
BY_THE_SERVER = "test_the_server_plays_the_notebook_too"
BEHIND = "test_a_cell_with_a_permission_answered_in_the_page"
WITHOUT_US = "test_a_jupyterlab_without_the_labextension"
APP_PLAYS = "test_an_app_plays_a_recording"
RUN_PLAYS = "test_a_run_is_recorded_beside_its_notebook_and_replayed"
TESTS = {
    "JupyterLab 4.2 or newer": (
        IN_A_CELL,
        IN_A_CELL,
        "test_the_record_without_kernel_or_server_and_through_nbconvert",
        BY_THE_SERVER,
    ),
    "Notebook 7.2 or newer": (
        "test_notebook_7",
        "test_notebook_7",
        "test_notebook_7",
        BY_THE_SERVER,
    ),
    "JupyterHub": (
        "test_packets_come_as_they_happen",
        "test_a_guest_of_a_shared_server_answers_for_nobody_else",
        "test_the_record_without_kernel_or_server_and_through_nbconvert",
        BY_THE_SERVER,
    ),
    "JupyterLab with kernels behind a gateway": (
        BEHIND,
        BEHIND,
        BEHIND,
        "test_a_recording_is_played_behind_a_gateway",
    ),
    "JupyterLab without our extension in the page": (
        WITHOUT_US,
        WITHOUT_US,
        WITHOUT_US,
        BY_THE_SERVER,
    ),
    "a server without acp-jupyter; VS Code, Colab": (
        "test_watched_cells_show_a_widget_that_is_fed_while_they_run",
        "test_a_permission_is_asked_on_stdin_without_a_default",
        "test_a_permission_is_asked_on_stdin_without_a_default",
        "test_a_recorded_notebook_runs_without_its_agents",
    ),
    "papermill": (
        "test_nobody_watches_so_the_record_is_shown_once",
        "test_papermill_stops_where_somebody_would_have_to_be_asked",
        "test_papermill_runs_a_turn_with_its_parameter",
        RUN_PLAYS,
    ),
    "nbclient, `jupyter execute`, nbconvert": (
        "test_nobody_watches_so_the_record_is_shown_once",
        "test_where_nobody_can_answer_the_edit_is_refused_at_once",
        "test_what_is_saved_of_a_run_that_fails",
        RUN_PLAYS,
    ),
    "IPython at a terminal": (
        "test_a_turn_is_printed_and_asks",
        "test_a_turn_is_printed_and_asks",
        "test_a_turn_is_printed_and_asks",
        "test_a_terminal_records_and_replays",
    ),
    "scripts, asyncio programs": (
        "test_an_asyncio_program",
        "test_a_question_is_asked_wherever_a_program_waits",
        "test_a_script",
        "test_a_program_is_recorded_and_replayed",
    ),
    "Voilà": ("test_voila_shows_a_turn", "test_voila_shows_a_turn", APP_PLAYS, APP_PLAYS),
    "marimo": (
        "test_marimo_shows_a_turn_that_is_the_last_expression",
        "test_marimo_asks_in_a_waiting_cell_of_a_notebook",
        APP_PLAYS,
        APP_PLAYS,
    ),
    "Panel, by ipywidgets_bokeh": (
        "test_panel_shows_a_turn_by_ipywidgets_bokeh",
        "test_panel_shows_a_turn_by_ipywidgets_bokeh",
        APP_PLAYS,
        APP_PLAYS,
    ),
    "Shiny for Python, by shinywidgets": (
        "test_shiny_shows_a_turn_by_shinywidgets",
        "test_shiny_shows_a_turn_by_shinywidgets",
        APP_PLAYS,
        APP_PLAYS,
    ),
}


def table() -> list[list[str]]:
    """Return the rows of the page's table, the head first."""
    hosts = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    lines = re.findall(r"^\|(.+)\|$", hosts, re.M)
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [row for row in rows if set(row[0]) != {"-"}]


def test_each_cell_has_a_test() -> None:
    head, *rows = table()
    assert tuple(head[2:]) == COLUMNS
    assert [row[0] for row in rows] == list(TESTS)
    assert all(len(row) == len(head) and all(row) for row in rows)
    found = {
        name
        for folder in ("e2e", "features", "hosts", "notebooks")
        for file in (TESTS_FOLDER / folder).rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", file.read_text(encoding="utf-8"), re.M)
    }
    named = {name for tests in TESTS.values() for name in tests}
    assert all(len(tests) == len(COLUMNS) for tests in TESTS.values())
    assert sorted(named - found) == []


@pytest.mark.parametrize("name", ["marimo_turn", "panel_app", "shiny_app"])
def test_an_example_is_the_app_that_a_test_runs(name: str) -> None:
    code = (Path(__file__).parent / "apps" / f"{name}.py").read_text(encoding="utf-8").strip()
    assert f"```python\n{code}\n```" in APPS_PAGE.read_text(encoding="utf-8")
