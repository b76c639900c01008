"""The record of a turn in a notebook."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.protocol.host_events.notes import CellError, Origin
from acp_jupyter.protocol.host_events.session import (
    Author,
    ChangedFile,
    SandboxLevel,
    TurnChanges,
    WallsInForce,
)
from acp_jupyter.protocol.objects import obj
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.tools.inputs import TodoItem
from acp_jupyter.protocol.tools.outputs import Diagnostic
from acp_jupyter.transcript.model.items import (
    AgentMessage,
    Artifact,
    ErrorItem,
    FileWriteItem,
    Item,
    Notice,
    Plan,
    PlanEntry,
    Thought,
    UserMessage,
)
from acp_jupyter.transcript.model.session_state import (
    AgentInfo,
    ConfigChoice,
    ConfigOption,
    Mode,
    SessionState,
    TurnState,
)
from acp_jupyter.transcript.model.tool_items import Detail, Diff, Permission, ToolCall
from acp_jupyter.transcript.output.bundle import Bundle, build_bundle
from acp_jupyter.transcript.output.record import TURN_MIME
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.support.transcript.traffic import Script

ROOT = "/home/ada/my project"
SECRET = "correct-horse-battery"

SESSION = SessionState(
    session_id="s",
    title="t",
    agent="demo",
    agent_info=AgentInfo(id="demo", name="Demo", version="1.2"),
    cwd=ROOT,
    folder="~/my project",
    modes=(Mode(id="code", name="Code"),),
    current_mode_id="code",
    config_options=(
        ConfigOption(
            id="m",
            name="Model",
            category="model",
            type="select",
            current_value="x",
            choices=(ConfigChoice(value="x", name="Big"),),
        ),
    ),
)
TURN = TurnState(
    turn_id="t",
    session_id="s",
    status="done",
    stop_reason="end_turn",
    prompt="Fix it",
    policy="accept-edits",
    tokens=1234,
    origin=Origin(kernel_id="kernel-7", notebook_path="n.ipynb", cell_id="c", source="%%acp\nFix"),
)


def everything(text: str) -> tuple[Item, ...]:
    """Return items with `text` wherever an agent can put some."""
    return (
        UserMessage(id="0", text=text),
        Thought(id="1", text=text),
        AgentMessage(id="2", text=text),
        ToolCall(
            id="3",
            tool_call_id=text,
            title=text,
            tool_name=text,
            description=text,
            command=text,
            path=text,
            locations=(Location(path=text),),
            files=(text,),
            todos=(TodoItem(content=text, active_form=text),),
            diagnostics=(Diagnostic(path=text, message=text),),
            message=text,
            subagent_type=text,
            output=text,
            status="completed",
            diffs=(Diff(path=text, old_text=text, new_text=f"{text}\n{text}"),),
            raw_input={"path": text, text: [text]},
            raw_output=text,
            permission=Permission(
                request_id="r", title=text, reason=text, chosen=text, outcome=text
            ),
        ),
        Plan(id="4", entries=(PlanEntry(content=text),), text=text),
        Notice(id="5", title=text, text=text, detail=text),
        Artifact(id="7", artifact_id=text, name=text, path=text, preview_url=text),
        FileWriteItem(id="8", path=text, title=text),
        ErrorItem(id="6", message=text, detail=text),
    )


def written(bundle: Bundle) -> str:
    return json.dumps(bundle.model_dump(mode="json"), ensure_ascii=False)


PIECES = st.sampled_from(
    [
        ROOT,
        "/home/ada",
        "file:///home/ada/my%20project/x",
        "/",
        ".",
        "clean.py",
        " ",
        "x",
        "-old",
        "\n",
        "`",
        "_",
        "é",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_bundle_names_the_folder_or_the_home(text: str) -> None:
    """Nothing absolute of this machine is saved."""
    session = SESSION.model_copy(update={"title": text})
    turn = TURN.model_copy(update={"prompt": text, "words": text})
    saved = written(build_bundle(turn, everything(text), session, thoughts=True))
    assert ROOT not in saved
    assert "my%20project" not in saved.replace("../my project", "")
    for end in ("/", " ", "\\n", '"'):
        assert f"/home/ada{end}" not in saved


@given(st.sampled_from([ROOT, "/srv/w", "/app"]), st.lists(PIECES, max_size=8).map("".join))
def test_scrubbing_twice_is_scrubbing_once(cwd: str, text: str) -> None:
    scrubber = Scrubber(cwd, "/home/ada", Redactor())
    once = scrubber.text(f"{text}{cwd}/a {cwd}")
    assert scrubber.text(once) == once


def test_paths_stay_readable() -> None:
    scrubber = Scrubber("/srv/lab", "/home/ada", Redactor())
    assert scrubber.text("/srv/lab/a.py /srv/lab: /srv/lab.") == "./a.py .: .."
    assert scrubber.text("/srv/lab-old/a /home/ada/x /home/adam") == "../lab-old/a ~/x /home/adam"
    short = Scrubber("/app", "/home", Redactor())
    assert short.text("src/app/x /app/y =/home/z") == "src/app/x ./y =~/z"
    windows = Scrubber("C:\\Users\\ada\\w", "C:\\Users\\ada", Redactor())
    assert windows.text("C:\\Users\\ada\\w\\a.py C:/Users/ada/b") == ".\\a.py ~/b"


def test_no_secret_is_saved() -> None:
    redactor = Redactor([SECRET])
    turn = TURN.model_copy(update={"prompt": f"use {SECRET}"})
    text = f"key {SECRET} and sk-abcdefghijklmnopqrstuvwx"
    saved = written(build_bundle(turn, everything(text), SESSION, redactor=redactor))
    assert SECRET not in saved
    assert "sk-abcdef" not in saved


def test_a_secret_that_is_a_word_of_the_wire_breaks_nothing() -> None:
    redactor = Redactor(["completed", "tool_call", "agent_message"])
    bundle = build_bundle(TURN, everything("completed"), SESSION, redactor=redactor)
    assert "agent_message" in written(bundle)


def test_a_secret_at_the_cut_of_an_output_is_gone_too() -> None:
    call = ToolCall(id="1", tool_call_id="c", title="Run", output="x" * 970 + SECRET + "y" * 5_000)
    saved = written(build_bundle(TURN, [call], SESSION, redactor=Redactor([SECRET])))
    assert SECRET[:8] not in saved


def test_the_snapshot_holds_no_origin_no_raw_values_no_thoughts() -> None:
    bundle = build_bundle(TURN, everything("hello"), SESSION)
    saved = written(bundle)
    assert "kernel-7" not in saved
    assert "%%acp" not in saved
    snapshot = bundle.data[TURN_MIME]
    assert isinstance(snapshot, dict)
    items = snapshot["items"]
    assert isinstance(items, list)
    kinds = [item["kind"] for item in items if isinstance(item, dict)]
    said = ["agent_message", "tool_call", "plan", "notice"]
    assert kinds == [*said, "artifact", "file_write", "error"]
    assert isinstance(items[1], dict)
    assert not {"raw_input", "raw_output"} & set(items[1])


def test_an_error_that_was_asked_about_is_named_and_nothing_else_of_the_cell() -> None:
    error = CellError(cell="In[3]", cell_id="a-b_1", words=f"OSError: [x](y) {ROOT}/f {SECRET}")
    assert TURN.origin is not None
    turn = TURN.model_copy(
        update={"origin": TURN.origin.model_copy(update={"error": error}), "status": "running"}
    )
    bundle = build_bundle(turn, (), SESSION, redactor=Redactor([SECRET]))
    head = str(bundle.data["text/markdown"]).splitlines()[0]
    link = r"[About the error in cell In\[3\]](#cell-id=a-b_1)"
    assert head.startswith(rf"*{link}: OSError: \[x\](y) ./f ")
    assert str(bundle.data["text/plain"]).startswith("About the error in cell In[3]: OSError")
    assert "kernel-7" not in written(bundle)
    assert "n.ipynb" not in written(bundle)
    assert SECRET not in written(bundle)
    # An id that is none makes no link.
    odd = error.model_copy(update={"cell": "", "cell_id": "a) <b>"})
    turn = turn.model_copy(update={"origin": Origin(error=odd)})
    said = str(build_bundle(turn, (), SESSION).data["text/markdown"])
    assert said.startswith("*About the error: OSError")


EDIT = ToolCall(
    id="1",
    tool_call_id="c",
    title="Edit",
    tool_kind="edit",
    status="completed",
    diffs=(Diff(path="a.py", new_text="x"),),
)


def test_the_footer_says_who_how_and_what() -> None:
    markdown = build_bundle(TURN, [EDIT], SESSION).data["text/markdown"]
    assert isinstance(markdown, str)
    assert markdown.splitlines()[-1] == (
        "<sub>Demo 1.2 · model Big · mode Code · policy accept-edits · "
        "1 file changed: a.py · 1,234 tokens</sub>"
    )


@pytest.mark.parametrize(
    ("level", "said"), [("full", "sandbox folder"), ("none", "sandbox folder (not kept)")]
)
def test_the_footer_says_the_sandbox(level: SandboxLevel, said: str) -> None:
    turn = TURN.model_copy(update={"sandbox": "folder"})
    walls = WallsInForce(sandbox="folder", level=level)
    data = build_bundle(turn, (), SESSION.model_copy(update={"walls": walls})).data
    assert f" · policy accept-edits · {said} · " in str(data["text/markdown"]).splitlines()[-1]
    record = data["application/vnd.acp-jupyter.turn+json"]
    assert isinstance(record, dict)
    assert obj(record["turn"])["sandbox"] == "folder"
    plain = build_bundle(TURN, (), SESSION)
    assert "sandbox" not in written(plain)


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ((), "what changed is not known: The folder has more than 3 files"),
        (
            (EDIT,),
            "1 file changed: a.py · what else changed is not known: "
            "The folder has more than 3 files",
        ),
    ],
    ids=["nothing is reported", "a file is reported"],
)
def test_the_footer_says_why_it_is_not_known_what_changed(
    calls: tuple[Item, ...], said: str
) -> None:
    turn = TURN.model_copy(update={"changes_unknown": "The folder has more than 3 files."})
    data = build_bundle(turn, calls, SESSION).data
    assert f" · {said} · 1,234 tokens" in str(data["text/markdown"]).splitlines()[-1]
    assert said in str(data["text/plain"])


@pytest.mark.parametrize(
    ("authors", "left_out", "said"),
    [
        (("agent", "unknown", "you", "another"), 0, "1 file changed: agent.py · 1 more changed"),
        (("unknown",), 3, "4 more changed"),
    ],
)
def test_the_footer_counts_what_is_not_known_whose_it_is(
    authors: tuple[Author, ...], left_out: int, said: str
) -> None:
    files = tuple(ChangedFile(path=f"{a}.py", change="added", author=a) for a in authors)
    changes = TurnChanges(files=files, unknown_left_out=left_out)
    data = build_bundle(TURN.model_copy(update={"changes": changes}), (), SESSION).data
    footer = str(data["text/markdown"]).splitlines()[-1]
    assert f" · {said} meanwhile, by an unknown author · 1,234 tokens" in footer


def test_there_is_no_html_and_no_widget() -> None:
    assert list(build_bundle(TURN, (), SESSION).data) == [TURN_MIME, "text/markdown", "text/plain"]


def test_the_same_turn_gives_the_same_bundle() -> None:
    first, second = (build_bundle(TURN, everything("x"), SESSION) for _ in range(2))
    assert first == second


def test_a_huge_turn_is_capped_and_says_so() -> None:
    items = [AgentMessage(id=str(n), text=f"part {n} " + "x" * 10_000) for n in range(200)]
    bundle = build_bundle(TURN, items, SESSION)
    assert len(json.dumps(bundle.data[TURN_MIME])) < 300_000
    markdown = bundle.data["text/markdown"]
    assert isinstance(markdown, str)
    assert len(markdown) < 600_000
    assert "part 199 " in markdown
    assert "left out" in markdown
    assert "earlier items are not saved" in written(bundle)


def test_a_running_turn_says_so() -> None:
    bundle = build_bundle(TURN.model_copy(update={"status": "running"}), (), SESSION)
    assert bundle.data["text/plain"].startswith("Turn running…")  # type: ignore[union-attr]
    snapshot = bundle.data[TURN_MIME]
    assert isinstance(snapshot, dict)
    assert "final" not in snapshot


@pytest.mark.parametrize(
    ("status", "kept", "name", "folded"),
    [
        ("running", True, "Variant 2: Demo, running", False),
        ("done", True, "Variant 2: Demo, kept", False),
        ("done", False, "Variant 2: Demo, not kept", True),
    ],
)
def test_a_variant_is_folded_unless_it_is_kept(
    status: str, kept: bool, name: str, folded: bool
) -> None:
    file = ChangedFile(path="a.py", change="modified", reverted=not kept)
    changes = None if status == "running" else TurnChanges(files=(file,), revertible=True)
    update = {"status": status, "variant": 2, "changes": changes}
    bundle = build_bundle(TURN.model_copy(update=update), (), SESSION)
    assert str(bundle.data["text/plain"]).startswith(f"{name}\n")
    markdown = str(bundle.data["text/markdown"])
    assert markdown.startswith(
        f"<details>\n<summary>{name}</summary>\n\n" if folded else f"**{name}**\n\n"
    )
    assert markdown.endswith("\n\n</details>") == folded


def test_fields_of_a_request_are_cut_where_they_are_saved() -> None:
    details = tuple(Detail(name=f"f{n}", value="x" * 100_000) for n in range(40))
    permission = Permission(request_id="r1", title="Demo wants it", details=details)
    call = ToolCall(id="1", tool_call_id="c", title="Run", permission=permission)
    script = Script()
    script.turn()
    bundle = build_bundle(script.transcript.turns["t1"], [call], script.transcript.session)
    assert len(json.dumps(bundle.data)) < 200_000
    assert "and 10 more fields" in json.dumps(bundle.data, ensure_ascii=False)
