"""What Jupyter and we keep for ourselves is no turn's change, and is read by nobody else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.folders import OwnFolders, is_below, jupyter_folders
from acp_jupyter.host.workspace.scan import scan
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS

OWN = (
    ".local/share/jupyter/nbsignatures.db",
    ".local/share/jupyter/acp-jupyter/sessions/s/traffic.ndjson",
    ".local/share/jupyter/runtime/jpserver-1.json",
    ".jupyter/lab/user-settings/a.json",
    ".ipython/profile_default/history.sqlite",
    ".cache/pip/http",
)
"""Files that are nobody's work in a home folder; a row for each that was seen to change."""
WORK = ("a.py", ".local/share/mine/b.py", ".local/c.py", ".jupyterlab/d.py", "x/.cache/e.py")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Driver]:
    """A host whose root is the home folder, as on a hub."""
    root = tmp_path / "home"
    root.mkdir()
    jupyter = root / ".local/share/jupyter"
    own, caches = jupyter_folders(
        (str(jupyter), str(root / ".jupyter"), str(jupyter / "runtime")), {}, root
    )
    registry = Registry({"own": script("own_tools")}, [])
    config = HostConfig(
        registry,
        root,
        jupyter / "acp-jupyter",
        own_folders=own,
        caches=caches,
        trust=trusting(tmp_path),
    )
    host = AgentHost(config)
    host.start()
    yield Driver(host, root)
    host.stop()


def test_what_the_agent_says_of_them_is_not_told_either(home: Driver) -> None:
    session = home.open("own")
    turn_id = home.prompt(session, "show .jupyter/a.py x\nshow b.py x\nsay Done")
    home.done(session, turn_id)
    home.result(session.turn_files.settled(turn_id))
    changes = session.transcript.turns[turn_id].changes
    assert changes is not None
    assert [file.path for file in changes.files] == ["b.py"]


def test_what_was_kept_before_is_left_alone(tmp_path: Path) -> None:
    """By a version that kept it: git knows the file."""
    root = tmp_path / "ws"
    (root / ".jupyter").mkdir(parents=True)
    (root / ".jupyter/a").write_text("1")
    limits = Limits(checkpoint_seconds=PATIENCE_SECONDS)
    Checkpoints(root, tmp_path / "git", limits).take("t0", "before")
    now = Checkpoints(root, tmp_path / "git", limits, (".jupyter",))
    before = now.take("t1", "before")
    (root / ".jupyter/a").write_text("22")
    (root / ".jupyter/b").write_text("3")
    assert now.take("t1", "after", before).tree == before.tree


def test_who_works_within_one_works_there(tmp_path: Path) -> None:
    own = OwnFolders((tmp_path / ".cache", tmp_path / ".cache/acp"))
    assert own.below(tmp_path / ".cache") == {"acp"}
    assert own.below(tmp_path / ".cache/work") == set()
    assert own.below(tmp_path) == {".cache", ".cache/acp"}


def test_a_link_to_the_home_folder_makes_no_difference(tmp_path: Path) -> None:
    (tmp_path / "home/.jupyter").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "home")
    own = OwnFolders((tmp_path / "link/.jupyter",))
    assert own.below(tmp_path / "home") == own.below(tmp_path / "link") == {".jupyter"}


NAMES = st.lists(st.sampled_from(["a", "b", ".c", "a b", "[x]", "é"]), min_size=1, max_size=3)


@given(st.sets(NAMES.map("/".join), min_size=1, max_size=6), st.sets(NAMES.map("/".join)))
def test_a_scan_has_all_but_what_is_ours(
    tmp_path_factory: pytest.TempPathFactory, folders: set[str], own: set[str]
) -> None:
    root = tmp_path_factory.mktemp("scan")
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / "file").write_text("x")
    found = set(scan(root, Limits(), own).files)
    assert found == {f"{each}/file" for each in folders if not is_below(each, own)}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ("/d", "/h/.ipython", "/h/.cache")),
        ({"IPYTHONDIR": "/i", "XDG_CACHE_HOME": "/c"}, ("/d", "/i", "/c")),
    ],
)
def test_where_they_are(environment: dict[str, str], expected: tuple[str, ...]) -> None:
    found = jupyter_folders(("/d",), environment, Path("/h"))
    assert (*found[0], found[1]) == tuple(map(Path, expected))


def run_once(config: HostConfig) -> None:
    host = AgentHost(config)
    host.start()
    host.stop()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("bits", [None, 0o755, 0o777, 0o700])
def test_the_data_folder_is_its_users_alone(tmp_path: Path, bits: int | None) -> None:
    jupyter = tmp_path / "jupyter"
    jupyter.mkdir()
    jupyter.chmod(0o755)
    data = jupyter / "acp-jupyter"
    if bits is not None:
        data.mkdir()
        data.chmod(bits)
    before = os.umask(0)
    try:
        run_once(HostConfig(Registry({}, []), tmp_path, data, own_folders=(jupyter,)))
    finally:
        os.umask(before)
    assert mode(data) == 0o700
    assert mode(jupyter) == 0o755


def test_a_folder_that_is_not_ours_alone_keeps_its_bits(tmp_path: Path) -> None:
    """Where the configuration names Jupyter's own, or one above it."""
    (tmp_path / "jupyter/runtime").mkdir(parents=True)
    (tmp_path / "jupyter").chmod(0o755)
    for own in (tmp_path / "jupyter", tmp_path / "jupyter/runtime"):
        run_once(HostConfig(Registry({}, []), tmp_path, tmp_path / "jupyter", own_folders=(own,)))
        assert mode(tmp_path / "jupyter") == 0o755
