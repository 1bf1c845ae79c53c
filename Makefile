# One environment for everything that is run here, built and installed as a user would. Three things have one of their own:
# bench (fastmcts needs numpy below 2), lint (types depend on what is installed) and the wheel of .ci/run.
# Needs Python 3.11 or newer (PYTHON=...), a C compiler and make.

PYTHON ?= python3
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
VENV ?= .venv-$(VERSION)
BIN := $(VENV)/bin
WHEEL := build/wheel-$(VERSION)
PYTEST_ARGS ?=
# All processors of pytest-xdist; PYTEST_ARGS="-n 0" for none of its workers.
WORKERS := -n logical --maxprocesses 8 --dist worksteal
BENCH_VENV ?= .venv-bench-$(VERSION)
TORCH ?= torch==2.13.0
BENCH_ARGS ?= --results bench
INSTRUCTIONS_ARGS ?=
OVERSHOOT_ARGS ?=
SOAK_ARGS ?=
GOMOCUP_ARGS ?=
PORTABLE_ARGS ?= --compile
WHEEL_PYTHONS ?= $(PYTHON)
THREAD_TESTS := tests/test_threads.py tests/games/test_board_text.py tests/test_errors.py tests/distributed/test_messages.py \
	tests/test_results.py tests/bots/test_thinking.py

SOURCES := setup.py pyproject.toml README.md LICENSE MANIFEST.in \
	$(shell find src mcts_core -name '*.py' -o -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.h') \
	$(wildcard mcts_core/web/static/*)

.PHONY: help demo test build docs test-clients test-browser test-axe test-examples bench release-check instructions overshoot soak
.PHONY: environment test-windows test-wasm gomocup-zip page test-page wheels check-portable test-threads clean check-python
.NOTPARALLEL:

help:
	@echo 'make demo    builds, then plays a game of Connect Four by tree search and shows the search'
	@echo 'make test    the tests, on all cores; PYTEST_ARGS="-k cli" for some of them'
	@echo 'make build   compiles what has changed, after pip install -e .'
	@echo 'make lint    types, style and warnings of the C compiler'
	@echo 'make docs    the documentation as a site, build/docs/index.html'
	@echo 'make page    the page to play on, without a server: build/page/index.html'
	@echo 'make bench   the speed beside other programs, into bench/RESULTS.md'
	@echo 'make clean   removes the environments and everything that was built'
	@echo
	@echo 'The rest (other tests, instructions, soak, sanitizers, wheels, releases) is in'
	@echo 'CONTRIBUTING.md, "Running it". PYTHON=python3.12 chooses the Python.'

demo: $(VENV)/.installed-rich
	$(BIN)/mcts-core --version
	$(BIN)/mcts-core demo

test: $(VENV)/.probes
	$(BIN)/pytest $(WORKERS) $(PYTEST_ARGS)

# mcts_core.testing, which the wheel leaves out.
$(VENV)/.probes: $(VENV)/.installed-test tests/build_probes.py
	$(BIN)/python tests/build_probes.py
	touch $@

# In the environment at hand, and much faster than pip, which is needed once: pip install --no-build-isolation -e .
build:
	$(PYTHON) setup.py --quiet build_ext --inplace

# Warnings of the programs of others are no errors here.
test-clients: $(VENV)/.installed-clients
	$(BIN)/pytest -m clients -W default $(PYTEST_ARGS) tests/clients tests/docs/test_clients.py

# kaggle-environments last, and without what it asks for: see tests/clients.txt.
$(VENV)/.installed-clients: $(VENV)/.installed-pettingzoo tests/clients.txt
	$(BIN)/python -m pip install --quiet -r tests/clients.txt
	$(BIN)/python -m pip install --quiet --no-deps kaggle-environments==1.33.2
	touch $@

test-browser: $(VENV)/.installed-browser
	$(BIN)/pytest -m browser $(PYTEST_ARGS) tests/web/test_browser.py

test-axe: page $(VENV)/.installed-browser $(VENV)/axe/node_modules
	AXE=$(abspath $(VENV))/axe/node_modules/axe-core/axe.min.js $(BIN)/pytest -m axe $(PYTEST_ARGS) tests/web/test_axe.py

$(VENV)/axe/node_modules: | $(VENV)/pyvenv.cfg
	npm install --silent --no-audit --no-fund --prefix $(VENV)/axe axe-core@4.14.1

test-examples: $(VENV)/.installed-torch $(VENV)/.installed-alphazero $(VENV)/.installed-notebook
	$(BIN)/pytest -m examples $(PYTEST_ARGS) \
		$(addprefix tests/examples/,test_alphazero.py test_train_gomoku_torch.py test_notebook.py)

# PyTorch first, in this version: the extra alone would bring the newest one, with gigabytes for GPUs.
$(VENV)/.installed-torch: | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet $(TORCH) "pytest>=8"
	touch $@

# sphinx-build and pytest, not python -m: that would import the package from here, where nothing is compiled.
# The page to play on is a part of the site where Node can run Pyodide.
docs: $(VENV)/.installed-docs
	@if command -v node >/dev/null && command -v npm >/dev/null; then $(MAKE) page; \
		else rm -rf build/page; echo 'make docs: no node and npm here: the site is built without the page to play on'; fi
	rm -rf build/docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet --conf-dir docs \
		--doctree-dir build/doctrees . build/docs
	$(BIN)/pytest -m docs $(PYTEST_ARGS) tests/docs/test_site.py

# What .ci/run installs before it runs several of these at a time.
environment: $(addprefix $(VENV)/.installed-,test docs torch alphazero notebook clients browser cross)

bench: $(BENCH_VENV)/.installed-peers
	$(BENCH_VENV)/bin/python bench/run.py $(BENCH_ARGS)

# Other packages want old versions of what others want new: they have an environment of their own.
$(BENCH_VENV)/.installed-peers: $(WHEEL)/.built bench/requirements.txt bench/install.py
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python bench/install.py
	$(BENCH_VENV)/bin/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	touch $@

RELEASE_ARGS ?=

release-check: $(VENV)/.installed-release
	$(BIN)/python .ci/release_check.py $(RELEASE_ARGS)

$(VENV)/.installed-release: .ci/release.txt | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet -r .ci/release.txt
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

# Builds for other systems, each by a compiler for it, with what they need from the package indexes; Wine and MinGW must
# be there (Debian: tools/cross/windows.py names the packages).
test-windows: $(VENV)/.installed-cross
	$(BIN)/python tools/cross/windows.py test $(PYTEST_ARGS)

test-wasm: $(VENV)/.installed-cross
	$(BIN)/python tools/cross/wasm.py test $(PYTEST_ARGS)

gomocup-zip: $(VENV)/.installed-cross
	$(BIN)/python tools/cross/gomocup_zip.py $(GOMOCUP_ARGS)

$(VENV)/.installed-cross: $(WHEEL)/.built
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BIN)/python -m pip install --quiet "cython>=3.3,<4" "setuptools>=77" wheel ziglang
	find build/cython -name "*.c" -exec touch {} +  # newer than Cython itself, which would translate them again
	touch $@

page: build/page/index.html

build/page/index.html: $(VENV)/.installed-cross $(wildcard tools/page/* tools/cross/*.py)
	$(BIN)/python tools/page/build.py $(@D)

test-page: page $(VENV)/.installed-browser
	$(BIN)/pytest -m browser $(PYTEST_ARGS) tests/web/test_page.py

# Test after test, each in four threads at once; the one left out hands all of them the same iterator. hypothesis is older
# because the newest has not a wheel for every Python.
test-threads: $(WHEEL)/.built
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BIN)/python -m pip install --quiet pytest 'hypothesis<6.140' rich pytest-run-parallel "cython>=3.3,<4" "setuptools>=77"
	$(BIN)/python tests/build_probes.py
	PYTHON_GIL=$$($(BIN)/python -c 'import sysconfig; print(int(not sysconfig.get_config_var("Py_GIL_DISABLED")))') \
		$(BIN)/pytest -q --parallel-threads=4 --deselect tests/games/test_board_text.py::test_parse_moves $(THREAD_TESTS)

# Groups of pyproject.toml, for which pip must be new enough; below, extras of the package.
$(addprefix $(VENV)/.installed-,browser docs test): $(VENV)/.installed-%: $(WHEEL)/.built
	$(BIN)/python -m pip install --quiet "pip>=25.1"
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BIN)/python -m pip install --group $*
	touch $@

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
	find mcts_core \( -name "*.so" -o -name "*.pyd" \) -delete
	find bench docs examples mcts_core tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
