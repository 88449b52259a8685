# Everything a user or developer does with this checkout. Needs Python 3.11+, git and make; nothing as root.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := $(shell sed -n 's/^uv==\([0-9.]*\).*/\1/p' requirements.lock)

APART := tests/contract $(addprefix tests/unit/,api crds planning setpoint cluster/apiserver cluster/builder) $(addprefix tests/system/,api router scheduler)

# The system tests of a whole installation: they do not know where its records are.
FIRST := $(wildcard tests/system/test_*.py)
# Where a real API server is built, a short run on it is a part of `make test`.
BUILT := $(if $(wildcard .controlplane/*/kube-controller-manager),tests/cluster)

.PHONY: help up test test-machine test-cluster record control-plane check lint types beside tests bench crds lock install install-dev

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: install ## Install what is locked and start Setpoint in the foreground (Ctrl-C stops it)
	@exec $(BIN)/setpoint up $(ARGS)

test: lint ## The checks and all tests
	@$(MAKE) --no-print-directory -j2 beside tests

test-machine: install-dev ## Tests that need a kernel and a systemd of their own, in qemu (as root, on Debian)
	@$(BIN)/python -m tests.machine $(ARGS)

control-plane: install-dev ## A real kube-apiserver with etcd on loopback, until Ctrl-C (built once, some minutes)
	@$(BIN)/python -m tests.cluster.controlplane $(ARGS)

test-cluster: install-dev ## Recorded answers, rights and all system tests on a real kube-apiserver (built once: some minutes)
	@$(BIN)/python -m tests.contract.kubernetes
	@$(BIN)/pytest tests/cluster -q
	@SETPOINT_TEST_CONTROL_PLANE=real $(BIN)/pytest $(FIRST) -m "not patient" -q $(ARGS)

record: install-dev ## Keep a real kube-apiserver's answers as what ours is held against
	@$(BIN)/python -m tests.contract.kubernetes record

check: lint types ## Lint, format, types, layers

lint: install-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

# Beside the tests, which wait more than they reckon.
types: install-dev
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# Beside the others: tests that wait for minutes on end, and those that start no installation.
beside: types
	@$(BIN)/pytest tests -m patient -q
	@$(BIN)/pytest $(APART) $(BUILT) -q

tests: install-dev
	@$(BIN)/pytest tests -m "not bench and not machine and not patient and not cluster" $(APART:%=--ignore=%) $(ARGS)

bench: install-dev ## Measure against the floors; figures belong in docs/benchmarks.md
	@$(BIN)/pytest tests/bench -m bench -s $(ARGS)

crds: install ## Write the CustomResourceDefinitions and roles from the models
	@$(BIN)/python -m crds.definition
	@$(BIN)/python -m crds.rbac

lock: install ## Resolve the dependencies anew and pin them
	@$(BIN)/uv pip compile -q --upgrade pyproject.toml --universal --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-header -o requirements.lock
	@$(BIN)/uv pip compile -q --upgrade --group dev pyproject.toml -c requirements.lock --universal --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-header -o requirements-dev.lock

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "Python 3.11 or later is needed (found: $$($(PYTHON) --version 2>&1))."; \
	    echo "Install it, or name another one: make up PYTHON=/path/to/python3"; exit 1; }
	@command -v git >/dev/null || { echo "git is missing: install it, for example: sudo apt-get install git"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	    echo "Python's venv module is missing: install it, for example: sudo apt-get install python3-venv"; \
	    rm -rf $(VENV); exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

$(VENV)/.installed: $(BIN)/uv requirements.lock pyproject.toml
	@echo "Installing the locked dependencies into $(VENV)"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@
