/* libFuzzer harness of parameter files: any bytes as a file of parameters, whose values are then set in a node that has one parameter of each
 * type. What was refused has changed nothing, a number never leaves its range, and a copy holds the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "need.h"
#include "overrides.h"
#include "rcl/rcl.h"
#include "rcl_yaml_param_parser/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static int pointers(const rcl_variant_t* value)
{
    const void* const all[] = {value->bool_value,          value->integer_value,      value->double_value,
                               value->string_value,        value->byte_array_value,   value->bool_array_value,
                               value->integer_array_value, value->double_array_value, value->string_array_value};
    int set = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        set += all[i] != NULL;
    }
    return set;
}

/* The same names with values of the same types. */
static void check_copy(const rcl_params_t* params)
{
    rcl_params_t* copy = rcl_yaml_node_struct_copy(params);
    need(copy != NULL && copy->num_nodes == params->num_nodes);
    for (size_t i = 0; i < params->num_nodes; i++) {
        const rcl_node_params_t *one = &params->params[i], *other = &copy->params[i];
        need(strcmp(params->node_names[i], copy->node_names[i]) == 0 && one->num_params == other->num_params);
        for (size_t k = 0; k < one->num_params; k++) {
            need(strcmp(one->parameter_names[k], other->parameter_names[k]) == 0);
            need(pointers(&one->parameter_values[k]) == 1 && pointers(&other->parameter_values[k]) == 1);
            const char *text = one->parameter_values[k].string_value, *again = other->parameter_values[k].string_value;
            need((text == NULL) == (again == NULL) && (text == NULL || strcmp(text, again) == 0));
        }
    }
    rcl_yaml_node_struct_fini(copy);
}

static void set_values(const rcl_params_t* params)
{
    static FilParameters parameters;
    parameters = (FilParameters){.count = 0};
    fil_parameters_declare(&parameters, "flag", fil_parameter_bool(false), "");
    fil_parameters_declare(&parameters, "count", fil_parameter_integer(1), "")->highest = 10.0;
    fil_parameters_declare(&parameters, "rate", fil_parameter_double(0.5), "")->highest = 1.0;
    fil_parameters_declare(&parameters, "text", fil_parameter_string(""), "");
    char reason[FIL_REASON_TEXT];
    const bool good = fil_overrides_apply(params, "/space/node", &parameters, reason);
    need(good == (reason[0] == '\0') && memchr(reason, '\0', sizeof reason) != NULL);
    const FilParameter* items = parameters.items;
    need(parameters.count == 4 && items[0].value.type == FIL_PARAMETER_BOOL && items[1].value.type == FIL_PARAMETER_INTEGER &&
         items[2].value.type == FIL_PARAMETER_DOUBLE && items[3].value.type == FIL_PARAMETER_STRING);
    need(items[1].value.integer >= 0 && items[1].value.integer <= 10 && items[2].value.real >= 0.0 && items[2].value.real <= 1.0);
    for (size_t k = 0; fil_overrides_unknown(params, "/space/node", &parameters, k) != NULL; k++) {
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static char path[] = "/tmp/fuzz_parameters_XXXXXX";
    static int file = -1;
    if (size > 1 << 14) {
        return 0;
    }
    need(file >= 0 || (file = mkstemp(path)) >= 0);
    need(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    rcl_params_t* params = rcl_yaml_node_struct_init(rcl_get_default_allocator());
    need(params != NULL);
    const bool read = rcl_parse_yaml_file(path, params);
    need(read || rcl_error_is_set());
    rcl_reset_error();
    if (read) {
        check_copy(params);
        set_values(params);
    }
    rcl_yaml_node_struct_fini(params);
    return 0;
}
