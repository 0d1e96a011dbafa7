/* Names: looking up, doubles, and guesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scene/names.h"

static void names_are_found(void** state)
{
    (void)state;
    static const char* const texts[] = {"weft", "warp", "cable", "weft", "warp", "a"};
    FilPool pool = {0};
    FilNames names;
    assert_true(fil_names_build(&names, &pool, texts, 3));
    assert_int_equal(fil_names_find(&names, "weft"), 0);
    assert_int_equal(fil_names_find(&names, "warp"), 1);
    assert_int_equal(fil_names_find(&names, "cable"), 2);
    assert_int_equal(fil_names_find(&names, "cabl"), -1);
    assert_int_equal(fil_names_find(&names, ""), -1);
    assert_int_equal(fil_names_duplicate(&names), -1);
    // the first that repeats, not the first in the alphabet
    assert_true(fil_names_build(&names, &pool, texts, 6));
    assert_int_equal(fil_names_duplicate(&names), 3);
    assert_true(fil_names_build(&names, &pool, texts, 0));
    assert_int_equal(fil_names_find(&names, "a"), -1);
    fil_pool_free(&pool);
}

static void distances_count_edits(void** state)
{
    (void)state;
    assert_int_equal(fil_edit_distance("radius", "radius", 3), 0);
    assert_int_equal(fil_edit_distance("radius", "raduis", 3), 1);  // a swap
    assert_int_equal(fil_edit_distance("radius", "radus", 3), 1);
    assert_int_equal(fil_edit_distance("radius", "radiius", 3), 1);
    assert_int_equal(fil_edit_distance("radius", "redius", 3), 1);
    assert_int_equal(fil_edit_distance("kitten", "sitting", 5), 3);
    assert_int_equal(fil_edit_distance("", "abc", 5), 3);
    // beyond the limit only that it is beyond
    assert_int_equal(fil_edit_distance("kitten", "sitting", 2), 3);
    assert_int_equal(fil_edit_distance("a", "something longer", 4), 5);
}

static void guesses_are_near_or_none(void** state)
{
    (void)state;
    FilGuess guess = fil_guess_start("raduis");
    fil_guess_try(&guess, "density");
    assert_null(guess.best);
    fil_guess_try(&guess, "radii");
    fil_guess_try(&guess, "radius");
    fil_guess_try(&guess, "ratios");
    assert_string_equal(guess.best, "radius");
    guess = fil_guess_start("xyzzy");
    fil_guess_try(&guess, "radius");
    assert_null(guess.best);
}

static void a_pool_keeps_large_and_small_blocks(void** state)
{
    (void)state;
    enum { COUNT = 200 };
    FilPool pool = {0};
    unsigned char* blocks[COUNT];
    for (int k = 0; k < COUNT; k++) {
        // sizes around those of a chunk, and small ones between them
        const size_t size = k % 3 == 0 ? 70000 : (size_t)(1 + 97 * k);
        blocks[k] = fil_pool_alloc(&pool, size, 1);
        assert_non_null(blocks[k]);
        assert_int_equal((uintptr_t)blocks[k] % _Alignof(max_align_t), 0);
        assert_int_equal(blocks[k][0] | blocks[k][size - 1], 0);
        memset(blocks[k], k, size);
    }
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(blocks[k][0], k);
    }
    assert_null(fil_pool_alloc(&pool, SIZE_MAX / 2, 16));
    fil_pool_free(&pool);
    assert_null(pool.chunks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(distances_count_edits),
        cmocka_unit_test(guesses_are_near_or_none),
        cmocka_unit_test(a_pool_keeps_large_and_small_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
