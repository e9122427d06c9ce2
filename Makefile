# Everything that a developer does with Onthoud. Each target sets itself up: Python 3.11 or newer, git and make are enough.
SHELL := /bin/sh
PYTHON ?= python3
UV := infra/build/uv
RUN := $(UV) run --frozen --no-sync
# Questions in LOCOMO's form; its licence keeps it out of this repository.
FILE ?= ../shared/bench/locomo-dev.json
SAM_VERSION := 1.170.0
SAM := SAM_CLI_TELEMETRY=0 $(UV) tool run --quiet --from aws-sam-cli==$(SAM_VERSION) sam
# Tests of one file stay on one worker, so that a local stack is started once per file and not once per test.
PYTEST := $(RUN) pytest --numprocesses 2 --dist loadfile
STAMP := .venv/.onthoud-synced

.DEFAULT_GOAL := help
.PHONY: help setup system demo local test prove lint format types build deploy bench bench-recall clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml uv.lock infra/build/uv
	$(UV) sync --frozen --quiet
	@touch $@

setup: $(STAMP) ## Set up .venv from the lock file (the other targets do so themselves)

system: ## Install the Debian packages that some tests need, where that is allowed
	@infra/build/system-packages

demo: $(STAMP) ## Play several days of the bots on real input, without an account or a key
	@$(RUN) onthoud demo

local: $(STAMP) ## Run the local stack on http://127.0.0.1:8765
	@$(RUN) onthoud local --port 8765

test: $(STAMP) system ## Run the tests, with the coverage floor
	$(PYTEST) -m "not prove" --cov --cov-report=term:skip-covered

prove: $(STAMP) system ## Run the proofs at full size (crash matrix, load, simulated year)
	$(PYTEST) -m prove

lint: $(STAMP) ## Check style, formatting, and the template
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) cfn-lint template.yaml

format: $(STAMP) ## Put the code into the house's form
	$(RUN) ruff check --fix-only --quiet .
	$(RUN) ruff format .

types: $(STAMP) ## Check types, strictly
	$(RUN) mypy

build: ## Build the layer and the functions for Lambda (no Docker)
	$(SAM) build --parallel
	@$(PYTHON) -m infra.build.check

deploy: build ## Deploy with questions asked; the README says what to prepare
	$(SAM) deploy --guided

bench: $(STAMP) ## Print the benchmarks, or one: make bench ONLY=imports
	@$(RUN) python -m tests.bench $(ONLY)

bench-recall: $(STAMP) ## Measure recall: make bench-recall FILE=questions.json
	@$(RUN) python -m tests.bench.recall $(FILE)

clean: ## Remove what the other targets made
	rm -rf .aws-sam .venv .uv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
