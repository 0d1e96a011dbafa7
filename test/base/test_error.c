/* Messages for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void every_status_has_a_name(void** state)
{
    (void)state;
    static const FilStatus all[] = {FIL_OK, FIL_BAD_INPUT, FIL_OUT_OF_MEMORY, FIL_NOT_CONVERGED, FIL_IO};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        const char* name = fil_status_name(all[k]);
        assert_true(strlen(name) > 0);
        assert_string_not_equal(name, "unknown status");
        for (size_t m = 0; m < k; ++m) {
            assert_string_not_equal(name, fil_status_name(all[m]));
        }
    }
    assert_string_equal(fil_status_name((FilStatus)99), "unknown status");
    assert_string_equal(fil_status_name((FilStatus)-1), "unknown status");
}

static void messages_are_written_and_cut(void** state)
{
    (void)state;
    FilError error;
    assert_int_equal(fil_error(&error, FIL_IO, "file %s, line %d", "a.yaml", 3), FIL_IO);
    assert_string_equal(error.text, "file a.yaml, line 3");

    char name[2000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(fil_error(&error, FIL_BAD_INPUT, "%s", name), FIL_BAD_INPUT);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);

    /* nobody listens */
    assert_int_equal(fil_error(NULL, FIL_OUT_OF_MEMORY, "%d", 1), FIL_OUT_OF_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(messages_are_written_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
