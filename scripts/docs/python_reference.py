"""Write the reference of what people type: magics, options, settings, and the Python API."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from acp_jupyter.api.cell_options import cell_parser
from acp_jupyter.kernel.magics.help import DETAILS, SUBCOMMANDS
from acp_jupyter.server.extension import AcpJupyter

MAGICS = """\
# Magics

`%load_ext acp_jupyter` adds both. `%%acp` sends a cell to an agent; `%acp` does everything else.
Tab completes all of it.

## `%%acp`

```text
%%acp [AGENT] [options]
The prompt, in as many lines as you like
```

"""

SETTINGS = """\
# Settings

## In JupyterLab

Choose *Settings* → *Settings Editor* → *Agents (ACP)*.

"""

SERVER = """\

## On the server

In `jupyter_server_config.py`, for example `c.AcpJupyter.trusted_folders = ["/home/me/projects"]`.

"""

VARIABLES = """\

## Environment variables

`ACP_JUPYTER_RECORD`
: `record`, `replay` or `off`, or `replay:NAME.acp`: what {doc}`%acp record and %acp replay
  </how-to/record-and-replay>` choose, from outside the notebook.

`ACP_JUPYTER_URL`
: Set by the Jupyter server for its kernels, so that they find it. It is no secret. Don't set it.
"""


def write_pages(root: Path, target: Path) -> None:
    """Write ``magics.md`` and ``settings.md``."""
    target.mkdir(exist_ok=True)
    (target / "magics.md").write_text(MAGICS + _cell_options() + _subcommands())
    schema = json.loads((root / "labextension/schema/plugin.json").read_text())
    text = SETTINGS + _page_settings(schema) + _shortcuts(schema) + SERVER + _traits() + VARIABLES
    (target / "settings.md").write_text(text)


def _sentence(text: str) -> str:
    text = " ".join(text.replace("%%", "%").split()).replace("``", "`")
    # Code stays as it is; elsewhere a star or a bracket is a character.
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([*<\[\]])", r"\\\1", part) for part in parts[::2]]
    text = "".join(parts)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def _cell_options() -> str:
    parts: list[str] = []
    for group in cell_parser()._action_groups:
        actions = [each for each in group._group_actions if each.help != argparse.SUPPRESS]
        if actions:
            parts.append(f"### {group.title}\n")
        for action in actions:
            value = f" {action.metavar}" if action.metavar and action.option_strings else ""
            name = ", ".join(action.option_strings) or str(action.metavar)
            parts.append(
                f"`{name}{value}`\n: {_sentence((action.help or '').replace('%%%%', '%%'))}\n"
            )
    return "\n".join(parts) + "\n"


def _subcommands() -> str:
    parts = ["## `%acp`\n"]
    for usage, words in SUBCOMMANDS.items():
        name = usage.split()[0]
        parts.append(f"### `%acp {name}`\n\n{_sentence(words)}\n")
        details = "\n".join(DETAILS.get(name, ()))
        more = f"\n\n{details}" if details else ""
        parts.append(f"```text\n%acp {usage}{more}\n```\n")
    return "\n".join(parts)


def _page_settings(schema: dict[str, Any]) -> str:
    parts = []
    for name, field in schema["properties"].items():
        choices = [f"`{each['const']}` ({each['title']})" for each in field.get("oneOf", ())]
        values = f" One of {', '.join(choices)}." if choices else ""
        default = json.dumps(field.get("default"))
        words = _sentence(field["description"])
        parts.append(f"`{name}`: {field['title']}\n: {words}{values} Default: `{default}`.\n")
    return "\n".join(parts)


def _shortcuts(schema: dict[str, Any]) -> str:
    labels = {
        "acp-jupyter:toggle-panel": "Show or hide the side panel",
        "acp-jupyter:stop": "Stop the running turn",
        "acp-jupyter:go-to-permission": "Go to what is asked",
    }
    rows = [
        "\n### Keyboard shortcuts\n",
        "| Keys | Command | What it does |",
        "| --- | --- | --- |",
    ]
    for each in schema["jupyter.lab.shortcuts"]:
        keys = ", ".join("`" + key.replace(" ", "+") + "`" for key in each["keys"])
        command = each["command"]
        rows.append(f"| {keys} | `{command}` | {labels.get(command, '')} |")
    return "\n".join(rows) + "\n"


def _traits() -> str:
    parts = []
    for name, trait in sorted(AcpJupyter.class_own_traits(config=True).items()):
        default = trait.default_value_repr()
        parts.append(
            f"`c.AcpJupyter.{name}`: {type(trait).__name__}\n"
            f": {_sentence(str(trait.help))} Default: `{default}`.\n"
        )
    return "\n".join(parts)
