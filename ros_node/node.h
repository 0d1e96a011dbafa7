/* The node: parameters, world, commands, control and publishers, and the loop that runs them. */
#ifndef FILUM_NODE_NODE_H
#define FILUM_NODE_NODE_H

#include <signal.h>

#include "actions.h"
#include "boundary.h"
#include "commands.h"
#include "composition.h"
#include "control.h"
#include "descriptions.h"
#include "lifecycle.h"
#include "namesakes.h"
#include "parameter_server.h"
#include "planning.h"
#include "publishers.h"
#include "rclc/rclc.h"
#include "sensors.h"
#include "standard_services.h"
#include "status_line.h"
#include "view/session.h"
#include "view/simulation.h"
#include "view_topics.h"
#include "world_services.h"

typedef struct FilNode {
    rcl_allocator_t allocator;
    rclc_support_t support;
    rcl_node_t node;
    rclc_executor_t executor;
    const char* logger;
    FilSimulation simulation;
    FilParameters parameters;
    FilBoundary boundary;
    FilNamesakes namesakes;
    FilParameterServer parameter_server;
    FilTap tap;
    struct FilRecording* recording; /* NULL: none */
    uint64_t told_drops;            /* messages known to be missing in the recording */
    double next_complaint;          /* wall time, s: not before that about more of them */
    FilPublishers publishers;
    FilCommands commands;
    FilControl control;
    FilPlanning planning;
    FilActions actions;
    FilSensors sensors;
    FilDescriptions descriptions;
    struct {
        FilViewSession* session; /* NULL: nobody is served */
        FilViewTopics* topics;   /* for Foxglove; NULL: for pages only */
    } view;                      /* on view_port */
    FilStandardServices* standard_services;
    FilWorldServices* world_services;
    FilComposition* composition; /* what the world is made of; NULL: there is none */
    uint64_t composed_load;      /* the world that is made of it */
    FilLifecycle lifecycle;
    bool loaded;                       /* a world, and all parameters count for it */
    bool scene_by_peer;                /* the parameter `scene` names what a peer chose: what it may read and take is bounded */
    const volatile sig_atomic_t* stop; /* set by a signal */
    bool quit;                         /* a service has asked for the end */
    size_t parts_made;                 /* by fil_node_init(), in order; fil_node_fini() undoes them in reverse */
    int argc;                          /* the command line, borrowed */
    const char* const* argv;

    double duration; /* s of simulated time after which the node ends; infinity: never */
    FilStatusLine status_line;
    double lockstep_timeout; /* s */
    double await_limit;      /* wall time up to which a command is awaited */
    double await_repeat;     /* wall time at which the state is told again: who joined late has not heard it */
    bool await_counts;       /* whether the time up to await_limit runs: not while paused */
    size_t controllers;      /* publishers of commands, when last counted */
    bool told;               /* a state was published since their number changed */
    bool heard;              /* and answered: none needs to be told again */
    bool stands;             /* time has stood since the last turn of the main loop */
    double retell;           /* wall time at which the state is told to those who joined while paused; infinity: none did */
    double retell_wait;      /* s, until then */
} FilNode;

/* Joins the graph and loads the scene. On failure everything is undone, and the reason is logged. */
/* `stop` is what a signal sets: not zero ends the node, and a step that takes long. */
bool fil_node_init(FilNode* node, int argc, const char* const* argv, const volatile sig_atomic_t* stop);
void fil_node_fini(FilNode* node);

/* Runs until it is stopped or the duration is over. */
void fil_node_run(FilNode* node);

/* Seconds of the steady clock. */
double fil_node_now(void);

#endif
