# Nexus. `make run` and `make test` do everything they need; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin

.PHONY: help setup run test lint format types unit bench docs lock clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

setup: .venv/installed ## Install what running needs; after it .venv/bin/nexus works
	@scripts/system-packages.sh run
	@scripts/node-packages.sh node/ingest

run: setup ## Start Nexus: database, migrations, server and worker
	@$(BIN)/nexus serve

test: .venv/installed-for-tests ## Install what testing needs, then lint, types and every test
	@scripts/system-packages.sh test
	@scripts/node-packages.sh node/ingest
	@$(MAKE) lint types unit

lint: .venv/installed-for-tests ## Check style and the import rule
	@$(BIN)/ruff check python apps scripts bench
	@$(BIN)/ruff format --check --quiet python apps scripts bench
	@$(BIN)/lint-imports --no-logo

types: .venv/installed-for-tests ## Check types
	@$(BIN)/mypy

unit: .venv/installed-for-tests ## Run every test, in parallel
	@$(BIN)/pytest -q -n $${PYTEST_WORKERS:-auto}

format: .venv/installed-for-tests ## Put the code into shape
	@$(BIN)/ruff check --fix --quiet python apps scripts bench
	@$(BIN)/ruff format --quiet python apps scripts bench

bench: .venv/installed-for-benchmarks ## Install what the benchmarks need; then .venv/bin/python -m bench.NAME --help
	@grep -l __main__ bench/*.py | sed -E 's,bench/(.*)\.py,python -m bench.\1,'

docs: .venv/installed-for-tests ## Write docs/reference/openapi.json anew
	@$(BIN)/python scripts/export_openapi.py

lock: ## Choose newer dependencies within pyproject.toml's ranges
	@scripts/lock.sh

clean: ## Remove everything that setup and tests made; your data stays
	@rm -rf .venv node/ingest/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .schemathesis dist
	@find . -name __pycache__ -prune -exec rm -rf {} +

.venv/installed: requirements.lock pyproject.toml scripts/python-environment.sh
	@scripts/python-environment.sh requirements.lock
	@touch $@

.venv/installed-for-tests: requirements-test.lock .venv/installed
	@scripts/python-environment.sh requirements-test.lock
	@touch $@

.venv/installed-for-benchmarks: requirements-bench.lock .venv/installed-for-tests
	@scripts/python-environment.sh requirements-bench.lock
	@touch $@
