/* Smaller and larger numbers, to the last bit as the library has them. */
#include "base/extrema.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef double Choice(double a, double b);

static const double numbers[] = {0.0, -0.0, 1.0, -1.0, DBL_MIN, 0x1p-1074, -0x1p-1074, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY};
enum { COUNT = sizeof numbers / sizeof *numbers };

/* The library's, whatever the compiler makes of a call by name. */
static Choice* volatile const library[2] = {fmin, fmax};
static Choice* const ours[2] = {fil_min, fil_max};

static void assert_same_bits(double a, double b)
{
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    assert_true(bits[0] == bits[1]);
}

static void are_the_librarys(void** state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            for (int k = 0; k < 2; k++) {
                assert_same_bits(ours[k](numbers[i], numbers[j]), library[k](numbers[i], numbers[j]));
            }
        }
    }
}

static void leave_out_what_is_no_number(void** state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 2; k++) {
            assert_same_bits(ours[k]((double)NAN, numbers[i]), numbers[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(are_the_librarys), cmocka_unit_test(leave_out_what_is_no_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
