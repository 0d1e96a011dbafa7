/* Serves pages over HTTP and frames over WebSocket (/stream), from a thread of its own: whoever shows a frame never waits for a
 * page. A page that is slow gets fewer frames, always the newest. */
#ifndef FILUM_VIEW_SERVER_H
#define FILUM_VIEW_SERVER_H

#include "view/foxglove.h"

typedef struct FilViewServer FilViewServer;

enum {
    FIL_VIEW_PAGES = 8,          /* at once */
    FIL_VIEW_COMMAND_BYTES = 64, /* of each message from a page; others end its connection, */
    FIL_VIEW_TEXT_BYTES = 1 << 20,
    FIL_VIEW_PICTURE_BYTES = 64 << 20, /* but for pictures, that are longer than commands, and at most this */
};

typedef struct FilViewServerDef {
    const char* address; /* to listen on: "127.0.0.1" unless others shall see it */
    int port;            /* 0: any that is free */
    const char* folder;  /* of the page's files; NULL: beside the program, or where it was built */
    /* A message of a page, FIL_VIEW_COMMAND_BYTES long; called from that thread. NULL: pages can only look. */
    void (*command)(void* context, const unsigned char* bytes);
    /* A picture (PNG) of the frame that was shown last, from a page that was opened as #render; called from that thread. NULL: none
     * are taken. */
    void (*picture)(void* context, const unsigned char* bytes, size_t size);
    /* Text of a page, terminated: a scene to be shown instead; called from that thread. NULL: none is taken. */
    void (*text)(void* context, const char* text, size_t size);
    void* context;         /* of all three */
    FilFoxglove* foxglove; /* served on the same port; outlives the server; NULL: not at all */
    bool read_only;        /* for those who come by foxglove */
    const char* origins;   /* of other sites' pages that may come by foxglove, separated by spaces; NULL: none */
} FilViewServerDef;

FIL_MUST_CHECK FilStatus fil_view_server_start(const FilViewServerDef* def, FilViewServer** server, FilError* error);
void fil_view_server_stop(FilViewServer* server); /* NULL is fine */
int fil_view_server_port(const FilViewServer* server);

/* Text that every page gets, now or when it joins: the description. Each call replaces the last one's. */
FIL_MUST_CHECK FilStatus fil_view_server_send(FilViewServer* server, const char* text, size_t size);
/* The newest frame. One that is the same as the last is not sent again, but for pictures and after another text. */
FIL_MUST_CHECK FilStatus fil_view_server_show(FilViewServer* server, const void* frame, size_t size);

typedef struct FilViewCounts {
    int pages;              /* connected */
    int viewers;            /* connected by foxglove */
    uint64_t frames, bytes; /* sent, to all pages */
    uint64_t skipped;       /* frames that a slow page did not get */
    uint64_t refused;       /* connections: too many, or from elsewhere */
} FilViewCounts;

FilViewCounts fil_view_server_counts(FilViewServer* server);

#endif
