"""Protected files and files with credentials, by their names.

Protected are files that can run something later without anybody starting it (at install,
import, test, build, commit or start), files that configure or instruct agents, and recordings.
Names are compared as on the most lenient file system: without case, width and trailing dots.
"""

from __future__ import annotations

import re
import unicodedata
from fnmatch import fnmatchcase

_HARMLESS_DOT_NAMES = frozenset(
    {
        ".",
        ".dockerignore",
        ".ds_store",
        ".editorconfig",
        ".eslintignore",
        ".gitignore",
        ".gitkeep",
        ".ignore",
        ".ipynb_checkpoints",
        ".keep",
        ".mailmap",
        ".nojekyll",
        ".npmignore",
        ".prettierignore",
        ".rgignore",
    }
)
"""Other names that begin with a dot are protected: nearly all configure something."""

_PROTECTED_FOLDERS = frozenset(
    {"__pycache__", "dist-packages", "node_modules", "site-packages", "venv"}
)

_PROTECTED_FILES = (
    # Python: install, import, test
    *("*.egg-link", "*.pth", "*.pyc", "conftest.py", "dodo.py", "fabfile.py", "hatch.toml"),
    *("hatch_build.py", "noxfile.py", "pixi.toml", "pyproject.toml", "pytest.ini", "setup.cfg"),
    *("setup.py", "sitecustomize.py", "tox.ini", "usercustomize.py", "uv.toml"),
    # JavaScript
    *("*.config.[cm][jt]s", "*.config.[jt]s", "bunfig.toml", "deno.json", "deno.jsonc"),
    *("gruntfile.*", "gulpfile.*", "package.json", "lerna.json", "nx.json", "turbo.json"),
    # Other builds
    *("*.cmake", "*.gemspec", "*.gradle", "*.gradle.kts", "*.mak", "*.mk", "bsdmakefile"),
    *("build", "build.bazel", "build.ninja", "build.rs", "build.sbt", "build.xml", "cargo.toml"),
    *("cmakelists.txt", "gemfile", "gnumakefile", "gradlew", "gradlew.bat", "justfile"),
    *("makefile", "makefile.*", "meson.build", "meson_options.txt", "mvnw", "mvnw.cmd"),
    *("pom.xml", "rakefile", "sconscript", "sconstruct", "taskfile.yaml", "taskfile.yml"),
    *("workspace", "workspace.bazel", "wscript", "composer.json", "default.nix", "devenv.nix"),
    *("flake.nix", "shell.nix", "module.bazel"),
    # Containers and machines
    *("*.dockerfile", "compose*.yaml", "compose*.yml", "containerfile", "devcontainer.json"),
    *("docker-compose*.yaml", "docker-compose*.yml", "dockerfile", "dockerfile.*", "postbuild"),
    *("procfile", "vagrantfile"),
    # Continuous integration and hooks
    *("appveyor.yml", "azure-pipelines*.yml", "bitbucket-pipelines.yml", "buildspec.yml"),
    *("cloudbuild.yaml", "jenkinsfile*", "lefthook.yml", "lefthook.yaml", "renovate.json"),
    # git, for a bare repository
    *("head", "packed-refs"),
    # Jupyter and IPython
    *("ipython_*", "jupyter_*", "kernel.json", "labconfig.json"),
    *("page_config.json", "nbsignatures.db"),
    # Editors and desktops
    *("*.code-workspace", "*.desktop", "*.sublime-project"),
    # Agents: configuration and instructions
    *("acp_agents.json", "agent.md", "agents.md", "agents.*.md", "claude*.md", "codex.md"),
    *("copilot-instructions.md", "crush.json", "gemini.md"),
    *("mcp.json", "*.mcp.json", "opencode.json", "opencode.jsonc", "skill.md", "warp.md"),
)

_CREDENTIAL_FOLDERS = frozenset(
    {".aws", ".azure", ".docker", ".gnupg", ".kaggle", ".kube", ".password-store", ".ssh"}
)
_CREDENTIAL_FILES = (
    *(".env", ".env.*", ".envrc", ".git-credentials", ".htpasswd", ".my.cnf", ".netrc"),
    *(".npmrc", ".pgpass", ".pypirc", ".renviron", "_netrc", "*_history", "secrets.toml"),
    *("*.jks", "*.kdbx", "*.key", "*.keystore", "*.p12", "*.pem", "*.pfx", "*.ppk"),
    *("id_dsa*", "id_ecdsa*", "id_ed25519*", "id_rsa*", "auth.json", ".credentials.json"),
    *("credentials", "credentials.json", "oauth_creds.json", ".claude.json"),
    *("jpserver-*", "nbserver-*", "kernel-*.json", "jupyter_cookie_secret"),
    *("application_default_credentials.json", "service-account*.json"),
)
_EXAMPLES = frozenset({".env.dist", ".env.example", ".env.sample", ".env.template"})

_IGNORED = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""Characters that macOS file systems ignore in names."""
_SHORT_NAME = re.compile(r"~\d")
"""``GIT~1`` may be ``.git`` on Windows."""


def is_protected(path: str) -> bool:
    """Return whether changing a file can run something later or let agents do more.

    Parameters
    ----------
    path
        Relative path with forward slashes.
    """
    parts = compared_names(path)
    return any(map(_is_protected_name, parts)) or any(
        fnmatchcase(parts[-1], pattern) for pattern in _PROTECTED_FILES
    )


def holds_credentials(path: str) -> bool:
    """Return whether a file may hold passwords, tokens or keys.

    Parameters
    ----------
    path
        Relative path with forward slashes.
    """
    parts = compared_names(path)
    if not _CREDENTIAL_FOLDERS.isdisjoint(parts) or parts[-2:] == (".git", "config"):
        return True
    name = parts[-1]
    return name not in _EXAMPLES and any(fnmatchcase(name, p) for p in _CREDENTIAL_FILES)


def compared_names(path: str) -> tuple[str, ...]:
    """Return the names in a path, at least one, as the most lenient file system compares them.

    So are compared protected files, credentials, and what a rule denies.
    """
    return tuple(_compared(name) for name in path.replace("\\", "/").split("/") if name) or (".",)


def _compared(name: str) -> str:
    """Return a name as the most lenient file system compares it."""
    name = unicodedata.normalize("NFKC", _IGNORED.sub("", name)).casefold()
    # ``name:stream`` on Windows.
    name = name.partition(":")[0]
    return name.rstrip(". ") or name


def _is_protected_name(name: str) -> bool:
    """Return whether a file or folder of this name is protected, with all below it."""
    dotted = name.startswith(".") and name not in _HARMLESS_DOT_NAMES
    known = name in _PROTECTED_FOLDERS or name.endswith(".acp")
    return dotted or known or bool(_SHORT_NAME.search(name))
