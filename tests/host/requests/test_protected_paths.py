"""Which files an agent may not change, or read, without being asked."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.requests.policy import decide
from acp_jupyter.host.requests.protected_paths import holds_credentials, is_protected
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall

OPTIONS = (
    PermissionOption(option_id="yes", name="Allow", option_kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", option_kind="reject_once"),
)

PROTECTED = """
.git/config .git/hooks/pre-commit .gitattributes .gitmodules .hg/hgrc sub/.git/config .bashrc
.zshenv .profile .inputrc .vimrc .exrc .emacs.d/init.el .tmux.conf .xinitrc .config/fish/a
.ssh/authorized_keys .ssh/config .local/bin/ls .local/share/jupyter/acp-jupyter/rules.json
.local/share/jupyter/kernels/x/kernel.json .local/share/jupyter/acp-jupyter/trust.json
.jupyter/jupyter_server_config.py .ipython/profile_default/startup/0.py .pythonrc .pdbrc .env
.envrc .python-version .condarc .npmrc .yarnrc.yml .pypirc .netrc .curlrc .wgetrc
.claude/settings.json .codex/config.toml .gemini/settings.json .opencode/a .cursor/rules
.aider.conf.yml .mcp.json .windsurfrules .clinerules .github/workflows/a.yml .gitlab-ci.yml
.circleci/config.yml .travis.yml .pre-commit-config.yaml .husky/pre-push .vscode/tasks.json
.idea/a.xml .devcontainer/a .pylintrc .flake8 .babelrc .eslintrc.js .prettierrc.js .mocharc.js
.pytest.ini .coveragerc .Rprofile .Renviron .julia/config/startup.jl .cargo/config.toml
.m2/settings.xml .gradle/init.gradle .venv/lib/a.py venv/bin/python node_modules/a/index.js
lib/site-packages/a.py a.pth x/y.egg-link conftest.py tests/conftest.py sitecustomize.py
usercustomize.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py pytest.ini hatch_build.py
pixi.toml uv.toml dodo.py fabfile.py __pycache__/a.cpython-311.pyc a.pyc package.json
gulpfile.js Gruntfile.js vite.config.ts jest.config.js eslint.config.mjs bunfig.toml deno.json
Makefile GNUmakefile rules.mk makefile.inc CMakeLists.txt a.cmake meson.build build.ninja
justfile Taskfile.yml Rakefile Gemfile a.gemspec SConstruct wscript build.rs Cargo.toml
build.gradle settings.gradle.kts gradlew pom.xml mvnw build.xml flake.nix shell.nix Dockerfile
Dockerfile.dev docker-compose.yml compose.yaml Containerfile Vagrantfile Jenkinsfile
azure-pipelines.yml appveyor.yml bitbucket-pipelines.yml buildspec.yml lefthook.yml AGENTS.md
sub/AGENTS.md CLAUDE.md CLAUDE.local.md GEMINI.md opencode.json crush.json mcp.json
acp_agents.json SKILL.md a.code-workspace x.desktop HEAD kernel.json jupyter_lab_config.py
jupyter_server_config.json page_config.json analysis.acp/demo.ndjson
"""

PLAIN = """
a.py src/app.py notebook.ipynb data/x.csv README.md docs/index.md src/hooks/useThing.ts header.h
config/settings.yaml config.py lib/tasks.py build/out.txt head.txt tests/test_a.py
.gitignore sub/.gitignore .gitkeep .editorconfig
.ipynb_checkpoints/a-checkpoint.ipynb .dockerignore index.html style.css main.rs
a.json rules.json results/trust.json Head/a.py venvs/a.py
"""

CREDENTIALS = """
.ssh/id_ed25519 .ssh/config .env .env.local sub/.env.production .envrc .netrc _netrc
.aws/credentials .kube/config .docker/config.json .gnupg/a .git-credentials .git/config .pgpass
.pypirc .npmrc keys/server.pem a.key cert.p12 id_rsa id_rsa.bak runtime/jpserver-123.json
kernel-4f2a.json jupyter_cookie_secret .codex/auth.json .claude/.credentials.json
.gemini/oauth_creds.json .bash_history .python_history .streamlit/secrets.toml credentials.json
service-account-a.json
"""

READABLE = (
    "a.py .env.example .env.template keyboard.py monkey.py kernel.json .gitignore .github/a.yml"
)


@pytest.mark.parametrize("path", PROTECTED.split())
def test_protected(path: str) -> None:
    assert is_protected(path)


@pytest.mark.parametrize("path", PLAIN.split())
def test_plain(path: str) -> None:
    assert not is_protected(path)


@pytest.mark.parametrize("path", CREDENTIALS.split())
def test_credentials(path: str) -> None:
    assert holds_credentials(path)


@pytest.mark.parametrize("path", READABLE.split())
def test_readable(path: str) -> None:
    assert not holds_credentials(path)


FOLDERS = st.lists(st.text(string.ascii_letters, min_size=1, max_size=6), max_size=3)
SPELLINGS: list[Callable[[str], str]] = [
    str.upper,
    str.title,
    lambda path: path.replace("/", "//"),
    lambda path: f"{path}.",
    lambda path: f"{path} ",
    lambda path: f"{path}::$DATA",
    lambda path: path.replace("i", "\u200ci"),
    lambda path: path.replace("e", "\uff45"),
    lambda path: path.replace("/", "\\"),
]


@given(
    st.sampled_from(PROTECTED.split() + CREDENTIALS.split()),
    FOLDERS,
    st.lists(st.sampled_from(SPELLINGS), max_size=3),
)
def test_no_spelling_and_no_folder_makes_a_protected_file_plain(
    path: str, folders: list[str], spellings: list[Callable[[str], str]]
) -> None:
    spelled = "/".join([*folders, path])
    for spell in spellings:
        spelled = spell(spelled)
    assert not is_protected(path) or is_protected(spelled)
    assert not holds_credentials(path) or holds_credentials(spelled)


@given(st.sampled_from([".git", ".config", "node_modules", "x.acp", "GIT~1"]), FOLDERS)
def test_all_below_a_protected_folder_is_protected(folder: str, names: list[str]) -> None:
    assert is_protected("/".join([folder, *names]))


def call(kind: AcpKind, path: str) -> ToolCall:
    place = (Location(path=path),)
    return ToolCall(
        id="i1", tool_call_id="c1", title="x", tool_kind=kind, path=path, locations=place
    )


@pytest.mark.parametrize("path", CREDENTIALS.split())
@pytest.mark.parametrize("kind", ["read", "search"])
def test_read_only_reads_no_credentials(kind: AcpKind, path: str) -> None:
    decision = decide("read-only", call(kind, path), OPTIONS)
    assert decision is not None
    assert decision.option_id == "no"


@pytest.fixture
def places(tmp_path: Path) -> SessionFolder:
    root = tmp_path / "ws"
    for folder in ("bare/objects", "bare/refs", "bare/hooks", "myenv/bin", "own/sub", ".git"):
        (root / folder).mkdir(parents=True)
    (root / "bare/HEAD").write_text("ref: refs/heads/main\n")
    (root / "myenv/pyvenv.cfg").touch()
    (root / "innocent").symlink_to(root / ".git")
    (root / "away").symlink_to(tmp_path)
    (root / "plain.py").touch()
    (root / "twin.py").hardlink_to(root / "plain.py")
    (root / "single.py").touch()
    return SessionFolder(root, (root / "own",))


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        ("single.py", False),
        ("new/file.py", False),
        ("bare/config", True),
        ("bare/hooks/post-update", True),
        ("myenv/bin/activate_this.py", True),
        ("own/sub/a.txt", True),
        ("innocent/config", True),
        ("innocent/../a.py", False),
        ("plain.py", True),
        ("twin.py", True),
    ],
)
def test_what_lies_on_disk_counts(places: SessionFolder, path: str, protected: bool) -> None:
    spot = places.locate(path)
    assert spot is not None
    assert spot.protected == protected


@pytest.mark.parametrize("path", ["away/x.py", "../x.py", "/etc/passwd", "~/x", "a\u202eb", "C:x"])
def test_what_leads_out_can_not_be_told(places: SessionFolder, path: str) -> None:
    assert places.locate(path) is None


@pytest.mark.parametrize("policy", ["accept-edits", "ask"])
@pytest.mark.parametrize("path", ["bare/config", "own/a", "twin.py", "innocent/config"])
def test_no_policy_for_edits_grants_these(places: SessionFolder, policy: Policy, path: str) -> None:
    assert decide(policy, call("edit", path), OPTIONS, folder=places) is None


def test_own_folders_are_not_read(places: SessionFolder) -> None:
    spot = places.locate("own/sub/a.txt")
    assert spot is not None
    assert spot.secret
