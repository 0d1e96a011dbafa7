/* Arenas: blocks are aligned, zeroed, apart from each other and refused when too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/memory.h"

/* sizes from nothing to beyond the largest chunk; each block keeps its own mark to the end */
static void blocks_are_apart(void** state)
{
    (void)state;
    enum { COUNT = 400 };
    unsigned char* blocks[COUNT];
    size_t sizes[COUNT];
    FilArena arena = {0};
    for (size_t k = 0; k < COUNT; ++k) {
        sizes[k] = k == 300 ? (size_t)5 << 20 : (k * k * 7) % 40000;
        blocks[k] = fil_arena_alloc(&arena, sizes[k], 1);
        assert_non_null(blocks[k]);
        assert_int_equal((uintptr_t)blocks[k] % FIL_ALIGNMENT, 0);
        for (size_t i = 0; i < sizes[k]; ++i) {
            assert_int_equal(blocks[k][i], 0);
        }
        memset(blocks[k], (int)(k % 251) + 1, sizes[k]);
    }
    for (size_t k = 0; k < COUNT; ++k) {
        for (size_t i = 0; i < sizes[k]; ++i) {
            assert_int_equal(blocks[k][i], k % 251 + 1);
        }
    }
    fil_arena_free(&arena);
    assert_null(arena.chunks);
    assert_non_null(fil_arena_alloc(&arena, 3, 8)); /* usable again */
    fil_arena_free(&arena);
}

static void too_much_is_refused(void** state)
{
    (void)state;
    FilArena arena = {0};
    assert_null(fil_arena_alloc(&arena, SIZE_MAX / 2, 4));
    assert_null(fil_arena_alloc(&arena, SIZE_MAX - 10, 1));
    unsigned char* block = fil_arena_alloc(&arena, 100, 1);
    assert_non_null(block);
    assert_null(fil_arena_alloc(&arena, SIZE_MAX / 2, 3));
    block[99] = 1; /* what was there stays */
    fil_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_apart),
        cmocka_unit_test(too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
