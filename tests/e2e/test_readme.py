"""A reader does what README.md says, word for word, by keys alone.

Each sentence of its numbered lists is a row of `SENTENCES`, and is done as it stands there; one
that is not fails. With ``ACP_SCREENSHOTS=1`` the pictures of the tutorial are taken on the way.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.pictures import take
from tests.support.browser.roles import PanelView
from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Say, Steps, Use
from tests.support.published.programs import PROGRAMS, opencode_settings, processes_of
from tests.support.readme import README, Step, steps, typed_elsewhere
from tests.support.server.jupyter_server import free_port
from tests.support.wait import PATIENCE_SECONDS, eventually

ROOT = README.parent
TEXT = README.read_text()
WETTEST = "Jul was the wettest month, with 84 mm."
KEY = r"`([^`]+)`"


def wettest() -> Steps:
    """What the model does with the question about the table."""
    code = "print(rain.mm.idxmax(), rain.mm.max())"
    return [[Use(["run_code"], {"code": code}, exact=True)], [Say(WETTEST)]]


class Reader:
    """A person in front of a shell and of a browser.

    Parameters
    ----------
    home
        The person's home folder. The clone is below, with the notebooks.
    visitor
        The browser.
    pictures
        What the names of this reader's pictures end with; None takes none.
    """

    def __init__(self, home: Path, visitor: Visitor, pictures: str | None) -> None:
        self.clone = home / "clone"
        self.page, self.log = visitor.page()
        self.keyboard = Keyboard(self.page)
        self.keys: tuple[list[str], str] = ([], "")
        self.address = ""
        self.before: dict[str, str] = {}
        self.asked = ""
        self._pictures = pictures

    # -- what is on the screen -------------------------------------------------

    @property
    def notebook(self) -> Locator:
        return self.page.locator(".jp-Notebook")

    @property
    def cell(self) -> Locator:
        """The active one."""
        return self.notebook.locator(".jp-Cell.jp-mod-active")

    @property
    def output(self) -> Locator:
        return self.cell.locator(".jp-Cell-outputWrapper")

    @property
    def request(self) -> Locator:
        return self.output.locator("[data-request]")

    @property
    def panel(self) -> PanelView:
        return PanelView(self.page.locator("#acp-jupyter-panel"))

    def files(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in self.clone.glob("notebooks/*.py")}

    def take(self, part: str) -> None:
        if self._pictures is not None:
            take(f"tutorial/{part}{self._pictures}", self.page)

    # -- sentences -------------------------------------------------------------

    def open(self, path: str) -> None:
        assert f"/{path}?" in self.address, self.address
        self.page.goto(self.address)
        expect(self.page.locator(".jp-NotebookPanel")).to_be_visible()
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
        self.keyboard.expect_inside(self.notebook)

    def type_and_run(self, first: str, second: str, run: str, *, code: str) -> None:
        self.keys = ([first.lower(), second], run.replace("Ctrl", "Control"))
        self.run_in_new_cell(code=code)

    def run_in_new_cell(self, *, code: str) -> None:
        new, run = self.keys
        # A cell that still runs is waited for.
        expect(self.cell.locator(".jp-InputPrompt")).not_to_contain_text("*")
        self.before = self.files()
        self.keyboard.press(*new)
        expect(self.cell.locator(".cm-content")).to_be_focused()
        self.keyboard.write(code)
        self.keyboard.press(run)
        self.asked = ""
        if not code.startswith("%%acp"):
            prompt = self.cell.locator(".jp-InputPrompt")
            expect(prompt).to_have_text(re.compile(r"\[\d+\]"))
            assert self.output.get_by_text(re.compile("Error|Traceback")).count() == 0

    def run_word_in_new_cell(self, word: str) -> None:
        self.run_in_new_cell(code=word)

    def run_as_script_and_in_new_cell(self, *, code: str) -> None:
        self.run_in_new_cell(code=code)
        script = self.clone / "ask.py"
        script.write_text(code)
        done = subprocess.run(
            [sys.executable, script],
            cwd=self.clone / "notebooks",
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        assert "This is the demo agent." in done.stdout, done.stderr

    def see_what_it_can_do(self) -> None:
        expect(self.output).to_contain_text("This is the demo agent.")

    def see_a_diff(self) -> None:
        expect(self.output.get_by_role("region", name=re.compile("^Diff of "))).to_be_visible()
        assert self.files() == self.before

    def see(self, words: str) -> None:
        expect(self.output.get_by_text(words, exact=True)).to_be_visible()
        if words == "1 file changed":
            assert self.files() != self.before

    def see_agents(self, agent: str) -> None:
        line = self.output.get_by_role("row").filter(has_text=agent)
        expect(line.first).to_contain_text("ready")

    def answer(self, lead: str, key: str) -> None:
        """Press a key that leads to the question, then the one of an answer that says yes."""
        expect(self.request).to_be_visible()
        self.keyboard.press(lead)
        expect(self.request).to_be_focused()
        answer = self.request.locator(f"[data-option='{key}']")
        expect(answer).to_be_enabled()
        expect(answer.locator("kbd")).to_be_visible()
        expect(answer).to_have_text(re.compile("^(Allow|Trust this folder)"))
        request = self.request.get_attribute("data-request")
        if "Allow" in answer.inner_text() and not self.asked:
            self.take("asks")
        self.asked = str(request)
        self.keyboard.press(key)
        expect(self.output.locator(f"[data-request='{request}']")).to_have_count(0)

    def revert_is_a_button_too(self, name: str) -> None:
        expect(self.output.get_by_role("button", name=re.compile(f"^{name} "))).to_be_enabled()

    def take_back(self, *, code: str) -> None:
        original = {file.name: file.read_text() for file in (ROOT / "notebooks").glob("*.py")}
        assert self.files() != original
        self.run_in_new_cell(code=code)
        assert self.files() == original

    def wait_for_question_to_run_code(self) -> None:
        expect(self.request).to_contain_text("wants to")

    def see_the_answer(self) -> None:
        expect(self.output).to_contain_text(WETTEST)

    def open_panel(self, key: str) -> None:
        self.keyboard.press(key)
        expect(self.panel.message).to_be_focused()

    def see_the_session(self) -> None:
        expect(self.panel.log).to_contain_text(WETTEST)

    def say(self, words: str, key: str) -> None:
        self.keyboard.write(words)
        self.keyboard.press(key)

    def see_the_panels_answer(self) -> None:
        expect(self.panel.log).to_contain_text("Nothing is left to do.")
        expect(self.panel.stop).to_have_count(0)
        self.take("panel")

    def leave_panel(self, key: str) -> None:
        self.keyboard.press(key)
        expect(self.panel.root).to_be_hidden()
        self.keyboard.expect_inside(self.notebook)


def started(*_: object, **__: object) -> None:
    """Is done before the browser is opened, by `make_lab`."""


LEAD = rf"Press {KEY} to go to the question, and {KEY} to (?:allow|trust) it\."

SENTENCES: Mapping[str, Callable[..., None]] = {
    r"In a clone, with Python 3\.11 or newer and no Node, run:": started,
    rf"JupyterLab opens on {KEY}\.": Reader.open,
    r"If it doesn't, open the address that is printed\.": started,
    rf"Press {KEY} and {KEY} for a new cell, type this, and run it with {KEY}:": (
        Reader.type_and_run
    ),
    r"The agent reads the file, shows a diff and waits\.": Reader.see_a_diff,
    r"You see \*([^*]+)\*\.": Reader.see,
    LEAD: Reader.answer,
    r"The button \*(\w+)\* takes it back, byte for byte\.": Reader.revert_is_a_button_too,
    r"So does this, in a new cell:": Reader.take_back,
    r"Load a table, in a new cell:": Reader.run_in_new_cell,
    rf"Run {KEY} in a new cell\.": Reader.run_word_in_new_cell,
    r"You see the agents that are ready, such as \*(\w+)\*\.": Reader.see_agents,
    r"Ask one of them about the table, in a new cell:": Reader.run_in_new_cell,
    r"The first time in a folder, you see \*([^*]+)\*": Reader.see,
    r"When the agent wants to run code in your kernel, it asks\.": (
        Reader.wait_for_question_to_run_code
    ),
    r"You see the answer below the cell\.": Reader.see_the_answer,
    rf"Press {KEY} for the side panel\.": Reader.open_panel,
    r"You see the same session there\.": Reader.see_the_session,
    rf"Type {KEY} and press {KEY}\.": Reader.say,
    r"You see the answer below your message\.": Reader.see_the_panels_answer,
    rf"Press {KEY} to go back to the notebook\.": Reader.leave_panel,
    r"Run this as a script, or in a new cell:": Reader.run_as_script_and_in_new_cell,
    r"You see what the agent can do\.": Reader.see_what_it_can_do,
}

ELSEWHERE = {
    ".ipynb": "what turns are saved in",
    'make lab ARGS="--no-browser --port 8899"': "what this test starts, with another port",
    'pip install ".[lab]"': "what tests/test_build.py does with the wheel",
    "pip install acp_jupyter-*.whl   # once released: pip install acp-jupyter\njupyter lab\n": (
        "what tests/test_build.py does with the wheel"
    ),
    "make test": "a target",
    "%%acp demo": "a cell of the first example",
    "list": "a task of the demo agent",
}
"""What can be typed and is no step, and why it is true."""


def found(step: Step) -> tuple[Callable[..., None], tuple[str, ...]]:
    """Return what is to be done for a sentence, and with which of its words."""
    for pattern, do in SENTENCES.items():
        if match := re.fullmatch(pattern, step.words):
            return do, match.groups()
    raise AssertionError(f"README has a step that no test does: {step.words}")


def test_each_step_is_known_and_no_other_can_be_done() -> None:
    written = steps(TEXT)
    assert {found(step)[0] for step in written} == set(SENTENCES.values())
    assert sorted(typed_elsewhere(TEXT)) == sorted(ELSEWHERE)
    makefile = (ROOT / "Makefile").read_text()
    commands = [*ELSEWHERE, *(step.code for step in written)]
    for target in {words.split()[1] for words in commands if words.startswith("make ")}:
        assert re.search(rf"^{target}:", makefile, re.M), target


@pytest.mark.parametrize("words", ["Click on *Allow*.", "You see the same session elsewhere."])
def test_an_unknown_step_fails(words: str) -> None:
    changed = TEXT.replace("You see *1 file changed*.", words)
    assert changed != TEXT
    with pytest.raises(AssertionError, match="README has a step that no test does"):
        [found(step) for step in steps(changed)]


@contextmanager
def make_lab(folder: Path, model: FakeModel, theme: str) -> Iterator[str]:
    """Start what README says, in a home with nothing but opencode's settings; yield the address."""
    home = folder / "home"
    shutil.copytree(ROOT / "notebooks", home / "clone/notebooks")
    settings = home / ".config/opencode/opencode.json"
    themes = folder / "config/lab/user-settings/@jupyterlab/apputils-extension"
    for file, content in (
        (settings, opencode_settings(model)),
        (themes / "themes.jupyterlab-settings", json.dumps({"theme": f"JupyterLab {theme}"})),
    ):
        file.parent.mkdir(parents=True)
        file.write_text(content)
    command = next(words for words in ELSEWHERE if words.startswith("make lab"))
    make, target, arguments = shlex.split(command)
    assert f"{make} {target}" in [step.code for step in steps(TEXT)]
    arguments = arguments.replace("8899", str(free_port()))
    kept = ("LANG", "LC_ALL", "TZ", "TMPDIR")
    env = {name: os.environ[name] for name in kept if name in os.environ} | {
        "HOME": str(home),
        "PATH": os.pathsep.join((str(PROGRAMS), os.environ["PATH"])),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
    }
    log = folder / "make.log"
    with log.open("wb") as printed:
        # What is installed is what is tested: it isn't made again.
        process = subprocess.Popen(
            [make, "-o", "install", target, f"{arguments} --ServerApp.root_dir={home / 'clone'}"],
            cwd=ROOT,
            env=env,
            stdout=printed,
            stderr=printed,
        )
    try:
        yield eventually(lambda: printed_address(log), "an address is printed")
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
        print(log.read_text()[-3000:])


def printed_address(log: Path) -> str:
    match = re.search(r"http://127\S+token=\S+", log.read_text())
    return "" if match is None else match[0]


@pytest.mark.agents
@pytest.mark.parametrize(
    ("size", "theme", "pictures"),
    [
        pytest.param((1400, 900), "Light", "", id="large-light"),
        pytest.param((1024, 768), "Dark", "-dark", id="small-dark", marks=pytest.mark.long),
        pytest.param((1400, 900), "Dark", None, id="large-dark", marks=pytest.mark.long),
        pytest.param((1024, 768), "Light", None, id="small-light", marks=pytest.mark.long),
    ],
)
def test_a_reader_does_what_it_says(
    tmp_path: Path, visitor: Visitor, size: tuple[int, int], theme: str, pictures: str | None
) -> None:
    with FakeModel(title="The wettest month") as model:
        model.prompts.update(
            {"Which month is the wettest?": "scenario=wettest", "Thank you": "scenario=tour_short"}
        )
        model.scripts["wettest"] = wettest
        with make_lab(tmp_path, model, theme) as address:
            reader = Reader(tmp_path / "home", visitor, pictures)
            reader.page.set_viewport_size({"width": size[0], "height": size[1]})
            reader.address = address
            for step in steps(TEXT):
                do, words = found(step)
                code = {} if not step.code or do is started else {"code": step.code}
                print("-", step.words)
                do(reader, *words, **code)
        eventually(lambda: not processes_of(tmp_path / "home"), "processes are left")
