# make lint, sanitize, fuzz and coverage, which docs/testing.md describes. Included by the Makefile.

LINT_VENV ?= .venv-lint-$(VERSION)
LINT := $(LINT_VENV)/bin

# ---- types and style -------------------------------------------------------------------------------------------------

# The headers alone, by each of their branches; .ci/run compiles all of the generated C with warnings as errors.
HEADERS := $(shell find src/kernels mcts_core/include -name "*.h")
HEADER_WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Werror

LINTS := headers portable

needs-lint- := $(LINT_VENV)/.installed
define run-lint-
$(run-lint-headers)
$(LINT)/ruff check .
$(LINT)/cython-lint src mcts_core
$(LINT)/mypy
$(LINT)/pyright
$(LINT)/stubtest mcts_core --allowlist tests/typing/stubtest_allowlist.txt --mypy-config-file pyproject.toml
endef

define run-lint-headers
awk 'length > 120 {print FILENAME ":" FNR ": more than 120 characters"; found = 1} END {exit found}' $(HEADERS)
for branch in '' -DMCTS_PLAIN_C $$(uname -m | grep -q x86_64 && echo -mavx2 -march=x86-64-v4 -march=icelake-server); do \
	for header in $(HEADERS); do \
		$(CC) -fsyntax-only $(HEADER_WARNINGS) -Isrc -Imcts_core/include $$branch -x c $$header || exit 1; \
	done; \
done
endef

# The kernels, read by the compilers of other systems that are here.
needs-lint-portable := $(VENV)/.installed-ziglang
run-lint-portable = $(BIN)/python tools/portable.py $(or $(ARGS),--compile)

# cython-lint and pyright look for other programs on the path.
lint: export PATH := $(abspath $(LINT)):$(PATH)
lint: $(needs-lint-$(KIND))
	$(call run,lint,$(LINTS))

$(VENV)/.installed-ziglang: | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet ziglang
	touch $@

$(LINT_VENV)/.installed: $(WHEEL)/.built tests/typing/requirements.txt
	$(PYTHON) -m venv $(LINT_VENV)
	$(LINT)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	$(LINT)/python -m pip install --quiet -r tests/typing/requirements.txt "$$(echo $(WHEEL)/*.whl)[numpy,plot,rich]" \
		"cython>=3.3,<4" "setuptools>=77"
	$(LINT)/python tests/build_probes.py
	touch $@

# ---- builds that watch what they do: GCC, Linux ----------------------------------------------------------------------

# Each build has a folder of its own, and goes before the package of the environment. From a copy of the sources: in the
# tree, setup.py would take the objects of the last build for its own. What Cython translated for the wheel is taken
# along (coverage translates anew, with comments), made newer than Cython's own files, which Cython would else translate again for: that takes a minute.
define watched
	rm -rf build/$(1)
	mkdir -p build/$(1)/build
	cp -R setup.py pyproject.toml README.md LICENSE MANIFEST.in src mcts_core build/$(1)
	cp -R build/cython build/isa build/$(1)/build
	find build/$(1)/mcts_core -name "*.so" -delete
	find build/$(1)/build -name "*.c" -exec touch {} +
	MCTS_CORE_TESTING=1 $(2) $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --target build/$(1)/site ./build/$(1)
	touch $@
endef
on = PYTHONPATH=$(abspath build/$(1)/site)

comma := ,
runtime = $(shell $(CC) -print-file-name=lib$(1).so)

# The rooms of native modules; besides those, what goes through many of them.
NATIVE_TESTS := $(addprefix tests/,games tree engine testing distributed/test_messages.py test_searcher.py test_arguments.py \
	test_background.py test_dispatch.py test_errors.py test_fuzz.py test_signature.py test_storage.py \
	test_storage_errors.py)
SHORT_TESTS := $(addprefix tests/,test_signature.py test_fuzz.py tree/test_plain_tree.py games/mnk/test_rollout.py \
	games/connect_four/test_rollout.py)
RACE_TESTS := $(addprefix tests/,engine/test_thread_exchange.py engine/test_leaf_threads.py engine/test_workers.py \
	engine/test_task_threads.py engine/test_evaluation_thread.py \
	tree/test_exchange.py test_arena.py test_background.py test_many.py)
# Some tests say what may take 50 ms, which such builds need for other things; ThreadSanitizer lets no thread begin after
# a fork, and takes more address space than a test of little memory leaves.
ADDRESS_OPTIONS := --capture=sys -p no:cacheprovider -k "not ctrl_c" $(ARGS)
THREAD_OPTIONS := --capture=sys -p no:cacheprovider $(ARGS) \
	-k "not ctrl_c and not cancellation and not progress and not forgotten and not fork and not waits_for_the_room"

SANITIZERS := address thread short memory

define run-sanitize-
$(run-sanitize-address)
$(run-sanitize-thread)
endef
needs-sanitize- = $(needs-sanitize-address) $(needs-sanitize-thread)

# Programs of the environment, not python -m, which would import the package from here, where nothing is compiled.
# Findings end the run; with the capture of file descriptors they would not be seen. With PYTHONMALLOC=malloc the ends of
# positions and other small objects are watched, too, which lie side by side in blocks of Python else.
WATCH = env ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:allocator_may_return_null=1 \
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
RUNTIMES = $(call runtime,asan) $(call runtime,ubsan) $(call runtime,stdc++)

needs-sanitize-address := build/address/.built
define run-sanitize-address
$(WATCH) PYTHONMALLOC=malloc $(call on,address) LD_PRELOAD="$(RUNTIMES)" $(BIN)/python tests/sanitizers/short.py
$(WATCH) $(call on,address) LD_PRELOAD="$(RUNTIMES)" $(BIN)/pytest $(ADDRESS_OPTIONS) $(NATIVE_TESTS)
endef

# A build of its own, which takes half the time: without the checks of UndefinedBehaviorSanitizer at every use of a
# pointer, where AddressSanitizer has its own. First the vectors, then the portable branches; signature and rollouts run
# both. The tests marked "odds" are left out: they play millions of rollouts for their statistics, and others play some
# on every board, by every kernel.
SHORT_CHECKS := address,bool,bounds,enum,integer-divide-by-zero
SHORT_CHECKS := $(SHORT_CHECKS),return,shift,signed-integer-overflow,unreachable

needs-sanitize-short := build/short/.built
define run-sanitize-short
$(WATCH) PYTHONMALLOC=malloc $(call on,short) LD_PRELOAD="$(RUNTIMES)" $(BIN)/python tests/sanitizers/short.py
$(WATCH) MCTS_CORE_ISA=baseline $(call on,short) LD_PRELOAD="$(RUNTIMES)" \
	$(BIN)/pytest $(WORKERS) -m "not slow and not odds" $(ADDRESS_OPTIONS) $(SHORT_TESTS)
endef

build/short/.built: $(SOURCES) | $(VENV)/.installed-test
	$(call watched,short,MCTS_CORE_PLAIN_C=baseline MCTS_CORE_SANITIZE=$(SHORT_CHECKS))

# The portable branches, and vectors in the modules for AVX2 and AVX-512.
build/address/.built: $(SOURCES) | $(VENV)/.installed-test
	$(call watched,address,MCTS_CORE_PLAIN_C=baseline MCTS_CORE_SANITIZE=address$(comma)undefined)

needs-sanitize-thread := build/thread/.built
run-sanitize-thread = env TSAN_OPTIONS=halt_on_error=1:suppressions=$(abspath tests/sanitizers/thread.txt) \
	$(call on,thread) LD_PRELOAD="$(call runtime,tsan)" $(BIN)/pytest $(THREAD_OPTIONS) $(RACE_TESTS)

build/thread/.built: $(SOURCES) | $(VENV)/.installed-test
	$(call watched,thread,MCTS_CORE_SANITIZE=thread)

# Before 3.12, CPython reads a digit of the int 0 that was never written (Objects/longobject.c, maybe_small_long), and
# what comes of it is everywhere: then only wrong addresses are told.
MEMCHECK = $(shell $(PYTHON) -c 'import sys; sys.version_info < (3, 12) and print("--undef-value-errors=no")')

needs-sanitize-memory := $(VENV)/.probes
run-sanitize-memory = PYTHONMALLOC=malloc valgrind --quiet --error-exitcode=1 --num-callers=30 $(MEMCHECK) \
	$(BIN)/python tests/sanitizers/short.py

sanitize: $(needs-sanitize-$(KIND))
	$(call run,sanitize,$(SANITIZERS))

# The same sanitizers; every block and comparison tells that it runs, which makes searches some times slower.
fuzz: build/fuzzed/.built
	$(WATCH) MCTS_COVERAGE=$(abspath build/fuzzed/coverage.so) $(call on,fuzzed) \
		LD_PRELOAD="$(abspath build/fuzzed/coverage.so) $(RUNTIMES)" $(BIN)/python tests/fuzz/fuzz.py $(ARGS)

build/fuzzed/.built: $(SOURCES) tests/fuzz/coverage.c | $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet "atheris>=3"
	$(call watched,fuzzed,CFLAGS=-fsanitize-coverage=trace-pc$(comma)trace-cmp MCTS_CORE_SANITIZE=address$(comma)undefined)
	$(CC) -O2 -Wall -Wextra -Werror -shared -fPIC -o $(@D)/coverage.so tests/fuzz/coverage.c -ldl

# ---- coverage --------------------------------------------------------------------------------------------------------

coverage: build/coverage/.built
	rm -rf build/coverage/data build/coverage/others
	mkdir -p build/coverage/data
	find build/coverage/build -name '*.gcda' -delete
	-PYTHONPATH=$(abspath build/coverage/site):$(abspath tests) COVERAGE_FILE=$(abspath build/coverage/data/python) \
		$(BIN)/coverage run --include='*/build/coverage/site/mcts_core/*' --branch \
		$(BIN)/pytest -p no:cacheprovider -p gcov_alone $(ARGS)
	$(BIN)/coverage report --data-file=build/coverage/data/python --show-missing --skip-covered
	$(BIN)/python tests/native_lines.py build/coverage

build/coverage/.built: $(SOURCES) | $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet coverage
	$(call watched,coverage,MCTS_CORE_COVERAGE=1)
