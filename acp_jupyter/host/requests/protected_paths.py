"""Protected files and files with credentials, by their names.

Protected are files whose code may run later without being started explicitly (at install, import,
test, build, commit or start), files that configure or instruct agents, and recordings.
Names are compared as on the most lenient file system: without case, width and trailing dots.
"""

from __future__ import annotations

import re
import unicodedata
from fnmatch import fnmatchcase

from acp_jupyter.host.requests.credential_files import names_credentials
from acp_jupyter.host.requests.ordinary_files import is_ordinary

HARMLESS_DOT_NAMES = frozenset(
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

PROTECTED_FOLDERS = frozenset(
    {"__pycache__", "dist-packages", "husky", "node_modules", "site-packages", "venv", "virtualenv"}
)

PROTECTED_FILES = (
    # Python: install, import, test, start
    *("*.egg-link", "*.pth", "*.pyc", "*.pyo", "*.whl", "__main__.py", "_build_backend.py"),
    *("asgi.py", "bootstrap.py", "build.py", "celeryconfig.py", "conf.py", "conftest.py"),
    *("dodo.py", "environment*.yaml", "environment*.yml", "constraints*.txt", "fabfile.py"),
    *("gunicorn*.py", "hatch.toml", "hatch_build.py", "hubconf.py", "locustfile.py", "manage.py"),
    *("meta.yaml", "mypy.ini", "noxfile.py", "pavement.py", "pdm.toml", "pdm_build.py"),
    *("pip.conf", "pip.ini", "pipfile", "pixi.toml", "poetry.toml", "pylintrc", "pyproject.toml"),
    *("pytest.ini", "requirements*.in", "requirements*.txt", "ruff.toml", "setup.cfg", "setup.py"),
    *("sitecustomize.py", "tox.ini", "tox.toml", "usercustomize.py", "uv.toml", "versioneer.py"),
    *("wsgi.py", "zappa_settings.json", "*.lock", "pylock*.toml", "conda-lock.yml", "mkdocs.yml"),
    # R, Julia and others of data work
    *("artifacts.toml", "description", "dvc.yaml", "juliaproject.toml", "manifest.toml"),
    *("mlproject", "namespace", "project.toml", "rprofile.site", "snakefile", "*.smk"),
    *("nextflow.config", "startup.jl", "startup.m", "_targets.r", "zzz.r", "configure"),
    *("configure.*", "cleanup", "cleanup.win", "makevars", "makevars.win", "build.jl", "deps.jl"),
    # JavaScript
    *("*.conf.[cm][jt]s", "*.conf.[jt]s", "*.config.[cm][jt]s", "*.config.[jt]s", "*.config.json"),
    *("*.config.[jt]sx", "*.setup.[cm][jt]s", "*.setup.[jt]s", "*.setup.[jt]sx"),
    *("angular.json", "app.json", "biome.json", "bower.json", "bun.lockb", "bunfig.toml"),
    *("cypress.json", "deno.json", "deno.jsonc", "firebase.json", "global-setup.[jt]s"),
    *("global-teardown.[jt]s", "globalsetup.[jt]s", "gruntfile.*", "gulpfile.*", "jsconfig*.json"),
    *("lerna.json", "manifest.json", "middleware.[jt]s", "netlify.toml", "nodemon.json", "nx.json"),
    *("npm-shrinkwrap.json", "package-lock.json", "package.json", "pm2.json", "pnpm-*.yaml"),
    *("pnpmfile.cjs", "postinstall.*", "preinstall.*", "prepare.[cm]js", "prepare.js"),
    *("project.json", "rush.json", "service-worker.[jt]s", "sw.js", "setuptests.[jt]s"),
    *("setuptests.[jt]sx", "tsconfig*.json", "turbo.json", "vercel.json", "webpack.*.[jt]s"),
    *("workspace.json", "wrangler.json", "wrangler.jsonc", "wrangler.toml", "eslint.*.[cm]js"),
    # Other builds
    *("*.bazel", "*.bb", "*.bzl", "*.cabal", "*.cmake", "*.csproj", "*.fsproj", "*.gemspec"),
    *("*.gradle", "*.gradle.kts", "*.gyp", "*.gypi", "*.mak", "*.mk", "*.nimble", "*.nims"),
    *("*.props", "*.rake", "*.sln", "*.targets", "*.vcxproj", "*.xcconfig", "bsdmakefile"),
    *("build", "build.boot", "build.ninja", "build.rs", "build.sbt", "build.sc", "build.sh"),
    *("build.xml", "build.zig", "build.zig.zon", "cargo.toml", "cartfile", "cmakelists.txt"),
    *("cmakepresets.json", "cmakeuserpresets.json", "composer.json", "conanfile.*", "config.ru"),
    *("config.nims", "dangerfile*", "default.nix", "deps.edn", "devenv.*", "directory.build.*"),
    *("dune", "dune-project", "earthfile", "fastfile", "flake.nix", "gemfile", "gnumakefile"),
    *("go.mod", "go.sum", "go.work", "gradle.properties", "gradlew", "gradlew.bat", "guardfile"),
    *("justfile", "magefile.go", "makefile", "makefile.*", "maven.config", "jvm.config"),
    *("meson.build", "meson.options", "meson_options.txt", "mix.exs", "module.bazel", "mvnw"),
    *("mvnw.cmd", "package.swift", "package.yaml", "pkgbuild", "podfile", "pom.xml"),
    *("project.clj", "rakefile", "rebar.config", "sconscript", "sconstruct", "setup.hs"),
    *("shadow-cljs.edn", "shell.nix", "stack.yaml", "taskfile.yaml", "taskfile.yml"),
    *("vcpkg.json", "workspace", "wscript", "xmake.lua", "premake5.lua", "brewfile", "capfile"),
    *("makefile.pl", "build.pl", "phpunit.xml*", "global.json", "nuget.config"),
    # Containers and machines
    *("*.dockerfile", "*.service", "*.socket", "*.timer", "*.tf", "*.hcl", "ansible.cfg"),
    *("app.yaml", "apt.txt", "chart.yaml", "compose*.yaml", "compose*.yml", "containerfile"),
    *("crontab", "devcontainer.json", "docker-compose*.yaml", "docker-compose*.yml"),
    *("docker-bake.*", "dockerfile", "dockerfile.*", "ecosystem.*", "*entrypoint*", "fly.toml"),
    *("helmfile.yaml", "install.r", "kustomization.y*ml", "playbook*.y*ml", "postbuild"),
    *("procfile*", "pulumi*.yaml", "render.yaml", "runtime.txt", "serverless.y*ml"),
    *("skaffold.yaml", "start", "supervisord.conf", "tiltfile", "vagrantfile", "nginx.conf"),
    # Continuous integration and hooks
    *("action.y*ml", "appveyor.yml", "azure-pipelines*.yml", "bitbucket-pipelines.yml"),
    *("buildspec.y*ml", "cloudbuild.yaml", "codecov.yml", "codemagic.yaml", "jenkinsfile*"),
    *("lefthook.*", "pre-commit", "pre-push", "post-checkout", "post-commit", "post-merge"),
    *("commit-msg", "prepare-commit-msg", "renovate.json*", "wercker.yml"),
    # git, for a bare repository
    *("head", "packed-refs"),
    # Jupyter and IPython
    *("ipython_*", "jupyter_*", "kernel.json", "labconfig.json", "overrides.json", "custom.js"),
    *("page_config.json", "nbsignatures.db", "plugins.json", "binder.y*ml", "*.ipy"),
    # Editors and desktops
    *("*.code-workspace", "*.desktop", "*.sublime-project", "*.command", "*.plist", "*.reg"),
    *("*.vim", "*.exrc", "launch.json", "tasks.json", "keybindings.json", "autorun.inf"),
    # Agents: configuration and instructions
    *("acp_agents.json", "agent.md", "agents.md", "agents.*.md", "*.agent.md", "claude*.md"),
    *("claude*.json", "codex.md", "*.chatmode.md", "*.instructions.md", "*.prompt.md"),
    *(
        "conventions.md",
        "copilot-instructions.md",
        "crush.*",
        "gemini*.md",
        "gemini-extension.json",
    ),
    *("goose.md", "goosehints", "grok.md", "identity.md", "kiro.md", "llms*.txt", "mcp.json"),
    *("*.mcp.json", "*.mdc", "memory.md", "opencode.*", "prompt.md", "qwen.md", "skill.md"),
    *("skills.md", "soul.md", "system-prompt.*", "system_prompt.*", "tools.md", "warp.md"),
    *("iflow.md", "codebuddy.md", "replit.md", "amp.md", "cursor.md", "windsurf.md", "cline.md"),
)

_IGNORED = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""Characters that macOS file systems ignore in names."""
_SHORT_NAME = re.compile(r"~\d")
"""``GIT~1`` may be ``.git`` on Windows."""


def is_protected(path: str) -> bool:
    """Return whether changing a file can run something later or let agents do more."""
    parts = compared_names(path)
    return any(map(_is_protected_name, parts)) or any(
        fnmatchcase(parts[-1], pattern) for pattern in PROTECTED_FILES
    )


def holds_credentials(path: str) -> bool:
    """Return whether a file may hold passwords, tokens or keys."""
    return names_credentials(compared_names(path))


def is_plain(path: str) -> bool:
    """Return whether a file holds source, data, text or a notebook, and nothing runs it by name."""
    name = compared_names(path)[-1]
    known = is_ordinary(name) or (name in HARMLESS_DOT_NAMES and name != ".")
    return known and not is_protected(path) and not holds_credentials(path)


def compared_names(path: str) -> tuple[str, ...]:
    """Return the names in a path, at least one, as the most lenient file system compares them.

    For comparing protected files, credentials, and paths in rules that deny.
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
    dotted = name.startswith(".") and name not in HARMLESS_DOT_NAMES
    known = name in PROTECTED_FOLDERS or name.endswith(".acp")
    return dotted or known or bool(_SHORT_NAME.search(name))
