# Every target does its own set-up: a virtual environment, the build, the dependencies.
# With a C++20 compiler the kernels build; without one everything runs on NumPy, more slowly.

PYTHON ?= python3
PYTHON311 ?= python3.11
PYTHON313 ?= python3.13
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
# The core of the suite: few files, and every dependency is used in them. `make test-oldest` and `make test-newest` run it.
CORE := cli tables learning big adapters_sklearn adapters_networks formats network_files plots studio points store engine \
  order native threads oldest docs export_sql export_diagrams
NATIVE := $(wildcard src/oddly/native/*.cpp src/oddly/native/*.hpp) CMakeLists.txt pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test test-oldest test-newest test-more lint docs bench paper sanitize soak package clean

help:  ## what there is to type
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.installed  ## the tour, on built-in models
	@$(VENV)/bin/oddly demo

test: $(VENV)/.test  ## all tests
	@$(PY) -m pytest -n auto $(ARGS)

test-oldest:  ## the core of the tests on Python 3.11 and the oldest versions that pyproject.toml allows
	@mkdir -p build && $(PYTHON) tools/oldest.py > build/oldest.txt
	@$(call core,$(PYTHON311),oldest,PIP_CONSTRAINT=build/oldest.txt PIP_BUILD_CONSTRAINT=build/oldest.txt)

test-newest:  ## the core of the tests on Python 3.13 and the newest versions there are
	@$(call core,$(PYTHON313),newest,PIP_UPGRADE=1 PIP_UPGRADE_STRATEGY=eager)

test-more: test-oldest test-newest sanitize  ## what takes longer than a change should wait: versions and sanitizers

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

sanitize: $(VENV)/.test  ## the kernels' tests under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
	@tests/sanitize.sh $(PY)

soak: $(VENV)/.test  ## everything against everything: make soak MINUTES=10 SEED=1
	@$(PY) -m soak --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED)) $(ARGS)

# $(call core,PYTHON,NAME,SETTINGS): the package, not the source tree, in .venv-NAME; what was installed; the core of the suite.
# In a pip before 25.3 the first setting reaches the build too, from then on it takes the second.
define core
if ! command -v $1 > /dev/null; then echo "no $1 here: make test-$2 needs it"; exit 1; fi; \
echo "installing the $2 versions in .venv-$2"; \
$1 -m venv .venv-$2 && \
$3 .venv-$2/bin/python -m pip install --quiet --disable-pip-version-check --config-settings=build-dir=build/$2 '.[test]' && \
.venv-$2/bin/python -m pip list --disable-pip-version-check --format=freeze | paste -sd' ' && \
.venv-$2/bin/python -m pytest -n 2 -p no:cacheprovider $(CORE:%=tests/test_%.py) $(ARGS)
endef

package:  ## the source archive and a Linux wheel, tried in a clean environment
	@tools/package.sh $(PYTHON)

clean:  ## remove everything that was built
	rm -rf $(VENV) .venv-oldest .venv-newest build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache

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
