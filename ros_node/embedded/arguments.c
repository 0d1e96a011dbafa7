/* Reads the command line: everything between --ros-args and -- (or the end). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments_impl.h"
#include "rcl/error_handling.h"
#include "rcl_yaml_param_parser/parser.h"
#include "rcutils/logging.h"

rcl_arguments_t rcl_get_zero_initialized_arguments(void)
{
    return (rcl_arguments_t){NULL};
}

/* ---- rules ---- */

/* the text before and behind the first `separator`; both NULL when it is missing or memory is out */
static bool split(const char* rule, const char* separator, char** left, char** right)
{
    const char* at = strstr(rule, separator);
    *left = at != NULL ? strndup(rule, (size_t)(at - rule)) : NULL;
    *right = *left != NULL ? strdup(at + strlen(separator)) : NULL;
    if (*right == NULL) {
        free(*left);
        *left = NULL;
    }
    return *right != NULL;
}

/* takes a node name off the front of "node:name"; a URL scheme is no node name */
static char* take_node_prefix(char* name)
{
    char* colon = strchr(name, ':');
    if (colon == NULL || strncmp(colon, "://", 3) == 0) {
        return NULL;
    }
    char* node = strndup(name, (size_t)(colon - name));
    memmove(name, colon + 1, strlen(colon + 1) + 1);
    return node;
}

/* drops a prefix if it is there */
static bool take_scheme(char* name, const char* scheme)
{
    const size_t length = strlen(scheme);
    if (strncmp(name, scheme, length) != 0) {
        return false;
    }
    memmove(name, name + length, strlen(name + length) + 1);
    return true;
}

static rcl_ret_t add_remap(rcl_arguments_impl_t* impl, const char* rule)
{
    FilRemap* grown = realloc(impl->remaps, (impl->remap_count + 1) * sizeof *grown);
    if (grown == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    impl->remaps = grown;
    FilRemap remap = {0};
    if (!split(rule, ":=", &remap.from, &remap.to) || remap.from[0] == '\0' || remap.to[0] == '\0') {
        free(remap.from);
        free(remap.to);
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' is not a remap rule; expected from:=to", rule);
        return RCL_RET_INVALID_REMAP_RULE;
    }
    remap.node = take_node_prefix(remap.from);
    if (strcmp(remap.from, "__node") == 0 || strcmp(remap.from, "__name") == 0) {
        remap.kinds = FIL_REMAP_NODE_NAME;
    } else if (strcmp(remap.from, "__ns") == 0) {
        remap.kinds = FIL_REMAP_NAMESPACE;
    } else if (take_scheme(remap.from, "rostopic://")) {
        remap.kinds = FIL_REMAP_TOPIC;
    } else if (take_scheme(remap.from, "rosservice://")) {
        remap.kinds = FIL_REMAP_SERVICE;
    } else {
        remap.kinds = FIL_REMAP_TOPIC | FIL_REMAP_SERVICE;
    }
    impl->remaps[impl->remap_count++] = remap;
    return RCL_RET_OK;
}

static rcl_ret_t need_params(rcl_arguments_impl_t* impl)
{
    if (impl->params == NULL) {
        impl->params = rcl_yaml_node_struct_init(rcutils_get_default_allocator());
    }
    if (impl->params == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    return RCL_RET_OK;
}

static rcl_ret_t add_param(rcl_arguments_impl_t* impl, const char* rule)
{
    char* name;
    char* value;
    if (!split(rule, ":=", &name, &value) || name[0] == '\0') {
        free(name);
        free(value);
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' is not a parameter; expected name:=value", rule);
        return RCL_RET_INVALID_PARAM_RULE;
    }
    char* node = take_node_prefix(name);
    rcl_ret_t ret = need_params(impl);
    if (ret == RCL_RET_OK && !rcl_parse_yaml_value(node != NULL ? node : "/**", name, value, impl->params)) {
        ret = RCL_RET_INVALID_PARAM_RULE;
    }
    free(node);
    free(name);
    free(value);
    return ret;
}

static rcl_ret_t add_param_file(rcl_arguments_impl_t* impl, const char* path)
{
    const rcl_ret_t ret = need_params(impl);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    return rcl_parse_yaml_file(path, impl->params) ? RCL_RET_OK : RCL_RET_ERROR;
}

static rcl_ret_t add_log_level(rcl_arguments_impl_t* impl, const char* rule)
{
    FilLogLevel* grown = realloc(impl->levels, (impl->level_count + 1) * sizeof *grown);
    if (grown == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    impl->levels = grown;
    FilLogLevel level = {0};
    char* name = NULL;
    split(rule, ":=", &level.logger, &name);
    const bool known =
        rcutils_logging_severity_level_from_string(name != NULL ? name : rule, rcutils_get_default_allocator(), &level.level) == RCUTILS_RET_OK;
    free(name);
    if (!known) {
        free(level.logger);
        rcutils_reset_error();
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' is not a log level; expected debug, info, warn, error or fatal, or logger:=level", rule);
        return RCL_RET_INVALID_LOG_LEVEL_RULE;
    }
    impl->levels[impl->level_count++] = level;
    return RCL_RET_OK;
}

/* for what rcl understands and this layer need not do */
static rcl_ret_t accept(rcl_arguments_impl_t* impl, const char* value)
{
    (void)impl;
    (void)value;
    return RCL_RET_OK;
}

static rcl_ret_t disable_rosout(rcl_arguments_impl_t* impl, const char* value)
{
    (void)value;
    impl->rosout_disabled = true;
    return RCL_RET_OK;
}

static rcl_ret_t enable_rosout(rcl_arguments_impl_t* impl, const char* value)
{
    (void)value;
    impl->rosout_disabled = false;
    return RCL_RET_OK;
}

static rcl_ret_t disable_stdout(rcl_arguments_impl_t* impl, const char* value)
{
    (void)value;
    impl->stdout_disabled = true;
    return RCL_RET_OK;
}

static rcl_ret_t enable_stdout(rcl_arguments_impl_t* impl, const char* value)
{
    (void)value;
    impl->stdout_disabled = false;
    return RCL_RET_OK;
}

/* ---- the command line ---- */

typedef struct Flag {
    const char* name;
    const char* short_name;
    bool has_value;
    rcl_ret_t (*apply)(rcl_arguments_impl_t* impl, const char* value);
} Flag;

static const Flag flags[] = {
    {"--remap", "-r", true, add_remap},
    {"--param", "-p", true, add_param},
    {"--params-file", NULL, true, add_param_file},
    {"--log-level", NULL, true, add_log_level},
    {"--enclave", "-e", true, accept},
    {"--log-config-file", NULL, true, accept},
    {"--enable-rosout-logs", NULL, false, enable_rosout},
    {"--disable-rosout-logs", NULL, false, disable_rosout},
    {"--enable-stdout-logs", NULL, false, enable_stdout},
    {"--disable-stdout-logs", NULL, false, disable_stdout},
    {"--enable-external-lib-logs", NULL, false, accept},
    {"--disable-external-lib-logs", NULL, false, accept},
};

static const Flag* find_flag(const char* argument)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(argument, flags[i].name) == 0 || (flags[i].short_name != NULL && strcmp(argument, flags[i].short_name) == 0)) {
            return &flags[i];
        }
    }
    return NULL;
}

/* applies the flag at argv[*i] and moves *i to its last word */
static rcl_ret_t parse_flag(rcl_arguments_impl_t* impl, int argc, const char* const* argv, int* i)
{
    const Flag* flag = find_flag(argv[*i]);
    if (flag == NULL) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("unknown ROS argument '%s'", argv[*i]);
        return RCL_RET_INVALID_ROS_ARGS;
    }
    if (!flag->has_value) {
        return flag->apply(impl, NULL);
    }
    if (*i + 1 >= argc) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' needs a value", argv[*i]);
        return RCL_RET_INVALID_ROS_ARGS;
    }
    *i += 1;
    return flag->apply(impl, argv[*i]);
}

static rcl_ret_t parse(rcl_arguments_impl_t* impl, int argc, const char* const* argv)
{
    bool ros = false;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--ros-args") == 0) {
            ros = true;
        } else if (ros && strcmp(argv[i], "--") == 0) {
            ros = false;
        } else if (ros) {
            const rcl_ret_t ret = parse_flag(impl, argc, argv, &i);
            if (ret != RCL_RET_OK) {
                return ret;
            }
        } else {
            impl->unparsed[impl->unparsed_count++] = i;
        }
    }
    return RCL_RET_OK;
}

rcl_ret_t rcl_parse_arguments(int argc, const char* const* argv, rcl_allocator_t allocator, rcl_arguments_t* args_output)
{
    (void)allocator;
    if (args_output == NULL || argc < 0 || (argc > 0 && argv == NULL)) {
        RCL_SET_ERROR_MSG("bad argument");
        return RCL_RET_INVALID_ARGUMENT;
    }
    rcl_arguments_impl_t* impl = calloc(1, sizeof *impl);
    if (impl != NULL) {
        impl->unparsed = calloc((size_t)argc + 1, sizeof *impl->unparsed);
    }
    if (impl == NULL || impl->unparsed == NULL) {
        free(impl);
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    args_output->impl = impl;
    const rcl_ret_t ret = parse(impl, argc, argv);
    if (ret != RCL_RET_OK && rcl_arguments_fini(args_output) != RCL_RET_OK) {
        return RCL_RET_ERROR;
    }
    return ret;
}

rcl_ret_t rcl_arguments_fini(rcl_arguments_t* args)
{
    rcl_arguments_impl_t* impl = args->impl;
    if (impl == NULL) {
        return RCL_RET_OK;
    }
    for (size_t i = 0; i < impl->remap_count; i++) {
        free(impl->remaps[i].node);
        free(impl->remaps[i].from);
        free(impl->remaps[i].to);
    }
    for (size_t i = 0; i < impl->level_count; i++) {
        free(impl->levels[i].logger);
    }
    rcl_yaml_node_struct_fini(impl->params);
    free(impl->remaps);
    free(impl->levels);
    free(impl->unparsed);
    free(impl);
    args->impl = NULL;
    return RCL_RET_OK;
}

int rcl_arguments_get_count_unparsed(const rcl_arguments_t* args)
{
    return args->impl != NULL ? args->impl->unparsed_count : -1;
}

rcl_ret_t rcl_arguments_get_unparsed(const rcl_arguments_t* args, rcl_allocator_t allocator, int** output_unparsed_indices)
{
    const size_t count = (size_t)args->impl->unparsed_count;
    *output_unparsed_indices = NULL;
    if (count == 0) {
        return RCL_RET_OK;
    }
    *output_unparsed_indices = allocator.allocate(count * sizeof(int), allocator.state);
    if (*output_unparsed_indices == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    memcpy(*output_unparsed_indices, args->impl->unparsed, count * sizeof(int));
    return RCL_RET_OK;
}

rcl_ret_t rcl_arguments_get_param_overrides(const rcl_arguments_t* arguments, rcl_params_t** parameter_overrides)
{
    *parameter_overrides = NULL;
    if (arguments->impl == NULL || arguments->impl->params == NULL) {
        return RCL_RET_OK;
    }
    *parameter_overrides = rcl_yaml_node_struct_copy(arguments->impl->params);
    if (*parameter_overrides == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    return RCL_RET_OK;
}
