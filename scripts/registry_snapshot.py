"""Make ``acp_jupyter/host/public_registry.json`` from a checkout of the public agent registry.

Run ``python scripts/registry_snapshot.py CHECKOUT``. Only facts are taken: what an agent is
called, which package or program it is, and with which arguments it speaks the protocol. What
this project has tried itself is newer than the registry in places; it stands below.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "acp_jupyter" / "host" / "public_registry.json"
SOURCE = "https://github.com/agentclientprotocol/registry"


@dataclass(frozen=True)
class Ours:
    """What the registry does not say, or says no longer rightly."""

    id: str
    """As people type it."""
    command: str
    """The program that the package installs."""
    install: str = ""
    """For programs that are no package of npx or uvx."""
    package: str = ""
    args: tuple[str, ...] | None = None
    website: str = ""
    tried: str = ""
    """When this project drove that package, as a date."""


_OURS = {
    "auggie": Ours("auggie", "auggie"),
    "cagent": Ours("cagent", "cagent"),
    "claude-code-acp": Ours(
        "claude",
        "claude-agent-acp",
        package="@agentclientprotocol/claude-agent-acp@0.49.0",
        args=(),
        tried="2026-11-20",
    ),
    "code-assistant": Ours("code-assistant", "code-assistant"),
    "codex-acp": Ours(
        "codex",
        "codex-acp",
        package="@zed-industries/codex-acp@0.16.0",
        args=(),
        tried="2026-11-20",
    ),
    "factory-droid": Ours("droid", "droid", website="https://factory.ai"),
    "gemini": Ours(
        "gemini",
        "gemini",
        package="@google/gemini-cli@0.61.0",
        args=("--acp",),
        tried="2026-11-20",
    ),
    "github-copilot": Ours("copilot", "copilot-language-server"),
    "goose": Ours("goose", "goose"),
    "kimi": Ours("kimi", "kimi", install="uv tool install kimi-cli"),
    "mistral-vibe": Ours("vibe", "vibe-acp", install="uv tool install mistral-vibe"),
    "opencode": Ours(
        "opencode", "opencode", package="opencode-ai@1.18.33", args=("acp",), tried="2026-11-20"
    ),
    "qoder": Ours("qoder", "qodercli"),
    "qwen-code": Ours("qwen", "qwen"),
    "stakpak": Ours("stakpak", "stakpak"),
}


def main() -> None:
    """Write the snapshot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="a checkout, or its git directory")
    checkout: Path = parser.parse_args().checkout
    date = _git(checkout, "log", "-1", "--format=%cs").strip()
    paths = [
        path
        for path in _git(checkout, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        if path.endswith("/agent.json")
    ]
    listed = [json.loads(_git(checkout, "show", f"HEAD:{path}")) for path in paths]
    agents = [_entry(raw, _OURS[raw["id"]]) for raw in listed if raw["id"] in _OURS]
    unknown = sorted({raw["id"] for raw in listed} - set(_OURS))
    snapshot = {
        "source": SOURCE,
        "date": date,
        "agents": sorted(agents, key=lambda agent: str(agent["id"])),
    }
    TARGET.write_text(json.dumps(snapshot, indent=2, ensure_ascii=False) + "\n")
    print(f"{len(agents)} agents of {date}; not taken: {', '.join(unknown) or 'none'}")


def _entry(raw: dict[str, Any], ours: Ours) -> dict[str, Any]:
    distribution = raw["distribution"]
    runner = next((name for name in ("npx", "uvx") if name in distribution), "")
    of_runner = distribution.get(runner, {})
    platforms = distribution.get("binary", {}).values()
    args = of_runner.get("args") or next((p.get("args") for p in platforms), None) or []
    entry = {
        "id": ours.id,
        "aliases": [raw["id"]] if raw["id"] != ours.id else [],
        "name": raw["name"],
        "command": ours.command,
        "args": list(args if ours.args is None else ours.args),
        "env": of_runner.get("env", {}),
        "runner": "npx" if ours.package else runner,
        "package": ours.package or of_runner.get("package", ""),
        "install": ours.install,
        "website": raw.get("website") or raw.get("repository") or ours.website,
        "tried": ours.tried,
    }
    return {key: value for key, value in entry.items() if value not in ("", [], {})}


def _git(checkout: Path, *args: str) -> str:
    command = ["git", "-C", str(checkout), *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
