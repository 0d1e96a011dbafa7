#include "random_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

void add(Text* t, const char* format, ...)
{
    va_list rest;
    va_start(rest, format);
    t->length += (size_t)vsnprintf(t->text + t->length, sizeof t->text - t->length, format, rest);
    va_end(rest);
    assert_true(t->length < sizeof t->text);
}

double pick(Text* t, double low, double high)
{
    return random_between(t->random, low, high);
}

void add_vector(Text* t, const char* key, double x, double y, double z, double spread)
{
    add(t, ", %s: [%.6f, %.6f, %.6f]", key, x + pick(t, -spread, spread), y + pick(t, -spread, spread), z + pick(t, -spread, spread));
}
