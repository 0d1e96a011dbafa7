#include "base/vector.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static const char* const names[FIL_VECTOR_LEVEL_COUNT] = {"plain", "avx2", "avx512"};

static FilVectorLevel find_level(void)
{
    FilVectorLevel level = FIL_VECTOR_PLAIN;
#if defined(FIL_VECTOR_LEVELS)
    if (__builtin_cpu_supports("avx2")) {
        const bool all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq");
        level = all ? FIL_VECTOR_AVX512 : FIL_VECTOR_AVX2;
    }
#endif
    const char* asked = getenv("FILUM_VECTORS");
    for (FilVectorLevel lower = FIL_VECTOR_PLAIN; asked != NULL && lower < level; lower++) {
        if (strcmp(asked, names[lower]) == 0) {
            return lower;
        }
    }
    return level;
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
