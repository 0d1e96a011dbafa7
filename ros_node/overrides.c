#include "overrides.h"

#include <stdio.h>
#include <string.h>

/* the length of the token at the start of "/token/rest", without the slash */
static size_t token_length(const char* name)
{
    return strcspn(name + 1, "/");
}

/* both begin with '/' or are empty */
static bool matches(const char* pattern, const char* name)
{
    if (*pattern == '\0') {
        return *name == '\0';
    }
    const size_t length = token_length(pattern);
    const char* rest = pattern + 1 + length;
    if (length == 2 && strncmp(pattern, "/**", 3) == 0) {
        // take any number of tokens, none included
        for (; *name != '\0'; name += 1 + token_length(name)) {
            if (matches(rest, name)) {
                return true;
            }
        }
        return matches(rest, name);
    }
    if (*name == '\0') {
        return false;
    }
    const size_t name_length = token_length(name);
    const bool any = length == 1 && pattern[1] == '*';
    return (any || (length == name_length && strncmp(pattern, name, length + 1) == 0)) && matches(rest, name + 1 + name_length);
}

bool fil_override_matches(const char* key, const char* full_name)
{
    // a bound of ours; each wildcard multiplies what is tried, so that many would be a way to keep the node busy
    enum { KEY_MAX = 512, MAX_WILDCARDS = 8 };
    char pattern[KEY_MAX];
    const int length = snprintf(pattern, sizeof pattern, "%s%s", key[0] == '/' ? "" : "/", key);
    // each "**" multiplies the ways to match: a key with many of them is a mistake or malice
    int wildcards = 0;
    for (const char* at = strstr(pattern, "**"); at != NULL; at = strstr(at + 1, "**")) {
        wildcards++;
    }
    return length > 0 && length < KEY_MAX && wildcards <= MAX_WILDCARDS && matches(pattern, full_name);
}

static FilParameterValue convert(const rcl_variant_t* variant)
{
    if (variant->bool_value != NULL) {
        return fil_parameter_bool(*variant->bool_value);
    }
    if (variant->integer_value != NULL) {
        return fil_parameter_integer(*variant->integer_value);
    }
    if (variant->double_value != NULL) {
        return fil_parameter_double(*variant->double_value);
    }
    if (variant->string_value != NULL) {
        return fil_parameter_string(variant->string_value);
    }
    return (FilParameterValue){.type = FIL_PARAMETER_NONE};
}

bool fil_overrides_apply(const rcl_params_t* overrides, const char* full_name, FilParameters* parameters, char reason[FIL_REASON_TEXT])
{
    reason[0] = '\0';
    for (size_t i = 0; overrides != NULL && i < overrides->num_nodes; i++) {
        if (!fil_override_matches(overrides->node_names[i], full_name)) {
            continue;
        }
        const rcl_node_params_t* node = &overrides->params[i];
        for (size_t k = 0; k < node->num_params; k++) {
            FilParameter* parameter = fil_parameters_find(parameters, node->parameter_names[k]);
            const FilParameterValue value = convert(&node->parameter_values[k]);
            if (parameter == NULL) {
                continue;
            }
            if (!fil_parameters_set(parameters, parameter->name, &value, reason)) {
                return false;
            }
        }
    }
    return true;
}

const char* fil_overrides_unknown(const rcl_params_t* overrides, const char* full_name, FilParameters* parameters, size_t k)
{
    for (size_t i = 0; overrides != NULL && i < overrides->num_nodes; i++) {
        const rcl_node_params_t* node = &overrides->params[i];
        const bool ours = fil_override_matches(overrides->node_names[i], full_name);
        for (size_t j = 0; ours && j < node->num_params; j++) {
            if (fil_parameters_find(parameters, node->parameter_names[j]) == NULL && k-- == 0) {
                return node->parameter_names[j];
            }
        }
    }
    return NULL;
}
