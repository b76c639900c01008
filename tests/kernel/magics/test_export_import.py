"""%acp export: what is written, and in which format."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, SupportsIndex

import pytest
from IPython.core.error import UsageError

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.sessions import ListSessions
from acp_jupyter.api.models.traffic import (
    CancelImport,
    GetImport,
    GetTranscript,
    ImportProgress,
    ImportResult,
    ImportState,
    StartImport,
)
from acp_jupyter.api.models.turns import GetTurn, TurnDetail
from acp_jupyter.kernel.magics import export_import
from acp_jupyter.transcript.model.session_state import TurnState
from tests.support.kernel.fake_host import HostWithoutEvents
from tests.support.transcript.traffic import Script


class FakeHost(HostWithoutEvents):
    """Has one session, and says which form of it was wanted."""

    imported: ClassVar[tuple[str, ...]] = ()
    looks: ClassVar[list[ImportState]] = []
    """What is answered before an import is whole."""
    cancelled: ClassVar[list[str]] = []

    def call(self, command: Command, seconds: float) -> Any:
        if isinstance(command, ListSessions):
            return [Script().transcript.session]
        if isinstance(command, StartImport):
            return ImportState(progress=_progress(0))
        if isinstance(command, GetImport):
            return self.looks.pop(0) if self.looks else _whole(self.imported)
        if isinstance(command, CancelImport):
            self.cancelled.append(command.import_id)
            return {}
        if isinstance(command, GetTurn):
            transcript = Script().transcript
            turn = TurnState(turn_id=command.turn_id, session_id="s2", status="done")
            return TurnDetail(turn=turn, items=(), session=transcript.session)
        assert isinstance(command, GetTranscript)
        return {command.format: f"as {command.format}", "turn": command.turn_id}


def _progress(lines: int) -> ImportProgress:
    return ImportProgress(
        import_id="i1",
        file_name="log.ndjson",
        stage="read",
        lines=lines,
        bytes_read=lines * 100,
        bytes_total=2_000_000,
    )


def _whole(turn_ids: tuple[str, ...]) -> ImportState:
    result = ImportResult(
        session_id="s2",
        dialect="traffic",
        entries=5,
        problems=(),
        problem_count=0,
        log_session="a1",
        other_sessions=(),
        turn_ids=turn_ids,
    )
    return ImportState(progress=_progress(20_000), result=result)


class _Interrupted(list[ImportState]):
    """Answers once; at the second look the user interrupts."""

    def pop(self, index: SupportsIndex = -1) -> ImportState:
        if len(self) == 1:
            raise KeyboardInterrupt
        return super().pop(index)


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_import, "host_client", FakeHost)


@pytest.mark.parametrize(
    ("name", "options", "form"),
    [
        ("a.md", [], "markdown"),
        ("a.HTML", [], "html"),
        ("a.htm", ["--format", "markdown"], "markdown"),
    ],
)
def test_the_name_of_the_file_gives_its_format(
    name: str, options: list[str], form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export_import.run_export([str(tmp_path / name), *options])
    assert (tmp_path / name).read_text() == f"as {form}"
    assert capsys.readouterr().out.endswith(f"{name}: {form}, {len(form) + 3} B.\n")


@pytest.mark.parametrize(
    ("given", "words"),
    [(["a.txt"], "'a.txt' gives no format"), (["a.md", "--format", "pdf"], "no format 'pdf'")],
)
def test_what_is_no_format_is_refused_with_all_that_are(given: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=f"{words}.*traffic, .*markdown"):
        export_import.run_export(given)


@pytest.mark.parametrize(("turns", "words"), [(1, []), (2, ["The last turn is shown"])])
def test_what_came_of_a_log_is_told(
    turns: int, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log.ndjson").touch()
    FakeHost.imported = tuple(f"t{number}" for number in range(turns))
    export_import.run_import([str(tmp_path / "log.ndjson")])
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == f"<Turn t{turns - 1} of demo: done>"
    assert told[0].endswith(f"{turns} turn{'s' * (turns - 1)}, 5 lines.")
    assert [line.partition(";")[0] for line in told[1:-1]] == words


def test_a_long_import_says_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a script a line at its beginning; in a notebook an output that changes."""
    (tmp_path / "log.ndjson").touch()
    FakeHost.imported = ()
    FakeHost.looks = [ImportState(progress=_progress(lines)) for lines in (5_000, 15_000)]
    export_import.run_import([str(tmp_path / "log.ndjson")])
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "Importing log.ndjson (2.0 MB). Ctrl-C cancels."
    assert told[1].startswith("Imported as session s2")
    assert len(told) == 2


def test_an_interrupt_cancels_an_import(tmp_path: Path) -> None:
    (tmp_path / "log.ndjson").touch()
    state = ImportState(progress=_progress(5_000))
    FakeHost.looks = _Interrupted([state, state])
    FakeHost.cancelled = []
    with pytest.raises(KeyboardInterrupt):
        export_import.run_import([str(tmp_path / "log.ndjson")])
    assert FakeHost.cancelled == ["i1"]
    FakeHost.looks = []
