# make demo, test, bench: each makes its own environment, builds the package there and runs it.
# Needs Python 3.11 or newer (PYTHON=...), a C compiler and make.

PYTHON ?= python3
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
VENV ?= .venv-$(VERSION)
BIN := $(VENV)/bin
WHEEL := build/wheel-$(VERSION)
PYTEST_ARGS ?=
BENCH_VENV ?= .venv-bench-$(VERSION)
CLIENTS_VENV ?= .venv-clients-$(VERSION)
DOCS_VENV ?= .venv-docs-$(VERSION)
EXAMPLES_VENV ?= .venv-examples-$(VERSION)
TORCH ?= torch==2.13.0
BENCH_ARGS ?= --results bench
INSTRUCTIONS_ARGS ?=
OVERSHOOT_ARGS ?=
SOAK_ARGS ?=
PORTABLE_ARGS ?= --compile
WHEEL_PYTHONS ?= $(PYTHON)
ABI3_PYTHONS ?= $(PYTHON)
ABI3_TESTS := tests/test_signature.py tests/test_dispatch.py tests/test_connect_four.py tests/test_mnk.py \
	tests/test_notation.py tests/test_threads.py
THREAD_TESTS := tests/test_threads.py tests/test_notation.py tests/test_errors.py tests/test_messages.py \
	tests/test_results.py tests/test_bots_thinking.py

SOURCES := setup.py pyproject.toml README.md LICENSE MANIFEST.in \
	$(shell find src mcts_core -name '*.py' -o -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.h') \
	$(wildcard mcts_core/web/static/*)

.PHONY: help demo test docs test-clients test-browser test-examples bench instructions overshoot soak clean \
	check-python
.PHONY: wheels check-portable check-abi3 test-threads
.NOTPARALLEL:

help:
	@echo 'make demo   one game of Connect Four against itself, with the statistics of every move'
	@echo 'make test   the tests; PYTEST_ARGS="-k cli" for some of them'
	@echo 'make lint   types, style and warnings: ruff, cython-lint, mypy, pyright, stubtest, the C headers'
	@echo 'make test-clients  games with the programs of others; eight minutes; MCTS_CORE_CLIENT_GAMES=10 for fewer'
	@echo 'make test-browser  the page of mcts-core serve in a headless Chromium (Debian: chromium and chromium-driver)'
	@echo 'make test-examples  the examples that need more, such as PyTorch; TORCH=torch==2.13.0 names its version'
	@echo 'make sanitize, memcheck, fuzz, coverage  see docs/testing.md'
	@echo 'make docs   the documentation as a site, in build/docs/index.html'
	@echo 'make bench  the speed beside other programs, into bench/RESULTS.md; BENCH_ARGS=--quick only prints'
	@echo 'make release-check  sdist, wheel, metadata, README, words and all gates; RELEASE_ARGS="--tag v1.2.3" for a release'
	@echo 'make instructions  the instruction counts beside the committed ones (valgrind); INSTRUCTIONS_ARGS=--update'
	@echo 'make overshoot  by how much searches miss their deadlines, idle and busy; a minute; OVERSHOOT_ARGS="--seconds 300"'
	@echo 'make soak   five minutes of games with random options, threads and cancellations; SOAK_ARGS="--minutes 60"'
	@echo 'make wheels  wheels for WHEEL_PYTHONS="python3.11 python3.13", repaired and tested, into dist'
	@echo 'make check-portable  C that only one compiler knows; the kernels, read by the compilers of other systems'
	@echo 'make check-abi3  one wheel for ABI3_PYTHONS="python3.11 python3.12", checked and tested with each'
	@echo 'make test-threads  tests in four threads at once; PYTHON=python3.14t: without the GIL'
	@echo 'make clean  remove the environments and everything that was built'
	@echo 'PYTHON=python3.12 chooses the Python, VENV=folder the environment.'

demo: $(VENV)/.installed-rich
	$(BIN)/mcts-core --version
	$(BIN)/mcts-core selfplay connect4 --seconds 0.3

test: $(VENV)/.installed-test
	$(BIN)/pytest $(PYTEST_ARGS)

# Warnings of the programs of others are no errors here.
test-clients: $(CLIENTS_VENV)/.installed-clients
	$(CLIENTS_VENV)/bin/pytest -m clients -W default $(PYTEST_ARGS) tests/test_clients_*.py tests/test_docs_clients.py

# kaggle-environments last, and without what it asks for: see tests/clients.txt.
$(CLIENTS_VENV)/.installed-clients: $(WHEEL)/.built tests/clients.txt
	$(PYTHON) -m venv $(CLIENTS_VENV)
	$(CLIENTS_VENV)/bin/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(CLIENTS_VENV)/bin/python -m pip install --quiet -r tests/clients.txt "$$(echo $(WHEEL)/*.whl)[pettingzoo]"
	$(CLIENTS_VENV)/bin/python -m pip install --quiet --no-deps kaggle-environments==1.33.2
	touch $@

test-browser: $(VENV)/.installed-browser
	$(BIN)/pytest -m browser $(PYTEST_ARGS) tests/test_web_browser.py

test-examples: $(EXAMPLES_VENV)/.installed-alphazero
	$(EXAMPLES_VENV)/bin/pytest -m examples $(PYTEST_ARGS) tests/test_examples_alphazero.py

# PyTorch first, in this version: the extra alone would bring the newest one, with gigabytes for GPUs.
$(EXAMPLES_VENV)/.installed-alphazero: $(WHEEL)/.built
	$(PYTHON) -m venv $(EXAMPLES_VENV)
	$(EXAMPLES_VENV)/bin/python -m pip install --quiet $(TORCH) "pytest>=8"
	$(EXAMPLES_VENV)/bin/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(EXAMPLES_VENV)/bin/python -m pip install --quiet "$$(echo $(WHEEL)/*.whl)[alphazero]"
	touch $@

# sphinx-build and pytest, not python -m: that would import the package from here, where nothing is compiled.
docs: $(DOCS_VENV)/.installed-docs
	rm -rf build/docs
	$(DOCS_VENV)/bin/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet --conf-dir docs \
		--doctree-dir build/doctrees . build/docs
	$(DOCS_VENV)/bin/pytest -m docs $(PYTEST_ARGS) tests/test_docs_site.py

$(DOCS_VENV)/.installed-docs: $(WHEEL)/.built
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(DOCS_VENV)/bin/python -m pip install --quiet "$$(echo $(WHEEL)/*.whl)[docs]"
	touch $@

bench: $(BENCH_VENV)/.installed-peers
	$(BENCH_VENV)/bin/python bench/run.py $(BENCH_ARGS)

# Other packages want old versions of what others want new: they have an environment of their own.
$(BENCH_VENV)/.installed-peers: $(WHEEL)/.built bench/requirements.txt bench/install.py
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python bench/install.py
	$(BENCH_VENV)/bin/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	touch $@

RELEASE_VENV ?= .venv-release-$(VERSION)
RELEASE_ARGS ?=

.PHONY: release-check
release-check: $(RELEASE_VENV)/.installed-release
	$(RELEASE_VENV)/bin/python .ci/release_check.py $(RELEASE_ARGS)

$(RELEASE_VENV)/.installed-release: .ci/release.txt | check-python
	$(PYTHON) -m venv $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/python -m pip install --quiet -r .ci/release.txt
	touch $@

instructions: $(VENV)/.installed-rich
	$(BIN)/python bench/instructions.py $(INSTRUCTIONS_ARGS)

overshoot: $(VENV)/.installed-rich
	$(BIN)/python bench/overshoot.py $(OVERSHOOT_ARGS)

soak: $(VENV)/.installed-rich
	$(BIN)/python bench/soak.py $(SOAK_ARGS)

wheels: | check-python
	tools/wheels.sh dist $(WHEEL_PYTHONS)

check-portable: | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet ziglang
	$(BIN)/python tools/portable.py $(PORTABLE_ARGS)

check-abi3: | check-python
	MCTS_CORE_ABI3=1 WHEEL_TESTS="$(ABI3_TESTS)" MCTS_CORE_TESTS_WITHOUT="open_spiel" \
		tools/wheels.sh build/abi3 $(ABI3_PYTHONS)

# Test after test, each in four threads at once; the one left out hands all of them the same iterator. hypothesis is older
# because the newest has not a wheel for every Python.
test-threads: $(WHEEL)/.built
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BIN)/python -m pip install --quiet pytest 'hypothesis<6.140' rich pytest-run-parallel
	PYTHON_GIL=$$($(BIN)/python -c 'import sysconfig; print(int(not sysconfig.get_config_var("Py_GIL_DISABLED")))') \
		$(BIN)/pytest -q --parallel-threads=4 --deselect tests/test_notation.py::test_parse_moves $(THREAD_TESTS)

# pip keeps an installed package of the same version unless it is forced.
$(VENV)/.installed-%: $(WHEEL)/.built
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BIN)/python -m pip install "$$(echo $(WHEEL)/*.whl)[$*]"
	touch $@

$(WHEEL)/.built: $(SOURCES) | $(VENV)/pyvenv.cfg
	rm -rf $(WHEEL)
	$(BIN)/python -m pip wheel --no-deps --wheel-dir $(WHEEL) .
	touch $@

$(VENV)/pyvenv.cfg: | check-python
	$(PYTHON) -m venv $(VENV)

check-python:
	@command -v $(PYTHON) >/dev/null || { \
		echo 'error: $(PYTHON) not found; name a Python 3.11 or newer: make PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'error: Python 3.11 or newer is needed, $(PYTHON) is $(or $(VERSION),none that runs)' >&2; \
		echo 'name one: make PYTHON=/path/to/python3' >&2; exit 1; }

include tests/checks.mk

clean:
	rm -rf build dist mcts_core.egg-info .venv* .pytest_cache .hypothesis .mypy_cache .ruff_cache
	rm -f mcts_core/*.so mcts_core/*.pyd
	find bench docs examples mcts_core tests -name __pycache__ -type d -prune -exec rm -rf {} +
