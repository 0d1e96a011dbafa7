/* The command line and parameter files. */
/* ctest: embedded */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "arguments_impl.h"
#include "rcl/error_handling.h"
#include "rcl_yaml_param_parser/parser.h"
#include "rcutils/logging.h"

/* writes a temporary file and returns its name, to be removed and freed */
static char* write_file(const char* text)
{
    char* path = strdup("/tmp/filum_test_XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    return path;
}

static void remove_file(char* path)
{
    unlink(path);
    free(path);
}

static rcl_ret_t parse(int argc, const char* const* argv, rcl_arguments_t* arguments)
{
    *arguments = rcl_get_zero_initialized_arguments();
    return rcl_parse_arguments(argc, argv, rcl_get_default_allocator(), arguments);
}

static const rcl_variant_t* find(const rcl_params_t* params, const char* node, const char* name)
{
    for (size_t i = 0; i < params->num_nodes; i++) {
        for (size_t k = 0; strcmp(params->node_names[i], node) == 0 && k < params->params[i].num_params; k++) {
            if (strcmp(params->params[i].parameter_names[k], name) == 0) {
                return &params->params[i].parameter_values[k];
            }
        }
    }
    return NULL;
}

static void separates_ros_arguments(void** state)
{
    (void)state;
    const char* argv[] = {"program",     "scene.yaml",  "--ros-args",           "-r", "a:=b", "--", "--quiet", "--ros-args", "--log-level", "debug",
                          "--log-level", "filum:=WARN", "--disable-rosout-logs"};
    rcl_arguments_t arguments;
    assert_int_equal(parse(sizeof argv / sizeof *argv, argv, &arguments), RCL_RET_OK);
    assert_int_equal(rcl_arguments_get_count_unparsed(&arguments), 3);
    const rcl_arguments_t none = rcl_get_zero_initialized_arguments();
    assert_int_equal(rcl_arguments_get_count_unparsed(&none), -1);
    int* unparsed;
    assert_int_equal(rcl_arguments_get_unparsed(&arguments, rcl_get_default_allocator(), &unparsed), RCL_RET_OK);
    assert_int_equal(unparsed[0], 0);
    assert_int_equal(unparsed[1], 1);
    assert_int_equal(unparsed[2], 6);
    free(unparsed);
    assert_int_equal(arguments.impl->level_count, 2);
    assert_null(arguments.impl->levels[0].logger);
    assert_int_equal(arguments.impl->levels[0].level, RCUTILS_LOG_SEVERITY_DEBUG);
    assert_string_equal(arguments.impl->levels[1].logger, "filum");
    assert_int_equal(arguments.impl->levels[1].level, RCUTILS_LOG_SEVERITY_WARN);
    assert_true(arguments.impl->rosout_disabled);
    rcl_params_t* params;
    assert_int_equal(rcl_arguments_get_param_overrides(&arguments, &params), RCL_RET_OK);
    assert_null(params);
    assert_int_equal(rcl_arguments_fini(&arguments), RCL_RET_OK);
}

static void refuses_bad_arguments(void** state)
{
    (void)state;
    static const struct {
        const char *flag, *value, *message;
        rcl_ret_t ret;
    } cases[] = {
        {"-r", "a=b", "'a=b' is not a remap rule", RCL_RET_INVALID_REMAP_RULE},
        {"-r", ":=b", "':=b' is not a remap rule", RCL_RET_INVALID_REMAP_RULE},
        {"-p", "a", "'a' is not a parameter", RCL_RET_INVALID_PARAM_RULE},
        {"-p", "a:=", "a: expected a scalar", RCL_RET_INVALID_PARAM_RULE},
        {"-p", "a:={b: 1}", "a: expected a scalar", RCL_RET_INVALID_PARAM_RULE},
        {"-p", "a:=[1, x]", "a:1: a sequence may hold values of one type only", RCL_RET_INVALID_PARAM_RULE},
        {"--log-level", "loud", "'loud' is not a log level", RCL_RET_INVALID_LOG_LEVEL_RULE},
        {"--params-file", "/does/not/exist", "/does/not/exist: No such file", RCL_RET_ERROR},
        {"--what", "x", "unknown ROS argument '--what'", RCL_RET_INVALID_ROS_ARGS},
        {"-r", NULL, "'-r' needs a value", RCL_RET_INVALID_ROS_ARGS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char* argv[] = {"--ros-args", cases[i].flag, cases[i].value};
        rcl_arguments_t arguments;
        assert_int_equal(parse(cases[i].value != NULL ? 3 : 2, argv, &arguments), cases[i].ret);
        assert_non_null(strstr(rcl_get_error_string().str, cases[i].message));
        rcl_reset_error();
        assert_null(arguments.impl);
    }
}

static void values_get_types(void** state)
{
    (void)state;
    const char* argv[] = {"--ros-args",       "-p", "b:=true", "-p", "i:=-7",       "-p", "h:=0x10",   "-p", "d:=1e-3",   "-p", "n:=.nan",  "-p",
                          "s:=text",          "-p", "q:='12'", "-p", "node:x.y:=1", "-p", "l:=[1, 2]", "-p", "w:=[a, b]", "-p", "v:=[1.5]", "-p",
                          "o:=[true, false]", "-p", "i:=8",    "-p", "m:=-.inf",    "-p", "t:=nan"};
    rcl_arguments_t arguments;
    assert_int_equal(parse(sizeof argv / sizeof *argv, argv, &arguments), RCL_RET_OK);
    rcl_params_t* params;
    assert_int_equal(rcl_arguments_get_param_overrides(&arguments, &params), RCL_RET_OK);
    assert_int_equal(rcl_arguments_fini(&arguments), RCL_RET_OK);  // what was handed out is a copy
    assert_true(*find(params, "/**", "b")->bool_value);
    assert_int_equal(*find(params, "/**", "i")->integer_value, 8);  // the last one wins
    assert_int_equal(*find(params, "/**", "h")->integer_value, 16);
    assert_true(*find(params, "/**", "d")->double_value == 1e-3);
    assert_true(isnan(*find(params, "/**", "n")->double_value));
    assert_true(isinf(*find(params, "/**", "m")->double_value));
    assert_string_equal(find(params, "/**", "s")->string_value, "text");
    assert_string_equal(find(params, "/**", "t")->string_value, "nan");
    assert_string_equal(find(params, "/**", "q")->string_value, "12");
    assert_int_equal(*find(params, "node", "x.y")->integer_value, 1);
    assert_int_equal(find(params, "/**", "l")->integer_array_value->values[1], 2);
    assert_string_equal(find(params, "/**", "w")->string_array_value->data[1], "b");
    assert_true(find(params, "/**", "v")->double_array_value->values[0] == 1.5);
    assert_false(find(params, "/**", "o")->bool_array_value->values[1]);
    rcl_yaml_node_struct_fini(params);
}

static void files_name_nodes_and_nest(void** state)
{
    (void)state;
    char* path = write_file(
        "/**:\n  ros__parameters:\n    a: 1\n    deep: {x: {y: 2.5}}\n"
        "filum:\n  ros__parameters: {a: 2}\n"
        "ns:\n  /filum:\n    ros__parameters: {a: 3}\n  other:\n    ros__parameters: {a: [p, q]}\n");
    const char* argv[] = {"--ros-args", "-p", "a:=0", "--params-file", path, "-p", "filum:b:=4"};
    rcl_arguments_t arguments;
    assert_int_equal(parse(sizeof argv / sizeof *argv, argv, &arguments), RCL_RET_OK);
    const rcl_params_t* params = arguments.impl->params;
    assert_int_equal(params->num_nodes, 4);
    assert_string_equal(params->node_names[0], "/**");
    assert_string_equal(params->node_names[1], "filum");
    assert_string_equal(params->node_names[2], "ns/filum");
    assert_string_equal(params->node_names[3], "ns/other");
    assert_int_equal(*find(params, "/**", "a")->integer_value, 1);  // the file came later
    assert_true(*find(params, "/**", "deep.x.y")->double_value == 2.5);
    assert_int_equal(*find(params, "filum", "a")->integer_value, 2);
    assert_int_equal(*find(params, "filum", "b")->integer_value, 4);
    assert_int_equal(*find(params, "ns/filum", "a")->integer_value, 3);
    assert_int_equal(find(params, "ns/other", "a")->string_array_value->size, 2);
    assert_int_equal(rcl_arguments_fini(&arguments), RCL_RET_OK);
    remove_file(path);
}

static void refuses_bad_files(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a: [1\n", ":2: "},
        {"- 1\n", ":1: expected node names"},
        {"filum:\n  a: 1\n", ":2: expected node names"},
        {"ros__parameters: {a: 1}\n", ":1: ros__parameters needs a node name"},
        {"filum:\n  ros__parameters: 3\n", ":2: expected parameter names"},
        {"filum:\n  ros__parameters:\n    a: [[1]]\n", ":3: a sequence may hold scalars only"},
        {"filum:\n  ros__parameters:\n    [a]: 1\n", ":3: not a parameter name"},
        // each level of aliases has ten times the values of the one before
        {"x: &a {ros__parameters: &p {v: 1}}\n"
         "b: &b {a: *a, b: *a, c: *a, d: *a, e: *a, f: *a, g: *a, h: *a, i: *a, j: *a}\n"
         "c: &c {a: *b, b: *b, c: *b, d: *b, e: *b, f: *b, g: *b, h: *b, i: *b, j: *b}\n"
         "d: &d {a: *c, b: *c, c: *c, d: *c, e: *c, f: *c, g: *c, h: *c, i: *c, j: *c}\n"
         "e: &e {a: *d, b: *d, c: *d, d: *d, e: *d, f: *d, g: *d, h: *d, i: *d, j: *d}\n"
         "f: &f {a: *e, b: *e, c: *e, d: *e, e: *e, f: *e, g: *e, h: *e, i: *e, j: *e}\n",
         "too many values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char* path = write_file(cases[i].text);
        rcl_params_t* params = rcl_yaml_node_struct_init(rcl_get_default_allocator());
        assert_false(rcl_parse_yaml_file(path, params));
        assert_non_null(strstr(rcl_get_error_string().str, cases[i].message));
        rcl_reset_error();
        rcl_yaml_node_struct_fini(params);
        remove_file(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separates_ros_arguments),   cmocka_unit_test(refuses_bad_arguments), cmocka_unit_test(values_get_types),
        cmocka_unit_test(files_name_nodes_and_nest), cmocka_unit_test(refuses_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
