/* The process's part in the graph: one context, one executor, and the nodes that it serves, one for each world. */
#ifndef FILUM_NODE_HOST_H
#define FILUM_NODE_HOST_H

#include "base/workers.h"
#include "node.h"

/* A bound of ours: every world has a hundred endpoints in the graph. */
enum { FIL_MAX_WORLDS = 64 };

typedef struct FilHost {
    rcl_allocator_t allocator;
    rclc_support_t support;
    rclc_executor_t executor;
    const volatile sig_atomic_t* stop; /* set by a signal */
    int made;                          /* of the four below */
    bool one_clock;                    /* all worlds step together */
    int count;                         /* of nodes that are there */
    FilNode** nodes;
    FilWorkers* workers; /* a thread for each world; NULL: there is one */
} FilHost;

/* Joins the graph and loads the scenes. On failure everything is undone, and the reason is logged. `stop` is what a signal sets: not zero
 * ends the nodes, and a step that takes long. */
bool fil_host_init(FilHost* host, int argc, const char* const* argv, const volatile sig_atomic_t* stop);
void fil_host_fini(FilHost* host);

/* Runs until it is stopped, or all have come to their end. */
void fil_host_run(FilHost* host);

#endif
