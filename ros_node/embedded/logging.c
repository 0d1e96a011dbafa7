/* Logging: the console and /rosout, behind rcutils' one output handler.
 *
 * rcutils keeps its logging state per process, and so must what hangs on its handler: which outputs are on, and the
 * /rosout publishers by logger name. A mutex guards them, for any thread may log.
 */
#include "rcl/logging.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arguments_impl.h"
#include "rcl/error_handling.h"
#include "rcl/logging_rosout.h"
#include "rcl/publisher.h"
#include "rcl_interfaces/msg/log.h"
#include "rosidl_runtime_c/string_functions.h"

/* 64 worlds (FIL_MAX_WORLDS), and the programs' own; bytes of a message, beyond which it is cut. */
enum { MAX_LOGGERS = 80, MESSAGE_MAX = 2048 };

static struct {
    pthread_mutex_t mutex;
    bool to_console;
    bool to_rosout;
    struct {
        const char* logger; /* the node's; NULL when free */
        rcl_publisher_t publisher;
    } rosout[MAX_LOGGERS];
} outputs = {.mutex = PTHREAD_MUTEX_INITIALIZER, .to_console = true};

/* ---- /rosout ---- */

static int find_logger(const char* logger)
{
    for (int i = 0; i < MAX_LOGGERS; i++) {
        const char* known = outputs.rosout[i].logger;
        if (logger == NULL ? known == NULL : known != NULL && strcmp(known, logger) == 0) {
            return i;
        }
    }
    return -1;
}

rcl_ret_t rcl_logging_rosout_init_publisher_for_node(rcl_node_t* node)
{
    if (!rcl_node_is_valid(node)) {
        RCL_SET_ERROR_MSG("the node is not initialised");
        return RCL_RET_NODE_INVALID;
    }
    rcl_publisher_options_t options = rcl_publisher_get_default_options();
    options.qos = rcl_node_get_options(node)->rosout_qos;
    rcl_publisher_t publisher;
    rcl_ret_t ret = rcl_publisher_init(&publisher, node, ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, Log), "/rosout", &options);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    pthread_mutex_lock(&outputs.mutex);
    const int slot = find_logger(rcl_node_get_logger_name(node)) < 0 ? find_logger(NULL) : -1;
    if (slot >= 0) {
        outputs.rosout[slot].logger = rcl_node_get_logger_name(node);
        outputs.rosout[slot].publisher = publisher;
    }
    pthread_mutex_unlock(&outputs.mutex);
    if (slot < 0) {
        ret = rcl_publisher_fini(&publisher, node);
        RCL_SET_ERROR_MSG("too many nodes, or two of one name, log to /rosout");
        return RCL_RET_ERROR;
    }
    return RCL_RET_OK;
}

rcl_ret_t rcl_logging_rosout_fini_publisher_for_node(rcl_node_t* node)
{
    pthread_mutex_lock(&outputs.mutex);
    const int slot = find_logger(rcl_node_get_logger_name(node));
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    if (slot >= 0) {
        publisher = outputs.rosout[slot].publisher;
        outputs.rosout[slot].logger = NULL;
    }
    pthread_mutex_unlock(&outputs.mutex);
    return rcl_publisher_fini(&publisher, node);
}

static bool fill_log(rcl_interfaces__msg__Log* log, const rcutils_log_location_t* location, int severity, const char* name,
                     rcutils_time_point_value_t timestamp, const char* text)
{
    log->stamp.sec = (int32_t)(timestamp / 1000000000);
    log->stamp.nanosec = (uint32_t)(timestamp % 1000000000);
    log->level = (uint8_t)severity;
    log->line = location != NULL ? (uint32_t)location->line_number : 0;
    return rosidl_runtime_c__String__assign(&log->name, name) && rosidl_runtime_c__String__assign(&log->msg, text) &&
           rosidl_runtime_c__String__assign(&log->file, location != NULL ? location->file_name : "") &&
           rosidl_runtime_c__String__assign(&log->function, location != NULL ? location->function_name : "");
}

void rcl_logging_rosout_output_handler(const rcutils_log_location_t* location, int severity, const char* name, rcutils_time_point_value_t timestamp,
                                       const char* format, va_list* args)
{
    pthread_mutex_lock(&outputs.mutex);
    const int slot = name != NULL ? find_logger(name) : -1;
    if (slot >= 0) {
        char text[MESSAGE_MAX];
        vsnprintf(text, sizeof text, format, *args);
        rcl_interfaces__msg__Log log = {0};
        if (rcl_interfaces__msg__Log__init(&log) && fill_log(&log, location, severity, name, timestamp, text) &&
            rcl_publish(&outputs.rosout[slot].publisher, &log, NULL) != RCL_RET_OK) {
            rcl_reset_error();  // nothing could report it but logging
        }
        rcl_interfaces__msg__Log__fini(&log);
    }
    pthread_mutex_unlock(&outputs.mutex);
}

/* ---- all outputs ---- */

static void output(const rcutils_log_location_t* location, int severity, const char* name, rcutils_time_point_value_t timestamp, const char* format,
                   va_list* args)
{
    // a list of arguments can be walked once only
    va_list copy;
    if (outputs.to_console) {
        va_copy(copy, *args);
        rcutils_logging_console_output_handler(location, severity, name, timestamp, format, &copy);
        va_end(copy);
    }
    if (outputs.to_rosout) {
        va_copy(copy, *args);
        rcl_logging_rosout_output_handler(location, severity, name, timestamp, format, &copy);
        va_end(copy);
    }
}

rcl_ret_t rcl_logging_configure(const rcl_arguments_t* global_args, const rcl_allocator_t* allocator)
{
    if (rcutils_logging_initialize_with_allocator(*allocator) != RCUTILS_RET_OK) {
        return RCL_RET_ERROR;
    }
    const rcl_arguments_impl_t* impl = global_args->impl;
    for (size_t i = 0; impl != NULL && i < impl->level_count; i++) {
        const FilLogLevel* level = &impl->levels[i];
        if (level->logger == NULL) {
            rcutils_logging_set_default_logger_level(level->level);
        } else if (rcutils_logging_set_logger_level(level->logger, level->level) != RCUTILS_RET_OK) {
            return RCL_RET_ERROR;
        }
    }
    outputs.to_console = impl == NULL || !impl->stdout_disabled;
    outputs.to_rosout = impl == NULL || !impl->rosout_disabled;
    rcutils_logging_set_output_handler(output);
    return RCL_RET_OK;
}

rcl_ret_t rcl_logging_fini(void)
{
    rcutils_logging_set_output_handler(rcutils_logging_console_output_handler);
    outputs.to_console = true;
    outputs.to_rosout = false;
    return rcutils_logging_shutdown() == RCUTILS_RET_OK ? RCL_RET_OK : RCL_RET_ERROR;
}

bool rcl_logging_rosout_enabled(void)
{
    return outputs.to_rosout;
}
