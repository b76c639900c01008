"""Any file, in any locale: server, kernel, `check`, `batch`, replay and export read and write it.

A file that can't have its name in a locale is refused, with what to do.
"""

from __future__ import annotations

import codecs
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_jupyter.host.requests.protected_paths import is_protected
from tests.support.any_file import AnyFile, any_file, any_line, any_name
from tests.support.generated import examples
from tests.support.kernel.cells import jupyter_environment
from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.kernel.told_program import ToldProgram, read_and_write
from tests.support.locales import LOCALES, encodes, locale_variables
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, start_turn

A_UTF8_LOCALE = "Start the server with a UTF-8 locale"
HARD = AnyFile("caf\u00e9 -- \u65e5\u672c.txt", "na\u00efve \u20ac\nend", "utf-16-le", True, "\r\n")
OLD = AnyFile("caf\u00e9.txt", "na\u00efve\nend", "latin-1", False, "\r\n")
_OTHERS = pytest.mark.long("one locale in each run; it starts some 30 programs")
in_locales = pytest.mark.parametrize(
    "locale",
    [name if name == "latin-1" else pytest.param(name, marks=_OTHERS) for name in LOCALES],
    scope="module",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("locales")


@pytest.fixture(scope="module")
def environment(locale: str, place: Path) -> dict[str, str]:
    """The environment of a program in that locale."""
    return environment_of(locale, place)


def environment_of(locale: str, place: Path) -> dict[str, str]:
    try:
        variables = locale_variables(locale, place)
    except OSError as error:
        pytest.skip(f"{locale} can't be made here: {error}")
    folder = place / locale
    (folder / "config").mkdir(parents=True, exist_ok=True)
    agents = json.dumps({"agent_servers": fake_agents("terminal_script")})
    (folder / "config" / "acp_agents.json").write_text(agents, "ascii")
    kept = {
        name: value
        for name, value in jupyter_environment(folder).items()
        if not name.startswith(("LC_", "LANG")) and name != "PYTHONUTF8"
    }
    return {**kept, **variables}


@pytest.fixture(scope="module")
def server(environment: dict[str, str], place: Path, locale: str) -> Iterator[JupyterServer]:
    kept = ("LC_ALL", "LOCPATH", "PYTHONUTF8", "PYTHONCOERCECLOCALE")
    with JupyterServer(
        place / f"server-{locale}",
        agents=fake_agents("terminal_script"),
        env={"LANG": "", **{name: environment[name] for name in kept if name in environment}},
    ) as server:
        yield server


@pytest.fixture(scope="module")
def program(environment: dict[str, str], place: Path) -> Iterator[ToldProgram]:
    with ToldProgram(environment, place) as program:
        yield program


def placed(file: AnyFile, folder: Path, locale: str) -> Path:
    """Write a file with the name that it has in that locale."""
    if not encodes(locale, file.name):
        return folder / "none"
    encoding = {"C": "utf-8"}.get(locale, locale)
    path = Path(os.fsdecode(os.fsencode(folder) + b"/" + file.name.encode(encoding)))
    path.write_bytes(file.data)
    return path


def is_asked(name: str) -> bool:
    """Return whether a change is asked about by every policy, as its name may mislead or matter."""
    return not name.isprintable() or is_protected(name)


def require_written(file: AnyFile, more: str, path: Path, said: str) -> None:
    """Check that an agent has read and written a file, in its encoding and with its line ends."""
    read, written = json.loads(said)
    assert read == {"content": file.shown}
    assert not written
    assert path.read_bytes() == file.data_with(more)


@in_locales
@examples(6)
@example(file=HARD, more="\u20ac\n")
@example(file=OLD, more="more\n")
@given(file=any_file(), more=any_line)
def test_a_server_reads_and_writes_any_file(
    locale: str, server: JupyterServer, file: AnyFile, more: str
) -> None:
    with tempfile.TemporaryDirectory(dir=server.root) as name, server.user() as user:
        path = placed(file, Path(name), locale)
        session = open_session(user, "terminal_script", cwd=name, policy="allow-all")
        prompt = read_and_write(f"{name}/{file.name}", file.text + more)
        turn = finished(user, start_turn(user, session, prompt))
        said = "".join(each["text"] for each in turn["items"] if each["kind"] == "agent_message")
        if not encodes(locale, file.name):
            assert said.count(A_UTF8_LOCALE) == 2
            assert os.listdir(name) == []
            return
        require_written(file, more, path, said)
        for what in ("markdown", "html", "json"):
            exported = user.get(f"sessions/{session}/transcript", params={"format": what})
            assert exported.is_success


@in_locales
@examples(6)
@example(file=HARD, more="\u20ac\n")
@example(file=OLD, more="more\n")
@given(file=any_file(), more=any_line)
def test_a_program_reads_writes_and_exports_any_file(
    locale: str, program: ToldProgram, file: AnyFile, more: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = placed(file, Path(name), locale)
        done = program.does(os.fsencode(name), f"{name}/{file.name}", file.text + more)
        if not encodes(locale, file.name):
            assert done["said"].count(A_UTF8_LOCALE) == 2
        elif is_asked(file.name):
            assert "Nobody could be asked" in done["refused"]
            assert path.read_bytes() == file.data
        else:
            require_written(file, more, path, done["said"])
            assert done["paths"] == [file.name]


@in_locales
@examples(1)
@example(files=[HARD, OLD], more="\u20ac\n")
@given(files=st.lists(any_file(), min_size=1, max_size=3), more=any_line)
def test_a_recording_is_played_in_another_locale(
    locale: str, environment: dict[str, str], files: list[AnyFile], more: str
) -> None:
    """It is made in a locale of UTF-8."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = [f for f in files if encodes(locale, f.name) and not is_asked(f.name)]

        def said(variables: dict[str, str], mode: str, own_locale: str) -> list[str]:
            out = []
            record = f"{mode}:made.acp"
            with ToldProgram({**variables, "ACP_JUPYTER_RECORD": record}, folder) as program:
                for number, file in enumerate(kept):
                    own = folder / mode / str(number)
                    own.mkdir(parents=True)
                    path = placed(file, own, own_locale)
                    done = program.does(os.fsencode(own), f"{own}/{file.name}", file.text + more)
                    assert path.read_bytes() == file.data_with(more)
                    out.append(done["said"])
            return out

        plain = {name: value for name, value in environment.items() if name != "LC_ALL"}
        recorded = said({**plain, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}, "record", "utf-8")
        assert said(environment, "replay", locale) == recorded


def run_in(environment: dict[str, str], folder: str, *words: str) -> tuple[int, str]:
    """Run ``jupyter acp`` in a folder; return its exit code and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "acp_jupyter.command_line", *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    said = done.stdout.decode("latin-1")
    assert "Traceback" not in said, said
    return done.returncode, said


def stream(text: str) -> Any:
    """Return an output."""
    return nbformat.v4.new_output("stream", name="stdout", text=text)  # type: ignore[no-untyped-call]


@in_locales
@examples(1)
@example(file=HARD, name=HARD.name, marked=True)
@given(file=any_file(), name=any_name, marked=st.booleans())
def test_check_reads_any_notebook(
    locale: str, environment: dict[str, str], file: AnyFile, name: str, marked: bool
) -> None:
    """Its outputs have any text, also those that differ."""
    notebook = new_notebook(f"print({file.shown!r})", f"print({file.name!r})")
    text = file.shown + "\n"
    notebook.cells[0].outputs = [stream(text)]
    notebook.cells[1].outputs = [stream("\u20ac\n")]
    for number, each in enumerate(notebook.cells, 1):
        each.execution_count = number
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "n.ipynb")
        write_notebook(path, notebook)
        path.write_bytes((codecs.BOM_UTF8 if marked else b"") + path.read_bytes())
        given = os.fsencode(folder) + b"/" + name.encode()
        os.rename(path, given)
        code, said = run_in(environment, folder, "check", "--", os.fsdecode(given))
        assert (code, said.count(": same"), said.count(": different")) == (1, 1, 1), said


@in_locales
@examples(1)
@example(name=HARD.name, marked=True, line_end="\r\n")
@given(name=any_name, marked=st.booleans(), line_end=st.sampled_from(("\n", "\r\n")))
def test_batch_reads_any_description_and_parameters(
    locale: str, environment: dict[str, str], name: str, marked: bool, line_end: str
) -> None:
    encoding = "utf-8-sig" if marked else "utf-8"
    with tempfile.TemporaryDirectory() as folder:
        described = (
            'prompt = "{word}"\nparams = "words.csv"\nagents = ["demo"]\ngrade = "g.py:grade"\n'
        )
        Path(folder, "b.toml").write_text(described, encoding, newline=line_end)
        with Path(folder, "words.csv").open("w", encoding=encoding, newline="") as file:
            csv.writer(file, lineterminator=line_end).writerows([["word"], [f"hello {name}"]])
        grade = f"# {name!r}\ndef grade(result):\n    return result.params['word'] == {name!r}\n"
        Path(folder, "g.py").write_text(grade, encoding)
        code, said = run_in(environment, folder, "batch", "b.toml", "--trust")
        assert code == 0, said
        (row,) = map(json.loads, Path(folder, "b.batch", "results.jsonl").read_bytes().splitlines())
        assert row["word"] == f"hello {name}"


def agents_of(folder: Path) -> dict[str, str]:
    """Return the environment of a program whose agent does what the prompt says."""
    (folder / "config").mkdir()
    agents = json.dumps({"agent_servers": fake_agents("terminal_script")})
    (folder / "config" / "acp_agents.json").write_text(agents, "ascii")
    return jupyter_environment(folder)


@pytest.mark.parametrize("mounted", [False, True])
def test_an_agent_calls_its_folder_by_another_name(tmp_path: Path, mounted: bool) -> None:
    """By a link, or by a place where it is mounted, too; as other letters on other systems."""
    folder, other = tmp_path / "folder", tmp_path / "Folder"
    folder.mkdir()
    inside: list[str] = []
    if mounted:
        other.mkdir()
        mount = f'mount --bind {folder} {other} && exec "$@"'
        inside = ["unshare", "--mount", "sh", "-c", mount, "sh"]
        if shutil.which("unshare") is None or subprocess.run([*inside, "true"]).returncode:
            pytest.skip("nothing can be mounted here")
    else:
        other.symlink_to(folder)
    (folder / "a.txt").write_text("one\n")
    with ToldProgram(agents_of(tmp_path), tmp_path, inside) as program:
        done = program.does(os.fsencode(folder), f"{other}/a.txt", "two\n")
        assert json.loads(done["said"])[0] == {"content": "one\n"}
        assert done["paths"] == ["a.txt"]
    assert (folder / "a.txt").read_text() == "two\n"


ODD_VARIABLES = {
    b"BASH_FUNC_greet%%": b"() {  echo hello\n}",
    b"LONG": b"x" * 120_000,
    b"LINES_OF_TEXT": b"one\ntwo\r\n",
    b"LATIN": b"caf\xe9",
    b"\xff": b"1",
}


def test_odd_variables_reach_kernels_and_agents_as_they_are(tmp_path: Path) -> None:
    """A function of bash, a long value, line ends, bytes that are no UTF-8."""
    odd = {os.fsdecode(name): os.fsdecode(value) for name, value in ODD_VARIABLES.items()}
    with (
        JupyterServer(tmp_path, agents=fake_agents("env_dump"), env=odd) as server,
        server.user() as user,
    ):
        for sandbox in ("off", "folder"):
            session = open_session(user, "env_dump", policy="allow-all", sandbox=sandbox)
            turn = finished(user, start_turn(user, session, "Hi"))
            said = "".join(e["text"] for e in turn["items"] if e["kind"] == "agent_message")
            assert odd.items() <= json.loads(said).items()
        code = "import json, os; print(json.dumps(dict(os.environ)))"
        assert odd.items() <= json.loads(server.start_kernel("n.ipynb").run(code)).items()
