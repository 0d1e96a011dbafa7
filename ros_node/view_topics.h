/* A simulation for Foxglove and its kin, on the port of the page: its topics as channels, ~/pause, ~/step and ~/reset as services,
 * parameters as "/<node>.<name>". Messages are those that the node sends; neither a node nor DDS is needed. */
#ifndef FILUM_NODE_VIEW_TOPICS_H
#define FILUM_NODE_VIEW_TOPICS_H

#include "outputs.h"
#include "view/foxglove.h"

typedef struct FilViewTopics FilViewTopics;

typedef struct FilViewTopicsDef {
    FilSimulation* simulation;
    const char* node; /* its full name, such as "/filum" */

    /* The full name of a topic or service; NULL: of a node of that name in the root namespace. */
    bool (*resolve)(void* context, const char* name, char full[256]);
    void (*was_reset)(void* context); /* by a viewer; may be NULL */

    /* Parameters, by names without that of the node. */
    int (*parameter_count)(void* context);
    void (*parameter)(void* context, int index, FilFoxgloveParameter* out);
    bool (*set_parameter)(void* context, const FilFoxgloveParameter* parameter, char reason[FIL_FOXGLOVE_ANSWER]);
    void* context; /* of all */
} FilViewTopicsDef;

/* NULL: they cannot be served by this build, or memory is out. */
FilViewTopics* fil_view_topics_create(const FilViewTopicsDef* def);
void fil_view_topics_destroy(FilViewTopics* topics);          /* NULL is fine, here and below */
FilFoxglove* fil_view_topics_foxglove(FilViewTopics* topics); /* for a server */

/* Sends a message to those who have subscribed; topics are known by their address. */
void fil_view_topics_hear(FilViewTopics* topics, const FilOutputTopic* topic, const void* message);

/* Answers what was asked; to be called once per turn of the main loop. */
void fil_view_topics_serve(FilViewTopics* topics);
bool fil_view_topics_want_markers(const FilViewTopics* topics);
/* Whether somebody has subscribed since this was asked last. */
bool fil_view_topics_joined(FilViewTopics* topics);
/* A parameter has changed, by whatever means. */
void fil_view_topics_report_parameter(FilViewTopics* topics, int index);

#endif
