/* A gradient's inside. */
#ifndef FILUM_WORLD_GRADIENT_H
#define FILUM_WORLD_GRADIENT_H

#include "filum/gradient.h"
#include "world/world.h"

struct FilGradient {
    FilWorld* world;
    int n;          /* numbers of a velocity */
    bool ready;     /* the world stands at the end of the step that was prepared */
    const double* at; /* where that state is */
    uint64_t step;  /* its number ... */
    double* v;      /* ... and its end, n; what follows has n numbers, too */
    double *end_rate, *residual, *solution, *correction;
};

#endif
