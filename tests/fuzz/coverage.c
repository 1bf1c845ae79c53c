/* Native coverage for the fuzzer, preloaded. GCC calls __sanitizer_cov_trace_pc and the comparisons' hooks in code that
 * was compiled with -fsanitize-coverage=trace-pc,trace-cmp; libFuzzer, which Atheris brings along, wants counters. The
 * runtime of the address sanitizer has empty functions of these names, and so has libFuzzer one for the former: this
 * library comes before both and hands on to libFuzzer what is its own. fuzz.py counts the lines of Python here, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#define COUNTERS (1 << 16)

uint8_t mcts_counters[COUNTERS] __attribute__((aligned(4096)));
static uintptr_t places[2 * COUNTERS];

typedef void range(const void *begin, const void *end);
static range *counters_init, *places_init;
static void (*compare_1)(uint8_t, uint8_t), (*compare_2)(uint16_t, uint16_t), (*compare_4)(uint32_t, uint32_t),
    (*compare_8)(uint64_t, uint64_t), (*constant_1)(uint8_t, uint8_t), (*constant_2)(uint16_t, uint16_t),
    (*constant_4)(uint32_t, uint32_t), (*constant_8)(uint64_t, uint64_t), (*cases)(uint64_t, uint64_t *);

static int find(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    if (!strstr(info->dlpi_name, "core_with_libfuzzer"))
        return 0;
    *(void **)found = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
    return 1;
}

/* Whether libFuzzer is loaded. */
static int connect(void) {
    void *fuzzer = NULL;
    if (counters_init)
        return 1;
    dl_iterate_phdr(find, &fuzzer);
    if (!fuzzer)
        return 0;
#define CONNECT(function, name) *(void **)&function = dlsym(fuzzer, "__sanitizer_cov_" name)
    CONNECT(places_init, "pcs_init");
    CONNECT(compare_1, "trace_cmp1");
    CONNECT(compare_2, "trace_cmp2");
    CONNECT(compare_4, "trace_cmp4");
    CONNECT(compare_8, "trace_cmp8");
    CONNECT(constant_1, "trace_const_cmp1");
    CONNECT(constant_2, "trace_const_cmp2");
    CONNECT(constant_4, "trace_const_cmp4");
    CONNECT(constant_8, "trace_const_cmp8");
    CONNECT(cases, "trace_switch");
    CONNECT(counters_init, "8bit_counters_init");
    return counters_init != NULL;
}

/* Tells libFuzzer of the counters; how many were ever used, or -1 where there is no libFuzzer. */
int mcts_coverage_begin(void) {
    int used = 0;
    if (!connect())
        return -1;
    for (int i = 0; i < COUNTERS; i++) {
        used += mcts_counters[i] != 0;
        places[2 * i] = 0x10000000 + i; /* names only: it counts as many as there are counters */
    }
    counters_init(mcts_counters, mcts_counters + COUNTERS);
    places_init(places, places + 2 * COUNTERS);
    return used;
}

void __sanitizer_cov_trace_pc(void) {
    const uintptr_t place = (uintptr_t)__builtin_return_address(0);
    mcts_counters[(place ^ place >> 16) % COUNTERS]++;
}

void __sanitizer_cov_8bit_counters_init(const void *begin, const void *end) {
    if (connect())
        counters_init(begin, end);
}

void __sanitizer_cov_pcs_init(const void *begin, const void *end) {
    if (connect())
        places_init(begin, end);
}

/* The return address tells libFuzzer which comparison it is: these must be compiled to jumps (-O2). */
#define HAND_ON(name, function, type) \
    void __sanitizer_cov_trace_##name(type a, type b) { \
        if (function) \
            function(a, b); \
    }
HAND_ON(cmp1, compare_1, uint8_t)
HAND_ON(cmp2, compare_2, uint16_t)
HAND_ON(cmp4, compare_4, uint32_t)
HAND_ON(cmp8, compare_8, uint64_t)
HAND_ON(const_cmp1, constant_1, uint8_t)
HAND_ON(const_cmp2, constant_2, uint16_t)
HAND_ON(const_cmp4, constant_4, uint32_t)
HAND_ON(const_cmp8, constant_8, uint64_t)

void __sanitizer_cov_trace_cmpf(float a, float b) { (void)a, (void)b; }
void __sanitizer_cov_trace_cmpd(double a, double b) { (void)a, (void)b; }

void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *known) {
    if (cases)
        cases(value, known);
}
