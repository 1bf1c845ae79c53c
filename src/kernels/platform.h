/* Everything that depends on the compiler, the processor or the operating system, in one place. With
 * MCTS_PLAIN_C defined every construct takes its portable branch, which is tested too. */
#ifndef MCTS_PLATFORM_H
#define MCTS_PLATFORM_H

#include <stdint.h>

/* ---- compiler ---- */
#if defined(_MSC_VER)
#include <intrin.h>
#if !defined(__clang__)
#pragma fp_contract(off) /* /fp:precise contracts on ARM64 before Visual Studio 2022; others are told by setup.py */
#endif
#endif

#if defined(__GNUC__) && !defined(MCTS_PLAIN_C)
#define MCTS_GNU 1
#define MCTS_INLINE static inline __attribute__((always_inline))
#define MCTS_RESTRICT __restrict__
#define MCTS_LIKELY(x) __builtin_expect(!!(x), 1)
#define MCTS_UNLIKELY(x) __builtin_expect(!!(x), 0)
#elif defined(_MSC_VER)
#define MCTS_INLINE static __forceinline
#define MCTS_RESTRICT __restrict
#define MCTS_LIKELY(x) (x)
#define MCTS_UNLIKELY(x) (x)
#else
#define MCTS_INLINE static inline
#define MCTS_RESTRICT
#define MCTS_LIKELY(x) (x)
#define MCTS_UNLIKELY(x) (x)
#endif

#if defined(MCTS_GNU)
#define MCTS_ALIGN32 __attribute__((aligned(32)))
#elif defined(_MSC_VER)
#define MCTS_ALIGN32 __declspec(align(32))
#else
#define MCTS_ALIGN32
#endif

/* ---- vectors: which instruction sets this translation unit may use ---- */
#if !defined(MCTS_PLAIN_C)
#if defined(__x86_64__) || defined(_M_X64)
#define MCTS_SSE2 1
#include <immintrin.h>
#if defined(__AVX2__)
#define MCTS_AVX2 1
#endif
/* VBMI, too, for which Visual Studio has no macro and needs no switch: see mcts_cpu_level. */
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && \
    (defined(__AVX512VBMI__) || (defined(_MSC_VER) && !defined(__clang__)))
#define MCTS_AVX512 1
#endif
#endif
#if defined(__aarch64__) || defined(_M_ARM64)
#define MCTS_NEON 1
#include <arm_neon.h>
#endif
#if defined(MCTS_GNU) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (defined(__clang__) || __GNUC__ >= 12)
#define MCTS_VECTOR_TYPES 1 /* vectors that every processor has, NEON among them, as types of the language */
#define MCTS_VECTOR16 __attribute__((vector_size(16)))
#define MCTS_VECTOR_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__) /* lanes of a, then of b */
#endif
#endif

/* ---- memory soon to be read ---- */
MCTS_INLINE void mcts_prefetch(const void *address) {
#if defined(MCTS_GNU)
    __builtin_prefetch(address);
#elif defined(MCTS_SSE2)
    _mm_prefetch((const char *)address, _MM_HINT_T0);
#elif defined(_MSC_VER) && defined(_M_ARM64) && !defined(MCTS_PLAIN_C)
    __prefetch(address);
#else
    (void)address;
#endif
}

/* ---- bits ---- */
/* index of the lowest set bit; x is not 0 */
MCTS_INLINE int mcts_ctz64(uint64_t x) {
#if defined(MCTS_GNU)
    return __builtin_ctzll(x);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64)) && !defined(MCTS_PLAIN_C)
    unsigned long i;
    _BitScanForward64(&i, x);
    return (int)i;
#else
    int n = 0;
    while (!(x & 1)) { x >>= 1; n++; }
    return n;
#endif
}

/* A constant that the compiler must not know: it would take a multiplication by it apart into shifts and additions. */
MCTS_INLINE uint64_t mcts_opaque64(uint64_t constant) {
#if defined(MCTS_GNU)
    __asm__("" : "+r"(constant));
#endif
    return constant;
}

/* index of the highest set bit; x is not 0 */
MCTS_INLINE int mcts_log2_32(uint32_t x) {
#if defined(MCTS_GNU)
    return 31 - __builtin_clz(x);
#elif defined(_MSC_VER) && !defined(MCTS_PLAIN_C)
    unsigned long i;
    _BitScanReverse(&i, x);
    return (int)i;
#else
    int n = 0;
    while (x >>= 1) n++;
    return n;
#endif
}

MCTS_INLINE int mcts_popcount64(uint64_t x) {
    x = x - ((x >> 1) & UINT64_C(0x5555555555555555));
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int)((x * UINT64_C(0x0101010101010101)) >> 56);
}

/* ---- what this processor and operating system offer: 0 x86-64 baseline or any other, 1 AVX2, 2 AVX-512. The last only
 * with VBMI: processors with AVX-512 but without VBMI lower their clock while they use such vectors. ---- */
#if defined(MCTS_GNU) && defined(__x86_64__)
static inline int mcts_cpu_level(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("popcnt"))
        return 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512vbmi")
               ? 2
               : 1;
}
#elif defined(_MSC_VER) && defined(_M_X64) && !defined(MCTS_PLAIN_C)
static inline int mcts_cpu_level(void) {
    int r[4];
    __cpuid(r, 0);
    if (r[0] < 7) return 0;
    __cpuid(r, 1);
    if (!(r[2] >> 27 & 1) || !(r[2] >> 23 & 1)) return 0; /* OSXSAVE, POPCNT */
    if ((_xgetbv(0) & 6) != 6) return 0;                  /* the system saves xmm and ymm */
    __cpuidex(r, 7, 0);
    if (!(r[1] >> 5 & 1) || !(r[1] >> 3 & 1) || !(r[1] >> 8 & 1)) return 0; /* AVX2, BMI1, BMI2 */
    if ((_xgetbv(0) & 0xE6) != 0xE6) return 1;                              /* the system saves zmm and masks */
    /* AVX-512 F, DQ, BW, VL, VBMI */
    return (r[1] >> 16 & 1) && (r[1] >> 17 & 1) && (r[1] >> 30 & 1) && (r[1] >> 31 & 1) && (r[2] >> 1 & 1) ? 2 : 1;
}
#else
static inline int mcts_cpu_level(void) { return 0; }
#endif

/* ---- address space: reserved once, made usable step by step, so that an arena grows without being moved ---- */
#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__EMSCRIPTEN__)
#include <stdlib.h>
#include <string.h>
#elif defined(__APPLE__)
#include <mach/mach.h>
#elif defined(__linux__)
#include <stdio.h>
#include <string.h>
#endif
#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif
#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0
#endif
#endif

/* NULL where the system does not give that much; a 32-bit one has no addresses for 4 GiB */
static inline void *mcts_vm_reserve(uint64_t bytes) {
    if (bytes > SIZE_MAX) return NULL;
#if defined(_WIN32)
    return VirtualAlloc(NULL, (SIZE_T)bytes, MEM_RESERVE, PAGE_NOACCESS);
#elif defined(__EMSCRIPTEN__)
    /* its mmap takes and clears everything at once: here commit clears what is about to be used */
    void *base = NULL;
    return posix_memalign(&base, 65536, (size_t)bytes) == 0 ? base : NULL;
#else
    void *base = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return NULL;
#if defined(MADV_NOHUGEPAGE)
    madvise(base, (size_t)bytes, MADV_NOHUGEPAGE); /* clearing huge pages made a fresh tree 12-30 % slower */
#endif
    return base;
#endif
}

/* makes bytes [from, to) usable, from a multiple of 64 KiB; 1 when that worked */
static inline int mcts_vm_commit(void *base, uint64_t from, uint64_t to) {
#if defined(_WIN32)
    return VirtualAlloc((char *)base + from, (SIZE_T)(to - from), MEM_COMMIT, PAGE_READWRITE) != NULL;
#elif defined(__EMSCRIPTEN__)
    memset((char *)base + from, 0, (size_t)(to - from));
    return 1;
#else
    return mprotect((char *)base + from, (size_t)(to - from), PROT_READ | PROT_WRITE) == 0;
#endif
}

/* asks for huge pages in bytes [from, to), where the system has them and lets programs ask */
static inline void mcts_vm_prefer_huge(void *base, uint64_t from, uint64_t to) {
#if defined(MADV_HUGEPAGE) && !defined(__EMSCRIPTEN__)
    madvise((char *)base + from, (size_t)(to - from), MADV_HUGEPAGE);
#else
    (void)base;
    (void)from;
    (void)to;
#endif
}

/* gives back bytes [from, to), multiples of 64 KiB; `to`: where the memory ends that was not given back. In WebAssembly
 * only mcts_vm_release gives anything back. */
static inline void mcts_vm_discard(void *base, uint64_t from, uint64_t to) {
#if defined(_WIN32)
    VirtualFree((char *)base + from, (SIZE_T)(to - from), MEM_DECOMMIT);
#elif defined(__EMSCRIPTEN__)
    (void)base;
    (void)from;
    (void)to;
#else
    munmap((char *)base + from, (size_t)(to - from));
#endif
}

static inline void mcts_vm_release(void *base, uint64_t bytes) {
#if defined(_WIN32)
    (void)bytes;
    VirtualFree(base, 0, MEM_RELEASE);
#elif defined(__EMSCRIPTEN__)
    (void)bytes;
    free(base);
#else
    munmap(base, (size_t)bytes);
#endif
}

/* whether the processor may execute what stands at an address: 1 yes, 0 no, -1 the system does not say */
#if defined(_WIN32)
static inline int mcts_is_code(uintptr_t address) {
    MEMORY_BASIC_INFORMATION found;
    if (VirtualQuery((void *)address, &found, sizeof found) == 0) return 0; /* beyond what a process can have */
    return found.State == MEM_COMMIT && !(found.Protect & PAGE_GUARD) &&
           (found.Protect & (PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY)) != 0;
}
#elif defined(__APPLE__)
static inline int mcts_is_code(uintptr_t address) {
    vm_address_t begin = address;
    vm_size_t size = 0;
    vm_region_basic_info_data_64_t found;
    mach_msg_type_number_t count = VM_REGION_BASIC_INFO_COUNT_64;
    mach_port_t object = MACH_PORT_NULL;
    /* the region with the address, or the next one after it */
    if (vm_region_64(mach_task_self(), &begin, &size, VM_REGION_BASIC_INFO_64, (vm_region_info_t)&found, &count,
                     &object) != KERN_SUCCESS)
        return 0;
    return begin <= address && (found.protection & VM_PROT_EXECUTE) != 0;
}
#elif defined(__linux__)
static inline int mcts_is_code(uintptr_t address) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], rights[5];
    unsigned long long begin, end;
    int is_code = 0, known = 0, whole = 1;
    if (maps == NULL) return -1;
    while (fgets(line, sizeof line, maps) != NULL) {
        /* a path can be longer than the line: what follows is no region */
        if (whole && sscanf(line, "%llx-%llx %4s", &begin, &end, rights) == 3) {
            known = 1;
            if (begin <= address && address < end) {
                is_code = rights[2] == 'x';
                break;
            }
        }
        whole = strchr(line, '\n') != NULL;
    }
    fclose(maps);
    return known ? is_code : -1;
}
#else
static inline int mcts_is_code(uintptr_t address) {
    (void)address;
    return -1;
}
#endif

/* bytes of memory of the machine, as far as this process has addresses for them; 0 when unknown, as in WebAssembly,
 * where only the browser knows */
static inline uint64_t mcts_physical_memory(void) {
#if defined(_WIN32)
    MEMORYSTATUSEX status;
    uint64_t bytes;
    status.dwLength = sizeof status;
    bytes = GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
#elif defined(__EMSCRIPTEN__)
    uint64_t bytes = 0;
#else
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
#endif
    return bytes < SIZE_MAX / 2 ? bytes : SIZE_MAX / 2; /* of 4 GiB of addresses, half may be the system's */
}

/* seconds of a clock that never jumps */
static inline double mcts_clock(void) {
#if defined(_WIN32)
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart / (double)frequency.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

/* ---- a number by which one thread tells another that what it wrote before may be read ---- */

static inline uint32_t mcts_published(const uint32_t *number) {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_load_n(number, __ATOMIC_ACQUIRE);
#elif defined(_MSC_VER)
    return (uint32_t)InterlockedCompareExchange((volatile long *)number, 0, 0);
#endif
}

static inline void mcts_publish(uint32_t *number, uint32_t value) {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(number, value, __ATOMIC_RELEASE);
#elif defined(_MSC_VER)
    InterlockedExchange((volatile long *)number, (long)value);
#endif
}

/* ---- numbers that several threads change ---- */

/* changes a flag from 0 to 1; 1 for the one caller that changed it */
static inline int mcts_take(uint32_t *flag) {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_exchange_n(flag, 1, __ATOMIC_ACQ_REL) == 0;
#elif defined(_MSC_VER)
    return InterlockedExchange((volatile long *)flag, 1) == 0;
#endif
}

/* takes 1 from a number; what is left */
static inline int32_t mcts_count_down(uint32_t *number) {
#if defined(__GNUC__) || defined(__clang__)
    return (int32_t)__atomic_sub_fetch(number, 1, __ATOMIC_ACQ_REL);
#elif defined(_MSC_VER)
    return (int32_t)InterlockedDecrement((volatile long *)number);
#endif
}

/* raises a number that counts around to this value, unless it is beyond that */
static inline void mcts_raise(uint32_t *number, uint32_t value) {
#if defined(__GNUC__) || defined(__clang__)
    uint32_t known = __atomic_load_n(number, __ATOMIC_RELAXED);
    while (value - known - 1 < UINT32_C(0x7FFFFFFF) &&
           !__atomic_compare_exchange_n(number, &known, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#elif defined(_MSC_VER)
    uint32_t known = *(volatile uint32_t *)number, found;
    while (value - known - 1 < UINT32_C(0x7FFFFFFF) &&
           (found = (uint32_t)InterlockedCompareExchange((volatile long *)number, (long)value, (long)known)) != known)
        known = found;
#endif
}

/* waits for another thread, the longer the more often it was called before */
static inline void mcts_wait(uint32_t times) {
#if defined(_WIN32)
    if (times < 64) YieldProcessor();
    else if (times < 1024) SwitchToThread();
    else Sleep(1);
#else
    if (times < 64) {
#if defined(MCTS_SSE2)
        _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
        __asm__ volatile("yield");
#endif
    } else if (times < 1024) {
        sched_yield();
    } else {
        struct timespec nap = {0, 50000};
        nanosleep(&nap, NULL);
    }
#endif
}

/* ---- a thread that nobody waits for and that gets no signal. `job` begins with the function that it runs, which gets
 * `job`; 0 when the system gives no thread ---- */
#define MCTS_STACK 262144

#if defined(_WIN32)
static inline DWORD WINAPI mcts_thread_main(LPVOID job) {
#else
static inline void *mcts_thread_main(void *job) {
#endif
    (*(void (**)(void *))job)(job);
    return 0;
}

static inline int mcts_thread_start(void *job) {
#if defined(_WIN32)
    HANDLE thread = CreateThread(NULL, MCTS_STACK, mcts_thread_main, job, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (thread == NULL) return 0;
    CloseHandle(thread);
    return 1;
#elif defined(__EMSCRIPTEN__)
    (void)job;
    return 0;
#else
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    int failed;
    if (pthread_attr_init(&attributes) != 0) return 0;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, MCTS_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&thread, &attributes, mcts_thread_main, job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed == 0;
#endif
}

/* ---- a number that one thread writes and another one reads now and then; nothing else is ordered by it ---- */

static inline uint32_t mcts_flag_read(const uint32_t *flag) {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
#else
    return *(const volatile uint32_t *)flag;
#endif
}

static inline void mcts_flag_write(uint32_t *flag, uint32_t value) {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(flag, value, __ATOMIC_RELAXED);
#else
    *(volatile uint32_t *)flag = value;
#endif
}

/* the same of a number as wide as a pointer */
static inline uintptr_t mcts_mark_read(const uintptr_t *mark) {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_load_n(mark, __ATOMIC_RELAXED);
#else
    return *(const volatile uintptr_t *)mark;
#endif
}

static inline void mcts_mark_write(uintptr_t *mark, uintptr_t value) {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(mark, value, __ATOMIC_RELAXED);
#else
    *(volatile uintptr_t *)mark = value;
#endif
}

#endif
