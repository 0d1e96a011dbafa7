/* Channels of messages, services and parameters for Foxglove, Lichtblick and whoever else speaks foxglove.websocket.v1 (or
 * foxglove.sdk.v1, which is the same under a newer name). No sockets here: a server opens a peer per connection, hands over what
 * arrives and sends what is waiting. Peers that are slow lose their oldest messages. */
#ifndef FILUM_VIEW_FOXGLOVE_H
#define FILUM_VIEW_FOXGLOVE_H

#include "filum/filum.h"

typedef struct FilFoxglove FilFoxglove;
typedef struct FilFoxglovePeer FilFoxglovePeer;

FilFoxglove* fil_foxglove_create(const char* name); /* NULL: out of memory */
void fil_foxglove_destroy(FilFoxglove* foxglove);   /* all peers are closed; NULL is fine */

/* ---- for whoever runs the simulation ---- */

typedef struct FilFoxgloveChannel {
    const char* topic;
    const char* type;   /* "pkg/msg/Name" */
    const char* schema; /* its definition, with those that it needs */
    size_t schema_size;
    bool latched; /* who subscribes late gets the last message */
} FilFoxgloveChannel;

/* Ids count from 1. */
FIL_MUST_CHECK FilStatus fil_foxglove_add_channel(FilFoxglove* foxglove, const FilFoxgloveChannel* channel, uint32_t* id);
bool fil_foxglove_wants(FilFoxglove* foxglove, uint32_t channel);  /* somebody listens, or it is latched */
uint64_t fil_foxglove_joined(FilFoxglove* foxglove);               /* subscriptions so far */
void fil_foxglove_send_time(FilFoxglove* foxglove, uint64_t time); /* ns: what all times are of; to everybody */
void fil_foxglove_send(FilFoxglove* foxglove, uint32_t channel, uint64_t time, const void* cdr, size_t size); /* time: ns */

typedef enum FilFoxgloveType { FIL_FOXGLOVE_BOOL, FIL_FOXGLOVE_NUMBER, FIL_FOXGLOVE_TEXT } FilFoxgloveType;

typedef struct FilFoxgloveParameter {
    char name[320]; /* as long as that of any parameter of the node */
    FilFoxgloveType type;
    bool boolean;
    double number;
    char text[512];
} FilFoxgloveParameter;

typedef struct FilFoxgloveService {
    const char *name, *type;        /* "/filum/pause", "std_srvs/srv/SetBool" */
    const char *request, *response; /* definitions */
} FilFoxgloveService;

/* Bytes of an answer: a sentence, and a path in it. */
enum { FIL_FOXGLOVE_ANSWER = 1024 };

/* What peers may ask for; all but `context` may be zero. */
typedef struct FilFoxgloveHost {
    void* context;
    int service_count;
    const FilFoxgloveService* services;
    /* Answers a call in CDR: returns its size, 0 with a text in `answer` if it cannot. */
    size_t (*call)(void* context, int service, const uint8_t* request, size_t size, uint8_t answer[FIL_FOXGLOVE_ANSWER]);
    int (*parameter_count)(void* context);
    void (*parameter)(void* context, int index, FilFoxgloveParameter* out);
    bool (*set_parameter)(void* context, const FilFoxgloveParameter* parameter, char reason[FIL_FOXGLOVE_ANSWER]);
} FilFoxgloveHost;

/* Before the first peer. */
void fil_foxglove_offer(FilFoxglove* foxglove, const FilFoxgloveHost* host);
/* Answers what peers have asked for; to be called now and then by the thread that may touch the simulation. */
void fil_foxglove_serve(FilFoxglove* foxglove);
/* A parameter has changed by other means. */
void fil_foxglove_changed(FilFoxglove* foxglove, const FilFoxgloveParameter* parameter);

/* ---- for the server, from a thread of its own ---- */

enum { FIL_FOXGLOVE_HEADROOM = 32 }; /* bytes before each message, for the header of a socket's library */

/* `wake` is called from any thread when there is something to send. */
void fil_foxglove_listen(FilFoxglove* foxglove, void (*wake)(void* context), void* context);
FilFoxglovePeer* fil_foxglove_open(FilFoxglove* foxglove, bool read_only); /* NULL: out of memory, or too many */
void fil_foxglove_close(FilFoxglovePeer* peer);
/* False: the peer does not keep to the protocol, and is to be closed. */
bool fil_foxglove_receive(FilFoxglovePeer* peer, const void* bytes, size_t size, bool binary);

typedef struct FilFoxgloveMessage {
    unsigned char* bytes; /* FIL_FOXGLOVE_HEADROOM before the first; to be freed with fil_foxglove_release() */
    size_t size;
    bool binary;
} FilFoxgloveMessage;

bool fil_foxglove_next(FilFoxglovePeer* peer, FilFoxgloveMessage* message);
void fil_foxglove_release(FilFoxgloveMessage* message);

#endif
