/* A gradient's inside. */
#ifndef FILUM_WORLD_GRADIENT_H
#define FILUM_WORLD_GRADIENT_H

#include "body/derivative.h"
#include "contact/sap_system.h"
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
    int constraint;                          /* of the step's problem */
    int body[2];                             /* -1: a side that nothing moves */
    int size;                                /* of unknowns of both, and ... */
    int* unknown;                            /* ... which they are of the world's */
    double* jacobian;                        /* 3 rows: J */
    double* by_place;                        /* a row for each unknown: J' gamma by the place at the start, v held */
    double hessian[9];                       /* gamma by J v is -G, */
    double by_velocity[3], by_compliance[3]; /* and this by the normal velocity at the start, and by the compliance w ... */
    int slope_count[2];
    FilTangentSlope* slopes[2]; /* ... which tangents of bodies that deform change */
} FilGradientContact;

typedef struct FilGradientContacts {
    FilGradientContact* items;
    int count;
    double* numbers; /* that items point to, and ... */
    int* unknowns;
    FilTangentSlope* slopes;
    size_t capacity, number_capacity, unknown_capacity, slope_capacity, work_capacity;
    FilSapSystem* system;                     /* A + J' G J of all bodies that take part, factored */
    double *work, *zero, *push, *v, *reduced; /* ... vectors of its variables */
} FilGradientContacts;

/* A barrier of surfaces at the step's end: the momentum that it takes, by the place there. */
typedef struct FilGradientBarrier {
    int size;
    int* unknown;
    double* by_end; /* rows: of unknowns */
} FilGradientBarrier;

typedef struct FilGradientBarriers {
    FilGradientBarrier* items;
    int count;
    double* numbers;
    int* unknowns;
    size_t capacity, number_capacity, unknown_capacity;
    double *points, *krylov; /* of surfaces; directions of a search */
    size_t point_capacity, krylov_capacity;
} FilGradientBarriers;

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
    bool remembers;   /* variations have a third part: contacts linearise about what the last step's did */
    bool* bends;      /* per body: it deforms and takes part in contact, which is linear about ... */
    size_t bend_capacity;
    double* v_free;                     /* ... this velocity */
    double *free_rate, *at_free, *bent; /* variations of it, of the place there, and of A (v - v^) */
    FilGradientContacts contacts;
    FilGradientBarriers barriers;
    bool potential; /* the model is one of potentials: all bodies are solved together */
    double* end;    /* n: variations of the end's place */
};

/* x <- J^-1 b, on what is free; of all unknowns, or with J' if `back`. Of bodies that bend the equation is that of their end, A. */
FIL_MUST_CHECK FilStatus fil_gradient_solve(FilGradient* gradient, bool back, const double* b, double* x);
/* The same of the free motion of a body that bends; b and x of all unknowns. */
FIL_MUST_CHECK FilStatus fil_gradient_solve_free(FilGradient* gradient, int body, bool back, const double* b, double* x);
/* x <- (A + springs)^-1 x of a body. */
void fil_gradient_precondition(const FilGradient* gradient, const FilBody* body, double* x);
/* Springs of a body in the step just made. */
FIL_MUST_CHECK FilStatus fil_gradient_springs_take(FilGradient* gradient, const FilBody* body);
/* Adds what springs of a body do to dm, which is symmetric: pull of the start's place, or slope of the end's velocity. */
void fil_gradient_add_springs(const FilGradient* gradient, const FilBody* body, const double* x, bool pull, double* out);
/* Free motion of a body that bends from its right hand side r, with the velocities of held unknowns in free_rate; and what it leaves for the second
 * equation: r <- A x^ - (dA)(v - v^) - dt push. push NULL: none. */
FIL_MUST_CHECK FilStatus fil_gradient_vary_free(FilGradient* gradient, int body, const double* place, const double* push, double* r);
/* The second half of a forward product: from right hand sides in gradient->residual, at_free and bent, with velocities of held unknowns in end; start
 * NULL: it does not vary. */
FIL_MUST_CHECK FilStatus fil_gradient_finish(FilGradient* gradient, const double* start, double* end);
/* FIL_BAD_INPUT if there is no step to differentiate, or nowhere to read from or write to. */
FIL_MUST_CHECK FilStatus fil_gradient_need_step(const FilGradient* gradient, const double* from, const double* to);

/* ---- contacts: gradient_contact.c ---- */

/* Of the step just made, its bodies prepared: contacts that bear. FIL_BAD_INPUT where they are not known. */
FIL_MUST_CHECK FilStatus fil_gradient_contacts_take(FilGradient* gradient);
/* What fil_gradient_contacts_solve() needs. */
FIL_MUST_CHECK FilStatus fil_gradient_contacts_factor(FilGradient* gradient);
/* out += J' G J x; both of all unknowns. */
void fil_gradient_contacts_apply(const FilGradient* gradient, const double* x, double* out);
/* x <- (A + J' G J)^-1 x on bodies that take part in contact; with motors and stops. */
void fil_gradient_contacts_solve(const FilGradient* gradient, double* x);
/* out += the change of J' gamma by the start and by the place of bodies that bend in free motion, at the same end; transposed: adds to these. */
void fil_gradient_contacts_vary(const FilGradient* gradient, const double* place, const double* rate, const double* at_free, double* out);
void fil_gradient_contacts_vary_back(const FilGradient* gradient, const double* weight, double* place, double* rate, double* at_free);
void fil_gradient_contacts_free(FilGradientContacts* contacts);

/* ---- potentials: gradient_ipc.c makes barriers and friction, gradient_potential.c solves ---- */

/* Of the step just made, before its bodies are prepared: barriers at its end. Bodies begin the step anew. */
FIL_MUST_CHECK FilStatus fil_gradient_barriers_take(FilGradient* gradient);
/* After that: friction, as contacts that bear. */
FIL_MUST_CHECK FilStatus fil_gradient_slides_take(FilGradient* gradient, const FilStepInfo* info);
/* The same of pairs of edges and shapes under IMC: gradient_imc.c. After bodies have been prepared. */
FIL_MUST_CHECK FilStatus fil_gradient_pairs_take(FilGradient* gradient);
/* Whether the model's settings have gradients. */
FIL_MUST_CHECK FilStatus fil_gradient_pairs_check(FilWorld* world);
/* out += how barriers change by the end's place; transposed with `back`. */
void fil_gradient_barriers_apply(const FilGradient* gradient, bool back, const double* place, double* out);
void fil_gradient_barriers_free(FilGradientBarriers* barriers);
/* Factors bodies and contacts together. */
FIL_MUST_CHECK FilStatus fil_gradient_potential_factor(FilGradient* gradient);
/* x <- J^-1 b or J'^-1 b, on what is free. */
FIL_MUST_CHECK FilStatus fil_gradient_potential_solve(FilGradient* gradient, bool back, const double* b, double* x);
/* out = J x, or J' x, of all bodies and their contacts. */
void fil_gradient_multiply(FilGradient* gradient, bool back, const double* x, double* out);

#endif
