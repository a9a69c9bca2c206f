# Every target sets up .venv by itself; nothing but Python >= 3.10 and make is needed.
PYTHON ?= python3
VENV := .venv
APART := .venv-bench
PEERS := .venv-peers
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check

# The third-party robot programs of the tests have wheels for this platform only.
PEER_NAMES := v10 v5 franky-sim franka-sim
PEERS_INSTALL := $(shell $(PYTHON) -c "import platform as p, sys; print('yes' if (p.system(), \
	p.machine(), p.python_implementation(), sys.version_info[:2]) \
	== ('Linux', 'x86_64', 'CPython', (3, 11)) else '')")
ACCEPT_STAMPS := $(if $(PEERS_INSTALL),$(PEERS)/aiofranka.stamp)
PEER_STAMPS := $(if $(PEERS_INSTALL),$(PEER_NAMES:%=$(PEERS)/%.stamp))

.PHONY: demo test test-first test-second peers lint bench acceptance docs coverage build clean help

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(VENV)/base.stamp: pyproject.toml
	@echo "kinegraph: installing the package into $(VENV) (about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade "pip>=25.1"
	@$(PIP) install --editable ".[plotting]"
	@touch $@

$(VENV)/dev.stamp: $(VENV)/base.stamp
	@echo "kinegraph: installing the tools and judges of the tests (one to two minutes) ..."
	@$(PIP) install --group dev
	@touch $@

$(VENV)/docs.stamp: $(VENV)/base.stamp
	@echo "kinegraph: installing the documentation tools ..."
	@$(PIP) install --group docs
	@touch $@

demo: $(VENV)/base.stamp  ## the main job: a scene, a simulated arm and a controller on one graph
	@$(BIN)/kinegraph demo --out demo

# Most tests of the robot side wait for a millisecond to pass: two processes side by side.
test: $(VENV)/dev.stamp peers  ## all tests
	@$(MAKE) --no-print-directory --keep-going --jobs=2 test-first test-second

test-first:
	@$(BIN)/pytest --quiet tests/scene tests/kinematics tests/robot/test_[a-m]*.py

test-second:
	@$(BIN)/pytest --quiet tests/test_*.py tests/robot/test_[n-z]*.py

# A virtual environment each: two of them pin versions of numpy and mujoco. Two are made at a time.
peers:  ## the robot programs of others that tests run beside ours
	@$(if $(PEER_STAMPS),$(MAKE) --silent --no-print-directory --jobs=2 $(PEER_STAMPS),\
		echo "kinegraph: the third-party robot programs have no wheels here, their tests are skipped")

$(PEERS)/%.stamp: tests/support/foreign/%.txt
	@echo "kinegraph: installing third-party programs into $(PEERS)/$* ..."
	@test -x $(PEERS)/$*/bin/python || $(PYTHON) -m venv $(PEERS)/$*
	@$(PEERS)/$*/bin/python -m pip install --quiet --quiet --disable-pip-version-check -r $<
	@touch $@

lint: $(VENV)/dev.stamp  ## format, style, types, import directions
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/mypy tests examples
	@$(BIN)/mypy acceptance
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	@$(BIN)/lint-imports

coverage: $(VENV)/dev.stamp  ## tests with kernels uncompiled, line by line
	@NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest --quiet -m "not slow and not compiled"
	@$(BIN)/coverage report

# What does not install is named by the benchmark and left out.
$(VENV)/bench.stamp: $(VENV)/base.stamp
	@echo "kinegraph: installing the libraries to compare with ..."
	@if $(PIP) install --group bench; then touch $@; fi

# yourdfpy brings scipy along, which numba would load whenever it is there: a venv of its own.
$(APART)/bench.stamp: pyproject.toml
	@echo "kinegraph: installing a library to compare with into $(APART) ..."
	@test -x $(APART)/bin/python || $(PYTHON) -m venv $(APART)
	@$(APART)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@if $(APART)/bin/python -m pip install --quiet --disable-pip-version-check \
		--group bench-apart; then touch $@; fi

bench: $(VENV)/bench.stamp $(APART)/bench.stamp  ## timings beside the libraries that a user would pick instead
	@$(BIN)/python benchmarks/run.py $(BENCH)

# Minutes each; ACCEPT="server-real-clients:A0,A4.3" runs what it names.
acceptance: $(VENV)/dev.stamp peers $(ACCEPT_STAMPS)  ## bars of the robot side, beside the programs of others
	@$(BIN)/python acceptance/run.py $(ACCEPT)

docs: $(VENV)/docs.stamp  ## the documentation as HTML in docs/_build
	@$(BIN)/sphinx-build -W --quiet -b html docs docs/_build

build: $(VENV)/dev.stamp  ## sdist and wheel in dist
	@$(PIP) install --group build
	@$(BIN)/python -m build --outdir dist .

clean:  ## remove what the targets made
	rm -rf $(VENV) $(APART) $(PEERS) dist docs/_build demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
