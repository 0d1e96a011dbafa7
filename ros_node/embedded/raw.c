#include "raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_impl.h"
#include "rcl/error_handling.h"

struct FilRaw {
    const rcl_node_t* node;
    FilEndpoint endpoint;
};

struct FilRawWaiter {
    dds_entity_t set;
};

/* "package/msg/Name" to "package::msg::dds_::Name_" */
static bool mangle(const char* type, char* name, size_t size)
{
    const char* first = strchr(type, '/');
    const char* second = first != NULL ? strchr(first + 1, '/') : NULL;
    if (second == NULL || strchr(second + 1, '/') != NULL) {
        return false;
    }
    const int length = snprintf(name, size, "%.*s::%.*s::dds_::%s_", (int)(first - type), type, (int)(second - first - 1), first + 1, second + 1);
    return length > 0 && (size_t)length < size;
}

static rcl_ret_t out_of_memory(void)
{
    RCL_SET_ERROR_MSG("out of memory");
    return RCL_RET_BAD_ALLOC;
}

rcl_ret_t fil_raw_create(const rcl_node_t* node, bool is_writer, const char* topic, const char* type, const rmw_qos_profile_t* qos, FilRaw** raw)
{
    char name[FIL_NAME_MAX];
    *raw = NULL;
    if (!fil_name_is_absolute(topic, false) || !mangle(type, name, sizeof name)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%s of type %s is no topic of ROS", topic, type);
        return RCL_RET_INVALID_ARGUMENT;
    }
    FilRaw* made = calloc(1, sizeof *made);
    if (made == NULL) {
        return out_of_memory();
    }
    made->node = node;
    const rcl_ret_t ret = fil_node_add_typed_endpoint(node, is_writer, "rt", topic, "", name, qos, "implementation=filum;", &made->endpoint);
    if (ret != RCL_RET_OK) {
        free(made);
        return ret;
    }
    *raw = made;
    return RCL_RET_OK;
}

rcl_ret_t fil_raw_destroy(FilRaw* raw)
{
    const rcl_ret_t ret = raw != NULL ? fil_node_remove_endpoint(raw->node, &raw->endpoint) : RCL_RET_OK;
    free(raw);
    return ret;
}

size_t fil_raw_matched(const FilRaw* raw)
{
    size_t count = 0;
    if (fil_endpoint_matched(&raw->endpoint, &count) != RCL_RET_OK) {
        rcl_reset_error();
    }
    return count;
}

/* ---- reading ---- */

bool fil_raw_take(const FilRaw* raw, FilRawSample* sample)
{
    dds_sample_info_t info;
    struct ddsi_serdata* held = fil_endpoint_take(&raw->endpoint, &info);
    if (held == NULL) {
        return false;
    }
    sample->bytes = fil_sample_bytes(held, &sample->size);
    sample->source_time = info.source_timestamp;
    sample->held = held;
    return true;
}

void fil_raw_release(FilRawSample* sample)
{
    fil_sample_release(sample->held);
}

uint64_t fil_raw_lost(const FilRaw* raw)
{
    dds_sample_lost_status_t status;
    return dds_get_sample_lost_status(raw->endpoint.entity, &status) == DDS_RETCODE_OK ? status.total_count : 0;
}

rcl_ret_t fil_raw_waiter_create(const rcl_node_t* node, FilRawWaiter** waiter)
{
    *waiter = calloc(1, sizeof **waiter);
    if (*waiter == NULL) {
        return out_of_memory();
    }
    (*waiter)->set = dds_create_waitset(node->context->impl->participant.entity);
    if ((*waiter)->set < 0) {
        fil_dds_error("cannot make a wait set", (*waiter)->set);
        free(*waiter);
        *waiter = NULL;
        return RCL_RET_ERROR;
    }
    return RCL_RET_OK;
}

rcl_ret_t fil_raw_waiter_add(FilRawWaiter* waiter, const FilRaw* raw)
{
    // a condition stays true as long as anything is unread; it ends with its reader
    const dds_entity_t condition = dds_create_readcondition(raw->endpoint.entity, DDS_ANY_STATE);
    const dds_return_t code = condition < 0 ? condition : dds_waitset_attach(waiter->set, condition, 0);
    if (code < 0) {
        fil_dds_error("cannot wait for a reader", code);
        return RCL_RET_ERROR;
    }
    return RCL_RET_OK;
}

void fil_raw_waiter_wait(FilRawWaiter* waiter, double seconds)
{
    // whoever waits looks at all readers anyway
    const dds_return_t woken = dds_waitset_wait(waiter->set, NULL, 0, (dds_duration_t)(1e9 * seconds));
    (void)woken;
}

void fil_raw_waiter_destroy(FilRawWaiter* waiter)
{
    if (waiter != NULL) {
        dds_delete(waiter->set);
        free(waiter);
    }
}

/* ---- writing ---- */

rcl_ret_t fil_raw_send(const FilRaw* raw, const uint8_t* bytes, size_t size)
{
    return fil_endpoint_write_bytes(&raw->endpoint, bytes, size);
}

bool fil_raw_flush(const FilRaw* raw, double seconds)
{
    return dds_wait_for_acks(raw->endpoint.entity, (dds_duration_t)(1e9 * seconds)) == DDS_RETCODE_OK;
}
