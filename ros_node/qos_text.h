/* QoS profiles as bags keep them: rosbag2's YAML, a list of what publishers offer. */
#ifndef FILUM_NODE_QOS_TEXT_H
#define FILUM_NODE_QOS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "rmw/types.h"

/* A profile has some 200 characters. */
enum { FIL_QOS_TEXT = 512 };

/* The list of one profile. A time that is not set counts as infinite. */
void fil_qos_to_text(const rmw_qos_profile_t* profile, char text[FIL_QOS_TEXT]);

/* The first profile of a list; what is not said, or not understood, is as in rmw_qos_profile_default. */
rmw_qos_profile_t fil_qos_from_text(const char* text);

#endif
