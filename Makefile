# One environment for everything that is run here, built and installed as a user would. Three things have one of their
# own: bench (fastmcts needs numpy below 2), lint (types depend on what is installed) and the wheel of .ci/run.
# Needs Python 3.11 or newer (PYTHON=...), a C compiler and make.

PYTHON ?= python3
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
VENV ?= .venv-$(VERSION)
BIN := $(VENV)/bin
WHEEL := build/wheel-$(VERSION)
# KIND selects one of the kinds of test, lint, bench and sanitize; ARGS are more arguments for the program that runs.
KIND =
ARGS =
# All processors of pytest-xdist; ARGS="-n 0" for none of its workers.
WORKERS := -n logical --maxprocesses 8 --dist worksteal
BENCH_VENV ?= .venv-bench-$(VERSION)
TORCH ?= torch==2.13.0
WHEEL_PYTHONS ?= $(PYTHON)
SOURCES := setup.py pyproject.toml README.md LICENSE MANIFEST.in \
	$(shell find src mcts_core -name '*.py' -o -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.h') \
	$(wildcard mcts_core/web/static/*)

.PHONY: help demo test build lint docs page bench instructions
.PHONY: sanitize fuzz coverage wheels gomocup-zip release-check clean
.NOTPARALLEL:

help:
	@echo 'make demo           builds, then plays a game of Connect Four by tree search and shows the search'
	@echo 'make test           runs the tests on all cores; ARGS="-k cli" selects some of them'
	@echo '                    KIND=$(subst $(space),|,$(TESTS)) runs others'
	@echo 'make build          compiles what has changed, after pip install -e .'
	@echo 'make lint           checks types, style and warnings of the C compiler; KIND=$(subst $(space),|,$(LINTS))'
	@echo 'make docs           builds the documentation as a site, build/docs/index.html'
	@echo 'make page           builds the page to play on without a server, build/page/index.html'
	@echo 'make bench          measures the speed, in minutes; KIND=all measures all that the project claims, in hours'
	@echo 'make instructions   compares instruction counts with the committed ones'
	@echo 'make sanitize       runs native code under sanitizers; KIND=$(subst $(space),|,$(SANITIZERS))'
	@echo 'make fuzz           feeds everything that reads input with random changes'
	@echo 'make coverage       reports the lines that no test runs'
	@echo 'make wheels         builds wheels; WHEEL_PYTHONS="python3.11 python3.13"'
	@echo 'make gomocup-zip    packs the engine for Gomocup'
	@echo 'make release-check  checks what a release would upload'
	@echo 'make clean          removes the environments and everything that was built'
	@echo
	@echo 'PYTHON=python3.12 selects the Python. CONTRIBUTING.md, docs/testing.md, docs/building.md and bench/README.md'
	@echo 'describe each target.'

empty :=
space := $(empty) $(empty)

# The command of KIND, or an error that names those that there are.
run = $(or $(run-$(1)-$(KIND)),@echo 'error: make $(1) has no KIND=$(KIND); use one of $(2), or none' >&2; exit 2)

define check-python
command -v $(PYTHON) >/dev/null || { \
	echo 'error: $(PYTHON) not found; name a Python 3.11 or newer: make PYTHON=/path/to/python3' >&2; exit 1; }; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo 'error: Python 3.11 or newer is needed, $(PYTHON) is $(or $(VERSION),none that runs)' >&2; \
	echo 'name one: make PYTHON=/path/to/python3' >&2; exit 1; }
endef

demo: $(VENV)/.installed-rich
	$(BIN)/mcts-core --version
	$(BIN)/mcts-core demo

# ---- make test KIND=... ----------------------------------------------------------------------------------------------
# needs-test-KIND names the files that it needs, run-test-KIND the command.

TESTS := clients browser page axe examples threads windows wasm soak
pytest = $(BIN)/pytest $(1) $(ARGS)

needs-test- := $(VENV)/.probes
run-test- = $(BIN)/pytest $(WORKERS) $(ARGS)

# Warnings of the programs of others are no errors here.
needs-test-clients := $(VENV)/.installed-clients
run-test-clients = $(call pytest,-m clients -W default) \
	tests/clients tests/docs/test_clients.py tests/docs/test_coming_from.py

needs-test-browser := $(VENV)/.installed-browser
run-test-browser = $(call pytest,-m browser) tests/web/test_browser*.py

needs-test-page := page $(VENV)/.installed-browser
run-test-page = $(call pytest,-m browser) tests/web/test_page.py

needs-test-axe := page $(VENV)/.installed-browser $(VENV)/axe/node_modules
run-test-axe = AXE=$(abspath $(VENV))/axe/node_modules/axe-core/axe.min.js $(call pytest,-m axe) tests/web/test_axe.py

needs-test-examples := $(addprefix $(VENV)/.installed-,torch alphazero notebook)
run-test-examples = $(call pytest,-m examples) \
	$(addprefix tests/examples/,test_alphazero.py test_train_gomoku_torch.py test_notebook.py)

# Test after test, each in four threads at once; the one left out hands all of them the same iterator.
THREAD_TESTS := $(addprefix tests/,test_threads.py test_errors.py test_results.py games/test_board_text.py \
	distributed/test_messages.py bots/test_thinking.py)
needs-test-threads := $(VENV)/.installed-threads
NO_GIL = import sysconfig; print(int(not sysconfig.get_config_var("Py_GIL_DISABLED")))
run-test-threads = PYTHON_GIL=$$($(BIN)/python -c '$(NO_GIL)') \
	$(call pytest,-q --parallel-threads=4 --deselect tests/games/test_board_text.py::test_parse_moves) $(THREAD_TESTS)

# Builds for other systems, each by a compiler for it, with what they need from the package indexes; Wine and MinGW must
# be there (Debian: tools/cross/windows.py names the packages).
needs-test-windows := $(VENV)/.installed-cross
run-test-windows = $(BIN)/python tools/cross/windows.py test $(ARGS)

needs-test-wasm := $(VENV)/.installed-cross
run-test-wasm = $(BIN)/python tools/cross/wasm.py test $(ARGS)

needs-test-soak := $(VENV)/.installed-rich
run-test-soak = $(BIN)/python bench/soak.py $(ARGS)

# After all of these: make reads what a target needs when it meets the rule.
test: $(needs-test-$(KIND))
	$(call run,test,$(TESTS))

# ---- what these need, and the other targets --------------------------------------------------------------------------

# mcts_core.testing, which the wheel leaves out.
$(VENV)/.probes: $(VENV)/.installed-test tests/build_probes.py
	$(BIN)/python tests/build_probes.py
	touch $@

# In the environment at hand, and much faster than pip, which is needed once: pip install --no-build-isolation -e .
build:
	$(PYTHON) setup.py --quiet build_ext --inplace

# kaggle-environments last, and without what it asks for: see tests/clients.txt.
$(VENV)/.installed-clients: $(VENV)/.installed-pettingzoo tests/clients.txt
	$(BIN)/python -m pip install --quiet -r tests/clients.txt
	$(BIN)/python -m pip install --quiet --no-deps kaggle-environments==1.33.2
	touch $@

$(VENV)/axe/node_modules: | $(VENV)/pyvenv.cfg
	npm install --silent --no-audit --no-fund --prefix $(VENV)/axe axe-core@4.14.1

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
	$(call pytest,-m docs) tests/docs/test_site.py

instructions: $(VENV)/.installed-rich
	$(BIN)/python bench/instructions.py $(ARGS)

# KIND: names of claims (bench/claims.py --list), or all.
bench: $(BENCH_VENV)/.installed-peers
	$(BENCH_VENV)/bin/python bench/claims.py $(filter-out all,$(or $(KIND),speed)) $(if $(ARGS),-- $(ARGS))

# Other packages want old versions of what others want new: they have an environment of their own.
$(BENCH_VENV)/.installed-peers: $(WHEEL)/.built bench/requirements.txt bench/claims.txt bench/install.py
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python bench/install.py
	$(BENCH_VENV)/bin/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BENCH_VENV)/bin/python -m pip install --quiet "cython>=3.3,<4" "setuptools>=77"
	$(BENCH_VENV)/bin/python tests/build_probes.py
	touch $@

release-check: $(VENV)/.installed-release
	$(BIN)/python .ci/release_check.py $(ARGS)

$(VENV)/.installed-release: .ci/release.txt | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet -r .ci/release.txt
	touch $@

wheels:
	@$(check-python)
	tools/wheels.sh dist $(WHEEL_PYTHONS)

gomocup-zip: $(VENV)/.installed-cross
	$(BIN)/python tools/cross/gomocup_zip.py $(ARGS)

$(VENV)/.installed-cross: $(WHEEL)/.built
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BIN)/python -m pip install --quiet "cython>=3.3,<4" "setuptools>=77" wheel ziglang
	find build/cython -name "*.c" -exec touch {} +  # newer than Cython itself, which would translate them again
	touch $@

page: build/page/index.html

build/page/index.html: $(VENV)/.installed-cross $(wildcard tools/page/* tools/cross/*.py)
	$(BIN)/python tools/page/build.py $(@D)

# hypothesis is older because the newest has not a wheel for every Python.
$(VENV)/.installed-threads: $(WHEEL)/.built tests/build_probes.py
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(BIN)/python -m pip install --quiet pytest 'hypothesis<6.140' rich pytest-run-parallel "cython>=3.3,<4" \
		"setuptools>=77"
	$(BIN)/python tests/build_probes.py
	touch $@

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

$(VENV)/pyvenv.cfg:
	@$(check-python)
	$(PYTHON) -m venv $(VENV)

include tests/checks.mk

clean:
	rm -rf build dist mcts_core.egg-info .venv* .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find mcts_core \( -name "*.so" -o -name "*.pyd" \) -delete
	find bench docs examples mcts_core tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
