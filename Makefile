# Each target sets up what it needs in .venv; only Python >= 3.11 must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: reproduce test long test-all bare wheel attack mutants lowest lint bench docs browser clean clean-cache

reproduce: $(VENV)/.paper  ## reproduce the paper: curves, figure, claims, in results/
	$(BIN)/frankwolfe reproduce --out results

test: $(VENV)/.test  ## every law in its short form, a worker for each core
	$(BIN)/python -m pytest -n auto --dist worksteal -q -m "not long"

long: $(VENV)/.test  ## long forms: the site, doses of attacks, memory, sweeps, ten thousand steps
	$(BIN)/python -m pytest -n auto --dist worksteal -q -m long

test-all: test long  ## for every night: all there are

bare: $(VENV)/bare/.bare  ## without extras: every module of tests is collected, and what needs none passes
	$(VENV)/bare/bin/python -m pytest -q --collect-only -p no:cacheprovider > $(VENV)/bare/collected.txt || { tail -n 40 $(VENV)/bare/collected.txt; exit 1; }
	$(VENV)/bare/bin/python -m pytest -q -n auto -p no:cacheprovider tests/test_docs.py tests/test_import.py tests/core tests/datasets tests/cli

lowest: $(VENV)/lowest/.test $(VENV)/lowest-paper/.paper  ## all tests with exactly the lowest versions that pyproject.toml allows
	NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/lowest/kernels $(VENV)/lowest/bin/python -m pytest -n auto --dist worksteal -q
	NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/lowest/kernels $(VENV)/lowest-paper/bin/frankwolfe reproduce a b audit --quick --out $(VENV)/lowest-paper/results

wheel: $(VENV)/build/.build  ## sdist and wheel in dist/; the wheel is installed in a clean environment and tried there
	rm -rf dist $(VENV)/installed
	$(VENV)/build/bin/python -m build
	$(VENV)/build/bin/python -m twine check --strict dist/*
	$(PYTHON) -m venv $(VENV)/installed
	$(VENV)/installed/bin/python $(INSTALL) dist/*.whl
	cd $(VENV)/installed && bin/python $(CURDIR)/.ci/smoke "$$(basename $(CURDIR)/dist/*.tar.gz .tar.gz | cut -d- -f2)"

attack: $(VENV)/.test  ## random problems judged in exact arithmetic, in results/attack/; SEEDS=a:b or COUNT=n, WORKERS=n
	$(BIN)/python -m tests.attack $(if $(SEEDS),--seeds $(SEEDS)) $(if $(COUNT),--count $(COUNT)) $(if $(WORKERS),--workers $(WORKERS))

mutants: $(VENV)/.test  ## random changes of the source that tests should notice; SEEDS=a:b, ROOM=names, LIMIT=seconds of tests, MINUTES=n
	$(BIN)/python -m tests.mutants $(if $(SEEDS),--seeds $(SEEDS)) $(if $(ROOM),--room $(ROOM)) $(if $(LIMIT),--limit $(LIMIT)) $(if $(MINUTES),--minutes $(MINUTES))

lint: $(VENV)/lint/.lint  ## style, types and import layers, by the linters that pyproject.toml names
	$(VENV)/lint/bin/ruff check .
	$(VENV)/lint/bin/ruff format --check .
	$(VENV)/lint/bin/mypy
	PYTHONPATH=src $(VENV)/lint/bin/lint-imports --no-cache  # whose cache does not see an edge move

bench: $(VENV)/.bench  ## this library and others on ten problems, in results/bench/; DATA=folder
	$(BIN)/python benchmarks/bench.py $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

browser:  ## a Chromium for the tests of pages, which are skipped without one
	@for name in chromium chromium-browser google-chrome; do command -v $$name && exit 0; done; \
	command -v apt-get >/dev/null || { echo 'no apt-get: install Chromium or Chrome yourself' >&2; exit 1; }; \
	as=$$(test "$$(id -u)" = 0 || echo sudo); install="$$as apt-get install --yes --no-install-recommends chromium"; \
	$$install || { $$as apt-get update && $$install; }

docs: $(VENV)/.docs  ## the documentation, in docs/_build/html
	rm -rf docs/generated  # a name that went away must not stay
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# the extra is the stamp's name; it is installed again when pyproject.toml changes
CHECK := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "frankwolfe needs Python 3.11 or newer: set PYTHON=/path/to/python3")'
INSTALL := -m pip install --quiet --disable-pip-version-check

$(VENV)/.paper $(VENV)/.test $(VENV)/.bench $(VENV)/.docs $(VENV)/.jax $(VENV)/.torch: $(VENV)/.%: pyproject.toml
	@$(CHECK)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) -e '.[$*]'
	touch $@

# the linters alone: they read the source, and of what it imports NumPy's types
$(VENV)/lint/.lint: pyproject.toml
	@$(CHECK)
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(INSTALL) $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["lint"])')
	touch $@

$(VENV)/build/.build:
	@$(CHECK)
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(INSTALL) build twine
	touch $@

# the package and pytest alone
$(VENV)/bare/.bare: pyproject.toml
	@$(CHECK)
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(INSTALL) -e . pytest pytest-xdist hypothesis
	touch $@

# `paper` by itself allows an older CVXPY than with `sets`, which `test` has;
# constraints by the environment count for the build of the package too
$(VENV)/lowest/.test $(VENV)/lowest-paper/.paper: pyproject.toml .ci/lowest
	@$(CHECK)
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(PYTHON) .ci/lowest $(subst .,,$(@F)) > $(@D)/lowest.txt
	PIP_CONSTRAINT=$(@D)/lowest.txt $(@D)/bin/python $(INSTALL) -e '.[$(subst .,,$(@F))]'
	touch $@

clean-cache:  ## drop compiled kernels; needed after editing one that others call
	find src -name '*.nb[ic]' -delete

clean: clean-cache
	rm -rf $(VENV) results build docs/_build docs/auto_examples docs/generated dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
