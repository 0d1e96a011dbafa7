/* A test's own member of the graph: calls services and listens, with time limits. */
#ifndef FILUM_TEST_CLIENT_H
#define FILUM_TEST_CLIENT_H

#include "builtin_interfaces/msg/time.h"
#include "filum/msg/step_info.h"
#include "parameters.h"
#include "rcl/rcl.h"
#include "rclc/rclc.h"

/* long enough for a loaded machine; passing takes a fraction of a second */
#define PATIENCE 60.0

typedef struct Client {
    rcl_allocator_t allocator;
    rclc_support_t support;
    rcl_node_t node;
} Client;

/* Aborts with rcl's message if a call went wrong. */
void must(rcl_ret_t ret, const char* what);

void client_join(Client* client, const char* name, int argc, const char* const* argv);
void client_leave(Client* client);

/* Calls a service and waits for the response, asking again after long: a server that has just died may still seem to
 * be there. False if nothing comes in time. */
bool client_call(Client* client, const rosidl_service_type_support_t* type, const char* service, const void* request, void* response);

/* Waits for a message on a topic for which `accept` holds (NULL: any). `message` is initialised by the caller. */
bool client_hear(Client* client, const rosidl_message_type_support_t* type, const char* topic, const rmw_qos_profile_t* qos, void* message,
                 bool (*accept)(const void* message, void* context), void* context);

double seconds_of(builtin_interfaces__msg__Time stamp);

/* Simulated time by the next message on /clock, s; fails the test if none comes. */
double client_time(Client* client);

/* ~/pause, ~/step and ~/reset of the node `full_name`. */
bool client_pause(Client* client, const char* full_name, bool pause);
bool client_trigger(Client* client, const char* full_name, const char* service, char message[256]);

/* Sets one parameter; `reason` receives the server's words. */
bool client_set(Client* client, const char* full_name, const char* name, FilParameterValue value, char reason[512]);
FilParameterValue client_get(Client* client, const char* full_name, const char* name);

#endif
