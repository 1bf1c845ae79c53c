# make lint, sanitize, memcheck, fuzz, coverage: what docs/testing.md tells of. Included by the Makefile.

LINT_VENV ?= .venv-lint-$(VERSION)
LINT := $(LINT_VENV)/bin
ADDRESS_VENV ?= .venv-address-$(VERSION)
THREAD_VENV ?= .venv-thread-$(VERSION)
FUZZ_VENV ?= .venv-fuzz-$(VERSION)
COVERAGE_VENV ?= .venv-coverage-$(VERSION)
FUZZ_ARGS ?=

.PHONY: lint sanitize sanitize-address sanitize-thread memcheck fuzz coverage

# ---- types and style -------------------------------------------------------------------------------------------------

# The headers alone, by each of their branches; .ci/run compiles all of the generated C with warnings as errors.
HEADERS := $(wildcard src/kernels/*.h mcts_core/include/mcts_core/*.h)
HEADER_WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Werror

# cython-lint and pyright look for other programs on the path.
lint: export PATH := $(abspath $(LINT)):$(PATH)
lint: $(LINT_VENV)/.installed
	$(LINT)/ruff check .
	$(LINT)/cython-lint src mcts_core
	$(LINT)/mypy
	$(LINT)/pyright
	$(LINT)/stubtest mcts_core --allowlist tests/typing/stubtest_allowlist.txt --mypy-config-file pyproject.toml
	for branch in '' $$(uname -m | grep -q x86_64 && echo -mavx2) -DMCTS_PLAIN_C; do \
		for header in $(HEADERS); do \
			$(CC) -fsyntax-only $(HEADER_WARNINGS) -Isrc -Imcts_core/include $$branch -x c $$header || exit 1; \
		done; \
	done

$(LINT_VENV)/.installed: $(WHEEL)/.built tests/typing/requirements.txt
	$(PYTHON) -m venv $(LINT_VENV)
	$(LINT)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(LINT)/python -m pip install --quiet -r tests/typing/requirements.txt "$$(echo $(WHEEL)/*.whl)[numpy,plot,rich]"
	touch $@

# ---- builds that watch what they do: GCC, Linux ----------------------------------------------------------------------

# Each from a copy: in the tree, setup.py would take the objects of the last build for its own.
define copy
	rm -rf build/$(1)
	mkdir -p build/$(1)
	cp -R setup.py pyproject.toml README.md LICENSE MANIFEST.in src mcts_core build/$(1)
	rm -f build/$(1)/mcts_core/*.so
	$(PYTHON) -m venv $(@D)
endef

runtime = $(shell $(CC) -print-file-name=lib$(1).so)

# The tests of native modules have their names; besides those, what goes through many of them.
NATIVE_TESTS := $(foreach module,$(basename $(notdir $(wildcard src/*.pyx))),$(wildcard tests/test_$(module).py)) \
	$(addprefix tests/,test_api.py test_fuzz.py test_messages.py test_reuse.py test_signature.py test_storage.py)
RACE_TESTS := $(addprefix tests/test_,team.py exchange.py many.py background.py)
# Some tests say what may take 50 ms, which such builds need for other things; and ThreadSanitizer lets no thread begin
# after a fork.
ADDRESS_OPTIONS := --capture=sys -p no:cacheprovider -k "not ctrl_c" $(PYTEST_ARGS)
THREAD_OPTIONS := --capture=sys -p no:cacheprovider $(PYTEST_ARGS) \
	-k "not ctrl_c and not cancellation and not progress and not forgotten and not fork"

sanitize: sanitize-address sanitize-thread

# Programs of the environment, not python -m, which would import the package from here, where nothing is compiled.
# Findings end the run; with the capture of file descriptors they would not be seen.
WATCH = env ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:allocator_may_return_null=1 \
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
RUNTIMES = $(call runtime,asan) $(call runtime,ubsan) $(call runtime,stdc++)

sanitize-address: $(ADDRESS_VENV)/.installed
	$(WATCH) LD_PRELOAD="$(RUNTIMES)" $(ADDRESS_VENV)/bin/python tests/sanitizers/short.py
	$(WATCH) LD_PRELOAD="$(RUNTIMES)" $(ADDRESS_VENV)/bin/pytest $(ADDRESS_OPTIONS) $(NATIVE_TESTS)

$(ADDRESS_VENV)/.installed: $(SOURCES)
	$(call copy,address)
	MCTS_CORE_SANITIZE=address,undefined \
		$(@D)/bin/python -m pip install --quiet "./build/address[numba,numpy,rich]" hypothesis "pytest>=8"
	touch $@

sanitize-thread: $(THREAD_VENV)/.installed
	env TSAN_OPTIONS=halt_on_error=1:suppressions=$(abspath tests/sanitizers/thread.txt) \
		LD_PRELOAD="$(call runtime,tsan)" $(THREAD_VENV)/bin/pytest $(THREAD_OPTIONS) $(RACE_TESTS)

$(THREAD_VENV)/.installed: $(SOURCES)
	$(call copy,thread)
	MCTS_CORE_SANITIZE=thread $(@D)/bin/python -m pip install --quiet "./build/thread[numpy]" hypothesis "pytest>=8"
	touch $@

# Before 3.12, CPython reads a digit of the int 0 that was never written (Objects/longobject.c, maybe_small_long), and
# what comes of it is everywhere: then only wrong addresses are told.
MEMCHECK = $(shell $(PYTHON) -c 'import sys; sys.version_info < (3, 12) and print("--undef-value-errors=no")')

memcheck: $(VENV)/.installed-rich
	PYTHONMALLOC=malloc valgrind --quiet --error-exitcode=1 --num-callers=30 $(MEMCHECK) \
		$(BIN)/python tests/sanitizers/short.py

# The same sanitizers; every block and comparison tells that it runs, which makes searches some times slower.
fuzz: $(FUZZ_VENV)/.installed
	$(WATCH) MCTS_COVERAGE=$(abspath $(FUZZ_VENV)/coverage.so) \
		LD_PRELOAD="$(abspath $(FUZZ_VENV)/coverage.so) $(RUNTIMES)" \
		$(FUZZ_VENV)/bin/python tests/fuzz/fuzz.py $(FUZZ_ARGS)

$(FUZZ_VENV)/.installed: $(SOURCES) tests/fuzz/coverage.c
	$(call copy,fuzzed)
	CFLAGS=-fsanitize-coverage=trace-pc,trace-cmp MCTS_CORE_SANITIZE=address,undefined \
		$(@D)/bin/python -m pip install --quiet ./build/fuzzed "atheris>=3"
	$(CC) -O2 -Wall -Wextra -Werror -shared -fPIC -o $(@D)/coverage.so tests/fuzz/coverage.c -ldl
	touch $@

# ---- coverage --------------------------------------------------------------------------------------------------------

coverage: $(COVERAGE_VENV)/.installed
	rm -rf build/coverage/data build/coverage/others
	mkdir -p build/coverage/data
	find build/coverage/build -name '*.gcda' -delete
	-PYTHONPATH=$(abspath tests) COVERAGE_FILE=$(abspath build/coverage/data/python) \
		$(COVERAGE_VENV)/bin/coverage run --include='*/site-packages/mcts_core/*' --branch \
		$(COVERAGE_VENV)/bin/pytest -p no:cacheprovider -p gcov_alone $(PYTEST_ARGS)
	$(COVERAGE_VENV)/bin/coverage report --data-file=build/coverage/data/python --show-missing --skip-covered
	$(COVERAGE_VENV)/bin/python tests/native_lines.py build/coverage

$(COVERAGE_VENV)/.installed: $(SOURCES)
	$(call copy,coverage)
	MCTS_CORE_COVERAGE=1 $(@D)/bin/python -m pip install --quiet "./build/coverage[test]" coverage
	touch $@
