/* Arithmetic in scenes: $(2 * pi * ring.radius / nodes).
 *
 *   expression = term { (+|-) term }        term  = signed { (*|/) signed }
 *   signed = [-|+] signed | power           power = primary [ ^ signed ]
 *   primary = number | name | name ( [expression {, expression}] ) | ( expression )
 *
 * Names are pi or parameters; functions: sin cos tan asin acos atan atan2 sqrt exp log abs floor ceil round min max
 * mod, and random() and normal(), which give a new number each time.
 */
#ifndef FILUM_SCENE_EXPRESSION_H
#define FILUM_SCENE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds a parameter. On failure it has reported why by itself. */
typedef bool (*FilLookup)(void* context, const char* name, double* value);

typedef struct FilExpression {
    FilLookup lookup;
    void* context;
    uint64_t* random;  /* state of the generator; NULL: there are no random numbers */
    int* depth;        /* of nesting, shared with the expressions of parameters that this one uses */
    char problem[128]; /* why it failed; empty when lookup reported already */
} FilExpression;

/* Value of the terminated text; false if it has none, or one that is not finite. */
bool fil_expression_evaluate(FilExpression* expression, const char* text, double* value);

/* A plain decimal number that fills the whole text; its value may still be infinite by overflow. */
bool fil_parse_number(const char* text, double* value);

#endif
