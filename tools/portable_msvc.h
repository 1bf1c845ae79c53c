/* Before a source file that Clang reads as MSVC would: the headers of the system, which are MinGW's and want GCC, are
 * read here, and what follows sees a compiler that is not GCC. Used by portable.py only. */
#define __GNUC__ 4
#define __GNUC_MINOR__ 2
#define __MINGW_INTRIN_INLINE extern __inline__ __attribute__((__always_inline__, __gnu_inline__))
#if defined(_M_X64)
#define __INTRIN_H /* Clang's intrin.h defines again what MinGW's windows.h defines */
#endif
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(_M_X64)
#include <immintrin.h>
void __cpuid(int *, int);
void __cpuidex(int *, int, int);
#endif
#include <intrin.h>
#include <windows.h>
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __forceinline
#undef __declspec
