/* All message and service types that were built in, by name. */
#ifndef FILUM_EMBEDDED_TYPES_H
#define FILUM_EMBEDDED_TYPES_H

#include <stddef.h>

#include "rosidl_runtime_c/message_type_support_struct.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

typedef struct FilMessageType {
    const char* name; /* "package/msg/Name"; requests and responses are "package/srv/Name_Request", ..._Response */
    const rosidl_message_type_support_t* (*support)(void);
} FilMessageType;

typedef struct FilServiceType {
    const char* name; /* "package/srv/Name" */
    const rosidl_service_type_support_t* (*support)(void);
} FilServiceType;

const FilMessageType* fil_message_types(size_t* count);
const FilServiceType* fil_service_types(size_t* count);

#endif
