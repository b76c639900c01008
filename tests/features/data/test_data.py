"""What is kept of sessions is listed, and deleted after one question; never what is open."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acp_jupyter.command_line import main
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.metadata import read_meta, write_meta
from acp_jupyter.host.store.ownership import Ownership

_TWO = """
import acp_jupyter

for name in ("one.md", "two.md"):
    session = acp_jupyter.connect("demo", new=True, trust=True, policy="accept-edits")
    session.prompt(f"create {name} rate=0").wait()
"""


class Kept:
    """A data folder with two sessions, of one folder."""

    def __init__(self, top: Path) -> None:
        self.data = top / "jupyter/acp-jupyter"
        self.work = top / "work"
        self.work.mkdir()
        env = {**os.environ, "JUPYTER_DATA_DIR": str(top / "jupyter"), "HOME": str(top)}
        subprocess.run([sys.executable, "-c", _TWO], cwd=self.work, env=env, check=True)

    def run(self, *words: str) -> int:
        return main(["data", "--folder", str(self.data), *words])

    @property
    def sessions(self) -> list[Path]:
        return sorted((self.data / "sessions").iterdir())

    def change(self, session: Path, **facts: object) -> None:
        meta = read_meta(session)
        assert meta is not None
        write_meta(session, meta.model_copy(update={"facts": meta.facts.model_copy(update=facts)}))

    def checkpoints(self, session: Path) -> int:
        meta = read_meta(session)
        assert meta is not None
        return sum(self.refs().count(turn_id) for turn_id in meta.turn_ids)

    def refs(self) -> str:
        shown = ""
        for repository in (self.data / "checkpoints").glob("*/HEAD"):
            command = ["git", "--git-dir", str(repository.parent), "for-each-ref"]
            shown += subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return shown


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_what_is_kept_is_listed_and_deleted_by_notebook_age_and_all(
    kept: Kept, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = kept.sessions
    kept.change(first, notebook_path="deep/analysis.ipynb", updated_at=time.time() - 50 * 86_400)
    assert kept.run() == 0
    shown = capsys.readouterr().out
    assert str(kept.data) in shown
    assert "deep/analysis.ipynb\n    1 session, " in shown
    assert "last used 50 days ago" in shown
    assert "without a notebook\n    1 session, " in shown

    # Only a yes deletes.
    for answer in ("", "\n", "no\n", "all\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        assert kept.run("delete", "--all") == 1
        assert "Nothing was deleted." in capsys.readouterr().out
    assert kept.sessions == [first, second]

    assert kept.run("delete", "--notebook", "other.ipynb", "--yes") == 0
    elsewhere = kept.work.parent / "elsewhere/deep/analysis.ipynb"
    assert kept.run("delete", "--notebook", str(elsewhere), "--yes") == 0
    assert kept.run("delete", "--older-than", "51", "--yes") == 0
    assert kept.sessions == [first, second]
    assert "There is no such session." in capsys.readouterr().out

    assert kept.checkpoints(first) > 0
    meta = read_meta(first)
    assert meta is not None
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert kept.run("delete", "--notebook", str(kept.work / "deep/analysis.ipynb")) == 0
    assert "Delete 1 session (" in capsys.readouterr().out
    assert kept.sessions == [second]
    assert not any(turn_id in kept.refs() for turn_id in meta.turn_ids)
    assert kept.checkpoints(second) > 0

    assert kept.run("delete", "--older-than", "0", "--yes") == 0
    assert kept.sessions == []
    assert kept.refs() == ""
    assert sorted(each.name for each in kept.work.iterdir()) == ["one.md", "two.md"]
    assert kept.run("show") == 0
    assert "There are no sessions." in capsys.readouterr().out


def test_what_a_server_has_open_stays(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = kept.sessions
    server = Ownership(kept.data, Limits())
    assert server.take(first) == ""
    try:
        assert kept.run("delete", "--all", "--yes") == 1
        said = capsys.readouterr().out
        assert "Not deleted: " in said
        assert "Deleted 1 session." in said
        assert kept.sessions == [first]
    finally:
        server.close()


def test_a_folder_that_is_not_there_and_a_wrong_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "--folder", str(tmp_path / "none")]) == 0
    assert "Nothing is kept" in capsys.readouterr().out
    for wrong in (
        ["delete"],
        ["delete", "--older-than", "-1"],
        ["delete", "--all", "--notebook", "x"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(["data", *wrong])
        assert ended.value.code == 2
