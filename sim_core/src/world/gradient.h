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

/* A contact that bears, on the unknowns of its two sides: m(v) is less by J' gamma. */
typedef struct FilGradientContact {
    int body[2], first[2], size[2]; /* and their unknowns; size 0: a side that nothing moves */
    double* jacobian;               /* 3 rows: J */
    double* by_place;               /* a row for each unknown: J' gamma by the place at the start, v held */
    double hessian[9];              /* gamma by J v is -G, */
    double by_velocity[3];          /* and this by the normal velocity at the start */
} FilGradientContact;

typedef struct FilGradientContacts {
    FilGradientContact* items;
    int count;
    size_t capacity;
    double *numbers, *columns, *schur, *work; /* that items point to; A^-1 J', n each; 1 + G J A^-1 J', factored */
    size_t number_capacity, column_capacity;
    int* pivots;
} FilGradientContacts;

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
    FilGradientContacts contacts;
};

/* x <- J^-1 b, on what is free; of all unknowns, or with J' if `back`. */
FIL_MUST_CHECK FilStatus fil_gradient_solve(FilGradient* gradient, bool back, const double* b, double* x);
/* FIL_BAD_INPUT if there is no step to differentiate, or nowhere to read from or write to. */
FIL_MUST_CHECK FilStatus fil_gradient_need_step(const FilGradient* gradient, const double* from, const double* to);

/* ---- contacts: gradient_contact.c ---- */

/* Of the step just made, its bodies prepared: contacts that bear. FIL_BAD_INPUT where they are not known. */
FIL_MUST_CHECK FilStatus fil_gradient_contacts_take(FilGradient* gradient);
/* With x <- A^-1 x of a body: what fil_gradient_contacts_correct() needs. */
FIL_MUST_CHECK FilStatus fil_gradient_contacts_factor(FilGradient* gradient,
                                                      void (*solve)(const FilGradient* gradient, const FilBody* body, double* x));
/* out += J' G J x; both of all unknowns. */
void fil_gradient_contacts_apply(const FilGradient* gradient, const double* x, double* out);
/* x = A^-1 b becomes (A + J' G J)^-1 b. */
void fil_gradient_contacts_correct(const FilGradient* gradient, double* x);
/* out += the change of J' gamma by the start, at the same end; transposed: adds to place and rate. */
void fil_gradient_contacts_vary(const FilGradient* gradient, const double* place, const double* rate, double* out);
void fil_gradient_contacts_vary_back(const FilGradient* gradient, const double* weight, double* place, double* rate);
void fil_gradient_contacts_free(FilGradientContacts* contacts);

#endif
