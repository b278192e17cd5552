# The two commands of the README are `make demo` and `make test`. Both build .venv by themselves
# and need only Python ≥ 3.11, make and the package registries.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: demo test test-long lint bench clean

demo: $(STAMP)  ## plan on a simulated album: greedy against optimal
	$(BIN)/elsewhere demo

test: $(STAMP)  ## everything that is tested in CI
	@tools/test-machine
	$(BIN)/python -m pytest

test-long: $(STAMP)  ## also the tests marked long (many minutes)
	@tools/test-machine
	$(BIN)/python -m pytest --long

lint: $(STAMP)  ## ruff and strict mypy
	$(BIN)/ruff check
	$(BIN)/mypy

bench: $(STAMP)  ## the solver against its peers, where they are installed
	$(BIN)/python -m benchmarks.solver

clean:
	rm -rf .venv

# Made anew when the dependencies change; the stamp is written last, so that an installation that
# was cut short is repeated.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "elsewhere needs Python 3.11 or later; try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)
