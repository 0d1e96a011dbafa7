/* The messages of a bag for Foxglove and its kin, as they were recorded, at the time that is being shown. */
#ifndef FILUM_TOOLS_BAG_MESSAGES_H
#define FILUM_TOOLS_BAG_MESSAGES_H

#include "view/foxglove.h"

typedef struct FilBagMessages FilBagMessages;

FIL_MUST_CHECK FilStatus fil_bag_messages_open(const char* bag, FilBagMessages** messages, FilError* error);
void fil_bag_messages_close(FilBagMessages* messages); /* after its server; NULL is fine */
FilFoxglove* fil_bag_messages_foxglove(FilBagMessages* messages);

/* Sends what was recorded up to `time` (s) since the last call; after a jump, what was recorded shortly before it. */
FIL_MUST_CHECK FilStatus fil_bag_messages_go(FilBagMessages* messages, double time, FilError* error);

#endif
