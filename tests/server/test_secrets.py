"""What a process of the server inherits does not make it the user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from acp_jupyter.transcript.secret_patterns import REDACTED
from tests.support.server.all_routes import PATHS
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import eventually

TOKEN = "0123456789abcdef-the-user"
GUESSES = [f"p{number}" for number in range(8, 15)]
"""What the agent can work out from how request ids are made."""

READS = ["agents", "sessions", "items", "transcript", "some-turn_id", "attach", "records"]
READS += ["kernel", "traffic", "traffic-lines", "some-place", "stream"]


def test_an_agent_that_tries_every_secret_decides_nothing(tmp_path: Path) -> None:
    """Its own environment and its kernel's, on every route, in every disguise."""
    agents = fake_agents("tries_secrets")
    with (
        JupyterServer(tmp_path, agents=agents, env={"JUPYTER_TOKEN": TOKEN}) as server,
        server.user() as user,
    ):
        kernel = server.start_kernel("notebook.ipynb")
        kernel_environment = environment_of(kernel)
        session_id = open_session(user, "tries_secrets", notebook_path="notebook.ipynb")
        port = urlsplit(server.url).port
        plan = {
            "url": server.api,
            "paths": [
                path.replace("some-session_id", session_id).replace("some-request_id", request_id)
                for path in PATHS
                for request_id in (GUESSES if "request_id" in path else [""])
            ],
            "reads": READS,
            "cookies": [f"username-localhost-{port}", "_xsrf"],
            "kernel_id": kernel.kernel_id,
            "kernel_environment": kernel_environment,
        }
        turn_id = start_turn(user, session_id, json.dumps(plan))
        request = pending(user, session_id)
        assert request["request_id"] in GUESSES, "the agent has to know which"

        report = eventually(lambda: report_of(user.get(f"turns/{turn_id}").json()))
        assert report["got_in"] == []
        assert report["tried"] > 1000
        state = user.get(f"sessions/{session_id}").json()
        assert (state["policy"], state["waiting"], state["queue"]) == ("ask", 1, [])

        for environment in (kernel_environment, report["environment"]):
            assert TOKEN not in json.dumps(environment)
            assert kernel.key.decode() not in json.dumps(environment)
        names = set(report["environment"])
        assert not [name for name in names if name.startswith(("ACP_JUPYTER_", "JPY_"))]

        answer = user.post(
            f"sessions/{session_id}/permissions/{request['request_id']}", json={"option_id": "no"}
        )
        assert answer.status_code == 200
        texts = [item.get("text", "") for item in finished(user, turn_id)["items"]]
        assert '"optionId": "no"' in "".join(texts)


def test_the_server_keeps_its_own_secrets_out_of_logs_and_records(tmp_path: Path) -> None:
    """What lets anybody act as the user or a kernel, in a turn that says all of it."""
    with (
        JupyterServer(
            tmp_path, agents=fake_agents("hello"), env={"JUPYTER_TOKEN": TOKEN}
        ) as server,
        server.user() as user,
    ):
        kernel = server.start_kernel("notebook.ipynb")
        (server.root / ".env").write_text("DEPLOY_SECRET=by-word-of-mouth\n")
        key = kernel.key.decode()
        cookie = (server.runtime / "jupyter_cookie_secret").read_text().strip()
        said = [TOKEN, key, cookie, "by-word-of-mouth"]
        session_id = open_session(user, "hello", notebook_path="notebook.ipynb")
        turn_id = start_turn(user, session_id, "\n".join(said))
        detail = finished(user, turn_id)
        log = user.get(f"sessions/{session_id}/traffic").text
        for secret in said:
            assert secret not in json.dumps(detail["bundle"])
            assert secret not in log
        assert REDACTED in log
        assert REDACTED in json.dumps(detail["items"])


def environment_of(kernel: KernelSide) -> dict[str, str]:
    environment: dict[str, str] = json.loads(
        kernel.run("import json, os; print(json.dumps(dict(os.environ)))")
    )
    assert environment["ACP_JUPYTER_URL"] == kernel.server.url
    return environment


def report_of(detail: dict[str, Any]) -> dict[str, Any]:
    for item in detail["items"]:
        if item["kind"] == "agent_message" and item["text"].startswith("{"):
            report: dict[str, Any] = json.JSONDecoder().raw_decode(item["text"])[0]
            return report
    return {}
