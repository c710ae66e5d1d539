# One-word targets. `make demo` and `make test` need only Python 3.11 (with venv), git and make.
PYTHON ?= python3
PIP := .venv/bin/pip --disable-pip-version-check

.PHONY: install demo test lint bench clean

install: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) install -q -e '.[light]'
	touch $@

# torch stands first and with its exact version, so that nothing pulls in a larger build.
.venv/tested: .venv/installed
	$(PIP) install -q 'torch==2.13.0' -e '.[light,test,hf]'
	touch $@

demo: install
	.venv/bin/subitize demo --out demo

test: .venv/tested
	.venv/bin/python -m pytest -n 2

lint: .venv/tested
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

bench: .venv/tested
	$(PIP) install -q 'torch==2.13.0' -e '.[bench]'
	.venv/bin/python -m bench

clean:
	rm -rf .venv demo build dist
