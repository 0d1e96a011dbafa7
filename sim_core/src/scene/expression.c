#include "scene/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "scene/random.h"

/* Keeps recursion small, over all expressions that are open at once. */
#define DEEPEST 200

typedef struct Cursor {
    FilExpression* expression;
    const char* at;
} Cursor;

static bool parse_sum(Cursor* cursor, double* value);

static bool fail(Cursor* cursor, const char* problem)
{
    if (cursor->expression->problem[0] == '\0') {
        snprintf(cursor->expression->problem, sizeof cursor->expression->problem, "%s", problem);
    }
    return false;
}

static bool fail_here(Cursor* cursor, const char* expected)
{
    char problem[96];
    if (*cursor->at == '\0') {
        snprintf(problem, sizeof problem, "expected %s at its end", expected);
    } else {
        snprintf(problem, sizeof problem, "expected %s at '%.24s'", expected, cursor->at);
    }
    return fail(cursor, problem);
}

static void skip_spaces(Cursor* cursor)
{
    cursor->at += strspn(cursor->at, " \t\r\n");
}

static bool accept(Cursor* cursor, char wanted)
{
    skip_spaces(cursor);
    if (*cursor->at != wanted) {
        return false;
    }
    cursor->at++;
    return true;
}

/* Length of the decimal number that the text begins with; 0: none. */
static size_t number_length(const char* text)
{
    const size_t whole = strspn(text, "0123456789");
    size_t length = whole, fraction = 0;
    if (text[length] == '.') {
        fraction = strspn(text + length + 1, "0123456789");
        length += 1 + fraction;
    }
    if (whole + fraction == 0) {
        return 0;
    }
    if (text[length] == 'e' || text[length] == 'E') {
        const size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
        const size_t digits = strspn(text + length + 1 + sign, "0123456789");
        length += digits > 0 ? 1 + sign + digits : 0;
    }
    return length;
}

bool fil_parse_number(const char* text, double* value)
{
    const char* digits = text + (*text == '-' || *text == '+');
    const size_t length = number_length(digits);
    if (length == 0 || digits[length] != '\0') {
        return false;
    }
    *value = strtod(text, NULL);
    return true;
}

/* a - b floor(a/b): has the sign of b */
static double modulo(double a, double b)
{
    return a - b * floor(a / b);
}

/* One of the three. */
typedef struct Function {
    const char* name;
    double (*one)(double);
    double (*two)(double, double);
    double (*random)(uint64_t*);
} Function;

static const Function functions[] = {
    {.name = "sin", .one = sin},
    {.name = "cos", .one = cos},
    {.name = "tan", .one = tan},
    {.name = "asin", .one = asin},
    {.name = "acos", .one = acos},
    {.name = "atan", .one = atan},
    {.name = "atan2", .two = atan2},
    {.name = "sqrt", .one = sqrt},
    {.name = "exp", .one = exp},
    {.name = "log", .one = log},
    {.name = "abs", .one = fabs},
    {.name = "floor", .one = floor},
    {.name = "ceil", .one = ceil},
    {.name = "round", .one = round},
    {.name = "min", .two = fmin},
    {.name = "max", .two = fmax},
    {.name = "mod", .two = modulo},
    {.name = "random", .random = fil_random_uniform},
    {.name = "normal", .random = fil_random_normal},
};

static bool call_function(Cursor* cursor, const char* name, double* value)
{
    const Function* function = NULL;
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        if (strcmp(functions[k].name, name) == 0) {
            function = &functions[k];
        }
    }
    const bool draws = function != NULL && function->random != NULL;
    if (function == NULL || (draws && cursor->expression->random == NULL)) {
        char problem[96];
        snprintf(problem, sizeof problem, "there is no function '%.40s'", name);
        return fail(cursor, problem);
    }
    double a = 0.0, b = 0.0;
    if (!draws && !parse_sum(cursor, &a)) {
        return false;
    }
    if (function->two != NULL && !accept(cursor, ',')) {
        return fail_here(cursor, "',' and a second argument");
    }
    if (function->two != NULL && !parse_sum(cursor, &b)) {
        return false;
    }
    if (!accept(cursor, ')')) {
        return fail_here(cursor, "')'");
    }
    if (draws) {
        *value = function->random(cursor->expression->random);
    } else {
        *value = function->two != NULL ? function->two(a, b) : function->one(a);
    }
    return true;
}

static bool parse_name(Cursor* cursor, double* value)
{
    char name[64];
    size_t length = 0;
    while (isalnum((unsigned char)cursor->at[length]) || cursor->at[length] == '_' || cursor->at[length] == '.') {
        length++;
    }
    if (length >= sizeof name) {
        return fail(cursor, "a name of more than 63 characters");
    }
    memcpy(name, cursor->at, length);
    name[length] = '\0';
    cursor->at += length;
    if (accept(cursor, '(')) {
        return call_function(cursor, name, value);
    }
    if (strcmp(name, "pi") == 0) {
        *value = FIL_PI;
        return true;
    }
    return cursor->expression->lookup(cursor->expression->context, name, value);
}

static bool parse_primary(Cursor* cursor, double* value)
{
    skip_spaces(cursor);
    const size_t length = number_length(cursor->at);
    if (length > 0) {
        *value = strtod(cursor->at, NULL);
        cursor->at += length;
        return true;
    }
    if (isalpha((unsigned char)*cursor->at) || *cursor->at == '_') {
        return parse_name(cursor, value);
    }
    if (!accept(cursor, '(')) {
        return fail_here(cursor, "a number, a name or '('");
    }
    if (!parse_sum(cursor, value)) {
        return false;
    }
    return accept(cursor, ')') || fail_here(cursor, "')'");
}

/* signed = [-|+] signed | primary [^ signed]; so -2^2 is -4 and 2^-1 is 0.5 */
static bool parse_signed(Cursor* cursor, double* value)
{
    if (*cursor->expression->depth >= DEEPEST) {
        return fail(cursor, "nested too deep");
    }
    ++*cursor->expression->depth;
    bool ok;
    if (accept(cursor, '-')) {
        ok = parse_signed(cursor, value);
        *value = -*value;
    } else if (accept(cursor, '+')) {
        ok = parse_signed(cursor, value);
    } else {
        ok = parse_primary(cursor, value);
        if (ok && accept(cursor, '^')) {
            double exponent = 0.0;
            ok = parse_signed(cursor, &exponent);
            *value = pow(*value, exponent);
        }
    }
    --*cursor->expression->depth;
    return ok;
}

static bool parse_product(Cursor* cursor, double* value)
{
    if (!parse_signed(cursor, value)) {
        return false;
    }
    for (;;) {
        const bool times = accept(cursor, '*');
        if (!times && !accept(cursor, '/')) {
            return true;
        }
        double factor = 0.0;
        if (!parse_signed(cursor, &factor)) {
            return false;
        }
        if (!times && factor == 0.0) {
            return fail(cursor, "division by zero");
        }
        *value = times ? *value * factor : *value / factor;
    }
}

static bool parse_sum(Cursor* cursor, double* value)
{
    if (!parse_product(cursor, value)) {
        return false;
    }
    for (;;) {
        const bool plus = accept(cursor, '+');
        if (!plus && !accept(cursor, '-')) {
            return true;
        }
        double term = 0.0;
        if (!parse_product(cursor, &term)) {
            return false;
        }
        *value = plus ? *value + term : *value - term;
    }
}

bool fil_expression_evaluate(FilExpression* expression, const char* text, double* value)
{
    Cursor cursor = {.expression = expression, .at = text};
    expression->problem[0] = '\0';
    *value = 0.0;
    if (!parse_sum(&cursor, value)) {
        return false;
    }
    skip_spaces(&cursor);
    if (*cursor.at != '\0') {
        return fail_here(&cursor, "an operator");
    }
    return isfinite(*value) || fail(&cursor, "the result is not finite");
}
