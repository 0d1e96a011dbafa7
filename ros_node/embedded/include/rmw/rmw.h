/* Messages to bytes and back, as in rmw. */
#ifndef RMW__RMW_H_
#define RMW__RMW_H_

#include "rmw/serialized_message.h"
#include "rmw/types.h"
#include "rosidl_runtime_c/message_type_support_struct.h"

/* Grows `serialized_message`, which must be initialised, if need be. Both set the error message. */
rmw_ret_t rmw_serialize(const void* ros_message, const rosidl_message_type_support_t* type_support, rmw_serialized_message_t* serialized_message);
rmw_ret_t rmw_deserialize(const rmw_serialized_message_t* serialized_message, const rosidl_message_type_support_t* type_support, void* ros_message);

#endif
