/* Parameters and the rules by which a parameter file's keys mean a node. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "conversion.h"
#include "messages.h"
#include "overrides.h"
#include "parameters.h"
#include "rcl_yaml_param_parser/parser.h"

static void keys_match_nodes(void** state)
{
    (void)state;
    static const struct {
        const char *key, *node;
        bool matches;
    } cases[] = {
        {"/**", "/filum", true},
        {"/**", "/a/b/filum", true},
        {"**", "/a/filum", true},
        {"/filum", "/filum", true},
        {"filum", "/filum", true},
        {"filum", "/a/filum", false},
        {"/a/filum", "/a/filum", true},
        {"a/filum", "/a/filum", true},
        {"/*/filum", "/a/filum", true},
        {"/*/filum", "/filum", false},
        {"/*/filum", "/a/b/filum", false},
        {"/a/**", "/a/b/filum", true},
        {"/a/**", "/a/filum", true},
        {"/a/**", "/b/filum", false},
        {"/**/filum", "/filum", true},
        {"/**/filum", "/a/b/filum", true},
        {"/**/filum", "/a/b/other", false},
        {"/*", "/filum", true},
        {"/*", "/a/filum", false},
        {"/**/b/*", "/a/b/filum", true},
        {"/fil", "/filum", false},
        {"/filum/x", "/filum", false},
        {"", "/filum", false},
        {"/", "/filum", false},
        {"/**/**/**/**/**/**/**/**/**", "/filum", false},  // more wildcards than anybody needs
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (fil_override_matches(cases[i].key, cases[i].node) != cases[i].matches) {
            fail_msg("'%s' and '%s'", cases[i].key, cases[i].node);
        }
    }
}

static bool refuse_seven(void* context, const FilParameter* parameter, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)parameter;
    int* calls = context;
    ++*calls;
    snprintf(reason, FIL_REASON_TEXT, "not seven");
    return value->real != 7.0;
}

static void last_word_wins_and_strangers_are_left_alone(void** state)
{
    (void)state;
    static FilParameters parameters;
    memset(&parameters, 0, sizeof parameters);
    fil_parameters_declare(&parameters, "a", fil_parameter_double(0), "")->highest = 10;
    fil_parameters_declare(&parameters, "b", fil_parameter_string("x"), "");
    rcl_params_t* overrides = rcl_yaml_node_struct_init(rcutils_get_default_allocator());
    assert_true(rcl_parse_yaml_value("/filum", "a", "1", overrides));
    assert_true(rcl_parse_yaml_value("/**", "a", "2.5", overrides));
    assert_true(rcl_parse_yaml_value("/other", "a", "3", overrides));
    assert_true(rcl_parse_yaml_value("/**", "unknown", "[1, 2]", overrides));
    char reason[FIL_REASON_TEXT];
    assert_true(fil_overrides_apply(overrides, "/filum", &parameters, reason));
    assert_true(fil_parameters_find(&parameters, "a")->value.real == 2.5);
    assert_true(fil_parameters_find(&parameters, "a")->given);
    assert_false(fil_parameters_find(&parameters, "b")->given);
    assert_string_equal(fil_overrides_unknown(overrides, "/filum", &parameters, 0), "unknown");
    assert_null(fil_overrides_unknown(overrides, "/filum", &parameters, 1));
    assert_true(rcl_parse_yaml_value("/filum", "b", "[x]", overrides));
    assert_false(fil_overrides_apply(overrides, "/filum", &parameters, reason));
    assert_string_equal(reason, "b is of type string, not not set");
    rcl_yaml_node_struct_fini(overrides);
}

static void all_or_none(void** state)
{
    (void)state;
    static FilParameters parameters;
    int calls = 0;
    memset(&parameters, 0, sizeof parameters);
    fil_parameters_declare(&parameters, "a", fil_parameter_double(1), "");
    fil_parameters_declare(&parameters, "b", fil_parameter_double(2), "");
    parameters.apply = refuse_seven;
    parameters.context = &calls;
    const char* const names[] = {"a", "a", "b"};
    FilParameterValue values[] = {fil_parameter_double(5), fil_parameter_double(6), fil_parameter_double(7)};
    char reason[FIL_REASON_TEXT];
    assert_false(fil_parameters_set_all(&parameters, names, values, 3, reason));
    assert_string_equal(reason, "not seven");
    assert_true(fil_parameters_find(&parameters, "a")->value.real == 1.0);
    assert_true(fil_parameters_find(&parameters, "b")->value.real == 2.0);
    assert_int_equal(calls, 5);  // three tried, two taken back
    values[2] = fil_parameter_double(8);
    assert_true(fil_parameters_set_all(&parameters, names, values, 3, reason));
    assert_true(fil_parameters_find(&parameters, "a")->value.real == 6.0);
}

static void values_that_do_not_fit_are_refused(void** state)
{
    (void)state;
    static FilParameters parameters;
    memset(&parameters, 0, sizeof parameters);
    fil_parameters_declare(&parameters, "free", fil_parameter_double(1), "");
    fil_parameters_declare(&parameters, "bound", fil_parameter_double(0.5), "")->highest = 1;
    fil_parameters_declare(&parameters, "count", fil_parameter_integer(1), "")->highest = 3;
    const struct {
        const char* name;
        FilParameterValue value;
        const char* reason;
    } wrong[] = {{"free", fil_parameter_double(NAN), "free must be a finite number"},
                 {"free", fil_parameter_double(INFINITY), "free must be a finite number"},
                 {"free", fil_parameter_bool(true), "free is of type double, not bool"},
                 {"bound", fil_parameter_double(1.5), "bound must lie between 0 and 1, not 1.5"},
                 {"bound", fil_parameter_integer(-1), "bound must lie between 0 and 1, not -1"},
                 {"count", fil_parameter_integer(4), "count must lie between 0 and 3, not 4"},
                 {"count", fil_parameter_double(2), "count is of type integer, not double"}};
    char reason[FIL_REASON_TEXT];
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_false(fil_parameters_set(&parameters, wrong[k].name, &wrong[k].value, reason));
        assert_string_equal(reason, wrong[k].reason);
    }
    assert_true(parameters.items[0].value.real == 1.0 && parameters.items[1].value.real == 0.5 && parameters.items[2].value.integer == 1);
    const FilParameterValue ends[] = {fil_parameter_integer(1), fil_parameter_double(0)};  // of the range: they belong to it
    assert_true(fil_parameters_set(&parameters, "bound", &ends[0], reason) && fil_parameters_set(&parameters, "bound", &ends[1], reason));
}

static void times_are_exact(void** state)
{
    (void)state;
    const builtin_interfaces__msg__Time time = fil_time_message(12.345678901);
    assert_int_equal(time.sec, 12);
    assert_int_equal(time.nanosec, 345678901);
    // the nearest nanosecond, also where the double lies just below a second
    const builtin_interfaces__msg__Time whole = fil_time_message(0.9999999999);
    assert_int_equal(whole.sec, 1);
    assert_int_equal(whole.nanosec, 0);
}

/* each of the four cases of the conversion: half turns and the identity */
static void axes_give_rotations(void** state)
{
    (void)state;
    static const double cases[][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1},   {1, 0, 0, 0, -1, 0, 0, 0, -1}, {-1, 0, 0, 0, 1, 0, 0, 0, -1},
        {-1, 0, 0, 0, -1, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 1, 1, 0, 0},
    };
    for (size_t i = 0; i < 5; i++) {
        const double* a = cases[i];
        const FilQuat q = fil_quat_from_axes(a, a + 3, a + 6);
        // the rotated unit vectors are the columns again
        const double x[3] = {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.z * q.w), 2 * (q.x * q.z - q.y * q.w)};
        const double z[3] = {2 * (q.x * q.z + q.y * q.w), 2 * (q.y * q.z - q.x * q.w), 1 - 2 * (q.x * q.x + q.y * q.y)};
        for (int k = 0; k < 3; k++) {
            assert_true(x[k] - a[k] < 1e-15 && a[k] - x[k] < 1e-15);  // exact but for one rounding
            assert_true(z[k] - a[6 + k] < 1e-15 && a[6 + k] - z[k] < 1e-15);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_match_nodes),
        cmocka_unit_test(last_word_wins_and_strangers_are_left_alone),
        cmocka_unit_test(values_that_do_not_fit_are_refused),
        cmocka_unit_test(all_or_none),
        cmocka_unit_test(times_are_exact),
        cmocka_unit_test(axes_give_rotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
