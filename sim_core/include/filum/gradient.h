/* Gradients: how the end of a step varies with its start and with forces, exactly, by differentiating the equations that the step has solved.
 * docs/gradients.md tells what a variation is, what can be differentiated, and how it is done.
 *
 * A variation of a world's state has 2 n numbers, n of fil_gradient_size(): for every number of fil_world_velocities() how the place varies in that
 * direction, then how the velocity does. Where rods or soft arms may touch something under `sap` it has n more: the forces of the last step's
 * contacts on each unknown, about which the next step's contacts are linear (zero at a world's start). Under `imc`, where its stiffness is adapted or
 * it dissipates, it has n + 2 more: the last step's change of velocity, the stiffness that the model remembers, and the speed of the closest pair;
 * under `ipc` with rods n more: the first of these. Numbers that nothing moves by (idle ones) have no effect. */
#ifndef FILUM_GRADIENT_H
#define FILUM_GRADIENT_H

#include "filum/world.h"

FIL_API_BEGIN

/* Derivatives of steps of one world. */
typedef struct FilGradient FilGradient;

/* For a world that lives longer, and to which nothing is added. FIL_BAD_INPUT and fil_world_error() where gradients are not known: contact models but
 * `none`, `sap`, `imc` and `ipc`, integrators but backward Euler, joints between bodies, kinds but rods, rigid bodies, robots and soft arms.
 * Allocates. */
FIL_MUST_CHECK FilStatus fil_gradient_create(FilWorld* world, FilGradient** gradient);
void fil_gradient_destroy(FilGradient* gradient); /* NULL is fine */
int fil_gradient_size(const FilGradient* gradient);
/* Numbers of a variation. */
int fil_gradient_variation_size(const FilGradient* gradient);

/* A step of the world, and what its derivatives need. FIL_BAD_INPUT, with the step done, if it has none: it was divided inside, or something
 * acts on a body of which that is not known. Allocates in the first one. */
FIL_MUST_CHECK FilStatus fil_gradient_step(FilGradient* gradient, FilStepInfo* info);

/* Forward: the variation of the last step's end from that of its start, and of generalised forces over the step (n, N or N m on each
 * unknown; NULL: none). */
FIL_MUST_CHECK FilStatus fil_gradient_forward(FilGradient* gradient, const double* start, const double* force, double* end);
/* Backward, the same transposed: from the derivatives of some number by the end, those by the start and by the forces (n; NULL: not
 * wanted). */
FIL_MUST_CHECK FilStatus fil_gradient_backward(FilGradient* gradient, const double* end, double* start, double* force);

/* The variation of the last step's end by a parameter of the scene, from the same start; what the start's own variation does comes on top by
 * fil_gradient_forward(). `more` and `less` are worlds made like this one but for the parameter, which is `difference` apart in them (of world's
 * value midway); they are left at the step's start. Exact where the equations of motion are linear in the parameter (moduli, densities, masses,
 * damping, gains, gravity), else to second order in the difference (friction and stiffness of contacts). FIL_BAD_INPUT where the parameter changes
 * the state or rest shapes that worlds begin with. Allocates. */
FIL_MUST_CHECK FilStatus fil_gradient_parameter(FilGradient* gradient, FilWorld* more, FilWorld* less, double difference, double* end);

/* Moves the world's state by the first 2 n numbers of a variation: places for a unit of time with the first n as velocity; adds the others to
 * velocities. What an attachment holds stays where it is. */
FIL_MUST_CHECK FilStatus fil_world_vary(FilWorld* world, const double* variation);

/* ---- trajectories ---- */

/* A number that is wanted small, a sum over steps, and how it varies. */
typedef struct FilTrajectoryCost {
    int steps;       /* how many are taken */
    int checkpoints; /* snapshots of whole states that are kept, no fewer than 2 sqrt(steps); as many as steps: none is found again. 0: the fewest */
    /* Before each step, when it is done and each time it is done again: commands; may be NULL. */
    FilStatus (*control)(void* context, int step, FilWorld* world);
    /* After step 1 to `steps`: the step's share of the number; adds its derivatives to `slope` (a variation), which is NULL where they are not
     * wanted. */
    double (*cost)(void* context, int step, const FilWorld* world, double* slope);
    void* context;
    double* start;  /* out, a variation: derivatives by the state that the world has at the call */
    double* forces; /* out, `steps` rows of n: by generalised forces in every step; may be NULL */
} FilTrajectoryCost;

FilTrajectoryCost fil_trajectory_cost_default(void);

/* Runs the trajectory, then back through it: three steps of the world for each of its own, two where all are kept. The world ends at its end. `cost`
 * receives the number. Allocates. */
FIL_MUST_CHECK FilStatus fil_gradient_trajectory(FilGradient* gradient, const FilTrajectoryCost* def, double* cost);

FIL_API_END

#endif
