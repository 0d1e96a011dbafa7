#include "view/foxglove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "view/foxglove_parts.h"
#include "view/text.h"

/* operations of binary messages */
enum { SERVER_MESSAGE = 1, SERVER_TIME = 2, SERVER_ANSWER = 3, CLIENT_MESSAGE = 1, CLIENT_CALL = 2, CLIENT_PLAYBACK = 3 };

static void put_u32(unsigned char* at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

static void put_u64(unsigned char* at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at + 4, (uint32_t)(value >> 32));
}

static uint32_t get_u32(const unsigned char* at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void fil_foxglove_release(FilFoxgloveMessage* message)
{
    if (message->bytes != NULL) {
        free(message->bytes - FIL_FOXGLOVE_HEADROOM);
    }
    *message = (FilFoxgloveMessage){0};
}

/* ---- what waits for a peer; under the lock ---- */

static FilFoxgloveWaiting* waiting_at(FilFoxglovePeer* peer, int index)
{
    return &peer->outbox[(peer->first + index) % FIL_FOXGLOVE_OUTBOX];
}

static void take_out(FilFoxglovePeer* peer, int index)
{
    peer->waiting_bytes -= waiting_at(peer, index)->message.size;
    for (int i = index; i > 0; --i) {
        *waiting_at(peer, i) = *waiting_at(peer, i - 1);
    }
    peer->first = (peer->first + 1) % FIL_FOXGLOVE_OUTBOX;
    peer->waiting--;
}

static bool drop_oldest(FilFoxglovePeer* peer)
{
    for (int i = 0; i < peer->waiting; ++i) {
        FilFoxgloveWaiting* waiting = waiting_at(peer, i);
        if (waiting->data) {
            FilFoxgloveMessage dropped = waiting->message;
            take_out(peer, i);
            fil_foxglove_release(&dropped);
            return true;
        }
    }
    return false;
}

/* Takes the message over. */
static void enqueue(FilFoxglovePeer* peer, FilFoxgloveMessage message, bool data)
{
    while ((peer->waiting == FIL_FOXGLOVE_OUTBOX || peer->waiting_bytes + message.size > FIL_FOXGLOVE_OUTBOX_BYTES) && drop_oldest(peer)) {
    }
    if (message.bytes == NULL || peer->waiting == FIL_FOXGLOVE_OUTBOX) {
        peer->stuck = peer->stuck || !data;
        fil_foxglove_release(&message);
        return;
    }
    *waiting_at(peer, peer->waiting++) = (FilFoxgloveWaiting){.message = message, .data = data};
    peer->waiting_bytes += message.size;
}

static void wake(const FilFoxglove* foxglove)
{
    if (foxglove->wake != NULL) {
        foxglove->wake(foxglove->wake_context);
    }
}

/* ---- channels ---- */

FilStatus fil_foxglove_add_channel(FilFoxglove* foxglove, const FilFoxgloveChannel* channel, uint32_t* id)
{
    FilFoxgloveStored stored = {.topic = fil_view_copy_text(channel->topic, strlen(channel->topic)),
                                .type = fil_view_copy_text(channel->type, strlen(channel->type)),
                                .schema = fil_view_copy_text(channel->schema, channel->schema_size),
                                .latched = channel->latched};
    pthread_mutex_lock(&foxglove->lock);
    const bool fits = foxglove->channel_count < FIL_FOXGLOVE_CHANNELS && stored.topic != NULL && stored.type != NULL && stored.schema != NULL;
    if (fits) {
        foxglove->channels[foxglove->channel_count++] = stored;
        *id = (uint32_t)foxglove->channel_count;
        for (int p = 0; p < FIL_FOXGLOVE_PEERS; ++p) {
            if (foxglove->peers[p] != NULL) {
                enqueue(foxglove->peers[p], fil_foxglove_advertise(foxglove, foxglove->channel_count - 1), false);
            }
        }
    }
    pthread_mutex_unlock(&foxglove->lock);
    if (!fits) {
        free(stored.topic);
        free(stored.type);
        free(stored.schema);
        return FIL_OUT_OF_MEMORY;
    }
    wake(foxglove);
    return FIL_OK;
}

bool fil_foxglove_wants(FilFoxglove* foxglove, uint32_t channel)
{
    pthread_mutex_lock(&foxglove->lock);
    bool wanted = channel >= 1 && channel <= (uint32_t)foxglove->channel_count && foxglove->channels[channel - 1].latched;
    for (int p = 0; p < FIL_FOXGLOVE_PEERS; ++p) {
        const FilFoxglovePeer* peer = foxglove->peers[p];
        for (int s = 0; peer != NULL && s < peer->subscription_count; ++s) {
            wanted = wanted || peer->subscriptions[s].channel == channel;
        }
    }
    pthread_mutex_unlock(&foxglove->lock);
    return wanted;
}

uint64_t fil_foxglove_joined(FilFoxglove* foxglove)
{
    pthread_mutex_lock(&foxglove->lock);
    const uint64_t joined = foxglove->joined;
    pthread_mutex_unlock(&foxglove->lock);
    return joined;
}

static FilFoxgloveMessage message_for(uint32_t subscription, uint64_t time, const void* cdr, size_t size)
{
    unsigned char head[13] = {SERVER_MESSAGE};
    put_u32(head + 1, subscription);
    put_u64(head + 5, time);
    return fil_foxglove_bytes(head, sizeof head, cdr, size);
}

/* a latched channel keeps its time and message */
static void keep(FilFoxgloveStored* channel, uint64_t time, const void* cdr, size_t size)
{
    unsigned char* copy = malloc(8 + size);
    if (copy != NULL) {
        put_u64(copy, time);
        memcpy(copy + 8, cdr, size);
        free(channel->last);
        channel->last = copy;
        channel->last_size = 8 + size;
    }
}

void fil_foxglove_send(FilFoxglove* foxglove, uint32_t channel, uint64_t time, const void* cdr, size_t size)
{
    bool sent = false;
    pthread_mutex_lock(&foxglove->lock);
    if (channel >= 1 && channel <= (uint32_t)foxglove->channel_count && foxglove->channels[channel - 1].latched) {
        keep(&foxglove->channels[channel - 1], time, cdr, size);
    }
    for (int p = 0; p < FIL_FOXGLOVE_PEERS; ++p) {
        FilFoxglovePeer* peer = foxglove->peers[p];
        for (int s = 0; peer != NULL && s < peer->subscription_count; ++s) {
            if (peer->subscriptions[s].channel == channel) {
                enqueue(peer, message_for(peer->subscriptions[s].id, time, cdr, size), true);
                sent = true;
            }
        }
    }
    pthread_mutex_unlock(&foxglove->lock);
    if (sent) {
        wake(foxglove);
    }
}

void fil_foxglove_send_time(FilFoxglove* foxglove, uint64_t time)
{
    unsigned char head[9] = {SERVER_TIME};
    bool notified = false;
    put_u64(head + 1, time);
    pthread_mutex_lock(&foxglove->lock);
    for (int p = 0; p < FIL_FOXGLOVE_PEERS; ++p) {
        if (foxglove->peers[p] != NULL) {
            enqueue(foxglove->peers[p], fil_foxglove_bytes(head, sizeof head, NULL, 0), true);
            notified = true;
        }
    }
    pthread_mutex_unlock(&foxglove->lock);
    if (notified) {
        wake(foxglove);
    }
}

/* ---- what peers ask ---- */

static bool has_subscription(const FilFoxglovePeer* peer, uint32_t id)
{
    for (int s = 0; s < peer->subscription_count; ++s) {
        if (peer->subscriptions[s].id == id) {
            return true;
        }
    }
    return false;
}

static void subscribe(FilFoxglovePeer* peer, const FilYaml* list)
{
    for (const FilYaml* item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        uint32_t id, channel;
        const bool mapping = item->kind == FIL_YAML_MAPPING;
        if (!mapping || !fil_foxglove_id(fil_yaml_find(item, "id"), &id) || !fil_foxglove_id(fil_yaml_find(item, "channelId"), &channel) ||
            channel < 1 || channel > (uint32_t)peer->foxglove->channel_count || peer->subscription_count == FIL_FOXGLOVE_SUBSCRIPTIONS ||
            has_subscription(peer, id)) {
            enqueue(peer, fil_foxglove_status("a subscription names no channel, its id is in use, or there are too many"), false);
            continue;
        }
        peer->subscriptions[peer->subscription_count].id = id;
        peer->subscriptions[peer->subscription_count++].channel = channel;
        peer->foxglove->joined++;
        const FilFoxgloveStored* stored = &peer->foxglove->channels[channel - 1];
        if (stored->last != NULL) {
            const uint64_t time = get_u32(stored->last) | (uint64_t)get_u32(stored->last + 4) << 32;
            enqueue(peer, message_for(id, time, stored->last + 8, stored->last_size - 8), true);
        }
    }
}

static void unsubscribe(FilFoxglovePeer* peer, const FilYaml* list)
{
    for (const FilYaml* item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        uint32_t id;
        for (int s = 0; fil_foxglove_id(item, &id) && s < peer->subscription_count; ++s) {
            if (peer->subscriptions[s].id == id) {
                peer->subscriptions[s] = peer->subscriptions[--peer->subscription_count];
                break;
            }
        }
    }
}

static int find_watched(const FilFoxglovePeer* peer, const char* name)
{
    int found = 0;
    while (found < peer->watched_count && strcmp(peer->watched[found], name) != 0) {
        found++;
    }
    return found;
}

/* Adds names to those that are watched, or takes them away; without names, all. */
static void watch(FilFoxglovePeer* peer, const FilYaml* names, bool add)
{
    if (names == NULL || names->count == 0) {
        peer->watches_all = add;
        peer->watched_count = 0;
        return;
    }
    if (add && peer->watched == NULL) {
        peer->watched = calloc(FIL_FOXGLOVE_WATCHED, sizeof *peer->watched);
    }
    for (const FilYaml* item = names->first; item != NULL && peer->watched != NULL; item = item->next) {
        const char* name = item->kind == FIL_YAML_SCALAR ? item->text : "";
        const int at = find_watched(peer, name);
        if (add && at == peer->watched_count && at < FIL_FOXGLOVE_WATCHED && strlen(name) < sizeof *peer->watched) {
            snprintf(peer->watched[peer->watched_count++], sizeof *peer->watched, "%s", name);
        } else if (!add && at < peer->watched_count && at != --peer->watched_count) {
            memcpy(peer->watched[at], peer->watched[peer->watched_count], sizeof *peer->watched);
        }
    }
}

/* Lays a request aside for the thread of the simulation. */
static void defer(FilFoxglovePeer* peer, const void* bytes, size_t size, bool binary)
{
    FilFoxglove* foxglove = peer->foxglove;
    unsigned char* copy = malloc(size + 1);
    if (copy == NULL || peer->read_only || foxglove->request_count == FIL_FOXGLOVE_REQUESTS) {
        free(copy);
        enqueue(peer, fil_foxglove_status(peer->read_only ? "this server only shows" : "too many requests at once"), false);
        return;
    }
    memcpy(copy, bytes, size);
    foxglove->requests[(foxglove->request_first + foxglove->request_count++) % FIL_FOXGLOVE_REQUESTS] =
        (FilFoxgloveRequest){.peer = peer->number, .binary = binary, .bytes = copy, .size = size};
}

static bool receive_text(FilFoxglovePeer* peer, const void* bytes, size_t size)
{
    FilPool pool = {0};
    const FilYaml* message = fil_foxglove_parse(bytes, size, &pool);
    const char* op = message != NULL ? fil_foxglove_word(message, "op") : "";
    if (strcmp(op, "subscribe") == 0) {
        subscribe(peer, fil_yaml_find(message, "subscriptions"));
    } else if (strcmp(op, "unsubscribe") == 0) {
        unsubscribe(peer, fil_yaml_find(message, "subscriptionIds"));
    } else if (strcmp(op, "subscribeParameterUpdates") == 0 || strcmp(op, "unsubscribeParameterUpdates") == 0) {
        watch(peer, fil_yaml_find(message, "parameterNames"), op[0] == 's');
    } else if (strcmp(op, "getParameters") == 0 || strcmp(op, "setParameters") == 0) {
        defer(peer, bytes, size, false);
    } else if (op[0] != '\0') {
        enqueue(peer, fil_foxglove_status("this operation is not offered here"), false);
    }
    const bool known = op[0] != '\0';
    fil_pool_free(&pool);  // and with it the words
    return known;
}

bool fil_foxglove_receive(FilFoxglovePeer* peer, const void* bytes, size_t size, bool binary)
{
    const unsigned char* at = bytes;
    bool good = size > 0 && size <= FIL_FOXGLOVE_IN_BYTES;
    pthread_mutex_lock(&peer->foxglove->lock);
    if (good && binary) {
        // Foxglove's protocol: opcode, service, call and length of the encoding's name, 1 + 3 x 4 bytes; then the name (cdr) and the request, from 16
        // on
        const bool call = at[0] == CLIENT_CALL && size >= 13;
        good = call || at[0] == CLIENT_MESSAGE || at[0] == CLIENT_PLAYBACK;
        if (call) {
            defer(peer, bytes, size, true);
        } else if (good) {
            enqueue(peer, fil_foxglove_status("this operation is not offered here"), false);
        }
    } else if (good) {
        good = receive_text(peer, bytes, size);
    }
    good = good && !peer->stuck;
    pthread_mutex_unlock(&peer->foxglove->lock);
    wake(peer->foxglove);
    return good;
}

/* ---- answers, by the thread of the simulation ---- */

static FilFoxgloveMessage answer_call(const FilFoxglove* foxglove, const FilFoxgloveRequest* request)
{
    const FilFoxgloveHost* host = &foxglove->host;
    const uint32_t service = get_u32(request->bytes + 1), call = get_u32(request->bytes + 5), encoding = get_u32(request->bytes + 9);
    if (encoding > request->size - 13 || encoding != 3 || memcmp(request->bytes + 13, "cdr", 3) != 0) {
        return fil_foxglove_failure(service, call, "calls are encoded as cdr here");
    }
    if (host->call == NULL || service < 1 || service > (uint32_t)host->service_count) {
        return fil_foxglove_failure(service, call, "there is no such service");
    }
    uint8_t answer[FIL_FOXGLOVE_ANSWER] = {0};
    const size_t size = host->call(host->context, (int)service - 1, request->bytes + 16, request->size - 16, answer);
    if (size == 0) {
        return fil_foxglove_failure(service, call, (const char*)answer);
    }
    unsigned char head[16] = {SERVER_ANSWER};
    put_u32(head + 1, service);
    put_u32(head + 5, call);
    put_u32(head + 9, 3);
    memcpy(head + 13, "cdr", 3);
    return fil_foxglove_bytes(head, sizeof head, answer, size);
}

static bool is_named(const FilYaml* names, const char* name)
{
    bool named = names == NULL || names->count == 0;  // none: all
    for (const FilYaml* item = names != NULL ? names->first : NULL; item != NULL && !named; item = item->next) {
        named = strcmp(item->kind == FIL_YAML_SCALAR ? item->text : fil_foxglove_word(item, "name"), name) == 0;  // names, or parameters
    }
    return named;
}

static FilFoxgloveMessage values_of(const FilFoxglove* foxglove, const FilYaml* names, const char* id)
{
    const FilFoxgloveHost* host = &foxglove->host;
    const int count = host->parameter_count != NULL ? host->parameter_count(host->context) : 0;
    FilFoxgloveParameter* parameters = calloc((size_t)count + 1, sizeof *parameters);
    int found = 0;
    for (int i = 0; parameters != NULL && i < count; ++i) {
        host->parameter(host->context, i, &parameters[found]);
        found += is_named(names, parameters[found].name);
    }
    const FilFoxgloveMessage message = parameters != NULL ? fil_foxglove_values(parameters, found, id) : (FilFoxgloveMessage){0};
    free(parameters);
    return message;
}

/* Takes the message over; a peer that has gone does not miss it. */
static void answer(FilFoxglove* foxglove, uint32_t number, FilFoxgloveMessage message)
{
    bool taken = message.bytes == NULL;
    pthread_mutex_lock(&foxglove->lock);
    for (int p = 0; p < FIL_FOXGLOVE_PEERS && !taken; ++p) {
        if (foxglove->peers[p] != NULL && foxglove->peers[p]->number == number) {
            enqueue(foxglove->peers[p], message, false);
            taken = true;
        }
    }
    pthread_mutex_unlock(&foxglove->lock);
    if (!taken) {
        fil_foxglove_release(&message);
    }
    wake(foxglove);
}

/* Refusals are reported; with an id those that were named are answered as they are now, set or not. */
static FilFoxgloveMessage set_parameters(FilFoxglove* foxglove, uint32_t peer, const FilYaml* list, const char* id)
{
    const FilFoxgloveHost* host = &foxglove->host;
    for (const FilYaml* item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        FilFoxgloveParameter parameter;
        char reason[FIL_FOXGLOVE_ANSWER] = "a parameter needs a name and a value";
        if (!fil_foxglove_read_parameter(item, &parameter) || host->set_parameter == NULL ||
            !host->set_parameter(host->context, &parameter, reason)) {
            answer(foxglove, peer, fil_foxglove_status(reason));
        }
    }
    return id[0] != '\0' ? values_of(foxglove, list, id) : (FilFoxgloveMessage){0};
}

static FilFoxgloveMessage answer_text(FilFoxglove* foxglove, const FilFoxgloveRequest* request)
{
    FilPool pool = {0};
    FilFoxgloveMessage message = {0};
    const FilYaml* asked = fil_foxglove_parse(request->bytes, request->size, &pool);
    if (asked != NULL) {
        const char* id = fil_foxglove_word(asked, "id");
        message = strcmp(fil_foxglove_word(asked, "op"), "getParameters") == 0
                      ? values_of(foxglove, fil_yaml_find(asked, "parameterNames"), id)
                      : set_parameters(foxglove, request->peer, fil_yaml_find(asked, "parameters"), id);
    }
    fil_pool_free(&pool);
    return message;
}

static bool take_request(FilFoxglove* foxglove, FilFoxgloveRequest* request)
{
    pthread_mutex_lock(&foxglove->lock);
    const bool taken = foxglove->request_count > 0;
    if (taken) {
        *request = foxglove->requests[foxglove->request_first];
        foxglove->request_first = (foxglove->request_first + 1) % FIL_FOXGLOVE_REQUESTS;
        foxglove->request_count--;
    }
    pthread_mutex_unlock(&foxglove->lock);
    return taken;
}

void fil_foxglove_serve(FilFoxglove* foxglove)
{
    FilFoxgloveRequest request;
    for (int i = 0; i < FIL_FOXGLOVE_REQUESTS && take_request(foxglove, &request); ++i) {
        answer(foxglove, request.peer, request.binary ? answer_call(foxglove, &request) : answer_text(foxglove, &request));
        free(request.bytes);
    }
}

void fil_foxglove_changed(FilFoxglove* foxglove, const FilFoxgloveParameter* parameter)
{
    pthread_mutex_lock(&foxglove->lock);
    for (int p = 0; p < FIL_FOXGLOVE_PEERS; ++p) {
        const FilFoxglovePeer* peer = foxglove->peers[p];
        if (peer != NULL && (peer->watches_all || find_watched(peer, parameter->name) < peer->watched_count)) {
            enqueue(foxglove->peers[p], fil_foxglove_values(parameter, 1, ""), false);
        }
    }
    pthread_mutex_unlock(&foxglove->lock);
    wake(foxglove);
}

/* ---- life ---- */

FilFoxglove* fil_foxglove_create(const char* name)
{
    FilFoxglove* foxglove = calloc(1, sizeof *foxglove);
    if (foxglove != NULL) {
        snprintf(foxglove->name, sizeof foxglove->name, "%s", name);
        snprintf(foxglove->session, sizeof foxglove->session, "%lld", (long long)time(NULL) * 1000 + getpid() % 1000);
        pthread_mutex_init(&foxglove->lock, NULL);
    }
    return foxglove;
}

void fil_foxglove_destroy(FilFoxglove* foxglove)
{
    if (foxglove == NULL) {
        return;
    }
    for (FilFoxgloveRequest request; take_request(foxglove, &request);) {
        free(request.bytes);
    }
    for (int i = 0; i < foxglove->channel_count; ++i) {
        free(foxglove->channels[i].topic);
        free(foxglove->channels[i].type);
        free(foxglove->channels[i].schema);
        free(foxglove->channels[i].last);
    }
    pthread_mutex_destroy(&foxglove->lock);
    free(foxglove);
}

void fil_foxglove_offer(FilFoxglove* foxglove, const FilFoxgloveHost* host)
{
    foxglove->host = *host;
}

void fil_foxglove_listen(FilFoxglove* foxglove, void (*wake_up)(void* context), void* context)
{
    pthread_mutex_lock(&foxglove->lock);
    foxglove->wake = wake_up;
    foxglove->wake_context = context;
    pthread_mutex_unlock(&foxglove->lock);
}

FilFoxglovePeer* fil_foxglove_open(FilFoxglove* foxglove, bool read_only)
{
    FilFoxglovePeer* peer = calloc(1, sizeof *peer);
    int place = 0;
    pthread_mutex_lock(&foxglove->lock);
    while (place < FIL_FOXGLOVE_PEERS && foxglove->peers[place] != NULL) {
        place++;
    }
    if (peer != NULL && place < FIL_FOXGLOVE_PEERS) {
        *peer = (FilFoxglovePeer){.foxglove = foxglove, .number = ++foxglove->peer_number, .read_only = read_only};
        foxglove->peers[place] = peer;
        enqueue(peer, fil_foxglove_hello(foxglove, read_only), false);
        enqueue(peer, fil_foxglove_advertise(foxglove, 0), false);
        if (!read_only && foxglove->host.service_count > 0) {
            enqueue(peer, fil_foxglove_advertise_services(foxglove), false);
        }
    } else {
        free(peer);
        peer = NULL;
    }
    pthread_mutex_unlock(&foxglove->lock);
    return peer;
}

void fil_foxglove_close(FilFoxglovePeer* peer)
{
    FilFoxglove* foxglove = peer->foxglove;
    pthread_mutex_lock(&foxglove->lock);
    for (int p = 0; p < FIL_FOXGLOVE_PEERS; ++p) {
        if (foxglove->peers[p] == peer) {
            foxglove->peers[p] = NULL;
        }
    }
    pthread_mutex_unlock(&foxglove->lock);
    while (peer->waiting > 0) {
        fil_foxglove_release(&waiting_at(peer, 0)->message);
        peer->first = (peer->first + 1) % FIL_FOXGLOVE_OUTBOX;
        peer->waiting--;
    }
    free(peer->watched);
    free(peer);
}

bool fil_foxglove_next(FilFoxglovePeer* peer, FilFoxgloveMessage* message)
{
    pthread_mutex_lock(&peer->foxglove->lock);
    const bool waits = peer->waiting > 0;
    if (waits) {
        *message = waiting_at(peer, 0)->message;
        take_out(peer, 0);
    }
    pthread_mutex_unlock(&peer->foxglove->lock);
    return waits;
}
