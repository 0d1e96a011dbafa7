/* The DDS participant of a context: domain, discovery range, identity. */
#ifndef FILUM_EMBEDDED_PARTICIPANT_H
#define FILUM_EMBEDDED_PARTICIPANT_H

#include <stddef.h>

#include "dds/dds.h"
#include "log_valve.h"
#include "rcl/types.h"

typedef struct FilParticipant {
    size_t domain_id;
    dds_entity_t domain; /* 0 when another participant of this process has set up the domain */
    dds_entity_t entity;
    FilLogValve* log_valve; /* NULL: another participant has it */
} FilParticipant;

/* Joins ROS_DOMAIN_ID (default 0). ROS_LOCALHOST_ONLY, ROS_AUTOMATIC_DISCOVERY_RANGE and ROS_STATIC_PEERS are honoured;
 * CYCLONEDDS_URI comes last and so has the last word. Sets the error message. */
rcl_ret_t fil_participant_create(FilParticipant* participant);

/* Participants of one domain and process must end in the reverse order of their creation. */
void fil_participant_delete(FilParticipant* participant);

/* Sets rcl's error message to "what: why". */
void fil_dds_error(const char* what, dds_return_t code);

#endif
