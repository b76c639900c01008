"""Write the tables of policies and sandboxes, and the names of files, in docs/security.md.

They are as the code decides, and as the tests see a hostile agent held.

``python -m scripts.policy_table`` writes them, ``--check`` fails if they are not as the code has
them.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from acp_jupyter.host.requests.credential_files import (
    CREDENTIAL_FILES,
    CREDENTIAL_FOLDERS,
    CREDENTIAL_PLACES,
)
from acp_jupyter.host.requests.ordinary_files import TEXT_NAMES, ordinary_extensions
from acp_jupyter.host.requests.policy import decide
from acp_jupyter.host.requests.protected_paths import (
    HARMLESS_DOT_NAMES,
    PROTECTED_FILES,
    PROTECTED_FOLDERS,
)
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.packets import Location
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall
from tests.sandbox.deeds import ALL, KINDS, Kind, Level, held

__all__ = ["BEGIN", "END", "PAGE", "POLICIES", "written"]

PAGE = Path(__file__).parents[1] / "docs" / "security.md"
BEGIN = "<!-- The table below is written by scripts/policy_table.py. -->\n"
END = "<!-- The table above is written by scripts/policy_table.py. -->\n"
HELD_BEGIN = "<!-- What is held below is written by scripts/policy_table.py. -->\n"
HELD_END = "<!-- What is held above is written by scripts/policy_table.py. -->\n"
NAMES_BEGIN = "<!-- The names below are written by scripts/policy_table.py. -->\n"
NAMES_END = "<!-- The names above are written by scripts/policy_table.py. -->\n"
POLICIES: tuple[Policy, ...] = get_args(Policy)

_OPTIONS = (
    PermissionOption(option_id="allow", name="Allow", option_kind="allow_once"),
    PermissionOption(option_id="reject", name="Reject", option_kind="reject_once"),
)
_SEVERAL = (*_OPTIONS, _OPTIONS[0].model_copy(update={"option_id": "another"}))


def _call(kind: str, path: str = "", **more: Any) -> ToolCall:
    places = (Location(path=path),) if path else ()
    fields = {"tool_kind": kind, "path": path, "locations": places, **more}
    return ToolCall.model_validate(
        {"id": "i1", "tool_call_id": "c1", "title": "A tool call", **fields}
    )


_ROWS: tuple[tuple[str, ToolCall, tuple[PermissionOption, ...]], ...] = (
    ("Read or search a file in the folder", _call("read", "src/a.py"), _OPTIONS),
    ("Read a file that may hold credentials", _call("read", ".env"), _OPTIONS),
    ("Read a file elsewhere", _call("read", "/etc/passwd"), _OPTIONS),
    ("Edit source, data, text or a notebook", _call("edit", "src/a.py"), _OPTIONS),
    ("Edit a file of another kind (`config.yaml`)", _call("edit", "config.yaml"), _OPTIONS),
    ("Edit a file that runs by itself (`setup.py`)", _call("edit", "setup.py"), _OPTIONS),
    ("Edit a file that instructs agents (`AGENTS.md`)", _call("edit", "AGENTS.md"), _OPTIONS),
    ("Edit a file that may hold credentials", _call("edit", "token.json"), _OPTIONS),
    ("Edit a file elsewhere", _call("edit", "../other/a.py"), _OPTIONS),
    (
        "Edit a file, with a field of an unknown name",
        _call("edit", "src/a.py", raw_input={"path": "src/a.py", "run_after": "x"}),
        _OPTIONS,
    ),
    ("Delete or move a file in the folder", _call("delete", "src/a.py"), _OPTIONS),
    ("Run a command", _call("execute", command="ls", raw_input={"command": "ls"}), _OPTIONS),
    (
        "Run a command, with a field of an unknown name",
        _call("execute", command="ls", raw_input={"command": "ls", "run_after": "x"}),
        _OPTIONS,
    ),
    (
        "Fetch an address",
        _call("fetch", raw_input={"url": "https://example.org/"}, path="https://example.org/"),
        _OPTIONS,
    ),
    ("Edit, naming no file", _call("edit"), _OPTIONS),
    ("Run, naming no command", _call("execute"), _OPTIONS),
    ("Use a tool of no known kind", _call("other", raw_input={"a": 1}), _OPTIONS),
    ("Choose between several answers", _call("edit", "src/a.py"), _SEVERAL),
)


def _outcome(policy: Policy, call: ToolCall, options: tuple[PermissionOption, ...]) -> str:
    decision = decide(policy, call, options)
    if decision is None:
        return "asked"
    return "**allowed**" if decision.option_id == "allow" else "refused"


def _table() -> str:
    lines = [
        "| An agent wants to | " + " | ".join(f"`{policy}`" for policy in POLICIES) + " |",
        "| --- |" + " --- |" * len(POLICIES),
    ]
    for words, call, options in _ROWS:
        cells = (_outcome(policy, call, options) for policy in POLICIES)
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _held() -> str:
    columns = [(level, sandbox) for level in get_args(Level) for sandbox in ALL]
    names = (f"`{sandbox}`, {level}" for level, sandbox in columns)
    lines = [
        "| The agent's processes try to | " + " | ".join(names) + " |",
        "| --- |" + " --- |" * len(columns),
    ]
    for kind in KINDS:
        cells = (_holds(kind, level, sandbox) for level, sandbox in columns)
        lines.append(f"| {kind.words} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _holds(kind: Kind, level: Level, sandbox: str) -> str:
    if held(kind, level, sandbox):
        return "held¹" if level in kind.newer else "held"
    return "allowed" if sandbox in kind.meant else "**not held**"


def _names() -> Iterator[tuple[str, str]]:
    extensions = (f"*.{each}" for each in ordinary_extensions())
    harmless = HARMLESS_DOT_NAMES - {"."}
    yield "Source, data, text and notebooks", _listed((*extensions, *TEXT_NAMES, *harmless))
    yield "Protected: run by themselves, or instruct agents", _listed(PROTECTED_FILES)
    yield "Protected folders, with all below", _listed((*PROTECTED_FOLDERS, "*.acp"))
    yield "Credentials", _listed(CREDENTIAL_FILES)
    yield "Credentials, by the end of the path", _listed(map("/".join, CREDENTIAL_PLACES))
    yield "Folders of credentials, with all below", _listed(CREDENTIAL_FOLDERS)


def _listed(names: Iterable[str]) -> str:
    return " ".join(sorted({*names}, key=lambda name: (name.lstrip("*._"), name)))


def _lists() -> str:
    return "\n".join(
        f"{title}:\n\n```text\n{textwrap.fill(names, 110, break_on_hyphens=False)}\n```\n"
        for title, names in _names()
    )


def written(page: str) -> str:
    """Return the page with the tables and the names as the code has them."""
    parts = (
        (BEGIN, END, _table()),
        (HELD_BEGIN, HELD_END, _held()),
        (NAMES_BEGIN, NAMES_END, _lists()),
    )
    for begin, end, text in parts:
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = f"{before}{begin}\n{text}\n{end}{after}"
    return page


def main() -> int:
    """Write them, or check them."""
    page = PAGE.read_text(encoding="utf-8")
    new = written(page)
    if "--check" in sys.argv[1:]:
        if new != page:
            print("docs/security.md is not as the code decides. Run: make gen")
        return int(new != page)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
