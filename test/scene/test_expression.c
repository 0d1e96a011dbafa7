/* Arithmetic of scenes: values, precedence, and what is said where there is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scene/expression.h"

static bool look_up(void* context, const char* name, double* value)
{
    (void)context;
    *value = strcmp(name, "knot.n") == 0 ? 4.0 : 0.5;
    return strcmp(name, "knot.n") == 0 || strcmp(name, "r_0") == 0;
}

static bool evaluate(const char* text, double* value, FilExpression* expression)
{
    int depth = 0;
    *expression = (FilExpression){.lookup = look_up, .depth = &depth};
    const bool ok = fil_expression_evaluate(expression, text, value);
    // a failure too leaves the shared depth as it was
    assert_int_equal(depth, 0);
    return ok;
}

static void expressions_have_values(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } cases[] = {
        {"1", 1.0},
        {" 1 + 2 * 3 ", 7.0},
        {"(1 + 2) * 3", 9.0},
        {"7 - 2 - 1", 4.0},
        {"8 / 4 / 2", 1.0},
        {"2 ^ 3 ^ 2", 512.0},
        {"-2 ^ 2", -4.0},
        {"2 ^ -1", 0.5},
        {"--3", 3.0},
        {"2*-3", -6.0},
        {".5 + 5. + 1e-1", 5.6},
        {"2e3", 2000.0},
        {"knot.n * r_0", 2.0},
        {"min(3, max(1, 2))", 2.0},
        {"sqrt(16) + abs(-2)", 6.0},
        {"round(2.6) + floor(2.6) + ceil(2.2)", 8.0},
        {"exp(log(5))", 5.0},
        {"cos(pi)", -1.0},
        {"mod(7, 3) + mod(-1, 4)", 4.0},
        {"atan2(1, 1) - atan(1)", 0.0},
        {"sin(pi / 6) + tan(pi / 4) + acos(1) + asin(0)", 1.5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double value = NAN;
        FilExpression expression;
        if (!evaluate(cases[k].text, &value, &expression)) {
            fail_msg("%s: %s", cases[k].text, expression.problem);
        }
        // a few roundings of numbers below 1000
        if (fabs(value - cases[k].value) > 1e-12 * fmax(1.0, fabs(value))) {
            fail_msg("%s is %.17g", cases[k].text, value);
        }
    }
}

static void broken_expressions_say_why(void** state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"", "expected a number, a name or '(' at its end"},
        {"1 +", "at its end"},
        {"1 2", "expected an operator at '2'"},
        {"(1", "expected ')'"},
        {"1)", "expected an operator at ')'"},
        {"* 2", "at '* 2'"},
        {"0x10", "expected an operator at 'x10'"},
        {"log(0)", "not finite"},
        {"1e200 * 1e200", "not finite"},
        {"1 / (knot.n - 4)", "division by zero"},
        {"sinus(1)", "there is no function 'sinus'"},
        {"min(1)", "second argument"},
        {"mod(1, 0)", "not finite"},
        {"random()", "there is no function 'random'"},  // where there is no generator
        {"sqrt(1, 2)", "expected ')'"},
        {"a_name_that_is_far_longer_than_any_name_of_a_parameter_needs_to_be", "63 characters"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double value = 0.0;
        FilExpression expression;
        if (evaluate(cases[k].text, &value, &expression) || strstr(expression.problem, cases[k].problem) == NULL) {
            fail_msg("'%s': '%s' is not in '%s'", cases[k].text, cases[k].problem, expression.problem);
        }
    }
    // an unknown name is reported by the one who looks it up
    double value = 0.0;
    FilExpression expression;
    assert_false(evaluate("2 * knot.m", &value, &expression));
    assert_string_equal(expression.problem, "");
}

static void numbers_are_decimal_and_whole(void** state)
{
    (void)state;
    double value = 0.0;
    assert_true(fil_parse_number("-1.5e-3", &value));
    assert_true(value == -1.5e-3);
    assert_true(fil_parse_number("+.5", &value));
    assert_true(value == 0.5);
    static const char* const not_numbers[] = {"", "-", ".", "e5", "1e", "0x1p3", "1_000", "1 ", " 1", "nan", "inf", "1,5"};
    for (size_t k = 0; k < sizeof not_numbers / sizeof not_numbers[0]; k++) {
        if (fil_parse_number(not_numbers[k], &value)) {
            fail_msg("'%s' is taken for %g", not_numbers[k], value);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_values),
        cmocka_unit_test(broken_expressions_say_why),
        cmocka_unit_test(numbers_are_decimal_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
