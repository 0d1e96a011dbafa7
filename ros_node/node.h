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

/* Where a node lives. All is borrowed. */
typedef struct FilNodeDef {
    rclc_support_t* support;
    rclc_executor_t* executor;
    const char* name_space;            /* relative; empty: none of its own */
    int index, worlds;                 /* which of how many in this process */
    bool one_clock;                    /* that all of them step by; the first one tells it */
    const volatile sig_atomic_t* stop; /* set by a signal */
} FilNodeDef;

typedef struct FilNode {
    FilNodeDef def;
    rcl_node_t node;
    const char* logger;
    FilSimulation simulation;
    FilParameters parameters;
    FilBoundary boundary;
    FilNamesakes namesakes;
    FilParameterServer parameter_server;
    FilTap tap;
    struct FilRecording* recording; /* NULL: none */
    uint64_t reported_drops;        /* messages known to be missing in the recording */
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
    bool loaded;        /* a world, and all parameters count for it */
    bool scene_by_peer; /* the parameter `scene` names what a peer chose: what it may read and take is bounded */
    bool quit;          /* a service has asked for the end */
    size_t parts_made;  /* by fil_node_init(), in order; fil_node_fini() undoes them in reverse */
    FilStatus stepped;  /* how the last step went */

    double duration; /* s of simulated time after which the node ends; infinity: never */
    FilStatusLine status_line;
    double lockstep_timeout; /* s */
    double await_limit;      /* wall time up to which a command is awaited */
    double await_repeat;     /* wall time at which the state is published again: who joined late has not heard it */
    bool await_counts;       /* whether the time up to await_limit runs: not while paused */
    size_t controllers;      /* publishers of commands, when last counted */
    bool published;          /* a state was published since their number changed */
    bool heard;              /* and answered: none needs to hear it again */
    bool waits;              /* its step is due, but not those of all others that it steps with */
    double retell;           /* wall time at which the state is published to those who joined while paused; infinity: none did */
    double retell_wait;      /* s, until then */
} FilNode;

/* Joins the graph and loads the scene. On failure everything is undone, and the reason is logged. */
bool fil_node_init(FilNode* node, const FilNodeDef* def);
void fil_node_fini(FilNode* node);

/* Handles of the executor that a node needs. */
size_t fil_node_handles(void);

/* ---- a turn of the main loop, in this order ---- */

void fil_node_begin(FilNode* node);                /* once, before the first: tells the initial state */
double fil_node_wait(FilNode* node, double now);   /* s that the executor may wait for messages */
void fil_node_update(FilNode* node);               /* after it: what was asked for is done or answered */
bool fil_node_is_due(FilNode* node, double now);   /* whether a step is to be made; then these three */
void fil_node_begin_step(FilNode* node);           /* commands go on */
void fil_node_step(FilNode* node, double now);     /* may run beside those of other nodes: it tells nobody anything */
void fil_node_end_step(FilNode* node, double now); /* publishes what came of it */
void fil_node_attend(FilNode* node, double now);   /* newcomers, pages, diagnostics */
bool fil_node_is_at_end(const FilNode* node);      /* its duration is over */

/* Seconds of the steady clock. */
double fil_node_now(void);

#endif
