# Nexus. `make run` and `make test` do everything they need; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
# Some images set it; then each test process compiles every test file for itself (4 s of processor time each).
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
VIEWER := python/nexus/viewer/index.html
EXTENSION := apps/extension/dist/chromium/manifest.json
NODE_PACKAGES := node/ingest/node_modules/.installed apps/viewer/node_modules/.package-lock.json
EXTENSION_PACKAGES := apps/extension/node_modules/.package-lock.json

.PHONY: help setup run extension test lint lint-python lint-apps format unit unit-apps compile-tests verify-stack-profiles drill bench docs lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 24

setup: ## Install what running needs; after it .venv/bin/nexus works
	@scripts/system-packages.sh run
	@$(MAKE) -j2 .venv/installed $(NODE_PACKAGES)
	@$(MAKE) $(VIEWER)

run: setup ## Start Nexus: database, migrations, server and worker
	@$(BIN)/nexus serve

extension: $(EXTENSION) ## Build the browser extension: packages for Chromium and Firefox in apps/extension/dist
	@ls apps/extension/dist/*.zip

# The checks come before the tests, which use all cores themselves. More of them at a time than there are cores, because
# unit tests wait.
test: ## Install what testing needs, then check style, types and every test
	@scripts/system-packages.sh test
	@$(MAKE) -j2 .venv/installed-for-tests $(NODE_PACKAGES) $(EXTENSION_PACKAGES)
	@$(MAKE) -j3 --output-sync lint-apps unit-apps $(EXTENSION) lint-python compile-tests
	@$(BIN)/pytest -q $(PARALLEL)

lint: .venv/installed-for-tests ## Check style, types and the import rule
	@$(MAKE) -j2 --output-sync lint-python lint-apps

lint-python:
	@$(BIN)/ruff check python apps scripts bench
	@$(BIN)/ruff format --check --quiet python apps scripts bench
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/mypy

# Not while the viewer is built: both write its types of the API.
lint-apps: | $(VIEWER)
	@for app in viewer extension; do scripts/node-app.sh $$app lint; scripts/node-app.sh $$app types; done

# More processes than cores, because many tests wait. More than these take longer: each has servers and browsers of its
# own, and cores share caches. All tests of a file run in one process, so that its servers and its browser are started
# once. python/tests/scheduling.py chooses the order.
PARALLEL := -n $${PYTEST_WORKERS:-$$((2 * $$(nproc)))} --dist loadfile

unit: .venv/installed-for-tests $(VIEWER) $(EXTENSION) ## Run every test, in parallel
	@$(MAKE) -j2 --output-sync unit-apps compile-tests
	@$(BIN)/pytest -q $(PARALLEL)

unit-apps:
	@for app in viewer extension; do scripts/node-app.sh $$app unit; done

# Compile the tests once, instead of in each of the test processes, which start at the same time; and again only after a
# change.
compile-tests: .venv/tests-compiled

.venv/tests-compiled: .venv/installed-for-tests $(shell find python/tests bench -name '*.py')
	@output=$$($(BIN)/pytest --collect-only -qq 2>&1) || { echo "$$output"; exit 1; }
	@touch $@

verify-stack-profiles: .venv/installed-for-tests ## Check every packaged profile, compose file and image description
	@$(BIN)/pytest -q python/tests/test_stack_profiles.py python/tests/test_pipeline_containers.py python/tests/test_worker_container.py

drill: .venv/installed-for-tests ## Run the long fault drills: processes are killed at random for a quarter of an hour
	@for drill in drill store_drill job_drill podcast_drill import_drill; do $(BIN)/python -m bench.$$drill; done
	@FUZZ_EXAMPLES=200 $(BIN)/pytest -q python/tests/contract

format: .venv/installed-for-tests ## Format the code
	@$(BIN)/ruff check --fix --quiet python apps scripts bench
	@$(BIN)/ruff format --quiet python apps scripts bench
	@for app in viewer extension; do scripts/node-app.sh $$app format; done

bench: .venv/installed-for-benchmarks ## Install what the benchmarks need; then .venv/bin/python -m bench.NAME --help
	@grep -l __main__ bench/*.py bench/*/__main__.py | sed -E 's,bench/(.*)\.py,python -m bench.\1,; s,/__main__,,'

docs: .venv/installed-for-tests ## Regenerate docs/reference/openapi.json
	@$(BIN)/python scripts/export_openapi.py

lock: ## Update the locked dependencies within pyproject.toml's ranges
	@scripts/lock.sh

clean: ## Remove everything that setup and tests made; your data stays
	@rm -rf .venv node/ingest/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .schemathesis dist
	@rm -rf apps/{viewer,extension}/node_modules apps/extension/dist python/nexus/viewer python/tests/viewer/artifacts
	@find . -name __pycache__ -prune -exec rm -rf {} +

.venv/installed: requirements.lock pyproject.toml scripts/python-environment.sh
	@scripts/python-environment.sh requirements.lock
	@touch $@

# The packages for the tests include those for running, so a fresh checkout needs only this step.
.venv/installed-for-tests: requirements-test.lock pyproject.toml scripts/python-environment.sh
	@scripts/python-environment.sh requirements-test.lock
	@touch .venv/installed $@

.venv/installed-for-benchmarks: requirements-bench.lock .venv/installed-for-tests
	@scripts/python-environment.sh requirements-bench.lock
	@touch $@

node/ingest/node_modules/.installed: node/ingest/package-lock.json
	@scripts/node-packages.sh node/ingest

apps/%/node_modules/.package-lock.json: apps/%/package-lock.json
	@scripts/node-app.sh $* packages

# Built again if an earlier attempt made nothing because Node was missing.
$(VIEWER): $(shell find apps/viewer -type f -not -path '*/node_modules/*' -not -name openapi.d.ts) docs/reference/openapi.json
	@scripts/node-app.sh viewer build

$(EXTENSION): $(shell find apps/extension -type f -not -path '*/node_modules/*' -not -path '*/dist/*')
	@scripts/node-app.sh extension build
