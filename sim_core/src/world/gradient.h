/* A gradient's inside. */
#ifndef FILUM_WORLD_GRADIENT_H
#define FILUM_WORLD_GRADIENT_H

#include "body/derivative.h"
#include "contact/imc_derivative.h"
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
    double* by_place;                        /* a row for each unknown: J' gamma by the place at the start, v held; NULL: not made yet, ... */
    struct FilGradientTouch* touch;          /* ... but from this */
    double hessian[9];                       /* gamma by J v is -G, */
    double by_velocity[3], by_compliance[3]; /* and this by the normal velocity at the start, and by the compliance w ... */
    double* by_block;                        /* ... which tangents of bodies that deform change: 16 numbers for each four unknowns; NULL: none does */
    struct FilGradientLag* lag;              /* what it holds fixed under IMC; NULL: nothing */
    bool held;                               /* it moves with unknowns that are held */
} FilGradientContact;

typedef struct FilGradientContacts {
    FilGradientContact* items;
    struct FilGradientTouch* touches; /* of each, under SAP */
    int count;
    double* numbers; /* that items point to, after scratch, and ... */
    int* unknowns;
    double* inverses; /* of the tangents' diagonal blocks, and which are there */
    bool* inverted;
    double* rows; /* by_place of all */
    int max;      /* unknowns of one contact */
    size_t capacity, touch_capacity, number_capacity, unknown_capacity, work_capacity, inverse_capacity, inverted_capacity, row_capacity;
    FilSapSystem* system;                     /* A + J' G J of all bodies that take part, factored */
    double *work, *zero, *push, *v, *reduced; /* ... vectors of its variables */
} FilGradientContacts;

/* A barrier of surfaces at the step's end: the momentum that it takes, by the place there. */
typedef struct FilGradientBarrier {
    int size;
    int* unknown;
    double* by_end; /* rows: of unknowns */
    int round;      /* of what follows the place of an earlier solution: which */
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

/* How a number that a step holds fixed follows its start, unknown by unknown: places and velocities there, velocities of the first guess, and where
 * and with what velocities the solution ended whose forces friction is bounded by. */
typedef struct FilGradientSlope {
    int unknown;
    double by_place, by_rate, by_guess, by_last_place, by_last_rate;
} FilGradientSlope;

/* Numbers of a contact that those follow: what it is at the start, and its normal velocity at the solution before. */
enum { FIL_LAG_BY_LAST = FIL_IMC_STARTS, FIL_LAG_NUMBERS };

/* Slopes of a number that is being made, an unknown only once. */
enum { FIL_GRADIENT_ROW = 192 };

typedef struct FilGradientRow {
    FilGradientSlope at[FIL_GRADIENT_ROW + 1]; /* the last takes what there is no room for */
    int count;                                 /* more than there is room for: it is not known */
    double by[FIL_LAG_NUMBERS];                /* numbers of the contact, which have slopes of their own */
} FilGradientRow;

/* Numbers that a contact under IMC or IPC holds fixed: stiffness, steps ahead, distance at the start, bound of friction. */
typedef enum FilLagKind { FIL_LAG_STIFFNESS, FIL_LAG_AHEAD, FIL_LAG_START, FIL_LAG_BOUND, FIL_LAGS } FilLagKind;

typedef struct FilGradientLag {
    int size;     /* of unknowns that it pushes, ... */
    int* unknown; /* ... and which they are */
    double* push; /* a row for each number: the change of J' gamma by it */
    double by_global[FIL_LAGS], by[FIL_LAGS][FIL_LAG_NUMBERS];
    int inertia;               /* the unknown whose diagonal that is, -1: it stays */
    double *normal, *by_place; /* of distance, normal velocity and that of the solution before: J's third row, and three by the place; NULL: none */
    bool made;                 /* those by the place; else they are gone back through with the contact itself */
    int first[FIL_LAGS + 1];   /* slopes of each number */
} FilGradientLag;

typedef struct FilGradientLags {
    bool guesses; /* variations have more: the last step's change of velocity, which the first guess goes on with; ... */
    bool adapts;  /* ... and what the model remembers */
    FilGradientLag* items;
    int count;
    double* numbers;
    int *unknowns, *inertia; /* per contact, as above */
    bool* bends;             /* per body: its tangent has one of these; NULL: none was asked for yet */
    FilGradientSlope* slopes;
    int slope_count, slope_capacity;
    size_t capacity, number_capacity, unknown_capacity, inertia_capacity, bend_capacity;
    /* the model's memory at the end: a stiffness that all follow, and a speed */
    FilImcGlobalSlopes global;
    FilGradientRow stiffness, speed;
    double keeps_speed; /* by what it was */
    double* guess;      /* n: a variation of the first guess, or weights of it, ... */
    double* diagonal;   /* ... and of the tangents' diagonals there */
} FilGradientLags;

/* Where the numbers of the next friction under IPC go. */
typedef struct FilGradientRoom {
    double *next, *work, *push, *born;
    int *unknown, *born_unknown, *pushed;
} FilGradientRoom;

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
    double *free_rate, *at_free, *bent; /* variations of it, of the place there, and of A (v - v^) ... */
    double* blocks;                     /* ... and of A's diagonal blocks, 4 n: zero but of bodies that bend */
    FilGradientContacts contacts;
    FilGradientBarriers barriers;
    FilGradientBarriers births; /* friction under IPC that acts where an earlier solution was: J' gamma by the place there */
    FilGradientRoom room;
    FilGradientLags lags;
    const FilState* finish; /* where the solution that is prepared ends */
    int round, round_count; /* which solution of the step bodies and contacts are prepared at, and how many there were before the last */
    double* passed;         /* of each of those: its variation, or weights of it; 2 n */
    size_t passed_capacity;
    bool potential; /* the model is one of potentials: all bodies are solved together */
    int products;   /* with this step */
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
/* Before a product: tangents do not vary. */
void fil_gradient_clear_tangents(FilGradient* gradient);
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
/* The same where x is zero, or out is wanted, but for unknowns that are held: of contacts that move with such, which are to be marked first. */
void fil_gradient_contacts_mark(FilGradient* gradient);
void fil_gradient_contacts_apply_held(const FilGradient* gradient, const double* x, double* out);
/* x <- (A + J' G J)^-1 x on bodies that take part in contact; with motors and stops. */
void fil_gradient_contacts_solve(const FilGradient* gradient, double* x);
/* Makes by_place of all, which pays where there are several products. Allocates. */
FIL_MUST_CHECK FilStatus fil_gradient_contacts_rows(FilGradient* gradient);
/* out += the change of J' gamma by the start and by the tangents of bodies that bend (blocks), at the same end; transposed: adds to these. place
 * NULL: the start does not vary. */
void fil_gradient_contacts_vary(const FilGradient* gradient, const double* place, const double* rate, double* out);
void fil_gradient_contacts_vary_back(FilGradient* gradient, const double* weight, double* place, double* rate);
void fil_gradient_contacts_free(FilGradientContacts* contacts);

/* ---- potentials: gradient_ipc.c makes barriers and friction, gradient_potential.c solves ---- */

/* Of the step just made, before its bodies are prepared: barriers at its end. Bodies begin the step anew. */
FIL_MUST_CHECK FilStatus fil_gradient_barriers_take(FilGradient* gradient);
/* Of pairs in range there that edges of rods share: how their stiffness follows that; gradient_ipc_share.c. */
FIL_MUST_CHECK FilStatus fil_gradient_shares_take(FilGradient* gradient);
/* Shares of another world that has begun the step, as they are where the step looked first. */
void fil_gradient_share_again(const FilGradient* gradient, FilWorld* other);
/* After that friction, as contacts that bear: bounds of the solution before, and what came into range since the start; bodies begin anew. Once they
 * have been prepared, all other friction. */
FIL_MUST_CHECK FilStatus fil_gradient_slides_begin(FilGradient* gradient);
FIL_MUST_CHECK FilStatus fil_gradient_slides_take(FilGradient* gradient);
/* out += what earlier solutions do to the friction that acts where they were, from their variations; transposed: adds to these. */
void fil_gradient_births_vary(const FilGradient* gradient, double* out);
void fil_gradient_births_vary_back(const FilGradient* gradient, const double* weight);
/* The same of pairs of edges and shapes under IMC: gradient_imc.c. After bodies have been prepared. */
FIL_MUST_CHECK FilStatus fil_gradient_pairs_take(FilGradient* gradient);
/* Whether the model's settings have gradients. */
FIL_MUST_CHECK FilStatus fil_gradient_pairs_check(FilWorld* world);
/* Before bodies are prepared: how the inertia that contacts move follows the first guess. */
FIL_MUST_CHECK FilStatus fil_gradient_inertia_take(FilGradient* gradient);
/* Whether what IMC holds fixed changes from step to step. */
bool fil_gradient_pairs_adapt(const FilWorld* world);
/* Whether contacts follow the first guess: those that edges of rods share under IPC, and under IMC those that adapt. */
bool fil_gradient_guesses(const FilWorld* world);
/* out += how barriers change by the end's place; transposed with `back`. */
void fil_gradient_barriers_apply(const FilGradient* gradient, bool back, const double* place, double* out);
void fil_gradient_barriers_free(FilGradientBarriers* barriers);

/* ---- what steps hold fixed: gradient_lag.c ---- */

/* Numbers of a variation that follow the first two parts for it. */
int fil_gradient_lags_size(const FilGradient* gradient);
/* out += the change of J' gamma by what is held fixed, from a variation of the start and of the solution before (NULL: there is none). */
void fil_gradient_lags_vary(FilGradient* gradient, const double* start, const double* last, double* out);
/* Transposed: adds to both. */
void fil_gradient_lags_vary_back(FilGradient* gradient, const double* weight, double* start, double* last);
/* to += the weights of a contact's numbers, from weights of J' gamma. */
void fil_gradient_lag_weigh(const FilGradientLag* lag, const double* weight, double* to);
/* What the next step remembers, from variations of the start and of the end's velocity; transposed: adds to both. */
void fil_gradient_lags_keep(FilGradient* gradient, const double* start, double* end);
void fil_gradient_lags_keep_back(FilGradient* gradient, const double* end, double* start, double* end_rate);
void fil_gradient_lags_free(FilGradientLags* lags);

/* ---- several solutions in a step: gradient_round.c, gradient_prepare.c, gradient_state.c ---- */

/* Bodies, contacts and factors where gradient->v is. */
FIL_MUST_CHECK FilStatus fil_gradient_prepare(FilGradient* gradient);
/* The same of a solution of the step, 0 being the first. */
FIL_MUST_CHECK FilStatus fil_gradient_turn_to(FilGradient* gradient, int round);
/* The step as bodies began it. */
FilStepSetup fil_gradient_setup(const FilGradient* gradient);
/* Where bodies that have begun the step end it with v. */
void fil_gradient_end_bodies(const FilSystem* system, const double* v, FilState* state);
/* Velocities of the solution before the one that is prepared, which is not the first. */
const double* fil_gradient_before(const FilGradient* gradient);
/* Where an earlier solution ended; bodies are where the step began. */
void fil_gradient_state_at(const FilGradient* gradient, int round, FilState* state);
/* Bounds of friction under IMC as they follow from solution v; NULL: from the start. */
void fil_gradient_set_bounds(FilWorld* world, const double* v);
/* Friction under IPC of a world that stands at the step's start, found again as often as for the solution that is prepared. */
FIL_MUST_CHECK FilStatus fil_gradient_follow_friction(const FilGradient* gradient, FilWorld* other);

/* Factors bodies and contacts together. */
FIL_MUST_CHECK FilStatus fil_gradient_potential_factor(FilGradient* gradient);
/* x <- J^-1 b or J'^-1 b, on what is free. */
FIL_MUST_CHECK FilStatus fil_gradient_potential_solve(FilGradient* gradient, bool back, const double* b, double* x);
/* out = J x, or J' x, of all bodies and their contacts. */
void fil_gradient_multiply(FilGradient* gradient, bool back, const double* x, double* out);

#endif
