#include "parameters.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FilParameterValue fil_parameter_bool(bool value)
{
    return (FilParameterValue){.type = FIL_PARAMETER_BOOL, .boolean = value};
}

FilParameterValue fil_parameter_integer(int64_t value)
{
    return (FilParameterValue){.type = FIL_PARAMETER_INTEGER, .integer = value};
}

FilParameterValue fil_parameter_double(double value)
{
    return (FilParameterValue){.type = FIL_PARAMETER_DOUBLE, .real = value};
}

FilParameterValue fil_parameter_string(const char* value)
{
    FilParameterValue result = {.type = FIL_PARAMETER_STRING};
    snprintf(result.text, sizeof result.text, "%s", value);
    return result;
}

FilParameter* fil_parameters_declare(FilParameters* parameters, const char* name, FilParameterValue value, const char* description)
{
    assert(parameters->count < FIL_PARAMETER_MAX && fil_parameters_find(parameters, name) == NULL);
    FilParameter* parameter = &parameters->items[parameters->count++];
    *parameter = (FilParameter){.value = value, .description = description};
    snprintf(parameter->name, sizeof parameter->name, "%s", name);
    return parameter;
}

FilParameter* fil_parameters_find(FilParameters* parameters, const char* name)
{
    for (size_t i = 0; i < parameters->count; i++) {
        if (strcmp(parameters->items[i].name, name) == 0) {
            return &parameters->items[i];
        }
    }
    return NULL;
}

static const char* type_name(FilParameterType type)
{
    static const char* const names[] = {"not set", "bool", "integer", "double", "string"};
    return type <= FIL_PARAMETER_STRING ? names[type] : "an array";
}

/* the value as it would be stored; false with a reason if type or range do not fit */
static bool check(const FilParameter* parameter, const FilParameterValue* wanted, FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    *value = *wanted;
    if (parameter->value.type == FIL_PARAMETER_DOUBLE && wanted->type == FIL_PARAMETER_INTEGER) {
        *value = fil_parameter_double((double)wanted->integer);
    }
    if (value->type != parameter->value.type) {
        snprintf(reason, FIL_REASON_TEXT, "%s is of type %s, not %s", parameter->name, type_name(parameter->value.type), type_name(wanted->type));
        return false;
    }
    if (value->type == FIL_PARAMETER_DOUBLE && !isfinite(value->real)) {
        snprintf(reason, FIL_REASON_TEXT, "%s must be a finite number", parameter->name);
        return false;
    }
    const double number = value->type == FIL_PARAMETER_DOUBLE ? value->real : (double)value->integer;
    const bool is_number = value->type == FIL_PARAMETER_DOUBLE || value->type == FIL_PARAMETER_INTEGER;
    if (is_number && parameter->lowest < parameter->highest && (number < parameter->lowest || number > parameter->highest)) {
        snprintf(reason, FIL_REASON_TEXT, "%s must lie between %g and %g, not %g", parameter->name, parameter->lowest, parameter->highest, number);
        return false;
    }
    return true;
}

static bool is_same(const FilParameterValue* a, const FilParameterValue* b)
{
    return a->type == b->type && a->boolean == b->boolean && a->integer == b->integer && a->real == b->real && strcmp(a->text, b->text) == 0;
}

bool fil_parameters_set(FilParameters* parameters, const char* name, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    reason[0] = '\0';
    FilParameter* parameter = fil_parameters_find(parameters, name);
    if (parameter == NULL) {
        snprintf(reason, FIL_REASON_TEXT, "there is no parameter '%.200s'", name);
        return false;
    }
    FilParameterValue checked;
    if (parameter->read_only && parameters->running) {
        // to set it to what it is does no harm: a file with all of a node's parameters can be loaded into it
        if (check(parameter, value, &checked, reason) && is_same(&checked, &parameter->value)) {
            return true;
        }
        snprintf(reason, FIL_REASON_TEXT, "%s can be set at start only", parameter->name);
        return false;
    }
    if (!check(parameter, value, &checked, reason) ||
        (parameters->apply != NULL && !parameters->apply(parameters->context, parameter, &checked, reason))) {
        return false;
    }
    parameter->value = checked;
    parameter->given = true;
    return true;
}

bool fil_parameters_set_all(FilParameters* parameters, const char* const* names, const FilParameterValue* values, size_t count,
                            char reason[FIL_REASON_TEXT])
{
    FilParameter* before = calloc(count > 0 ? count : 1, sizeof *before);
    reason[0] = '\0';
    if (before == NULL) {
        snprintf(reason, FIL_REASON_TEXT, "out of memory");
        return false;
    }
    size_t done = 0;
    for (; done < count; done++) {
        const FilParameter* parameter = fil_parameters_find(parameters, names[done]);
        if (parameter != NULL) {
            before[done] = *parameter;
        }
        if (!fil_parameters_set(parameters, names[done], &values[done], reason)) {
            break;
        }
    }
    // take back what was done, last first; what was right before is right again
    for (size_t i = done; done < count && i-- > 0;) {
        char ignored[FIL_REASON_TEXT];
        fil_parameters_set(parameters, names[i], &before[i].value, ignored);
        fil_parameters_find(parameters, names[i])->given = before[i].given;
    }
    free(before);
    return done == count;
}
