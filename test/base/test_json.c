/* JSON and CSV: structure, quoting, and numbers that survive the way through text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/number.h"
#include "csv.h"

/* as people write them */
static void test_short_numbers(void** state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char* text;
    } cases[] = {{0.0, 3, "0"},
                 {5094.3, 3, "5094"},
                 {1447.0, 3, "1447"},
                 {0.019712, 3, "0.0197"},
                 {1.5, 3, "1.5"},
                 {-2.0, 4, "-2"},
                 {1.11e-5, 3, "1.11e-5"},
                 {7.853982e6, 4, "7.854e6"},
                 {1e-4, 3, "0.0001"},
                 {100.0, 3, "100"},
                 {-1.5e-12, 6, "-1.5e-12"},
                 {999999.4, 3, "999999"},
                 {0.1, 9, "0.1"},
                 {1e300, 3, "1e300"},
                 {NAN, 3, "nan"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        assert_string_equal(FIL_SHORT(cases[k].value, cases[k].digits), cases[k].text);
    }
}

static void test_json_structure(void** state)
{
    (void)state;
    char* text = NULL;
    size_t size = 0;
    FilJson json = {.out = open_memstream(&text, &size)};
    assert_non_null(json.out);
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "name", "a \"b\"\\\n");
    fil_json_open(&json, "empty", '{');
    fil_json_close(&json, '}');
    fil_json_open(&json, "list", '[');
    fil_json_integer(&json, NULL, UINT64_MAX);
    fil_json_boolean(&json, NULL, true);
    fil_json_number(&json, NULL, NAN);
    fil_json_number(&json, NULL, -INFINITY);
    fil_json_close(&json, ']');
    fil_json_hash(&json, "hash", 0xabcu);
    fil_json_close(&json, '}');
    fclose(json.out);
    assert_string_equal(text,
                        "{\n  \"name\": \"a \\\"b\\\"\\\\\\u000a\",\n  \"empty\": {},\n  \"list\": [\n"
                        "    18446744073709551615,\n    true,\n    null,\n    null\n  ],\n"
                        "  \"hash\": \"0000000000000abc\"\n}\n");
    free(text);
}

static void test_numbers_survive(void** state)
{
    (void)state;
    const double numbers[] = {0.1, 1.0 / 3.0, -5e-324, 1.7976931348623157e308, 0x1.fffffffffffffp-3};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        char* text = NULL;
        size_t size = 0;
        FILE* out = open_memstream(&text, &size);
        assert_non_null(out);
        fil_csv_number(out, numbers[i], true);
        fclose(out);
        const double back = strtod(text, NULL);
        assert_memory_equal(&back, &numbers[i], sizeof back);
        free(text);
    }
}

static void test_csv_quotes(void** state)
{
    (void)state;
    char* text = NULL;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    assert_non_null(out);
    fil_csv_text(out, "t", true);
    fil_csv_text(out, "tip,z", false);
    fil_csv_text(out, "the \"tip\"", false);
    fil_csv_number(out, NAN, false);
    fil_csv_end(out);
    fclose(out);
    assert_string_equal(text, "t,\"tip,z\",\"the \"\"tip\"\"\",\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_structure),
        cmocka_unit_test(test_numbers_survive),
        cmocka_unit_test(test_short_numbers),
        cmocka_unit_test(test_csv_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
