"""Published agents list the tables of their notebook's kernel, and query one after a question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.notebook_tools.in_process import write_notebook
from tests.support.kernel.cells import Kernel
from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Say, Use
from tests.support.published.programs import PUBLISHED, Published, processes_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.long]

_AGENTS = [
    pytest.param(agent, id=agent.agent_id)
    for agent in PUBLISHED
    if agent.agent_id in {"opencode", "claude"}
]
_NOTEBOOK = "work/n.ipynb"
_SQL = "SELECT city, sum(sold) AS total FROM sales GROUP BY city ORDER BY city"
_MADE = """\
import sqlite3
shop = sqlite3.connect(":memory:")
shop.execute("CREATE TABLE sales (city TEXT, sold INTEGER)")
shop.executemany("INSERT INTO sales VALUES (?, ?)", [("Ulm", 2), ("Bonn", 3), ("Ulm", 5)])
"""


class _User:
    """Allows what is asked, once, and keeps the questions."""

    def __init__(self, server: JupyterServer) -> None:
        self._client = server.user()
        self.asked: dict[str, dict[str, Any]] = {}

    def allow(self, _cell: object = None) -> None:
        for item in self.items():
            asked = item.get("permission") or {}
            if asked.get("state") == "pending":
                self.asked[asked["request_id"]] = item
                once = next(o for o in asked["options"] if o["option_kind"] == "allow_once")
                self._client.post(
                    f"sessions/{item['session_id']}/permissions/{asked['request_id']}",
                    json={"option_id": once["option_id"]},
                )

    def items(self) -> list[dict[str, Any]]:
        """Return what the only session shows."""
        found: list[dict[str, Any]] = []
        for state in self._client.get("sessions").json():
            session_id = state["session_id"]
            page = self._client.get(
                f"sessions/{session_id}/items", params={"start": 0, "end": 500}
            ).json()
            found += [{**item, "session_id": session_id} for item in page["items"]]
        return found

    def close(self) -> None:
        self._client.close()


@pytest.fixture(params=_AGENTS)
def place(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Published, FakeModel, Kernel, _User]]:
    agent: Published = request.param
    home = tmp_path / "agent-home"
    home.mkdir()
    with FakeModel() as model:
        agents = {agent.agent_id: agent.entry(home, model)}
        with JupyterServer(tmp_path, agents=agents) as server:
            write_notebook(server.root / _NOTEBOOK, "%%acp")
            file = server.start_kernel(_NOTEBOOK).connection_file
            user = _User(server)
            with Kernel(server.root, connection_file=file) as kernel:
                kernel.run(f"%load_ext acp_jupyter\n{_MADE}").ok()
                yield agent, model, kernel, user
            user.close()
        eventually(lambda: not processes_of(home), "processes of the agent are left")


def test_a_query_is_asked_about_and_its_rows_reach_the_model(
    place: tuple[Published, FakeModel, Kernel, _User],
) -> None:
    agent, model, kernel, user = place
    arguments = {"name": "shop", "sql": _SQL}
    model.scripts["tables"] = lambda: [
        *agent.searches("list_tables", "query"),
        [Say("Looking.\n"), Use(["list_tables"], {}, exact=True)],
        [Use(["notebook.*query$"], arguments, exact=True)],
        [Say("Seen.")],
    ]
    kernel.run(
        f"%%acp {agent.agent_id} --new\n[[mock scenario=tables]] Which city?",
        cell_id="cell-0",
        watched=True,
        on_progress=user.allow,
    ).ok()
    about = [item for item in user.asked.values() if item["raw_input"].get("sql") == _SQL]
    assert len(about) == 1, "the user is asked once, and sees the whole SQL"
    if not agent.asks_to_read:
        (question,) = user.asked.values()
        words = "wants to query shop in the notebook's kernel"
        assert question["permission"]["title"].endswith(words)
    calls = [item for item in user.items() if item["kind"] == "tool_call"]
    assert {call["status"] for call in calls} == {"completed"}
    outputs = json.dumps([call["output"] for call in calls])
    assert "shop: SQLite connection, 1 table" in outputs
    assert "| Bonn | 3 |" in outputs
    assert "| Ulm | 7 |" in model.request
