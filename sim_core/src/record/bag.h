/* What is kept of the channels and messages of a bag while it is written or read. */
#ifndef FILUM_RECORD_BAG_H
#define FILUM_RECORD_BAG_H

#include "record/bytes.h"

#define FIL_BAG_QOS_KEY "offered_qos_profiles" /* of a channel's properties, as rosbag2 names it */

enum {
    FIL_BAG_MAX_CHANNELS = 65535,
    FIL_BAG_MAX_MESSAGE = 128 << 20, /* bytes */
};

/* The value of a property; "" if there is none of that name. */
const char* fil_bag_property(const FilBagChannel* channel, const char* key);

/* ---- a list of channels by number, each a copy of its own ---- */

typedef struct FilBagEntry {
    FilBagChannel channel;
    uint16_t id;
    uint16_t schema_id;
    uint64_t message_count;
    char* text; /* what the channel points into */
} FilBagEntry;

typedef struct FilBagChannels {
    FilBagEntry* items; /* in the order of their coming */
    size_t count, capacity;
    size_t text_bytes;                        /* in all */
    uint32_t place[FIL_BAG_MAX_CHANNELS + 1]; /* 1 + index in items of an id, 0 if there is none */
} FilBagChannels;

void fil_bag_channels_free(FilBagChannels* channels);

/* Copies the channel. Allocates; false when out of memory. The id must be new. */
FIL_MUST_CHECK bool fil_bag_channels_add(FilBagChannels* channels, const FilBagChannel* channel, uint16_t id, uint16_t schema_id);

/* NULL if there is none. */
FilBagEntry* fil_bag_channels_find(const FilBagChannels* channels, uint16_t id);

bool fil_slice_equal(FilSlice a, FilSlice b);

/* ---- what a whole bag amounts to ---- */

typedef struct FilBagTally {
    uint64_t message_count;
    uint64_t message_bytes;
    uint64_t start_time, end_time; /* ns, of the earliest and the latest message; 0 if there is none */
} FilBagTally;

void fil_bag_tally_add(FilBagTally* tally, const FilBagMessage* message);

#endif
