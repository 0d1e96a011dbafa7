/* In a build without the recorder's libraries there are no definitions to tell viewers: there are pages only. */
#include "view_topics.h"

FilViewTopics* fil_view_topics_create(const FilViewTopicsDef* def)
{
    (void)def;
    return NULL;
}

void fil_view_topics_destroy(FilViewTopics* topics)
{
    (void)topics;
}

FilFoxglove* fil_view_topics_foxglove(FilViewTopics* topics)
{
    (void)topics;
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
    (void)topics;
}

bool fil_view_topics_want_markers(const FilViewTopics* topics)
{
    (void)topics;
    return false;
}

bool fil_view_topics_joined(FilViewTopics* topics)
{
    (void)topics;
    return false;
}

void fil_view_topics_report_parameter(FilViewTopics* topics, int index)
{
    (void)topics;
    (void)index;
}
