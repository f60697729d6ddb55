# Every target does its own set-up: a virtual environment, the build, the dependencies.
# With a C++20 compiler the kernels build; without one everything runs on NumPy, more slowly.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
NATIVE := $(wildcard src/oddly/native/*.cpp src/oddly/native/*.hpp) CMakeLists.txt pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test lint docs bench paper sanitize soak clean

help:  ## what there is to type
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.installed  ## the tour, on built-in models
	@$(VENV)/bin/oddly demo

test: $(VENV)/.test  ## all tests
	@$(PY) -m pytest -n auto $(ARGS)

lint: $(VENV)/.lint $(VENV)/.test  ## style, types, and the types of the compiled kernels
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(PY) -m pytest tests/test_native.py

docs: $(VENV)/.docs  ## these pages as a site, in build/docs/index.html; any warning fails
	@$(PY) -m sphinx -W --keep-going --quiet -b html -d build/doctrees docs build/docs $(ARGS)

bench: $(VENV)/.bench  ## speed against peers, in one run; writes docs/benchmarks.md and docs/beyond.md
	@$(PY) -m benchmarks.run $(ARGS)

paper: $(VENV)/.installed  ## the paper's figures and tables; writes docs/paper.md
	@$(PY) -m benchmarks.paper $(ARGS)

sanitize: $(VENV)/.test  ## the kernels' tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tests/sanitize.sh $(PY)

soak: $(VENV)/.test  ## everything against everything: make soak MINUTES=10 SEED=1
	@$(PY) -m soak --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED)) $(ARGS)

clean:  ## remove everything that was built
	rm -rf $(VENV) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Oddly needs Python 3.11 or newer")'
	@echo "setting up $(VENV), once"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(NATIVE)
	@echo "building and installing oddly"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.%: $(VENV)/.installed
	@$(PIP) --editable '.[$*]'
	@touch $@
