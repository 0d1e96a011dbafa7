/* Endpoints: DDS readers and writers of encoded samples, with QoS from an rmw profile. */
#ifndef FILUM_EMBEDDED_ENDPOINT_H
#define FILUM_EMBEDDED_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "cdr.h"
#include "dds/dds.h"
#include "rcl/types.h"
#include "sample.h"

typedef struct FilEndpoint {
    dds_entity_t entity;
    const struct ddsi_sertype* type; /* held by the entity */
    dds_guid_t guid;
    bool is_writer;
} FilEndpoint;

/* `user_data` is "key=value;..."; NULL is fine. Sets the error message. */
rcl_ret_t fil_endpoint_create(dds_entity_t participant, bool is_writer, const char* topic, const char* type_name, const rmw_qos_profile_t* profile,
                              const char* user_data, FilEndpoint* endpoint);
void fil_endpoint_delete(FilEndpoint* endpoint);

/* Encodes and sends a message. `prefix` (a multiple of eight bytes, or NULL) goes between header and message. */
rcl_ret_t fil_endpoint_write(const FilEndpoint* endpoint, const FilMessageMembers* type, const void* message, const uint64_t* prefix,
                             size_t prefix_count);

/* Sends bytes that are encoded already. */
rcl_ret_t fil_endpoint_write_bytes(const FilEndpoint* endpoint, const uint8_t* bytes, size_t size);

/* Takes the next sample that holds data, to be released with fil_sample_release(); NULL when there is none. */
struct ddsi_serdata* fil_endpoint_take(const FilEndpoint* endpoint, dds_sample_info_t* info);
void fil_sample_release(struct ddsi_serdata* sample);

/* Decodes a taken sample; `prefix` receives prefix_count numbers first. False for garbage, with the message set. */
bool fil_sample_read(const struct ddsi_serdata* sample, const FilMessageMembers* type, void* message, uint64_t* prefix, size_t prefix_count);

/* How many remote and local endpoints are connected to this one. */
rcl_ret_t fil_endpoint_matched(const FilEndpoint* endpoint, size_t* count);

/* "package::msg::dds_::Name_" of a message type; false if it does not fit. */
bool fil_type_dds_name(const FilMessageMembers* type, char* name, size_t size);

#endif
