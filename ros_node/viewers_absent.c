/* In a build without the recorder's libraries there are no definitions to tell viewers: there are pages only. */
#include "viewers.h"

FilViewers* fil_viewers_create(const FilViewersDef* def)
{
    (void)def;
    return NULL;
}

void fil_viewers_destroy(FilViewers* viewers)
{
    (void)viewers;
}

FilFoxglove* fil_viewers_foxglove(FilViewers* viewers)
{
    (void)viewers;
    return NULL;
}

FilTapListener fil_viewers_listener(FilViewers* viewers)
{
    (void)viewers;
    return (FilTapListener){0};
}

void fil_viewers_serve(FilViewers* viewers)
{
    (void)viewers;
}

bool fil_viewers_want_markers(const FilViewers* viewers)
{
    (void)viewers;
    return false;
}

bool fil_viewers_joined(FilViewers* viewers)
{
    (void)viewers;
    return false;
}
