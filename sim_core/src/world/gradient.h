/* A gradient's inside. */
#ifndef FILUM_WORLD_GRADIENT_H
#define FILUM_WORLD_GRADIENT_H

#include "filum/gradient.h"
#include "world/world.h"

struct FilGradient {
    FilWorld* world;
    int n;          /* numbers of a velocity */
    bool ready;     /* the world stands at the end of the step that was prepared */
    uint64_t step, varied; /* its number, and how often states had been moved ... */
    double* v;      /* ... and its end, n; what follows has n numbers, too */
    double *end_rate, *residual, *solution, *correction;
    double* diagonal; /* of the tangents: zero where nothing is free */
};

#endif
