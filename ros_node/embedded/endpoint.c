#include "endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dds/ddsi/ddsi_serdata.h"
#include "dds/ddsi/ddsi_sertype.h"
#include "participant.h"
#include "rcl/error_handling.h"

/* a publish that cannot be sent within this time fails instead of holding the simulation up */
#define MAX_BLOCKING DDS_MSECS(5)

/* ---- QoS ---- */

static bool is_set(rmw_time_t time)
{
    return time.sec != 0 || time.nsec != 0;
}

static dds_duration_t duration(rmw_time_t time)
{
    return time.sec > INT64_MAX / 1000000000 - 1 ? DDS_INFINITY : (dds_duration_t)(time.sec * 1000000000u + time.nsec);
}

static void set_history(dds_qos_t* qos, const rmw_qos_profile_t* profile)
{
    const bool all = profile->history == RMW_QOS_POLICY_HISTORY_KEEP_ALL;
    const int32_t depth = profile->depth == 0 ? 1 : profile->depth > INT32_MAX ? INT32_MAX : (int32_t)profile->depth;
    const dds_history_kind_t kind = all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST;
    dds_qset_history(qos, kind, all ? DDS_LENGTH_UNLIMITED : depth);
    if (profile->durability == RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL) {
        dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
        dds_qset_durability_service(qos, DDS_SECS(0), kind, all ? DDS_LENGTH_UNLIMITED : depth, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED,
                                    DDS_LENGTH_UNLIMITED);
    } else {
        dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
    }
}

static dds_qos_t* create_qos(const rmw_qos_profile_t* profile, bool is_writer, const char* user_data)
{
    dds_qos_t* qos = dds_create_qos();
    set_history(qos, profile);
    if (profile->reliability == RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT) {
        dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
    } else {
        dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, MAX_BLOCKING);
    }
    if (is_set(profile->deadline)) {
        dds_qset_deadline(qos, duration(profile->deadline));
    }
    if (is_set(profile->lifespan) && is_writer) {
        dds_qset_lifespan(qos, duration(profile->lifespan));
    }
    const dds_duration_t lease = is_set(profile->liveliness_lease_duration) ? duration(profile->liveliness_lease_duration) : DDS_INFINITY;
    const bool manual = profile->liveliness == RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC;
    dds_qset_liveliness(qos, manual ? DDS_LIVELINESS_MANUAL_BY_TOPIC : DDS_LIVELINESS_AUTOMATIC, lease);
    if (is_writer) {
        dds_qset_writer_data_lifecycle(qos, false);  // without key there is nothing to dispose
    }
    if (user_data != NULL) {
        dds_qset_userdata(qos, user_data, strlen(user_data));
    }
    return qos;
}

/* ---- readers and writers ---- */

rcl_ret_t fil_endpoint_create(dds_entity_t participant, bool is_writer, const char* topic, const char* type_name, const rmw_qos_profile_t* profile,
                              const char* user_data, FilEndpoint* endpoint)
{
    *endpoint = (FilEndpoint){.is_writer = is_writer};
    struct ddsi_sertype* type = fil_sample_type_create(type_name);
    if (type == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    const dds_entity_t topic_entity = dds_create_topic_sertype(participant, topic, &type, NULL, NULL, NULL);
    if (topic_entity < 0) {
        ddsi_sertype_unref(type);
        fil_dds_error(topic, topic_entity);
        return RCL_RET_ERROR;
    }
    dds_qos_t* qos = create_qos(profile, is_writer, user_data);
    endpoint->entity = is_writer ? dds_create_writer(participant, topic_entity, qos, NULL) : dds_create_reader(participant, topic_entity, qos, NULL);
    dds_delete_qos(qos);
    endpoint->type = type;
    dds_delete(topic_entity);  // the reader or writer holds it
    if (endpoint->entity < 0) {
        fil_dds_error(topic, endpoint->entity);
        endpoint->entity = 0;
        return RCL_RET_ERROR;
    }
    const dds_return_t code = dds_get_guid(endpoint->entity, &endpoint->guid);
    if (code != DDS_RETCODE_OK) {
        fil_dds_error(topic, code);
        fil_endpoint_delete(endpoint);
        return RCL_RET_ERROR;
    }
    return RCL_RET_OK;
}

void fil_endpoint_delete(FilEndpoint* endpoint)
{
    if (endpoint->entity > 0) {
        dds_delete(endpoint->entity);
    }
    *endpoint = (FilEndpoint){0};
}

static rcl_ret_t send_sample(const FilEndpoint* endpoint, struct ddsi_serdata* sample)
{
    const dds_return_t code = dds_writecdr(endpoint->entity, sample);  // takes the sample over
    if (code != DDS_RETCODE_OK) {
        fil_dds_error("cannot send", code);
        return code == DDS_RETCODE_TIMEOUT ? RCL_RET_TIMEOUT : RCL_RET_ERROR;
    }
    return RCL_RET_OK;
}

rcl_ret_t fil_endpoint_write(const FilEndpoint* endpoint, const FilMessageMembers* type, const void* message, const uint64_t* prefix,
                             size_t prefix_count)
{
    const size_t prefix_size = prefix_count * sizeof *prefix;
    FilCdrWriter counter = {.at = prefix_size};
    fil_cdr_write_message(&counter, type, message);
    uint8_t* bytes = NULL;
    struct ddsi_serdata* sample = NULL;
    if (!counter.failed) {
        sample = fil_sample_create(endpoint->type, FIL_CDR_HEADER + counter.at, &bytes);
    }
    if (sample == NULL) {
        RCL_SET_ERROR_MSG("message too large, out of memory, or a field beyond its bound");
        return RCL_RET_ERROR;
    }
    fil_cdr_write_header(bytes);
    FilCdrWriter writer = {.body = bytes + FIL_CDR_HEADER};
    for (size_t i = 0; i < prefix_count; i++) {
        fil_cdr_write_number(&writer, &prefix[i], sizeof prefix[i]);
    }
    fil_cdr_write_message(&writer, type, message);
    return send_sample(endpoint, sample);
}

rcl_ret_t fil_endpoint_write_bytes(const FilEndpoint* endpoint, const uint8_t* bytes, size_t size)
{
    uint8_t* copy;
    struct ddsi_serdata* sample = fil_sample_create(endpoint->type, size, &copy);
    if (sample == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    memcpy(copy, bytes, size);
    return send_sample(endpoint, sample);
}

struct ddsi_serdata* fil_endpoint_take(const FilEndpoint* endpoint, dds_sample_info_t* info)
{
    struct ddsi_serdata* sample = NULL;
    while (dds_takecdr(endpoint->entity, &sample, 1, info, DDS_ANY_STATE) == 1) {
        if (info->valid_data) {
            return sample;
        }
        fil_sample_release(sample);  // only the news that a writer went away
    }
    return NULL;
}

void fil_sample_release(struct ddsi_serdata* sample)
{
    ddsi_serdata_unref(sample);
}

bool fil_sample_read(const struct ddsi_serdata* sample, const FilMessageMembers* type, void* message, uint64_t* prefix, size_t prefix_count)
{
    size_t size;
    const uint8_t* bytes = fil_sample_bytes(sample, &size);
    FilCdrReader reader;
    bool good = fil_cdr_reader_open(&reader, bytes, size);
    for (size_t i = 0; good && i < prefix_count; i++) {
        good = fil_cdr_read_number(&reader, &prefix[i], sizeof prefix[i]);
    }
    good = good && fil_cdr_read_message(&reader, type, message);
    if (!good) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%zu bytes that are not a %s were received and dropped", size, type->message_name_);
    }
    return good;
}

rcl_ret_t fil_endpoint_matched(const FilEndpoint* endpoint, size_t* count)
{
    dds_return_t code;
    if (endpoint->is_writer) {
        dds_publication_matched_status_t status;
        code = dds_get_publication_matched_status(endpoint->entity, &status);
        *count = code == DDS_RETCODE_OK ? status.current_count : 0;
    } else {
        dds_subscription_matched_status_t status;
        code = dds_get_subscription_matched_status(endpoint->entity, &status);
        *count = code == DDS_RETCODE_OK ? status.current_count : 0;
    }
    if (code != DDS_RETCODE_OK) {
        fil_dds_error("cannot count what is connected", code);
        return RCL_RET_ERROR;
    }
    return RCL_RET_OK;
}

bool fil_type_dds_name(const FilMessageMembers* type, char* name, size_t size)
{
    // "package__msg" becomes "package::msg"
    const char* space = type->message_namespace_;
    const char* middle = strstr(space, "__");
    if (middle == NULL) {
        return false;
    }
    const int length = snprintf(name, size, "%.*s::%s::dds_::%s_", (int)(middle - space), space, middle + 2, type->message_name_);
    return length > 0 && (size_t)length < size;
}
