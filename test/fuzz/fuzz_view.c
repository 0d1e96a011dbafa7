/* What comes over a WebSocket: commands of pages, and messages of viewers, each followed by answers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/commands.h"
#include "view/foxglove.h"
#include "view/server.h"

static size_t call(void* context, int service, const uint8_t* request, size_t size, uint8_t answer[FIL_FOXGLOVE_ANSWER])
{
    (void)context;
    (void)service;
    answer[0] = size > 0 ? request[size - 1] : 0;
    return size % 2;
}

static int parameter_count(void* context)
{
    (void)context;
    return 1;
}

static void parameter(void* context, int index, FilFoxgloveParameter* out)
{
    (void)context;
    (void)index;
    *out = (FilFoxgloveParameter){.name = "/filum.friction", .type = FIL_FOXGLOVE_NUMBER, .number = 0.5};
}

static bool set_parameter(void* context, const FilFoxgloveParameter* given, char reason[FIL_FOXGLOVE_ANSWER])
{
    (void)context;
    memcpy(reason, "no", 3);
    return given->type == FIL_FOXGLOVE_NUMBER;
}

static void ask(const uint8_t* data, size_t size, bool binary)
{
    static const FilFoxgloveService service = {"/filum/reset", "std_srvs/srv/Trigger", "", "bool success\nstring message"};
    const FilFoxgloveHost host = {.service_count = 1,
                                  .services = &service,
                                  .call = call,
                                  .parameter_count = parameter_count,
                                  .parameter = parameter,
                                  .set_parameter = set_parameter};
    const FilFoxgloveChannel channel = {.topic = "/clock", .type = "rosgraph_msgs/msg/Clock", .schema = "", .latched = true};
    uint32_t id = 0;
    FilFoxglove* foxglove = fil_foxglove_create("fuzz");
    fil_foxglove_offer(foxglove, &host);
    if (fil_foxglove_add_channel(foxglove, &channel, &id) != FIL_OK) {
        abort();
    }
    fil_foxglove_send(foxglove, id, 1, "x", 1);
    FilFoxglovePeer* peer = fil_foxglove_open(foxglove, false);
    // a copy of just that size, so that reading past its end is noticed
    uint8_t* copy = malloc(size + (size == 0));
    memcpy(copy, data, size);
    (void)fil_foxglove_receive(peer, copy, size, binary);
    free(copy);
    fil_foxglove_serve(foxglove);
    fil_foxglove_send(foxglove, id, 2, "yz", 2);
    for (FilFoxgloveMessage message; fil_foxglove_next(peer, &message);) {
        fil_foxglove_release(&message);
    }
    fil_foxglove_close(peer);
    fil_foxglove_destroy(foxglove);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == FIL_VIEW_COMMAND_BYTES) {
        static FilViewQueue queue;
        fil_view_queue_init(&queue);
        fil_view_queue_put(&queue, data);
        FilViewCommand command;
        if (fil_view_queue_take(&queue, 0.0, &command) && (command.ask < FIL_VIEW_PLAY || command.ask > FIL_VIEW_PARAMETER)) {
            abort();
        }
        fil_view_queue_destroy(&queue);
    }
    if (size > 0) {
        ask(data + 1, size - 1, data[0] % 2 != 0);
    }
    return 0;
}
