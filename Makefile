# Each target sets up what it needs in .venv; only Python >= 3.11 must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: reproduce test attack lowest lint bench docs browser clean clean-cache

reproduce: $(VENV)/.paper  ## reproduce the paper: curves, figure, claims, in results/
	$(BIN)/frankwolfe reproduce --out results

test: $(VENV)/.test  ## all tests, a worker for each core
	$(BIN)/python -m pytest -n auto --dist worksteal -q

lowest: $(VENV)/lowest/.lowest  ## all tests with exactly the lowest versions that pyproject.toml allows
	NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/lowest/kernels $(VENV)/lowest/bin/python -m pytest -n auto --dist worksteal -q

attack: $(VENV)/.test  ## random problems judged in exact arithmetic, in results/attack/; SEEDS=a:b or COUNT=n, WORKERS=n
	$(BIN)/python -m tests.attack $(if $(SEEDS),--seeds $(SEEDS)) $(if $(COUNT),--count $(COUNT)) $(if $(WORKERS),--workers $(WORKERS))

lint: $(VENV)/lint/.lint  ## style, types and import layers, by the linters that pyproject.toml names
	$(VENV)/lint/bin/ruff check .
	$(VENV)/lint/bin/ruff format --check .
	$(VENV)/lint/bin/mypy
	PYTHONPATH=src $(VENV)/lint/bin/lint-imports

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

$(VENV)/.paper $(VENV)/.test $(VENV)/.bench $(VENV)/.docs $(VENV)/.jax: $(VENV)/.%: pyproject.toml
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

# constraints by the environment count for the build of the package too
$(VENV)/lowest/.lowest: pyproject.toml .ci/lowest
	@$(CHECK)
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(PYTHON) .ci/lowest > $(@D)/lowest.txt
	PIP_CONSTRAINT=$(@D)/lowest.txt $(@D)/bin/python $(INSTALL) -e '.[test]'
	touch $@

clean-cache:  ## drop compiled kernels; needed after editing one that others call
	find src -name '*.nb[ic]' -delete

clean: clean-cache
	rm -rf $(VENV) results build docs/_build docs/auto_examples docs/generated dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
