#include "base/vector.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

const char* fil_vector_level_name(FilVectorLevel level)
{
#if defined(__aarch64__)
    static const char* const names[FIL_VECTOR_LEVEL_COUNT] = {"plain", "sve", "avx512"};
#else
    static const char* const names[FIL_VECTOR_LEVEL_COUNT] = {"plain", "avx2", "avx512"};
#endif
    return names[level];
}

static FilVectorLevel find_highest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        const bool all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq");
        return all ? FIL_VECTOR_512 : FIL_VECTOR_256;
    }
#elif defined(__aarch64__)
    // threads begin with the width of the one that begins them
    const int width = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 ? prctl(PR_SVE_GET_VL) : -1;
    if (width >= 0 && (width & PR_SVE_VL_LEN_MASK) == sizeof(FilDouble4)) {
        return FIL_VECTOR_256;
    }
#endif
    return FIL_VECTOR_128;
}

static FilVectorLevel find_level(void)
{
    const FilVectorLevel highest = find_highest();
    const char* asked = getenv("FILUM_VECTORS");
    for (FilVectorLevel lower = FIL_VECTOR_128; asked != NULL && lower < highest; lower++) {
        if (strcmp(asked, fil_vector_level_name(lower)) == 0) {
            return lower;
        }
    }
    return highest;
}

FilVectorLevel fil_vector_level(void)
{
    // one more than the level, 0 before it is known; whoever finds it finds the same
    static atomic_int known;
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (level == 0) {
        level = 1 + (int)find_level();
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (FilVectorLevel)(level - 1);
}
