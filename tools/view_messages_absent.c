/* In a build without messages `filum view` serves pages only. */
#include "view_messages.h"

FilViewMessages* fil_view_messages_create(FilSimulation* simulation)
{
    (void)simulation;
    return NULL;
}

void fil_view_messages_destroy(FilViewMessages* messages)
{
    (void)messages;
}

FilFoxglove* fil_view_messages_foxglove(FilViewMessages* messages)
{
    (void)messages;
    return NULL;
}

void fil_view_messages_join(FilViewMessages* messages, FilViewSession* session)
{
    (void)messages;
    (void)session;
}

void fil_view_messages_send(FilViewMessages* messages)
{
    (void)messages;
}

void fil_view_messages_serve(FilViewMessages* messages)
{
    (void)messages;
}
