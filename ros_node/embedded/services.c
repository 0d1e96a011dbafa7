/* Services and their clients.
 *
 * A request travels on rq/<name>Request, its response on rr/<name>Reply. Both begin with the client's identity (the
 * instance handle of its request writer) and a sequence number; the server sends them back, and each client picks the
 * responses that bear its identity. The two endpoints of one client (or server) carry the same id in their user data,
 * so that the other side can tell when both directions are connected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rclc/client.h"
#include "rclc/service.h"
#include "rmw/qos_profiles.h"
#include "rosidl_typesupport_introspection_c/identifier.h"
#include "rosidl_typesupport_introspection_c/service_introspection.h"
#include "topics_impl.h"

typedef rosidl_typesupport_introspection_c__ServiceMembers ServiceMembers;

/* "clientid=" or "serviceid=", then 16 bytes in hexadecimal with dots; clients of a service that are looked through: a bound of ours. */
enum { ID_SIZE = 80, MAX_CLIENTS = 256 };

/* How long a request is put off because its client could not hear the response: the client's two endpoints are found one after the
 * other, and what is lost of that on the way comes again after some hundred milliseconds only. Then how long its response waits. */
#define REQUEST_WAIT DDS_SECS(2)
#define RESPONSE_WAIT DDS_MSECS(100)
#define RESPONSE_POLL DDS_MSECS(2)

/* the two directions of a service, seen from either side */
typedef struct Pair {
    FilEndpoint reader;
    FilEndpoint writer;
    const ServiceMembers* type;
    char name[FIL_NAME_MAX];
} Pair;

/* "key=1.2.3...;" of sixteen bytes in hexadecimal: the participant's prefix and a running number */
static void make_id(const rcl_node_t* node, const char* key, char text[ID_SIZE])
{
    rcl_context_impl_t* context = node->context->impl;
    const uint32_t number = context->service_count++;
    uint8_t bytes[16];
    memcpy(bytes, context->graph.guid.v, 12);
    memcpy(bytes + 12, &number, 4);
    int used = snprintf(text, ID_SIZE, "%s=", key);
    for (size_t i = 0; i < sizeof bytes; i++) {
        used += snprintf(text + used, ID_SIZE - (size_t)used, "%x%c", bytes[i], i + 1 < sizeof bytes ? '.' : ';');
    }
}

static rcl_ret_t pair_init(Pair* pair, const rcl_node_t* node, bool is_server, const rosidl_service_type_support_t* support, const char* name,
                           const rmw_qos_profile_t* qos)
{
    const rosidl_service_type_support_t* handle = get_service_typesupport_handle(support, rosidl_typesupport_introspection_c__identifier);
    if (handle == NULL) {
        RCL_SET_ERROR_MSG("the service type has no introspection");
        return RCL_RET_INVALID_ARGUMENT;
    }
    pair->type = handle->data;
    rcl_ret_t ret = fil_node_resolve(node, name, FIL_REMAP_SERVICE, pair->name);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    char id[ID_SIZE];
    make_id(node, is_server ? "serviceid" : "clientid", id);
    FilEndpoint* request = is_server ? &pair->reader : &pair->writer;
    FilEndpoint* response = is_server ? &pair->writer : &pair->reader;
    // the response side first: whoever sees the request side may count on it
    ret = fil_node_add_endpoint(node, is_server, "rr", pair->name, "Reply", pair->type->response_members_, qos, id, response);
    if (ret == RCL_RET_OK) {
        ret = fil_node_add_endpoint(node, !is_server, "rq", pair->name, "Request", pair->type->request_members_, qos, id, request);
    }
    if (ret != RCL_RET_OK) {
        fil_endpoint_delete(response);
    }
    return ret;
}

static rcl_ret_t pair_fini(Pair* pair, const rcl_node_t* node)
{
    const rcl_ret_t first = fil_node_remove_endpoint(node, &pair->reader);
    const rcl_ret_t second = fil_node_remove_endpoint(node, &pair->writer);
    return first != RCL_RET_OK ? first : second;
}

static rcl_ret_t out_of_memory(void)
{
    RCL_SET_ERROR_MSG("out of memory");
    return RCL_RET_BAD_ALLOC;
}

/* ---- who is on the other side ---- */

/* copies the value of `key` out of an endpoint's user data; false if it is not there */
static bool read_id(const dds_builtintopic_endpoint_t* endpoint, const char* key, char value[ID_SIZE])
{
    void* data = NULL;
    size_t size = 0;
    if (!dds_qget_userdata(endpoint->qos, &data, &size) || data == NULL) {
        return false;
    }
    // "a=1;b=2;": find key= at the start or behind a semicolon
    const char* text = data;
    const size_t key_length = strlen(key);
    bool found = false;
    for (size_t at = 0; at + key_length + 1 < size && !found;) {
        const char* end = memchr(text + at, ';', size - at);
        const size_t length = end != NULL ? (size_t)(end - (text + at)) : size - at;
        if (length > key_length && memcmp(text + at, key, key_length) == 0 && text[at + key_length] == '=' && length - key_length <= ID_SIZE - 1) {
            memcpy(value, text + at + key_length + 1, length - key_length - 1);
            value[length - key_length - 1] = '\0';
            found = true;
        }
        at += length + 1;
    }
    dds_free(data);
    return found;
}

/* whether one of the endpoints connected to `mine` carries this id */
static bool is_connected_to(const FilEndpoint* mine, const char* key, const char* id)
{
    dds_instance_handle_t handles[MAX_CLIENTS];
    const dds_return_t count = mine->is_writer ? dds_get_matched_subscriptions(mine->entity, handles, MAX_CLIENTS)
                                               : dds_get_matched_publications(mine->entity, handles, MAX_CLIENTS);
    bool found = false;
    for (dds_return_t i = 0; i < count && i < MAX_CLIENTS && !found; i++) {
        dds_builtintopic_endpoint_t* other = mine->is_writer ? dds_get_matched_subscription_data(mine->entity, handles[i])
                                                             : dds_get_matched_publication_data(mine->entity, handles[i]);
        char value[ID_SIZE];
        if (other != NULL) {
            found = read_id(other, key, value) && strcmp(value, id) == 0;
            dds_builtintopic_free_endpoint(other);
        }
    }
    return found;
}

typedef enum Presence { PRESENT, UNKNOWN, GONE } Presence;

/* whether the client that sent through `request_writer` can hear a response */
static Presence client_presence(const Pair* pair, dds_instance_handle_t request_writer)
{
    dds_builtintopic_endpoint_t* writer = dds_get_matched_publication_data(pair->reader.entity, request_writer);
    if (writer == NULL) {
        return GONE;
    }
    char id[ID_SIZE];
    const bool has_id = read_id(writer, "clientid", id);
    dds_builtintopic_free_endpoint(writer);
    return !has_id || is_connected_to(&pair->writer, "clientid", id) ? PRESENT : UNKNOWN;
}

/* ---- servers ---- */

struct rcl_service_impl_s {
    Pair pair;
    struct ddsi_serdata* early; /* a request whose client could not hear its response when it came; NULL: none */
    dds_sample_info_t early_info;
    dds_time_t early_limit; /* up to which it is put off */
};

rcl_service_t rcl_get_zero_initialized_service(void)
{
    return (rcl_service_t){NULL};
}

rcl_service_options_t rcl_service_get_default_options(void)
{
    return (rcl_service_options_t){.qos = rmw_qos_profile_services_default, .allocator = rcl_get_default_allocator()};
}

bool rcl_service_is_valid(const rcl_service_t* service)
{
    return service != NULL && service->impl != NULL;
}

rcl_ret_t rcl_service_init(rcl_service_t* service, const rcl_node_t* node, const rosidl_service_type_support_t* type_support,
                           const char* service_name, const rcl_service_options_t* options)
{
    service->impl = calloc(1, sizeof *service->impl);
    if (service->impl == NULL) {
        return out_of_memory();
    }
    const rcl_ret_t ret = pair_init(&service->impl->pair, node, true, type_support, service_name, &options->qos);
    if (ret != RCL_RET_OK) {
        free(service->impl);
        service->impl = NULL;
    }
    return ret;
}

rcl_ret_t rcl_service_fini(rcl_service_t* service, rcl_node_t* node)
{
    if (!rcl_service_is_valid(service)) {
        return RCL_RET_OK;
    }
    if (service->impl->early != NULL) {
        fil_sample_release(service->impl->early);
    }
    const rcl_ret_t ret = pair_fini(&service->impl->pair, node);
    free(service->impl);
    service->impl = NULL;
    return ret;
}

/* The next request that is to be served now, to be released; NULL: there is none. Those behind one that is put off wait with it. */
static struct ddsi_serdata* next_request(rcl_service_impl_t* impl, dds_sample_info_t* info)
{
    if (impl->early == NULL) {
        impl->early = fil_endpoint_take(&impl->pair.reader, &impl->early_info);
        impl->early_limit = dds_time() + REQUEST_WAIT;
    }
    struct ddsi_serdata* next = impl->early;
    if (next != NULL && client_presence(&impl->pair, impl->early_info.publication_handle) == UNKNOWN && dds_time() < impl->early_limit) {
        return NULL;
    }
    impl->early = NULL;
    *info = impl->early_info;
    return next;
}

rcl_ret_t rcl_take_request(const rcl_service_t* service, rmw_request_id_t* request_header, void* ros_request)
{
    if (!rcl_service_is_valid(service)) {
        RCL_SET_ERROR_MSG("the service is not initialised");
        return RCL_RET_SERVICE_INVALID;
    }
    const Pair* pair = &service->impl->pair;
    dds_sample_info_t info;
    struct ddsi_serdata* sample = next_request(service->impl, &info);
    if (sample == NULL) {
        return RCL_RET_SERVICE_TAKE_FAILED;
    }
    uint64_t header[2];
    const bool good = fil_sample_read(sample, pair->type->request_members_, ros_request, header, 2);
    fil_sample_release(sample);
    if (!good) {
        return RCL_RET_ERROR;
    }
    // the client's identity, and beside it the writer by which it can be looked up
    memcpy(request_header->writer_guid, &header[0], 8);
    memcpy(request_header->writer_guid + 8, &info.publication_handle, 8);
    request_header->sequence_number = (int64_t)header[1];
    return RCL_RET_OK;
}

rcl_ret_t rcl_send_response(const rcl_service_t* service, rmw_request_id_t* response_header, void* ros_response)
{
    if (!rcl_service_is_valid(service)) {
        RCL_SET_ERROR_MSG("the service is not initialised");
        return RCL_RET_SERVICE_INVALID;
    }
    const Pair* pair = &service->impl->pair;
    uint64_t header[2] = {0, (uint64_t)response_header->sequence_number};
    dds_instance_handle_t request_writer;
    memcpy(&header[0], response_header->writer_guid, 8);
    memcpy(&request_writer, response_header->writer_guid + 8, 8);

    const dds_time_t limit = dds_time() + RESPONSE_WAIT;
    Presence presence;
    while ((presence = client_presence(pair, request_writer)) == UNKNOWN && dds_time() < limit) {
        dds_sleepfor(RESPONSE_POLL);
    }
    if (presence == UNKNOWN) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("a client of %s could not be reached for its response", pair->name);
        return RCL_RET_TIMEOUT;
    }
    return presence == GONE ? RCL_RET_OK : fil_endpoint_write(&pair->writer, pair->type->response_members_, ros_response, header, 2);
}

const char* rcl_service_get_service_name(const rcl_service_t* service)
{
    return rcl_service_is_valid(service) ? service->impl->pair.name : NULL;
}

const FilEndpoint* fil_service_endpoint(const rcl_service_t* service)
{
    return &service->impl->pair.reader;
}

bool fil_service_puts_off(const rcl_service_t* service)
{
    return service->impl->early != NULL;
}

rcl_ret_t rclc_service_init(rcl_service_t* service, const rcl_node_t* node, const rosidl_service_type_support_t* type_support,
                            const char* service_name, const rmw_qos_profile_t* qos_profile)
{
    rcl_service_options_t options = rcl_service_get_default_options();
    options.qos = *qos_profile;
    return rcl_service_init(service, node, type_support, service_name, &options);
}

rcl_ret_t rclc_service_init_default(rcl_service_t* service, const rcl_node_t* node, const rosidl_service_type_support_t* type_support,
                                    const char* service_name)
{
    return rclc_service_init(service, node, type_support, service_name, &rmw_qos_profile_services_default);
}

/* ---- clients ---- */

struct rcl_client_impl_s {
    Pair pair;
    dds_instance_handle_t identity;
    int64_t last_sequence;
};

rcl_client_t rcl_get_zero_initialized_client(void)
{
    return (rcl_client_t){NULL};
}

rcl_client_options_t rcl_client_get_default_options(void)
{
    return (rcl_client_options_t){.qos = rmw_qos_profile_services_default, .allocator = rcl_get_default_allocator()};
}

bool rcl_client_is_valid(const rcl_client_t* client)
{
    return client != NULL && client->impl != NULL;
}

rcl_ret_t rcl_client_init(rcl_client_t* client, const rcl_node_t* node, const rosidl_service_type_support_t* type_support, const char* service_name,
                          const rcl_client_options_t* options)
{
    client->impl = calloc(1, sizeof *client->impl);
    if (client->impl == NULL) {
        return out_of_memory();
    }
    rcl_client_impl_t* impl = client->impl;
    rcl_ret_t ret = pair_init(&impl->pair, node, false, type_support, service_name, &options->qos);
    if (ret == RCL_RET_OK) {
        const dds_return_t code = dds_get_instance_handle(impl->pair.writer.entity, &impl->identity);
        if (code != DDS_RETCODE_OK) {
            fil_dds_error("cannot tell the client's identity", code);
            const rcl_ret_t removed = pair_fini(&impl->pair, node);
            (void)removed;  // the first error counts
            ret = RCL_RET_ERROR;
        }
    }
    if (ret != RCL_RET_OK) {
        free(impl);
        client->impl = NULL;
    }
    return ret;
}

rcl_ret_t rcl_client_fini(rcl_client_t* client, rcl_node_t* node)
{
    if (!rcl_client_is_valid(client)) {
        return RCL_RET_OK;
    }
    const rcl_ret_t ret = pair_fini(&client->impl->pair, node);
    free(client->impl);
    client->impl = NULL;
    return ret;
}

rcl_ret_t rcl_send_request(const rcl_client_t* client, const void* ros_request, int64_t* sequence_number)
{
    if (!rcl_client_is_valid(client)) {
        RCL_SET_ERROR_MSG("the client is not initialised");
        return RCL_RET_CLIENT_INVALID;
    }
    rcl_client_impl_t* impl = client->impl;
    *sequence_number = ++impl->last_sequence;
    const uint64_t header[2] = {impl->identity, (uint64_t)*sequence_number};
    return fil_endpoint_write(&impl->pair.writer, impl->pair.type->request_members_, ros_request, header, 2);
}

rcl_ret_t rcl_take_response(const rcl_client_t* client, rmw_request_id_t* request_header, void* ros_response)
{
    if (!rcl_client_is_valid(client)) {
        RCL_SET_ERROR_MSG("the client is not initialised");
        return RCL_RET_CLIENT_INVALID;
    }
    const rcl_client_impl_t* impl = client->impl;
    dds_sample_info_t info;
    struct ddsi_serdata* sample;
    // responses to other clients arrive here too
    while ((sample = fil_endpoint_take(&impl->pair.reader, &info)) != NULL) {
        uint64_t header[2];
        const bool good = fil_sample_read(sample, impl->pair.type->response_members_, ros_response, header, 2);
        fil_sample_release(sample);
        if (!good) {
            return RCL_RET_ERROR;
        }
        if (header[0] == impl->identity) {
            *request_header = (rmw_request_id_t){.sequence_number = (int64_t)header[1]};
            memcpy(request_header->writer_guid, &header[0], 8);
            return RCL_RET_OK;
        }
    }
    return RCL_RET_CLIENT_TAKE_FAILED;
}

rcl_ret_t rcl_service_server_is_available(const rcl_node_t* node, const rcl_client_t* client, bool* is_available)
{
    if (!rcl_node_is_valid(node) || !rcl_client_is_valid(client)) {
        RCL_SET_ERROR_MSG("the node or the client is not initialised");
        return RCL_RET_CLIENT_INVALID;
    }
    const Pair* pair = &client->impl->pair;
    dds_instance_handle_t readers[MAX_CLIENTS];
    const dds_return_t count = dds_get_matched_subscriptions(pair->writer.entity, readers, MAX_CLIENTS);
    *is_available = false;
    for (dds_return_t i = 0; i < count && i < MAX_CLIENTS && !*is_available; i++) {
        dds_builtintopic_endpoint_t* reader = dds_get_matched_subscription_data(pair->writer.entity, readers[i]);
        char id[ID_SIZE];
        if (reader != NULL) {
            // a server without id is taken at its word once something sends responses
            size_t writers = 0;
            *is_available = read_id(reader, "serviceid", id) ? is_connected_to(&pair->reader, "serviceid", id)
                                                             : fil_endpoint_matched(&pair->reader, &writers) == RCL_RET_OK && writers > 0;
            dds_builtintopic_free_endpoint(reader);
        }
    }
    return RCL_RET_OK;
}

const char* rcl_client_get_service_name(const rcl_client_t* client)
{
    return rcl_client_is_valid(client) ? client->impl->pair.name : NULL;
}

const FilEndpoint* fil_client_endpoint(const rcl_client_t* client)
{
    return &client->impl->pair.reader;
}

rcl_ret_t rclc_client_init(rcl_client_t* client, const rcl_node_t* node, const rosidl_service_type_support_t* type_support, const char* service_name,
                           const rmw_qos_profile_t* qos_profile)
{
    rcl_client_options_t options = rcl_client_get_default_options();
    options.qos = *qos_profile;
    return rcl_client_init(client, node, type_support, service_name, &options);
}

rcl_ret_t rclc_client_init_default(rcl_client_t* client, const rcl_node_t* node, const rosidl_service_type_support_t* type_support,
                                   const char* service_name)
{
    return rclc_client_init(client, node, type_support, service_name, &rmw_qos_profile_services_default);
}
