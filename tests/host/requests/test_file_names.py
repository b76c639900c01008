"""Which files may be edited or read without a question: tables of names as projects have them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from acp_jupyter.host.requests.policy import decide
from acp_jupyter.host.requests.protected_paths import holds_credentials, is_plain
from acp_jupyter.protocol.objects import items, obj, text
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall

TESTS = Path(__file__).parents[2]
OPTIONS = (
    PermissionOption(option_id="yes", name="Allow", option_kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", option_kind="reject_once"),
)

RUN_BY_THEMSELVES = """
setup.py setup.cfg pyproject.toml conftest.py tests/conftest.py noxfile.py tox.ini pytest.ini
sitecustomize.py usercustomize.py src/a.pth hatch_build.py versioneer.py manage.py app/wsgi.py
app/asgi.py gunicorn.conf.py celeryconfig.py locustfile.py docs/conf.py __main__.py a/__main__.py
requirements.txt requirements-dev.txt requirements.in constraints.txt environment.yml
environment-gpu.yaml Pipfile Pipfile.lock poetry.lock uv.lock poetry.toml mypy.ini ruff.toml
.pre-commit-config.yaml .flake8 .coveragerc .python-version Makefile makefile rules.mk
CMakeLists.txt CMakePresets.json meson.build build.ninja build.sh configure configure.ac Justfile
Taskfile.yml Rakefile Gemfile a.gemspec SConstruct wscript BUILD WORKSPACE a.bazel a.bzl build.rs
Cargo.toml Cargo.lock go.mod go.sum build.gradle settings.gradle.kts gradle.properties gradlew
pom.xml build.xml build.sbt project.clj mix.exs rebar.config dune-project a.cabal stack.yaml
Setup.hs Package.swift Podfile Fastfile Dangerfile Guardfile composer.json phpunit.xml flake.nix
shell.nix default.nix Directory.Build.props a.csproj a.sln build.zig conanfile.py package.json
package-lock.json pnpm-workspace.yaml yarn.lock tsconfig.json tsconfig.base.json vite.config.ts
webpack.prod.js jest.setup.ts src/setupTests.ts playwright.config.ts babel.config.json
nodemon.json ecosystem.config.js next.config.mjs middleware.ts vercel.json netlify.toml
wrangler.toml angular.json firebase.json deno.json bunfig.toml gulpfile.js scripts/postinstall.js
.npmrc .eslintrc.js Dockerfile Dockerfile.gpu web.dockerfile docker-compose.yml
compose.override.yaml Containerfile entrypoint.sh docker-entrypoint.py Procfile Vagrantfile
supervisord.conf a.service crontab main.tf playbook.yml skaffold.yaml Chart.yaml serverless.yml
fly.toml app.yaml Tiltfile .github/workflows/a.yml .gitlab-ci.yml .circleci/config.yml .travis.yml
Jenkinsfile azure-pipelines.yml action.yml lefthook.yml .husky/pre-push .git/hooks/post-commit
renovate.json codecov.yml start postBuild apt.txt runtime.txt binder/environment.yml install.R
Snakefile workflow/rules/a.smk dvc.yaml MLproject nextflow.config _targets.R .Rprofile R/zzz.R
jupyter_lab_config.py jupyter_server_config.json ipython_config.py kernel.json overrides.json
page_config.json .ipython/profile_default/startup/0.py startup.ipy run.sh install.sh a.bash a.zsh
a.fish a.bat a.cmd a.ps1 a.command a.so a.dll a.exe a.jar a.whl a.pyc model.pkl model.joblib
model.pt a.pickle archive.zip a.tar.gz config.yaml settings.toml app.ini my.conf settings.xml
.vscode/tasks.json .idea/a.xml a.code-workspace a.desktop tool unknown.extension
"""

INSTRUCT_AGENTS = """
CLAUDE.md sub/CLAUDE.local.md AGENTS.md AGENTS.override.md GEMINI.md QWEN.md WARP.md
CONVENTIONS.md agent.md reviewer.agent.md SKILL.md skills/a/SKILL.md .cursorrules
.cursor/rules/a.mdc rules/a.mdc .windsurfrules .clinerules .goosehints .claude/settings.json
.claude/agents/a.md .codex/config.toml .github/copilot-instructions.md copilot-instructions.md
a.instructions.md prompts/a.prompt.md a.chatmode.md .mcp.json mcp.json opencode.json
opencode.jsonc crush.json gemini-extension.json acp_agents.json llms.txt SOUL.md system_prompt.txt
.aider.conf.yml .roo/rules/a.md
"""

ORDINARY = """
a.py src/pkg/app.py __init__.py pkg/__init__.py tests/test_a.py utils.pyi fast.pyx a.pxd
setup_data.py analysis.R R/plot.r fit.jl query.sql model.stan a.m a.do a.sas index.md README.md
docs/guide.rst README LICENSE CHANGELOG CHANGELOG.md notes.txt paper.tex refs.bib report.qmd
report.Rmd a.org notebook.ipynb sub/Untitled.ipynb data/x.csv data/x.tsv x.parquet x.feather x.npy
x.npz x.h5 x.nc x.jsonl x.ndjson x.json data/x.geojson x.xlsx x.mat x.fasta x.vcf x.log x.npz
results/a.json plot.png plot.svg plot.pdf a.jpg a.gif a.webp a.wav a.mp3 a.mp4 main.c main.h
main.cpp main.hpp a.cu main.rs src/lib.rs main.go Main.java Main.kt Main.scala a.hs a.ml a.f90
a.pas a.swift a.cs a.fs a.vb a.rb a.php a.pl a.lua a.ex a.erl a.clj a.zig a.nim a.v a.dart
index.html style.css style.scss app.js app.ts component.tsx component.jsx app.mjs App.vue
App.svelte a.graphql a.proto a.jinja2 a.diff a.patch hooks/useThing.ts src/config.py
src/settings.py tasks.py src/secrets.py src/credentials.py test_tokens.py password_reset.html
token.ts tokenizer.json .gitignore sub/.gitignore .gitkeep .editorconfig .dockerignore
.prettierignore
"""

CREDENTIALS = """
.ssh/id_ed25519 .ssh/config .ssh/known_hosts .aws/credentials .aws/config .config/gcloud/a.json
.config/gcloud/application_default_credentials.json .azure/accessTokens.json .kube/config
.docker/config.json .oci/config .netrc _netrc .authinfo .pgpass .pg_service.conf .my.cnf
.mylogin.cnf .npmrc .yarnrc.yml .pypirc .condarc .pip/pip.conf .config/pip/pip.conf
.gem/credentials .git-credentials .git/config .gitcookies .config/git/credentials
.config/gh/hosts.yml .config/hub .config/glab-cli/config.yml .cargo/credentials
.cargo/credentials.toml .composer/auth.json .m2/settings.xml .gradle/gradle.properties
.nuget/NuGet.Config .bundle/config .gnupg/secring.gpg .password-store/a.gpg
.local/share/keyrings/login.keyring Library/Keychains/login.keychain-db .env .env.local
.env.production .env.example.local .envrc .flaskenv prod.env .Renviron keys/server.pem server.key
cert.p12 cert.pfx a.jks a.kdbx a.ppk AuthKey.p8 id_rsa id_rsa.bak deploy_rsa id_ecdsa wg0.conf
client.ovpn krb5.keytab .config/rclone/rclone.conf rclone.conf kubeconfig
.kaggle/kaggle.json kaggle.json
.huggingface/token .cache/huggingface/token .cache/huggingface/stored_tokens
.config/wandb/settings .dbt/profiles.yml profiles.yml .snowflake/connections.toml .snowsql/config
.databrickscfg .streamlit/secrets.toml .s3cfg .boto .mc/config.json .vault-token .terraformrc
.terraform.d/credentials.tfrc.json terraform.tfstate prod.tfvars .vault_pass.txt secrets.yml
config/master.key config/database.yml jupyter_server_config.json .jupyter/jupyter_server_config.py
jupyter_cookie_secret runtime/jpserver-123.json kernel-4f2a.json .codex/auth.json
.claude/.credentials.json .gemini/oauth_creds.json .config/github-copilot/hosts.json
client_secret_123.json service-account-a.json proj-firebase-adminsdk-x1.json credentials.json
credentials token.json token.txt api_key.txt passwords.txt db_password.txt my-secrets.json
oauth_token.json .bash_history .python_history .psql_history .mozilla/firefox/a/logins.json
cookies.txt .htpasswd wp-config.php .dockercfg .config/stripe/config.toml .fly/config.yml
.config/doctl/config.yaml .pulumi/credentials.json
"""

READABLE = """
a.py README.md notebook.ipynb data.csv config.yaml settings.toml pyproject.toml package.json
Makefile Dockerfile .gitignore .github/workflows/a.yml .gitlab-ci.yml .pre-commit-config.yaml
.flake8 .vscode/settings.json .env.example .env.template .env.sample keyboard.py monkey.py
kernel.json src/secrets.py src/credentials.py test_password.py tokens.py tokenizer.json
tokenizer_config.json vocab.txt special_tokens_map.json token_counts.csv passwordless.md
docs/secrets.md key.py keys.csv identity.py history.md .claude/settings.json CLAUDE.md
requirements.txt public.crt.txt schema.rb settings.py app.log dump.csv
"""


def call(kind: AcpKind, path: str) -> ToolCall:
    place = (Location(path=path),)
    return ToolCall(
        id="i1", tool_call_id="c1", title="x", tool_kind=kind, path=path, locations=place
    )


@pytest.mark.parametrize("path", (RUN_BY_THEMSELVES + INSTRUCT_AGENTS).split())
def test_accept_edits_asks_about_what_runs_by_itself_or_instructs_agents(path: str) -> None:
    assert not is_plain(path)
    assert decide("accept-edits", call("edit", path), OPTIONS) is None


@pytest.mark.parametrize("path", ORDINARY.split())
def test_accept_edits_asks_about_no_source_data_text_or_notebook(path: str) -> None:
    assert is_plain(path)
    decision = decide("accept-edits", call("edit", path), OPTIONS)
    assert decision is not None
    assert decision.option_id == "yes"


@pytest.mark.parametrize("path", CREDENTIALS.split())
@pytest.mark.parametrize("kind", ["read", "search"])
def test_read_only_reads_no_credentials(kind: AcpKind, path: str) -> None:
    assert holds_credentials(path)
    for place in (path, f"home/me/{path}", path.upper()):
        decision = decide("read-only", call(kind, place), OPTIONS)
        assert decision is not None
        assert decision.option_id == "no", place


@pytest.mark.parametrize("path", CREDENTIALS.split())
def test_accept_edits_asks_about_credentials(path: str) -> None:
    assert decide("accept-edits", call("edit", path), OPTIONS) is None


@pytest.mark.parametrize("path", READABLE.split())
def test_read_only_reads_other_files(path: str) -> None:
    decision = decide("read-only", call("read", path), OPTIONS)
    assert decision is not None
    assert decision.option_id == "yes"


def test_the_tables_are_as_long_as_they_were_meant_to_be() -> None:
    assert len(CREDENTIALS.split()) >= 100
    assert len((RUN_BY_THEMSELVES + INSTRUCT_AGENTS).split()) >= 200


def edited_files() -> set[str]:
    """Return the names of files that published agents edited in the logs that are kept here."""
    found: set[str] = set()
    for log in sorted((TESTS / "fixtures").rglob("*.ndjson")):
        for line in log.read_text(encoding="utf-8").splitlines():
            _collect(json.loads(line), found)
    return found


def _collect(value: JsonValue, found: set[str]) -> None:
    if isinstance(value, dict):
        if value.get("kind") == "edit":
            paths = (text(obj(place).get("path")) for place in items(value.get("locations")))
            found |= {path.rpartition("/")[2] for path in paths if path}
        for each in value.values():
            _collect(each, found)
    elif isinstance(value, list):
        for each in value:
            _collect(each, found)


def test_what_published_agents_edited_is_not_asked_about_more_often() -> None:
    names = edited_files()
    assert names
    assert [name for name in names if not is_plain(name)] == []
