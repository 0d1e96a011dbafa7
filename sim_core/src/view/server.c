/* On libwebsockets: one thread serves all connections and never blocks. (civetweb gives its threads stacks of 100 KB, of which
 * the thread-local variables of OpenBLAS and METIS take 90.) */
#include "view/server.h"

#include <assert.h>
#include <libwebsockets.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/page_path.h"

/* The newest message of a kind, behind room for the header that the library puts before it; versions count from 1. */
typedef struct Message {
    unsigned char* bytes;
    size_t size, capacity;
    uint64_t version;
} Message;

/* A message as far as it has come. */
typedef struct Incoming {
    unsigned char* bytes;
    size_t size;
} Incoming;

/* A connection, in memory of the library. */
typedef struct Page {
    uint64_t text, frame; /* versions that it has */
    Incoming received;
} Page;

/* A connection of Foxglove's kind. */
typedef struct Link {
    FilFoxglovePeer* peer;
    Incoming received;
} Link;

struct FilViewServer {
    FilViewServerDef def;
    char address[64], folder[PATH_MAX];
    struct lws_context* context;
    struct lws_http_mount mount;
    struct lws_protocols protocols[5]; /* pages, frames, two names of Foxglove's, the end */
    pthread_t thread;
    bool serves; /* the thread runs */
    int port;
    Message copy;         /* what is being written; of the thread */
    pthread_mutex_t lock; /* of all below */
    bool ends;
    Message text, frame;
    FilViewCounts counts;
};

static bool keep(Message* message, const void* bytes, size_t size)
{
    if (size > message->capacity) {
        unsigned char* grown = realloc(message->bytes, LWS_PRE + size);
        if (grown == NULL) {
            return false;
        }
        message->bytes = grown;
        message->capacity = size;
    }
    memcpy(message->bytes + LWS_PRE, bytes, size);
    message->size = size;
    message->version++;
    return true;
}

static FilStatus publish(FilViewServer* server, Message* message, const void* bytes, size_t size)
{
    pthread_mutex_lock(&server->lock);
    const bool kept = keep(message, bytes, size);
    // what a page makes of a text is empty until a frame comes
    server->frame.version += message == &server->text && server->frame.size > 0;
    pthread_mutex_unlock(&server->lock);
    lws_cancel_service(server->context);  // wakes the thread
    return kept ? FIL_OK : FIL_OUT_OF_MEMORY;
}

FilStatus fil_view_server_send(FilViewServer* server, const char* text, size_t size)
{
    return publish(server, &server->text, text, size);
}

/* Whether pages have this frame already, as while a simulation is paused. Of pictures there is one for each frame. */
static bool is_shown(FilViewServer* server, const void* frame, size_t size)
{
    pthread_mutex_lock(&server->lock);
    const bool shown =
        server->def.picture == NULL && size > 0 && server->frame.size == size && memcmp(server->frame.bytes + LWS_PRE, frame, size) == 0;
    pthread_mutex_unlock(&server->lock);
    return shown;
}

FilStatus fil_view_server_show(FilViewServer* server, const void* frame, size_t size)
{
    return is_shown(server, frame, size) ? FIL_OK : publish(server, &server->frame, frame, size);
}

/* ---- connections ---- */

/* "name:port" without its port */
static size_t name_length(const char* host)
{
    const char* end = host[0] == '[' ? strchr(host, ']') : NULL;
    return end != NULL ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

static bool is_loopback(const char* host)
{
    static const char* const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (name_length(host) == strlen(names[i]) && strncmp(host, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* A page of another site must not steer a simulation that only this machine sees: its origin is not the host that it asks; nor
 * may a foreign name that was made to point here. Programs send no origin. */
static bool is_welcome(const FilViewServer* server, struct lws* connection)
{
    char origin[256] = "", host[256] = "";
    if (lws_hdr_copy(connection, host, sizeof host, WSI_TOKEN_HOST) <= 0 || (is_loopback(server->address) && !is_loopback(host))) {
        return false;
    }
    const int length = lws_hdr_copy(connection, origin, sizeof origin, WSI_TOKEN_ORIGIN);
    const char* from = length > 0 ? strstr(origin, "://") : NULL;
    return length == 0 || (from != NULL && strcmp(from + 3, host) == 0);
}

/* Viewers that are pages of their own site may be let in by name. */
static bool is_invited(const FilViewServer* server, struct lws* connection)
{
    char origin[256] = "";
    const int length = lws_hdr_copy(connection, origin, sizeof origin, WSI_TOKEN_ORIGIN);
    for (const char* at = server->def.origins; length > 0 && at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, " ");
        if (size == (size_t)length && strncmp(at, origin, size) == 0) {
            return true;
        }
        at += size + strspn(at + size, " ");
    }
    return false;
}

static int admit(FilViewServer* server, struct lws* connection, bool invited)
{
    pthread_mutex_lock(&server->lock);
    const bool welcome = server->counts.pages + server->counts.viewers < FIL_VIEW_PAGES && (invited || is_welcome(server, connection));
    server->counts.refused += !welcome;
    pthread_mutex_unlock(&server->lock);
    return welcome ? 0 : 1;
}

/* Writes one message that the page lacks; the library buffers what the socket does not take, and calls again when it is out: a
 * slow page then gets the newest. */
static int write_news(FilViewServer* server, struct lws* connection, Page* page)
{
    pthread_mutex_lock(&server->lock);
    const bool text = page->text != server->text.version;
    const Message* news = text ? &server->text : &server->frame;
    uint64_t* has = text ? &page->text : &page->frame;
    const bool lacks = *has != news->version && keep(&server->copy, news->bytes + LWS_PRE, news->size);
    if (lacks) {
        server->counts.skipped += !text && *has > 0 ? news->version - *has - 1 : 0;
        server->counts.frames += !text;
        server->counts.bytes += news->size;
        *has = news->version;
    }
    pthread_mutex_unlock(&server->lock);
    if (!lacks) {
        return 0;
    }
    const int sent = lws_write(connection, server->copy.bytes + LWS_PRE, server->copy.size, text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY);
    lws_callback_on_writable(connection);
    return sent < (int)server->copy.size ? -1 : 0;
}

/* Messages come whole or in pieces: 1 when one is whole, 0 when more is to come, -1 when it is too long. */
static int gather(struct lws* connection, Incoming* incoming, size_t limit, const void* bytes, size_t size)
{
    unsigned char* grown = size <= limit - incoming->size ? realloc(incoming->bytes, incoming->size + size + 1) : NULL;
    if (grown == NULL) {
        return -1;
    }
    incoming->bytes = grown;
    memcpy(incoming->bytes + incoming->size, bytes, size);
    incoming->size += size;
    return lws_is_final_fragment(connection) && lws_remaining_packet_payload(connection) == 0;
}

static int receive_text(FilViewServer* server, struct lws* connection, Page* page, const void* bytes, size_t size)
{
    const int whole = server->def.text != NULL ? gather(connection, &page->received, FIL_VIEW_TEXT_BYTES, bytes, size) : -1;
    if (whole > 0) {
        page->received.bytes[page->received.size] = '\0';
        server->def.text(server->def.context, (const char*)page->received.bytes, page->received.size);
        page->received.size = 0;
    }
    return whole < 0 ? -1 : 0;
}

/* A command, or a picture where they are taken; whatever else ends the connection. */
static int receive(FilViewServer* server, struct lws* connection, Page* page, const void* bytes, size_t size)
{
    Incoming* incoming = &page->received;
    const size_t limit = server->def.picture != NULL ? FIL_VIEW_PICTURE_BYTES : FIL_VIEW_COMMAND_BYTES;
    const int whole = gather(connection, incoming, limit, bytes, size);
    if (whole <= 0) {
        return whole;
    }
    const bool command = incoming->size == FIL_VIEW_COMMAND_BYTES, picture = incoming->size > FIL_VIEW_COMMAND_BYTES;
    if (command && server->def.command != NULL) {
        server->def.command(server->def.context, incoming->bytes);
    } else if (picture) {
        server->def.picture(server->def.context, incoming->bytes, incoming->size);
    }
    incoming->size = 0;
    return command || picture ? 0 : -1;
}

static void count(FilViewServer* server, int* connected, int change)
{
    pthread_mutex_lock(&server->lock);
    *connected += change;
    pthread_mutex_unlock(&server->lock);
}

static int on_stream(struct lws* connection, enum lws_callback_reasons reason, void* user, void* bytes, size_t size)
{
    FilViewServer* server = lws_context_user(lws_get_context(connection));
    Page* page = user;
    switch (reason) {
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
            return admit(server, connection, false);
        case LWS_CALLBACK_ESTABLISHED:
            *page = (Page){0};
            count(server, &server->counts.pages, 1);
            lws_callback_on_writable(connection);
            return 0;
        case LWS_CALLBACK_CLOSED:
            count(server, &server->counts.pages, -1);
            free(page->received.bytes);
            *page = (Page){0};
            return 0;
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return write_news(server, connection, page);
        case LWS_CALLBACK_RECEIVE:
            return (lws_frame_is_binary(connection) ? receive : receive_text)(server, connection, page, bytes, size);
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED:  // there is news
            lws_callback_on_writable_all_protocol(lws_get_context(connection), lws_get_protocol(connection));
            return 0;
        default:
            return 0;
    }
}

/* ---- Foxglove and its kin ---- */

static_assert(FIL_FOXGLOVE_HEADROOM >= LWS_PRE, "room for the library's header");

static int write_waiting(FilViewServer* server, struct lws* connection, const Link* link)
{
    FilFoxgloveMessage message;
    if (!fil_foxglove_next(link->peer, &message)) {
        return 0;
    }
    const int sent = lws_write(connection, message.bytes, message.size, message.binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    const bool whole = sent >= (int)message.size;
    pthread_mutex_lock(&server->lock);
    server->counts.bytes += message.size;
    pthread_mutex_unlock(&server->lock);
    fil_foxglove_release(&message);
    lws_callback_on_writable(connection);
    return whole ? 0 : -1;
}

static int receive_from_viewer(struct lws* connection, Link* link, const void* bytes, size_t size)
{
    // bytes, as of FIL_FOXGLOVE_IN_BYTES
    enum { LONGEST = 1 << 20 };
    Incoming* incoming = &link->received;
    const int whole = gather(connection, incoming, LONGEST, bytes, size);
    if (whole <= 0) {
        return whole;
    }
    const bool good = fil_foxglove_receive(link->peer, incoming->bytes, incoming->size, lws_frame_is_binary(connection));
    incoming->size = 0;
    return good ? 0 : -1;
}

static int on_foxglove(struct lws* connection, enum lws_callback_reasons reason, void* user, void* bytes, size_t size)
{
    FilViewServer* server = lws_context_user(lws_get_context(connection));
    Link* link = user;
    switch (reason) {
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
            return admit(server, connection, is_invited(server, connection));
        case LWS_CALLBACK_ESTABLISHED:
            *link = (Link){.peer = fil_foxglove_open(server->def.foxglove, server->def.read_only)};
            count(server, &server->counts.viewers, link->peer != NULL);
            lws_callback_on_writable(connection);
            return link->peer != NULL ? 0 : -1;
        case LWS_CALLBACK_CLOSED:
            if (link->peer != NULL) {
                fil_foxglove_close(link->peer);
                count(server, &server->counts.viewers, -1);
            }
            free(link->received.bytes);
            *link = (Link){0};
            return 0;
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return write_waiting(server, connection, link);
        case LWS_CALLBACK_RECEIVE:
            return receive_from_viewer(connection, link, bytes, size);
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
            lws_callback_on_writable_all_protocol(lws_get_context(connection), lws_get_protocol(connection));
            return 0;
        default:
            return 0;
    }
}

static void wake(void* context)
{
    const FilViewServer* server = context;
    lws_cancel_service(server->context);
}

/* ---- starting and stopping ---- */

static void* serve(void* pointer)
{
    FilViewServer* server = pointer;
    for (bool ends = false; !ends;) {
        lws_service(server->context, 0);
        pthread_mutex_lock(&server->lock);
        ends = server->ends;
        pthread_mutex_unlock(&server->lock);
    }
    return NULL;
}

static FilStatus open_server(FilViewServer* server, FilError* error)
{
    // s: pages that are gone are found out within 20, for a ping of some bytes every 10
    static const lws_retry_bo_t idle = {.secs_since_valid_ping = 10, .secs_since_valid_hangup = 20};
    server->mount = (struct lws_http_mount){
        .mountpoint = "/", .origin = server->folder, .def = "index.html", .origin_protocol = LWSMPRO_FILE, .mountpoint_len = 1};
    server->protocols[0] = (struct lws_protocols){.name = "http", .callback = lws_callback_http_dummy};
    // buffers of one read: pages send commands of a line, viewers lists of some kB; longer messages come in parts
    server->protocols[1] =
        (struct lws_protocols){.name = "filum", .callback = on_stream, .per_session_data_size = sizeof(Page), .rx_buffer_size = 1024};
    if (server->def.foxglove != NULL) {
        server->protocols[2] = (struct lws_protocols){
            .name = "foxglove.websocket.v1", .callback = on_foxglove, .per_session_data_size = sizeof(Link), .rx_buffer_size = 4096};
        server->protocols[3] = server->protocols[2];
        server->protocols[3].name = "foxglove.sdk.v1";
    }
    lws_set_log_level(0, NULL);
    const struct lws_context_creation_info info = {.port = server->def.port,
                                                   .iface = server->address,
                                                   .protocols = server->protocols,
                                                   .mounts = &server->mount,
                                                   .user = server,
                                                   .retry_and_idle_policy = &idle,
                                                   .gid = -1,
                                                   .uid = -1,
                                                   .vhost_name = "filum",
                                                   .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                                                              LWS_SERVER_OPTION_HTTP_HEADERS_SECURITY_BEST_PRACTICES_ENFORCE};
    server->context = lws_create_context(&info);
    struct lws_vhost* host = server->context != NULL ? lws_create_vhost(server->context, &info) : NULL;
    if (host == NULL) {
        return fil_error(error, FIL_IO, "cannot listen on %s, port %d; is it taken? (--port chooses another)", server->address, server->def.port);
    }
    server->port = lws_get_vhost_listen_port(host);
    if (server->def.foxglove != NULL) {
        fil_foxglove_listen(server->def.foxglove, wake, server);
    }
    server->serves = pthread_create(&server->thread, NULL, serve, server) == 0;
    return server->serves ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "cannot start a thread");
}

FilStatus fil_view_server_start(const FilViewServerDef* def, FilViewServer** out, FilError* error)
{
    *out = NULL;
    FilViewServer* server = calloc(1, sizeof *server);
    if (server == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    server->def = *def;
    snprintf(server->address, sizeof server->address, "%s", def->address);
    pthread_mutex_init(&server->lock, NULL);
    FilStatus status = FIL_OK;
    if (def->folder != NULL) {
        snprintf(server->folder, sizeof server->folder, "%s", def->folder);
    } else if (!fil_page_path(server->folder, sizeof server->folder, error)) {
        status = FIL_IO;
    }
    status = status == FIL_OK ? open_server(server, error) : status;
    if (status != FIL_OK) {
        fil_view_server_stop(server);
        return status;
    }
    *out = server;
    return FIL_OK;
}

void fil_view_server_stop(FilViewServer* server)
{
    if (server == NULL) {
        return;
    }
    if (server->serves) {
        pthread_mutex_lock(&server->lock);
        server->ends = true;
        pthread_mutex_unlock(&server->lock);
        lws_cancel_service(server->context);
        pthread_join(server->thread, NULL);
    }
    if (server->def.foxglove != NULL) {
        fil_foxglove_listen(server->def.foxglove, NULL, NULL);
    }
    if (server->context != NULL) {
        lws_context_destroy(server->context);
    }
    free(server->copy.bytes);
    free(server->text.bytes);
    free(server->frame.bytes);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

int fil_view_server_port(const FilViewServer* server)
{
    return server->port;
}

FilViewCounts fil_view_server_counts(FilViewServer* server)
{
    pthread_mutex_lock(&server->lock);
    const FilViewCounts counts = server->counts;
    pthread_mutex_unlock(&server->lock);
    return counts;
}
