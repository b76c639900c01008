"""Published agents in a batch, with a job for each; the same call runs none of them again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import acp_jupyter
from acp_jupyter.features.batches.results import BatchResults
from tests.features.batches.support.jobs import configure_agents
from tests.support.kernel.cells import jupyter_environment
from tests.support.kernel.notebook_file import read_notebook
from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Say, Steps, Use
from tests.support.mockllm.tool_names import SHELL
from tests.support.published.programs import PUBLISHED, processes_of
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.long, pytest.mark.timeout(900)]

_AGENTS = [agent for agent in PUBLISHED if agent.agent_id in {"opencode", "claude"}]
_IDS = [agent.agent_id for agent in _AGENTS]


def _writes() -> Steps:
    command = "cat data.csv > made.txt"
    use = Use(SHELL, {"command": command, "description": "Write a file"})
    return [[Say("Now.\n"), use], [Say("It is made.")]]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """The model of the agents, which are configured for the current folder."""
    for name, value in jupyter_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    # Claude's adapter and its CLI read it differently: then root can't have a session.
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    folder = tmp_path / "work"
    homes = {agent.agent_id: tmp_path / f"home-{agent.agent_id}" for agent in _AGENTS}
    for path in (folder, tmp_path / "config", *homes.values()):
        path.mkdir()
    (folder / "data.csv").write_text("a,b\n")
    monkeypatch.chdir(folder)
    with FakeModel() as model:
        model.scripts["writes"] = _writes
        entries = {a.agent_id: a.entry(homes[a.agent_id], model) for a in _AGENTS}
        configure_agents(folder, **entries)
        yield model
    left = "processes of the agents are left"
    eventually(lambda: not any(processes_of(home) for home in homes.values()), left)


def _run(*, replay: bool = False) -> BatchResults:
    return acp_jupyter.batch(
        "[[mock scenario=writes]] Write {name}",
        {"name": "made.txt"},
        _IDS,
        policy="allow-all",
        trust=True,
        workers=2,
        replay=replay,
    )


def test_each_has_a_job_which_is_kept_and_is_not_run_again(
    model: FakeModel, tmp_path: Path
) -> None:
    results = _run()
    assert [(each.agent, each.status, each.error) for each in results] == [
        (agent_id, "done", "") for agent_id in _IDS
    ]
    assert model.begun == ["writes"] * len(_IDS)
    for agent, result in zip(_AGENTS, results, strict=True):
        assert result.stop_reason == "end_turn"
        assert result.text.endswith("It is made.")
        assert result.tokens
        assert "+++ b/made.txt\n@@ -0,0 +1 @@\n+a,b\n" in result.patch
        assert (result.folder / "patch.diff").read_text() == result.patch
        assert [path.name for path in result.files.iterdir()] == ["made.txt"]
        assert (result.files / "made.txt").read_text() == "a,b\n"
        assert len(list(result.recording.iterdir())) == 1
        cells = read_notebook(result.notebook).cells
        assert any('name = "made.txt"' in cell.source for cell in cells)
        assert agent.name in result.notebook.read_text()
    assert sorted(path.name for path in Path().iterdir()) == ["data.csv", "prompt.batch"]

    before = [result.notebook.stat().st_mtime_ns for result in results]
    assert _run() == results
    assert [result.notebook.stat().st_mtime_ns for result in results] == before

    # From the recordings, without the agents.
    configure_agents(Path.cwd(), **{agent_id: {"command": "gone"} for agent_id in _IDS})
    replayed = _run(replay=True)
    assert [result.text for result in replayed] == [result.text for result in results]
    assert [result.patch for result in replayed] == [result.patch for result in results]
    assert model.begun == ["writes"] * len(_IDS), "no prompt was sent again"
