/* The message of the last failed call in this thread. */
#ifndef RCL__ERROR_HANDLING_H_
#define RCL__ERROR_HANDLING_H_

#include "rcutils/error_handling.h"

typedef rcutils_error_string_t rcl_error_string_t;

#define RCL_SET_ERROR_MSG(msg) RCUTILS_SET_ERROR_MSG(msg)
#define RCL_SET_ERROR_MSG_WITH_FORMAT_STRING(fmt_str, ...) RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING(fmt_str, __VA_ARGS__)
#define rcl_error_is_set rcutils_error_is_set
#define rcl_get_error_string rcutils_get_error_string
#define rcl_reset_error rcutils_reset_error

#endif
