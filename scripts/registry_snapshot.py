"""Make the bundled list of the public agent registry anew, from a checkout of the registry.

Run ``python scripts/registry_snapshot.py CHECKOUT``. Only facts are taken: what an agent is
called, which package or program it is, and with which arguments it speaks the protocol. What this
project knows of agents stands in ``acp_jupyter/host/public_registry/known.py``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acp_jupyter.host.public_registry.known import known_agent
from acp_jupyter.host.public_registry.published import read_agents
from acp_jupyter.host.public_registry.snapshot import Snapshot
from acp_jupyter.protocol.objects import misfits

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "acp_jupyter" / "host" / "public_registry" / "snapshot.json"
_NOT_SUPPORTED = "_"
"""How the registry's folders of agents begin that it does not publish."""


def read_checkout(checkout: Path) -> tuple[Snapshot, list[str]]:
    """Return the registry of a checkout's last commit, and the ids that were left out.

    An agent that the registry does not publish is taken only if this project knows it.
    """
    date = _git(checkout, "log", "-1", "--format=%cs").strip()
    taken, left = [], []
    for path in _git(checkout, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if not path.endswith("/agent.json"):
            continue
        try:
            raw = json.loads(_git(checkout, "show", f"HEAD:{path}"))
            read_agents([raw], date)
        except ValidationError as error:
            raise SystemExit(f"{path} is not valid: {misfits(error)[0]}") from None
        except ValueError as error:
            raise SystemExit(f"{path} is no JSON: {error}") from None
        published = not path.startswith(_NOT_SUPPORTED)
        if published or known_agent(raw["id"]) is not None:
            taken.append(raw)
        else:
            left.append(raw["id"])
    if not taken:
        raise SystemExit(f"{checkout} holds no agent: is it a checkout of the registry?")
    return read_agents(taken, date), left


def write(snapshot: Snapshot, target: Path) -> None:
    """Write a snapshot, without what is empty."""
    raw: dict[str, Any] = snapshot.model_dump(mode="json", exclude_defaults=True)
    target.write_text(json.dumps(raw, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Write the snapshot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="a checkout, or its git directory")
    parser.add_argument("--to", type=Path, default=TARGET, help="the file to write")
    options = parser.parse_args(arguments)
    snapshot, left = read_checkout(options.checkout)
    write(snapshot, options.to)
    print(f"{len(snapshot.agents)} agents of {snapshot.date}; not taken: {', '.join(left) or '-'}")


def _git(checkout: Path, *args: str) -> str:
    command = ["git", "-C", str(checkout), *args]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip() or f"git failed in {checkout}")
    return done.stdout


if __name__ == "__main__":
    main(sys.argv[1:])
