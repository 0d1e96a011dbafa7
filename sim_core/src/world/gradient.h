/* A gradient's inside. */
#ifndef FILUM_WORLD_GRADIENT_H
#define FILUM_WORLD_GRADIENT_H

#include "filum/gradient.h"
#include "world/world.h"

/* A motor or a stop at work on one unknown: -impulse = pull (place of the unknown at the start) + slope (its velocity at the end). */
typedef struct FilGradientSpring {
    int body, unknown; /* of the body */
    double pull, slope;
    double *column, scale; /* A^-1 e with the springs before it, and 1 / (1 / slope + e' column) */
} FilGradientSpring;

struct FilGradient {
    FilWorld* world;
    int n;                 /* numbers of a velocity */
    bool ready;            /* the world stands at the end of the step that was prepared */
    uint64_t step, varied; /* its number, and how often states had been moved ... */
    double* v;             /* ... and its end, n; what follows has n numbers, too */
    double *end_rate, *residual, *solution, *correction;
    int spring_count, spring_capacity;
    FilGradientSpring* springs; /* body by body */
    double* columns;
    double* diagonal; /* of the tangents: zero where nothing is free */
};

#endif
