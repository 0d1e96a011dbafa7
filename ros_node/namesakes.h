/* Other nodes with the name of this one: services of both would answer, and neither would know. */
#ifndef FILUM_NODE_NAMESAKES_H
#define FILUM_NODE_NAMESAKES_H

#include <stdbool.h>
#include <stddef.h>

#include "rcl/rcl.h"

typedef struct FilNamesakes {
    size_t count; /* of others, when last counted */
    double next;  /* wall time at which they are counted again, s */
} FilNamesakes;

/* Counts them now and then, and warns when there are more than before. */
void fil_namesakes_watch(FilNamesakes* namesakes, const rcl_node_t* node, double now);

#endif
