"""Each row of ``docs/tools.md`` has a test that runs the tool."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "tools.md"
BESIDE = ("test_extensions.py", "test_a_turn_is_drawn_and_saved_beside_all_of_them")
RUNNER = ("test_commands.py", "test_a_runner_saves_the_whole_turn")
FORMATTER = ("test_commands.py", "test_a_formatter_leaves_prompts_alone")
THERE_AND_BACK = ("test_jupytext.py", "test_a_prompt_is_the_same_there_and_back")
TESTS = {
    "papermill": RUNNER,
    "nbmake": RUNNER,
    "testbook": ("test_commands.py", "test_testbook_runs_a_turn_and_hands_over_its_text"),
    "jupyter-cache": ("test_commands.py", "test_jupyter_cache_keeps_the_whole_turn"),
    "ploomber-engine": RUNNER,
    "ruff": ("test_commands.py", "test_ruff_knows_our_names_by_a_line"),
    "black": FORMATTER,
    "nbqa": FORMATTER,
    "pylint": ("test_commands.py", "test_pylint_knows_our_names_by_a_line"),
    "nbstripout": ("test_commands.py", "test_nbstripout_takes_the_turns_out"),
    "jupytext, `py:percent` and `py:light`": (
        "test_jupytext.py",
        "test_a_notebook_that_is_paired_with_a_script_has_its_prompts_as_comments",
    ),
    "jupytext, `py:hydrogen`": THERE_AND_BACK,
    "jupytext, `md`, `Rmd` and `md:myst`": THERE_AND_BACK,
    "jupytext, a script or Markdown opened as a notebook": (
        "test_jupytext.py",
        "test_a_script_opened_as_a_notebook_has_turns_and_tools",
    ),
    "jupyterlab-lsp": (
        "test_extensions.py",
        "test_tab_in_a_prompt_offers_our_words_beside_jupyterlab_lsp",
    ),
    "jupyterlab-git": BESIDE,
    "jupyterlab-vim": BESIDE,
    "jupyterlab-spellchecker": BESIDE,
    "jupyterlab-execute-time": BESIDE,
    "jupyter-resource-usage": BESIDE,
    "myst-nb": ("test_publishing.py", "test_myst_nb_builds_without_a_warning"),
    "jupyter-book 1": ("test_publishing.py", "test_jupyter_book_builds_without_a_warning"),
    "nbsphinx": ("test_publishing.py", "test_nbsphinx_builds_without_a_warning_by_a_line"),
    "nbdime": (
        "../notebooks/test_reruns.py",
        "test_nbdime_merges_two_branches_that_both_ran_the_turns_again",
    ),
    "nbval": (
        "../features/recordings/notebooks/test_recorded.py",
        "test_nbval_finds_the_turns_as_they_are_shipped",
    ),
    "nbconvert": ("test_publishing.py", "test_nbconvert_writes_calls_in_bold_for_latex"),
}


def test_each_row_has_a_test() -> None:
    rows = re.findall(r"^\| ([^|]+?) \| [^|]", PAGE.read_text(), re.M)
    assert [row for row in rows if row != "Tool"] == list(TESTS)
    for file, name in TESTS.values():
        assert f"def {name}(" in (HERE / file).read_text()
