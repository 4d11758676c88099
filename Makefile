# Each target sets up what it needs in .venv; only Python >= 3.11 must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: reproduce test lint bench browser clean clean-cache

reproduce: $(VENV)/.paper  ## reproduce the paper: curves, figure, claims, in results/
	$(BIN)/frankwolfe reproduce --out results

test: lint  ## all checks and tests
	$(BIN)/python -m pytest -n 2 -q

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench  ## this library and others on ten problems, in results/bench/; DATA=folder
	$(BIN)/python benchmarks/bench.py $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

browser:  ## a Chromium for the tests of pages, which are skipped without one
	@for name in chromium chromium-browser google-chrome; do command -v $$name && exit 0; done; \
	command -v apt-get >/dev/null || { echo 'no apt-get: install Chromium or Chrome yourself' >&2; exit 1; }; \
	$$(test "$$(id -u)" = 0 || echo sudo) apt-get install --yes --no-install-recommends chromium

# the extra is the stamp's name; it is installed again when pyproject.toml changes
$(VENV)/.paper $(VENV)/.test $(VENV)/.bench: $(VENV)/.%: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "frankwolfe needs Python 3.11 or newer: set PYTHON=/path/to/python3")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$*]'
	touch $@

clean-cache:  ## drop compiled kernels; needed after editing one that others call
	find src -name '*.nb[ic]' -delete

clean: clean-cache
	rm -rf $(VENV) results build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
