/* Heap blocks: aligned, zeroed, grown with their contents, refused when too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static void blocks_are_aligned_and_zero(void** state)
{
    (void)state;
    for (size_t count = 0; count < 300; count += 7) {
        unsigned char* block = fil_alloc(count, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % FIL_ALIGNMENT, 0);
        for (size_t k = 0; k < 3 * count; ++k) {
            assert_int_equal(block[k], 0);
        }
        memset(block, 0xab, 3 * count); /* the next block must be zero in spite of it */
        fil_free(block);
    }
    fil_free(NULL);
}

/* any contents, but as aligned, as large and as much refused as others; large ones for large pages too */
static void unset_blocks_are_blocks(void** state)
{
    (void)state;
    for (size_t count = 1; count < 6000000; count *= 9) {
        unsigned char* block = fil_alloc_unset(count, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % FIL_ALIGNMENT, 0);
        memset(block, 0xab, count);
        fil_free(block);
    }
    assert_null(fil_alloc_unset(SIZE_MAX / 2, 4));
    FilMemoryBudget budget = {.limit = 10000};
    assert_null(fil_memory_enter(&budget));
    assert_null(fil_alloc_unset(1, 20000));
    assert_true(budget.exceeded);
    assert_ptr_equal(fil_memory_enter(NULL), &budget);
}

static void growing_keeps_and_clears(void** state)
{
    (void)state;
    int* block = NULL;
    size_t count = 0;
    for (size_t next = 1; next < 2000; next = 2 * next + 1) {
        assert_int_equal(fil_grow((void**)&block, count, next, sizeof *block), 1);
        for (size_t k = 0; k < next; ++k) {
            assert_int_equal(block[k], k < count ? (int)k + 1 : 0);
            block[k] = (int)k + 1;
        }
        count = next;
    }
    fil_free(block);
}

/* products that overflow, and more than any machine has */
static void too_much_is_refused(void** state)
{
    (void)state;
    assert_null(fil_alloc(SIZE_MAX / 2, 4));
    assert_null(fil_alloc(SIZE_MAX, 1));
    assert_null(fil_alloc(2, SIZE_MAX / 2 + 1));
    int* block = fil_alloc(1, sizeof *block);
    int* const before = block;
    assert_non_null(block);
    *block = 7;
    assert_int_equal(fil_grow((void**)&block, 1, SIZE_MAX / 2, sizeof *block), 0);
    assert_ptr_equal(block, before);
    assert_int_equal(*block, 7);
    fil_free(block);
}

static void strings_are_copied(void** state)
{
    (void)state;
    char text[] = "rod";
    char* copy = fil_strdup(text);
    assert_non_null(copy);
    text[0] = 'n';
    assert_string_equal(copy, "rod");
    fil_free(copy);
    copy = fil_strdup("");
    assert_string_equal(copy, "");
    fil_free(copy);
}

static void budgets_are_kept(void** state)
{
    (void)state;
    FilMemoryBudget outer = {.limit = 1000000}, budget = {.limit = 10000};
    void* before = fil_alloc(1, 5000);
    assert_null(fil_memory_enter(&outer));
    assert_ptr_equal(fil_memory_enter(&budget), &outer);
    char* block = fil_alloc(100, 60);
    assert_non_null(block);
    assert_true(budget.used >= 6000 && budget.used < 7000 && !budget.exceeded);
    assert_null(fil_alloc(100, 60));
    assert_true(budget.exceeded);
    // what is given back can be taken again, what was there before does not count
    fil_free(block);
    assert_int_equal(budget.used, 0);
    fil_free(before);
    assert_int_equal(budget.used, 0);
    block = fil_strdup("rod");
    assert_true(budget.used >= 4 && outer.used == 0);
    fil_free(block);
    assert_ptr_equal(fil_memory_enter(NULL), &budget);
    block = fil_alloc(100, 600);
    assert_non_null(block);
    fil_free(block);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_zero), cmocka_unit_test(unset_blocks_are_blocks), cmocka_unit_test(growing_keeps_and_clears),
        cmocka_unit_test(too_much_is_refused),         cmocka_unit_test(strings_are_copied),      cmocka_unit_test(budgets_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
