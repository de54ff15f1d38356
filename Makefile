# Two commands matter: `make demo` and `make test`. The rest is listed by `make`.
# Everything that is more than a command line lives in Python: alldata/embedded and tests/run.py.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq --no-compile --require-hashes
UV ?= uv
LOCK := $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
# The first Python that has everything; else the first of a fitting version, which prepare.py completes or names what lacks.
FIND_PYTHON = for p in python3 python3.13 python3.12 python3.11 /usr/bin/python3; do \
	$$p alldata/embedded/prepare.py check >/dev/null 2>&1 && echo $$p && exit; done; \
	for p in /usr/bin/python3 python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && exit; done; echo none

.PHONY: help demo up test check lock clean
help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

demo: $(VENV)/.ready ## run the whole story here; ONCE=1 stops after it, JSON=file keeps the result, PORT=n, DATA=dir
	@exec $(BIN)/python -m alldata.embedded demo $(if $(ONCE),--once) $(if $(JSON),--json "$(JSON)") $(if $(PORT),--port $(PORT)) $(if $(DATA),--data "$(DATA)")

up: $(VENV)/.ready ## start the platform and keep it up; PORT=n, DATA=dir
	@exec $(BIN)/python -m alldata.embedded up $(if $(PORT),--port $(PORT)) $(if $(DATA),--data "$(DATA)")

test: $(VENV)/.ready-dev ## run every check and test that can run here
	@exec $(BIN)/python -m tests.run all

check: $(VENV)/.ready-dev ## ruff, mypy, import fences, shape
	@exec $(BIN)/python -m tests.run check

$(VENV)/.ready: requirements.lock triton.lock
	@test -x $(BIN)/python || { python=$$($(FIND_PYTHON)); \
	  if [ "$$python" = none ]; then echo "Python 3.11, 3.12 or 3.13 is needed: apt-get install python3 python3-venv" >&2; exit 1; fi; \
	  echo "Creating $(VENV) with $$python"; $$python alldata/embedded/prepare.py venv $(VENV); }
	@echo "Installing the platform from its lock (hashes checked)"
	@$(PIP) -r requirements.lock
	@$(PIP) --no-deps -r triton.lock
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.lock fast.lock
	@echo "Installing the tools of the checks and tests"
	@$(PIP) -r requirements-dev.lock
	@$(PIP) --no-deps --upgrade --target $(VENV)/fast -r fast.lock
	@touch $@

lock: ## renew the lock files (needs uv)
	$(LOCK) pyproject.toml requirements.in --extra server -o requirements.lock
	$(LOCK) requirements-dev.in -o requirements-dev.lock
	$(LOCK) --no-deps triton.in -o triton.lock
	$(LOCK) --no-emit-package numpy fast.in -o fast.lock

clean: ## remove the virtual environment and all local data (stop the platform first)
	rm -rf $(VENV) var artifacts build .mypy_cache .ruff_cache .pytest_cache
