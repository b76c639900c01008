"""``%acp`` steer, cancel and use: what they refuse, and what they say when nothing runs."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.error import UsageError

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.sessions import GetUsage, ListSessions, ResumeSession, UsageReply
from acp_jupyter.errors import BadRequest
from acp_jupyter.kernel.magics import help, subcommands
from acp_jupyter.kernel.magics.subcommands import run_subcommand
from acp_jupyter.kernel.session import defaults
from acp_jupyter.protocol.host_events.notes import StopCause
from acp_jupyter.transcript.model.use import Cost, Use
from tests.support.kernel.fake_host import HostWithoutEvents
from tests.support.transcript.traffic import Script

COSTS = (Cost(amount=0.0181, currency="USD"), Cost(amount=2.0, currency="EUR"))


class FakeHost(HostWithoutEvents):
    """Has one session, in which a turn may run."""

    def __init__(self, *turn_ids: str) -> None:
        self.script = Script()
        for number, turn_id in enumerate(turn_ids):
            if number:
                self.script.line("!", {"note": "turn_queued", "turn_id": turn_id, "prompt": []})
            else:
                self.script.turn("Do it", turn_id)
        self.cancelled: list[str] = []
        self.facts: dict[str, Any] = {}

    def call(self, command: Command, seconds: float) -> Any:
        state = self.script.transcript.session.model_copy(update=self.facts)
        if isinstance(command, ListSessions):
            return [state]
        if isinstance(command, GetUsage):
            today = Use(turns=2, seconds=630.0, calls=12, tokens=12_345, costs=COSTS)
            own = Use(turns=1, seconds=9.6) if command.session_id else None
            return UsageReply(day="2026-12-01", today=today, session=own)
        return state if isinstance(command, ResumeSession) else None

    def cancel(self, session_id: str, turn_id: str, reason: StopCause = "user") -> None:
        self.cancelled.append(turn_id)


def use(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subcommands, "host_client", lambda: host)


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ((), "Nothing is running."),
        (("t1",), "Stopped 1 turn."),
        (("t1", "t2"), "Stopped 2 turns."),
    ],
    ids=len,
)
def test_what_was_stopped_is_counted(
    turns: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    host = FakeHost(*turns)
    use(host, monkeypatch)
    run_subcommand("cancel")
    assert capsys.readouterr().out == f"{said}\n"
    assert sorted(host.cancelled) == [*turns]


def test_steering_needs_words_and_a_turn_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeHost(), monkeypatch)
    with pytest.raises(UsageError, match="Say what the agent should know"):
        run_subcommand("steer ")
    with pytest.raises(BadRequest, match="Nothing is running"):
        run_subcommand("steer left")


@pytest.mark.parametrize(
    ("history", "words"), [("whole", ""), ("without", " The agent does not remember")]
)
def test_cells_go_on_in_a_session_that_is_resumed(
    history: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = FakeHost()
    use(host, monkeypatch)
    monkeypatch.setattr(defaults, "session_id", "")
    monkeypatch.setattr(defaults, "chosen", {})
    host.facts = {"history": history}
    run_subcommand("resume s1")
    said = capsys.readouterr().out
    assert said.startswith(f"Resumed session s1 of demo.{words}")
    assert ("does not remember" in said) is bool(words)
    assert defaults.session_id == "s1"
    host.facts = {"read_only": "This session is open in another server. You can read it here."}
    with pytest.raises(BadRequest, match="open in another server"):
        run_subcommand("resume s1")


def test_what_was_used_is_shown_for_the_session_and_for_today(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = FakeHost()
    host.facts = {"title": "Clean the data"}
    use(host, monkeypatch)
    monkeypatch.setattr(help, "display", lambda data, raw: print(data["text/plain"]))
    run_subcommand("usage")
    titles, own, today = capsys.readouterr().out.splitlines()
    assert titles.split() == ["Turns", "Time", "Tool", "calls", "Tokens", "Cost"]
    assert own.split("  ")[0] == "Session s1 (Clean the data)"
    assert own.endswith("not reported  not reported")
    assert "10 seconds" in own
    assert "10.5 minutes" in today
    assert "12,345" in today
    assert today.endswith("0.0181 USD, 2 EUR")
    with pytest.raises(UsageError, match="Name one session: %acp usage ID"):
        run_subcommand("usage one two")
