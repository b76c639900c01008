"""How long a turn took, wherever its end is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.turn.display import TurnPrinter
from acp_jupyter.transcript.model.items import TurnEnd
from acp_jupyter.transcript.output.bundle import build_bundle
from acp_jupyter.transcript.output.html import html_page
from acp_jupyter.transcript.output.markdown import session_markdown, turn_markdown, turn_plain_text
from acp_jupyter.transcript.output.plain_text import duration_text
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.support.log.imported import Imported, import_lines

TABLE = json.loads((Path(__file__).parents[2] / "golden" / "durations.json").read_text())
SAID = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
WORDS = "1m 13s"
RESULTS: dict[str, dict[str, Any]] = {
    "success": {"result": "Done."},
    "error_max_turns": {"is_error": True},
    "error_during_execution": {"is_error": True, "errors": ["It broke."]},
}


@pytest.mark.parametrize(("seconds", "written"), TABLE)
def test_a_duration_is_written_as_the_page_does(seconds: float | None, written: str) -> None:
    assert duration_text(seconds) == written


def test_no_number_fails() -> None:
    for odd in (float("nan"), float("inf"), float("-inf")):
        assert duration_text(odd) == ""
    assert duration_text(1e300).endswith("h 00m") or duration_text(1e300)


@pytest.fixture(params=RESULTS)
def log(request: pytest.FixtureRequest) -> Imported:
    """A log of the Claude CLI, each of its lines of the same moment."""
    subtype = request.param
    result = {"type": "result", "subtype": subtype, "duration_ms": 72_500, **RESULTS[subtype]}
    prompt = {"type": "user", "message": {"role": "user", "content": "Do it."}}
    return import_lines([prompt, {"type": "assistant", "message": SAID}, result])


def test_an_imported_turn_tells_it_once_in_every_form(log: Imported) -> None:
    """In Markdown, HTML and plain text; in a notebook in the output's metadata."""
    state, items = log.transcript, log.items()
    (turn,) = state.turns.values()
    (end,) = (item for item in items if isinstance(item, TurnEnd))
    assert end.duration_seconds == 72.5
    scrubber = Scrubber.of_session(state.session, Redactor())
    saved: Any = build_bundle(turn, items, state.session)
    (mark,) = saved.metadata["acp_jupyter"].values()
    forms = {
        "Markdown": turn_markdown(turn, items),
        "session": session_markdown(state.session, [turn], {turn.turn_id: items}),
        "plain": turn_plain_text(turn, items),
        "HTML": html_page(state.session, [turn], items, scrubber),
    }
    assert {name: form.count(WORDS) for name, form in forms.items()} == dict.fromkeys(forms, 1)
    assert WORDS not in str(saved.data)
    assert mark.split()[4] == "72500"


def test_a_terminal_tells_it_at_the_end(log: Imported, capsys: pytest.CaptureFixture[str]) -> None:
    state = log.transcript
    (turn,) = state.turns.values()
    screen, detail = (
        TurnPrinter(),
        TurnDetail(turn=turn, items=log.items(), session=state.session),
    )
    screen.show(detail)
    screen.show(detail)
    out = capsys.readouterr().out
    assert out.count(WORDS) == 1
    assert WORDS in out.splitlines()[-1]


def test_a_running_turn_and_one_that_was_not_sent_have_none(log: Imported) -> None:
    (turn,) = log.transcript.turns.values()
    running = turn.model_copy(update={"status": "running", "ended_at": None})
    assert "<sub>" not in turn_markdown(running, [])
    unsent = turn.model_copy(update={"started_at": None})
    assert "<sub>" not in turn_markdown(unsent, [])
