# One-word targets. `make demo` and `make test` need only Python 3.11 (with venv), git and make.
PYTHON ?= python3
PIP := .venv/bin/pip --disable-pip-version-check
INSTALL := $(PIP) install -q -c constraints.txt

.PHONY: install demo test long numbernet busy lint bench clean

install: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) -e '.[light]'
	touch $@

# torch stands first and with its exact version, so that nothing pulls in a larger build.
.venv/tested: .venv/installed
	$(INSTALL) 'torch==2.13.0' -e '.[light,test,diffusers,train,inspect]'
	touch $@

demo: install
	.venv/bin/subitize demo --out demo

test: .venv/tested
	.venv/bin/python -m pytest -n 2 --dist loadgroup

# Minutes to hours, and not in CI: run it before an issue is closed and commit what it writes to docs/.
# SUBITIZE_FUZZ=2000000, then 4000000 and so on, fuzzes the readers in parts.
long: .venv/tested
	.venv/bin/python -m pytest -n 0 -m long
	SUBITIZE_KILLS=5 .venv/bin/python -m pytest -n 0 tests/ray -k survive
	.venv/bin/python -m bench coverage coverage_probe numbernet sizes
	.venv/bin/python docs/generate.py

# Trains our own model anew, every configuration with three seeds (about 24 CPU minutes), and writes
# weights and docs/numbernet.json; seeds that are in that file stay as they are.
numbernet: .venv/tested
	OMP_NUM_THREADS=1 .venv/bin/python -m bench numbernet
	.venv/bin/python docs/generate.py

# The whole suite beside eight busy loops: no test may depend on the machine's speed. Six workers, so
# that it gets its share of the machine and each test a smaller one still.
busy: .venv/tested
	loops=; for _ in 1 2 3 4 5 6 7 8; do (while :; do :; done) & loops="$$loops $$!"; done; \
	trap "kill $$loops" EXIT; .venv/bin/python -m pytest -n 6 --dist loadgroup

lint: .venv/tested
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

bench: .venv/tested
	$(INSTALL) 'torch==2.13.0' -e '.[light,hf,bench]'
	.venv/bin/python -m bench; missed=$$?; .venv/bin/python docs/generate.py; exit $$missed

clean:
	rm -rf .venv demo build dist
