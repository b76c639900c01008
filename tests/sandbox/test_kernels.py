"""What an agent whose network is all gets at the ports of a kernel."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from acp_jupyter.host.registry_entries import AgentSpec, SandboxEntry
from acp_jupyter.host.sandbox.levels import Level
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from tests.sandbox.test_deeds import LEVELS, require
from tests.support.wait import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes of Linux")

_LISTENS = """
import sys, zmq
iopub, shell = sys.argv[1:]
listening = zmq.Context.instance().socket(zmq.SUB)
listening.setsockopt(zmq.SUBSCRIBE, b"")
listening.connect(iopub)
asking = zmq.Context.instance().socket(zmq.DEALER)
asking.setsockopt(zmq.LINGER, 0)
asking.connect(shell)
asking.send_multipart([b"<IDS|MSG>", b"", b'{"msg_type": "execute_request", "msg_id": "1"}',
                       b"{}", b"{}", b'{"code": "print(\\'forged\\')"}'], zmq.NOBLOCK)
print("listens", flush=True)
for line in sys.stdin:
    found = b""
    while listening.poll(2000):
        found += b"".join(listening.recv_multipart())
    print("read" if b"it is " in found else "", "ran" if b"forged" in found else "", flush=True)
"""


@contextmanager
def kernel(encryption: str) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager(transport_encryption=encryption)
    manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=PATIENCE_SECONDS)
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def read_by_an_agent(level: str, folder: Path, encryption: str) -> str:
    """Return what an agent in a sandbox could do at the ports of a kernel that says something."""
    work = folder / "work"
    work.mkdir()
    entry = SandboxEntry(readable=(sys.prefix, sys.base_prefix))
    spec = AgentSpec("agent", "Agent", sys.executable, sandbox=entry)
    sandboxes = Sandboxes((), folder, Level("partial") if level == "partial" else None)
    confined = sandboxes.begin(sandboxes.walls("folder", spec, work, os.environ))
    try:
        with kernel(encryption) as (manager, client):
            ports = (
                f"tcp://{manager.ip}:{port}" for port in (manager.iopub_port, manager.shell_port)
            )
            command = confined.command((sys.executable, "-c", _LISTENS, *ports), str(work))
            with subprocess.Popen(
                command,
                cwd=work,
                env=confined.environment(dict(os.environ)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            ) as agent:
                assert agent.stdin is not None
                assert agent.stdout is not None
                assert agent.stdout.readline() == "listens\n"
                for _ in range(3):  # a subscription takes a moment to arrive
                    client.execute("print('it', 'is', 'a', 'secret')")
                    _until_said(client)
                    agent.stdin.write("\n")
                    agent.stdin.flush()
                    found = agent.stdout.readline().strip()
                    if found:
                        break
                agent.stdin.close()
        return found
    finally:
        confined.end()


def _until_said(client: BlockingKernelClient) -> None:
    while True:
        try:
            message = client.get_iopub_msg(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise AssertionError("the kernel said nothing") from None
        if "it is a secret" in str(message["content"].get("text")):
            return


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_kernel_says_is_read_at_its_port_and_nothing_is_run_there(
    level: str, tmp_path: Path
) -> None:
    require(level)
    assert read_by_an_agent(level, tmp_path, "disabled") == "read"


@pytest.mark.skipif(
    not hasattr(KernelManager, "transport_encryption"), reason="a jupyter_client without it"
)
@pytest.mark.parametrize("level", LEVELS)
def test_from_a_kernel_that_encrypts_nothing_is_read(level: str, tmp_path: Path) -> None:
    require(level)
    assert read_by_an_agent(level, tmp_path, "required") == ""
