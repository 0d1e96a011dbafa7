/* What the files of foxglove share: state behind one lock, and texts of the protocol. */
#ifndef FILUM_VIEW_FOXGLOVE_PARTS_H
#define FILUM_VIEW_FOXGLOVE_PARTS_H

#include <pthread.h>

#include "scene/yaml_tree.h"
#include "view/foxglove.h"

/* Bounds on what peers may take: a few windows of people who look on, each of which may ask for all that a world has. */
enum {
    FIL_FOXGLOVE_PEERS = 8,
    FIL_FOXGLOVE_CHANNELS = 64,
    FIL_FOXGLOVE_SUBSCRIPTIONS = 128, /* of a peer */
    FIL_FOXGLOVE_WATCHED = 256,       /* names of parameters, of a peer */
    FIL_FOXGLOVE_OUTBOX = 256,        /* messages that wait for a peer */
    FIL_FOXGLOVE_REQUESTS = 64,       /* that wait for an answer */
    FIL_FOXGLOVE_OUTBOX_BYTES = 32 << 20,
    FIL_FOXGLOVE_IN_BYTES = 1 << 20, /* the longest message of a peer */
};

typedef struct FilFoxgloveStored {
    char *topic, *type, *schema;
    bool latched;
    unsigned char* last; /* of a latched channel: its last message, as it is sent; NULL: none yet */
    size_t last_size;
} FilFoxgloveStored;

typedef struct FilFoxgloveWaiting {
    FilFoxgloveMessage message;
    bool data; /* may be dropped */
} FilFoxgloveWaiting;

struct FilFoxglovePeer {
    FilFoxglove* foxglove;
    uint32_t number; /* of no other peer, ever */
    bool read_only;
    struct {
        uint32_t id, channel;
    } subscriptions[FIL_FOXGLOVE_SUBSCRIPTIONS];
    int subscription_count;
    bool watches_all;                                        /* parameters: hears of all their changes, or ... */
    char (*watched)[sizeof((FilFoxgloveParameter*)0)->name]; /* ... of those with these names; NULL: none yet */
    int watched_count;
    FilFoxgloveWaiting outbox[FIL_FOXGLOVE_OUTBOX];
    int first, waiting;
    size_t waiting_bytes;
    bool stuck; /* what must not be dropped does not fit: the connection ends */
};

/* Something that only the thread of the simulation can answer. */
typedef struct FilFoxgloveRequest {
    uint32_t peer;
    bool binary;
    unsigned char* bytes; /* as it came */
    size_t size;
} FilFoxgloveRequest;

struct FilFoxglove {
    char name[64];
    char session[32]; /* of this run of the server, so that who comes again knows whether it is the same */
    FilFoxgloveHost host;
    pthread_mutex_t lock; /* of all below */
    void (*wake)(void* context);
    void* wake_context;
    FilFoxgloveStored channels[FIL_FOXGLOVE_CHANNELS];
    int channel_count;
    FilFoxglovePeer* peers[FIL_FOXGLOVE_PEERS];
    uint32_t peer_number;
    uint64_t joined; /* subscriptions so far */
    FilFoxgloveRequest requests[FIL_FOXGLOVE_REQUESTS];
    int request_first, request_count;
};

/* ---- foxglove_text.c: JSON of the protocol; each allocates its message, bytes NULL when out of memory ---- */

FilFoxgloveMessage fil_foxglove_hello(const FilFoxglove* foxglove, bool read_only);
FilFoxgloveMessage fil_foxglove_advertise(const FilFoxglove* foxglove, int first); /* channels from the first on */
FilFoxgloveMessage fil_foxglove_advertise_services(const FilFoxglove* foxglove);
FilFoxgloveMessage fil_foxglove_values(const FilFoxgloveParameter* parameters, int count, const char* id);
FilFoxgloveMessage fil_foxglove_failure(uint32_t service, uint32_t call, const char* text);
FilFoxgloveMessage fil_foxglove_status(const char* text);
/* A message of bytes, headroom included. */
FilFoxgloveMessage fil_foxglove_bytes(const void* head, size_t head_size, const void* rest, size_t rest_size);

/* JSON is YAML: the same reader. NULL: it is none, or no mapping. Freed with the pool. */
const FilYaml* fil_foxglove_parse(const void* bytes, size_t size, FilPool* pool);
const char* fil_foxglove_word(const FilYaml* mapping, const char* key); /* "" where there is none */
bool fil_foxglove_id(const FilYaml* value, uint32_t* id);
bool fil_foxglove_read_parameter(const FilYaml* mapping, FilFoxgloveParameter* parameter);

#endif
