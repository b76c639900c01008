"""``jupyter acp batch FILE``."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.command_line import main
from acp_jupyter.errors import BadRequest
from acp_jupyter.features.batches import command
from acp_jupyter.features.batches.command import BatchFile, read_file

pytestmark = pytest.mark.filterwarnings("default")
FILE = """\
prompt = "create {name} rate=0"
params = "names.csv"
agents = ["demo"]
policy = ["accept-edits", "ask"]
grade = "grade.py:grade"
workers = 2
"""
GRADE = """\
def grade(result):
    return (result.files / result.params["name"]).is_file()
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("notebook = ", "can't be read"),
        ("", "either a notebook or a prompt"),
        ('notebook = "a.ipynb"\nprompt = "x"', "either a notebook or a prompt"),
        ('prompt = "x"\nagent = "demo"', "agent is not known here"),
        ('prompt = "x"\npolicy = "everything"', "policy"),
        ('prompt = "x"\nsandbox = "everything"', "sandbox"),
        ('prompt = "x"\nworkers = 0', "workers must be at least 1"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(BadRequest, match=says):
        read_file(tmp_path / "b.toml")


def test_a_file_has_the_arguments_of_the_function(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(
        'notebook = "n.ipynb"\nparams = [{a = 1}, {a = 2}]\nseeds = [1, 2]\n'
        "inputs = []\nat_once = {claude = 2}\ncell_seconds = 5"
    )
    assert read_file(tmp_path / "b.toml") == BatchFile(
        notebook="n.ipynb",
        params=[{"a": 1}, {"a": 2}],
        seeds=(1, 2),
        inputs=(),
        at_once={"claude": 2},
        cell_seconds=5,
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("names.csv", "none.csv"), "none.csv can't be read"),
        (("names.csv", "wide.csv"), "a row has more cells than the first line has names"),
        (("grade.py:grade", "grade.py:none"), "There is no grade"),
        (("grade.py:grade", "none"), "There is no grade"),
    ],
)
def test_a_wrong_file_starts_nothing(
    folder: Path, change: tuple[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "b.toml").write_text(FILE.replace(*change))
    (folder / "names.csv").write_text("name\na.txt\n")
    (folder / "wide.csv").write_text("name\na.txt,007\n")
    (folder / "grade.py").write_text(GRADE)
    assert main(["batch", "b.toml"]) == 2
    assert says in capsys.readouterr().err
    assert not list(folder.glob("*.batch"))


@pytest.mark.parametrize(
    ("text", "what"), [('notebook = "n.ipynb"', Path("n.ipynb")), ('prompt = "x"', "x")]
)
def test_a_notebook_or_a_prompt_is_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, what: Path | str
) -> None:
    asked: list[Path | str] = []

    def run(given: Path | str, *_: object, **_more: object) -> None:
        asked.append(given)
        raise BadRequest("Enough.")

    monkeypatch.setattr(command, "batch", run)
    (folder / "b.toml").write_text(text)
    assert main(["batch", "b.toml"]) == 2
    assert asked == [what]


@pytest.mark.parametrize(
    ("text", "flags", "refused"),
    [
        ("trust = true", (), "--trust"),
        ("trust = true", ("--allow-all",), "--trust"),
        ('policy = "allow-all"', (), "--allow-all"),
        ('policy = ["ask", "allow-all"]', ("--trust",), "--allow-all"),
        ('sandbox = "off"', (), "--sandbox off"),
        ('sandbox = ["folder", "off"]', ("--trust",), "--sandbox off"),
        ('sandbox = "off"', ("--sandbox", "read-only"), ""),
        ('network = "all"', ("--trust",), "--network all"),
        ('network = "all"', ("--network", "none"), ""),
        ('network = "none"', (), ""),
        ("trust = true", ("--trust",), ""),
        ('policy = "allow-all"', ("--allow-all",), ""),
    ],
)
def test_a_file_grants_itself_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    flags: tuple[str, ...],
    refused: str,
) -> None:
    """An agent can write it."""
    file = tmp_path / "b.toml"
    file.write_text(f'prompt = "hello"\nagents = ["demo"]\n{text}\n')
    status = main(["batch", str(file), *flags])
    said = capsys.readouterr().err
    assert (status == 2) == bool(refused)
    words = refused if " not " in refused else f"then add {refused} to the command"
    assert words in said if refused else "only you" not in said


def test_no_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "none.toml"]) == 2
    assert "No such file" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([])
