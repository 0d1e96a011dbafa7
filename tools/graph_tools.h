/* What the commands that look into a running ROS 2 graph share: membership, types by name, messages as YAML. */
#ifndef FILUM_TOOLS_GRAPH_TOOLS_H
#define FILUM_TOOLS_GRAPH_TOOLS_H

#include "cli.h"
#include "rcl/rcl.h"
#include "rclc/rclc.h"
#include "rosidl_typesupport_introspection_c/message_introspection.h"

typedef rosidl_typesupport_introspection_c__MessageMembers FilMembers;

/* A member of the graph for as long as a command runs. */
typedef struct FilGraphMember {
    const char* command; /* for messages: "topic echo" */
    rcl_allocator_t allocator;
    rclc_support_t support;
    rcl_node_t node;
} FilGraphMember;

/* False, having said why, if it cannot. NULL names the node after the process. */
bool fil_graph_join(FilGraphMember* member, const char* node_name, const char* command);
void fil_graph_leave(FilGraphMember* member);

/* Reads a command's options and joins; false, with the exit code, where it is over then. */
bool fil_graph_begin(const FilUsage* usage, int argc, char** argv, FilGraphMember* member, int* arguments, int* exit_code);

/* Prints what rcl has to say about a failed call; true if it went well. */
bool fil_graph_ok(const FilGraphMember* member, rcl_ret_t ret, const char* what);

/* Ends the help of `filum topic` and the like. */
#define FIL_GRAPH_NOTE "ROS_DOMAIN_ID chooses the domain, ROS_LOCALHOST_ONLY=1 keeps to this machine."

/* ---- time ---- */

double fil_graph_now(void); /* s, steady */
void fil_graph_sleep(double seconds);

/* Others need a moment to be found: how long to look for what does not show up, s. */
#define FIL_GRAPH_PATIENCE 3.0

/* ---- types ---- */

/* By "package/msg/Name" or "package/Name"; NULL, having said which is the nearest, if this program does not know it. */
const rosidl_message_type_support_t* fil_graph_message_type(const FilGraphMember* member, const char* name);
const rosidl_service_type_support_t* fil_graph_service_type(const FilGraphMember* member, const char* name);

/* The type that a topic or service has in the graph; waits for it to show up, then gives up with a message. */
bool fil_graph_topic_type_name(const FilGraphMember* member, const char* topic, double patience, char type[256]);
bool fil_graph_service_type_name(const FilGraphMember* member, const char* service, double patience, char type[256]);

/* "/name" for "name". */
void fil_graph_full_name(const char* name, char full[256]);

/* ---- messages: initialised memory, and as YAML ---- */

const FilMembers* fil_members_of(const rosidl_message_type_support_t* type);
void* fil_message_new(const FilMembers* type); /* NULL: out of memory */
void fil_message_free(const FilMembers* type, void* message);

/* In YAML, in the order of the definition; each line begins with `indent` spaces. */
void fil_message_print(const FilMembers* type, const void* message, int indent, FILE* out);

/* Sets the fields that the YAML names; the others stay. Fails with "what: why". */
FIL_MUST_CHECK bool fil_message_parse(const FilMembers* type, const char* yaml, void* message, FilError* error);

/* ---- services ---- */

/* Calls and waits for the answer, which must be initialised; false, having said why. */
bool fil_graph_call(FilGraphMember* member, const rosidl_service_type_support_t* type, const char* service, const void* request, void* response);

#endif
