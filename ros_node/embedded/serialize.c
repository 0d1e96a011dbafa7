/* Messages to bytes and back, outside of any endpoint. */
#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rmw/rmw.h"

rmw_ret_t rmw_serialize(const void* ros_message, const rosidl_message_type_support_t* type_support, rmw_serialized_message_t* serialized_message)
{
    const FilMessageMembers* type = fil_message_members(type_support);
    if (type == NULL) {
        return RMW_RET_INVALID_ARGUMENT;
    }
    FilCdrWriter counter = {0};
    fil_cdr_write_message(&counter, type, ros_message);
    if (counter.failed) {
        RCL_SET_ERROR_MSG("a field is beyond its bound");
        return RMW_RET_ERROR;
    }
    const size_t size = FIL_CDR_HEADER + counter.at;
    if (size > serialized_message->buffer_capacity && rmw_serialized_message_resize(serialized_message, size) != RCUTILS_RET_OK) {
        return RMW_RET_BAD_ALLOC;
    }
    fil_cdr_write_header(serialized_message->buffer);
    FilCdrWriter writer = {.body = serialized_message->buffer + FIL_CDR_HEADER};
    fil_cdr_write_message(&writer, type, ros_message);
    serialized_message->buffer_length = size;
    return RMW_RET_OK;
}

rmw_ret_t rmw_deserialize(const rmw_serialized_message_t* serialized_message, const rosidl_message_type_support_t* type_support, void* ros_message)
{
    const FilMessageMembers* type = fil_message_members(type_support);
    if (type == NULL) {
        return RMW_RET_INVALID_ARGUMENT;
    }
    FilCdrReader reader;
    if (!fil_cdr_reader_open(&reader, serialized_message->buffer, serialized_message->buffer_length) ||
        !fil_cdr_read_message(&reader, type, ros_message)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%zu bytes are not a %s", serialized_message->buffer_length, type->message_name_);
        return RMW_RET_ERROR;
    }
    return RMW_RET_OK;
}
