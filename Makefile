# Two commands do everything on a fresh machine:
#   make lab     environment, install, the lessons open in JupyterLab   (make lab ARGS="--no-browser --port 8899")
#   make test    environment, install, the whole test suite             (PARITY=1 or CI=true adds PyTorch)
# Each target makes its virtual environment if there is none, with plain `python3 -m venv` and pip.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
PY := $(BIN)/python
# Python compiles what it imports when it does: pip would compile every file of every package, for two minutes.
PIP := $(PY) -m pip install --disable-pip-version-check --quiet --no-compile

ifneq ($(filter true,$(CI))$(filter 1,$(PARITY)),)
TEST_EXTRAS := lab,test,cuda13,distributed,parity
TEST_STAMP := $(VENV)/.installed-parity
else
TEST_EXTRAS := lab,test,cuda13,distributed
TEST_STAMP := $(VENV)/.installed-test
endif

PROCESSES ?= $(shell $(PYTHON) -c "import os; print(min(4, (os.cpu_count() or 1) + 1))")
LESSONS = $(wildcard notebooks/*.ipynb)
SECONDS_OF_FUZZ ?= 600

# Images of Python forbid it to keep what it compiled: every kernel and worker would compile the same again, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help lab test check bench fuzz processors pythons lowest lessons site stubs clean

help:
	@echo "make lab      open the lessons in JupyterLab    (ARGS=\"--no-browser --port 8899\")"
	@echo "make test     the whole test suite              (PARITY=1 compares with PyTorch too; ARGS=\"-k layout\")"
	@echo "make check    lint, format, types, structure, smoke: run it before every commit"
	@echo "make bench    measure, and compare with the committed tables"
	@echo "make fuzz     generated programs against PyTorch for SECONDS_OF_FUZZ=600 seconds"
	@echo "make processors  the suite as other processors run it  (ARGS=\"openblas-haswell aten-avx2\")"
	@echo "make pythons  a part of the suite on every Python of this machine  (ARGS=\"3.12 3.13\")"
	@echo "make lowest   the same with the lowest versions of the packages that are allowed: before a release"
	@echo "make lessons  execute the lessons again, normalise them, and present each with one key (ARGS=\"notebooks/02*\": only execute)"
	@echo "make site     the course, the gallery and the reference as a static site in site/  (ARGS=\"DIR\")"
	@echo "make stubs    write the editor stub again from the registry"
	@echo "make clean    remove $(VENV) and caches"

$(PY):
	@echo "Making the virtual environment $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tensorkit needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python could not make a virtual environment; on Debian or Ubuntu: sudo apt install python3-venv"; \
		  rm -rf $(VENV); exit 1; }

$(VENV)/.installed-lab: pyproject.toml | $(PY)
	@echo "Installing tensorkit with JupyterLab (a few minutes, once) ..."
	@$(PIP) -e ".[lab]"
	@touch $@

$(VENV)/.installed-test $(VENV)/.installed-parity: $(VENV)/.installed-%: pyproject.toml | $(PY)
	@echo "Installing tensorkit with its test tools (a few minutes, once) ..."
	@$(PIP) -e ".[$(TEST_EXTRAS)]"
	@touch $@ $(VENV)/.installed-lab

lab: $(VENV)/.installed-lab
	@$(PY) -m tensorkit.cli lab $(ARGS)

# On several processes, a file at a time (tests/support/turns.py): the cells of a notebook stay together, and so does a
# browser's page. One process more than there are cores, for a browser's test mostly waits.
test: $(TEST_STAMP)
	@$(PY) -m pytest --numprocesses=$(PROCESSES) --dist=loadfile $(ARGS)

check: $(TEST_STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy --follow-imports=silent tensorkit/tensor.py  # its stub stands in for it above
	@$(PY) -m pytest -q tests/structure tests/test_smoke.py $(ARGS)

bench: $(TEST_STAMP)
	@$(PY) -m tests.benchmarks $(ARGS)

fuzz:
	@$(MAKE) --no-print-directory fuzz-with-oracle PARITY=1

.PHONY: fuzz-with-oracle
fuzz-with-oracle: $(TEST_STAMP)
	@TENSORKIT_FUZZ_SECONDS=$(SECONDS_OF_FUZZ) $(PY) -m pytest -q -m "parity or fuzz" tests $(ARGS)

# The suite without the browser, once under each setting of tests/processors.py: an hour or two.
processors:
	@$(MAKE) --no-print-directory processors-with-oracle PARITY=1

.PHONY: processors-with-oracle
processors-with-oracle: $(TEST_STAMP)
	@$(PY) -m tests.processors $(ARGS) -- --numprocesses=$(PROCESSES) --dist=loadfile

# Each has an environment of its own in .pythons, so that this one needs nothing but Python.
pythons:
	@$(PYTHON) -m tests.pythons $(ARGS)

lowest:
	@$(PYTHON) -m tests.pythons --lowest $(ARGS)

lessons: $(TEST_STAMP)
	@$(PY) -m tensorkit.lab.normalise --execute $(if $(ARGS),$(ARGS),$(LESSONS))
	@$(if $(ARGS),,TENSORKIT_WALK=all $(PY) -m pytest -q -s tests/lab/test_one_key.py)

site: $(TEST_STAMP)
	@$(PY) -m tensorkit_widgets.site $(ARGS)

stubs: $(TEST_STAMP)
	@$(PY) -m tensorkit.lab.stubs

clean:
	rm -rf $(VENV) .pythons .pytest_cache .mypy_cache .ruff_cache .hypothesis
