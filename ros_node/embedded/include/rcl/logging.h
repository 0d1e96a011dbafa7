/* Logging to the console and to /rosout, through rcutils. */
#ifndef RCL__LOGGING_H_
#define RCL__LOGGING_H_

#include "rcl/arguments.h"
#include "rcutils/logging.h"

/* Sets levels and outputs from --log-level and --enable/disable-... of the command line. */
RCL_WARN_UNUSED rcl_ret_t rcl_logging_configure(const rcl_arguments_t* global_args, const rcl_allocator_t* allocator);
rcl_ret_t rcl_logging_fini(void);
bool rcl_logging_rosout_enabled(void);

#endif
