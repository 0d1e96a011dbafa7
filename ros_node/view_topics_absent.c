/* In a build without the recorder's libraries there are no definitions to tell viewers: there are pages only. */
#include "view_topics.h"

FilViewTopics* fil_view_topics_create(const FilViewTopicsDef* def)
{
    (void)def;
    return NULL;
}

void fil_view_topics_destroy(FilViewTopics* topics)
{
    (void)viewers;
}

FilFoxglove* fil_view_topics_foxglove(FilViewTopics* topics)
{
    (void)viewers;
    return NULL;
}

void fil_view_topics_hear(FilViewTopics* topics, const FilOutputTopic* topic, const void* message)
{
    (void)topics;
    (void)topic;
    (void)message;
}

void fil_view_topics_serve(FilViewTopics* topics)
{
    (void)viewers;
}

bool fil_view_topics_want_markers(const FilViewTopics* topics)
{
    (void)viewers;
    return false;
}

bool fil_view_topics_joined(FilViewTopics* topics)
{
    (void)viewers;
    return false;
}

void fil_view_topics_tell_parameter(FilViewTopics* topics, int index)
{
    (void)topics;
    (void)index;
}
