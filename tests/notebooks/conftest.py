from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agents.fake_agent import script
from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import Kernel
from tests.support.planted_secret import SECRET

SCRIPTED = (
    "chooses",
    "dies_leaking",
    "elicit",
    "exits_at_once",
    "hello",
    "leaky",
    "own_tools",
    "permission",
    "slow_stream",
    "steers",
    "takes",
)


def _folder_with_agents(tmp_path: Path) -> Path:
    servers = {name: {**script(name), "env": {"LEAKY_API_KEY": SECRET}} for name in SCRIPTED}
    config = tmp_path / "config"
    config.mkdir()
    (config / "acp_agents.json").write_text(json.dumps({"agent_servers": servers}))
    folder = tmp_path / "work"
    folder.mkdir()
    trust_in_data_dir(tmp_path / "data", tmp_path)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A kernel's folder; scripted agents are configured beside it."""
    return _folder_with_agents(tmp_path)


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel without a server, for a whole file's mistakes: none of them changes anything."""
    with Kernel(_folder_with_agents(tmp_path_factory.mktemp("mistakes"))) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


@pytest.fixture
def kernel(folder: Path) -> Iterator[Kernel]:
    """A kernel without a server, the extension loaded."""
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel
