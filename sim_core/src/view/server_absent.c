/* The server where it could not be built. */
#include "base/error.h"
#include "view/server.h"

FilStatus fil_view_server_start(const FilViewServerDef* def, FilViewServer** server, FilError* error)
{
    (void)def;
    *server = NULL;
    return fil_error(error, FIL_BAD_INPUT,
                     "this program has no page to show: build it where libwebsockets and npm are (apt install libwebsockets-dev npm), with "
                     "FILUM_VIEW=on in a workspace");
}

void fil_view_server_stop(FilViewServer* server)
{
    (void)server;
}

int fil_view_server_port(const FilViewServer* server)
{
    (void)server;
    return 0;
}

FilStatus fil_view_server_send(FilViewServer* server, const char* text, size_t size)
{
    (void)server;
    (void)text;
    (void)size;
    return FIL_OK;
}

FilStatus fil_view_server_show(FilViewServer* server, const void* frame, size_t size)
{
    return fil_view_server_send(server, frame, size);
}

FilViewCounts fil_view_server_counts(FilViewServer* server)
{
    (void)server;
    return (FilViewCounts){0};
}
