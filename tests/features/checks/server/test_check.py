"""A notebook is checked for its page alone, and its second kernel ends with the request."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.support.processes import all_processes
from tests.support.server.jupyter_server import JupyterServer, KernelSide
from tests.support.wait import PATIENCE_SECONDS, eventually


def asked(*sources: str, kernel: str = "python3") -> dict[str, Any]:
    cells = [
        {
            "cell_type": "code",
            "id": f"c{index}",
            "metadata": {},
            "source": source,
            "execution_count": 1,
            "outputs": [],
        }
        for index, source in enumerate(sources)
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return {"path": "folder/book.ipynb", "notebook": notebook, "kernel_name": kernel}


def processes(server: JupyterServer) -> list[psutil.Process]:
    """Return the processes that run for checks of a server, with their kernels."""
    found = []
    for process in all_processes():
        try:
            words, environment = process.cmdline(), process.environ()
            of_server = environment.get("JUPYTER_RUNTIME_DIR") == str(server.runtime)
            if "acp_jupyter.features.checks" in words and of_server:
                found += [process, *process.children(recursive=True)]
        except psutil.Error:  # it has ended, or its environment is its own
            continue
    return found


def two(server: JupyterServer) -> list[psutil.Process]:
    """Return the process of a check and its kernel, once both are seen."""
    found = processes(server)
    return found if len(found) >= 2 else []


def seen(server: JupyterServer) -> str:
    """Tell of every process that has to do with checks or kernels."""
    lines = [f"{len(processes(server))} for checks of {server.runtime}"]
    for process in all_processes():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if "acp_jupyter.features.checks" in words or "ipykernel_launcher" in words:
                runtime = process.environ().get("JUPYTER_RUNTIME_DIR")
                lines.append(f"{process.pid} of {process.ppid()} in {runtime}: {words}")
    return "\n".join(lines)


@contextlib.contextmanager
def running(answer: httpx.Response) -> Iterator[None]:
    """Read the lines of a check until one says that a cell runs; then it goes on.

    What is left of the answer is kept: without its iterator the connection is closed.
    """
    lines = answer.iter_lines()
    before = []
    for line in lines:
        before.append(line)
        if '"running"' in line:
            break
    else:
        raise AssertionError(f"no cell ran: {before}")
    yield
    del lines


def lives(process: psutil.Process) -> bool:
    """Return whether a process runs, and not another one of its number."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_page_is_told_line_by_line(user: httpx.Client, server: JupyterServer) -> None:
    (server.root / "folder").mkdir(exist_ok=True)
    sources = ("import os\nprint(os.path.basename(os.getcwd()))", "1", "pass", "%%acp\nHello")
    answer = user.post("check", json=asked(*sources), timeout=PATIENCE_SECONDS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.splitlines() if line]
    assert lines[0] == {"type": "started", "cells": 4}
    assert lines[-1] == {"type": "ended", "words": ""}
    cells = [line for line in lines if line["type"] == "cell"]
    assert [each["verdict"] for each in cells] == ["different", "different", "same", "skipped"]
    assert cells[0]["differences"][0]["new"] == "folder\n"
    assert cells[0]["cell_id"] == "c0"
    assert processes(server) == []


def test_a_kernel_that_the_server_does_not_have_is_refused(user: httpx.Client) -> None:
    answer = user.post("check", json=asked("1", kernel="absent"))
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "There is no kernel 'absent' here.",
    )
    assert user.post("check", json={"path": "a.ipynb"}).status_code == 400


def test_nothing_that_lies_beside_is_run_in_its_process(tmp_path: Path) -> None:
    """The server's folder is one that agents can write, and so is the notebook's."""
    with JupyterServer(tmp_path) as server, server.user() as user:
        planted = server.root / "folder/acp_jupyter"
        for folder in (server.root, planted.parent):
            (folder / "acp_jupyter").mkdir(parents=True)
            for name in ("acp_jupyter/__init__.py", "pydantic.py", "nbclient.py"):
                (folder / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
        answer = user.post("check", json=asked("1"), timeout=PATIENCE_SECONDS)
        assert '"type":"ended"' in answer.text.replace(" ", "")
    assert not (tmp_path / "ran").exists()


def test_nobody_else_can_ask(
    server: JupyterServer, kernel: KernelSide, browser: httpx.Client
) -> None:
    with server.client() as visitor:
        assert visitor.post("check", json=asked("1")).status_code == 403
    assert kernel.request("POST", "check", asked("1")).status_code == 403
    # A page of another site has the cookies, and not the XSRF token.
    assert (
        browser.post(
            "check", json=asked("1"), headers={"Origin": "https://evil.example"}
        ).status_code
        == 403
    )
    assert processes(server) == []


def test_the_second_kernel_ends_when_the_page_goes_away(
    user: httpx.Client, server: JupyterServer
) -> None:
    endless = "import threading\nthreading.Event().wait()"
    started = user.stream("POST", "check", json=asked(endless), timeout=PATIENCE_SECONDS)
    with started as answer, running(answer):
        known = eventually(lambda: two(server), lambda: seen(server))
    eventually(lambda: not any(map(lives, known)))


def test_nothing_is_left_of_a_check_when_the_server_is_killed(tmp_path: Path) -> None:
    endless = "import threading\nthreading.Event().wait()"
    with JupyterServer(tmp_path) as server, server.user() as user:
        started = user.stream("POST", "check", json=asked(endless), timeout=PATIENCE_SECONDS)
        with started as answer, running(answer):
            known = eventually(lambda: two(server), lambda: seen(server))
            server.kill()
        eventually(lambda: not any(map(lives, known)))
