/* IMC, implicit contact by a smooth potential (P2). */
#ifndef FILUM_CONTACT_IMC_H
#define FILUM_CONTACT_IMC_H

#include "contact/potential.h"

/* kg, and its changes with the tangent's diagonal and with the logarithm of how many steps a push goes on. */
typedef struct FilImcInertia {
    double kg, by_diagonal, by_log_steps;
} FilImcInertia;

/* How what is coming is stopped: from its speed, m/s, below 0, within some room, m. */
typedef struct FilImcStop {
    double speed, room;
    FilImcInertia inertia; /* that it moves until then */
} FilImcStop;

extern const FilPairPotential fil_imc_pair;

/* Energy of a distance `over` the surfaces (m), P2 eq. 21: k h/ce log(1 + exp(-ce over/h)); fills its first two
 * derivatives. */
double fil_imc_energy(const FilImcSettings* settings, double stiffness, double radius, double over, double* first, double* second);

/* The stiffness for the next step when the surfaces were `min` apart, in radii (P2 section 2.5). It grows while they
 * approach, and falls while they part fast: what has been stopped shall not be thrown back. `speed`: of the distance,
 * radii a step. Where they hover it falls by `follows` of the rate: no faster than they can sink after it. */
double fil_imc_adapt(const FilImcSettings* settings, double stiffness, double min, double speed, double follows);
/* That share, of a contact of some stiffness: the step over the contact's own time, sqrt(A/k), where it is longer. */
double fil_imc_follows(const FilPotentialProblem* problem, const FilPotentialContact* contact, double stiffness);

/* The inertia that a push moves which goes on for a number of steps. */
FilImcInertia fil_imc_inertia(const FilPotentialContact* contact, double steps);

/* Memory: the global stiffness, and how fast the closest pair was in the last step, radii a step. */
enum { FIL_IMC_STIFFNESS, FIL_IMC_SPEED, FIL_IMC_MEMORY };

/* Of what is coming, against the global stiffness. */
static const double FIL_IMC_STIFFEST_COMING = 2.0;

/* What moves is judged as it will be, or was, so many steps from now. */
static const double FIL_IMC_LOOK_AHEAD = 3.0;

/* By how many times the rate the stiffness grows and falls in a step, at most (FilImcSettings.rate), and how much of the band from closest to
 * farthest a pair moves by in a step if it hardly moves, or parts fast. Chosen: with these P2's knots stay within P2's band (docs/imc.md). */
static const double FIL_IMC_MAX_GROWTH = 5.0, FIL_IMC_MAX_FALL = 3.0, FIL_IMC_STILL = 0.01, FIL_IMC_FAST = 0.05;

/* Radii within which what is coming is stopped. Chosen: at most 30 um deep in P2's knots of 1.6 mm, where this is 80 um (docs/imc.md). */
static const double FIL_IMC_STOPPING_ROOM = 0.05;

/* Normals that tilt further than this do not dissipate: an edge that slides into a contact, end first, takes over from its
 * neighbour, and would be dragged at. A twentieth: at two radii a tenth of a radius before the end. */
static const double FIL_IMC_MAX_TILT = 0.05;

/* The contact that is closest, by its radius; of those that are equally close the first, as the two edges at a node on the ground are, whose speeds
 * differ. There is one. */
int fil_imc_closest(const FilPotentialProblem* problem);
/* The inertia whose weight a contact bears at first, under gravity. */
FilImcInertia fil_imc_borne(const FilPotentialProblem* problem, const FilPotentialContact* contact);
FilImcStop fil_imc_stop(const FilPotentialProblem* problem, const FilPotentialContact* contact);
/* What stops a pair that is coming before it is a twentieth of a radius deep. */
double fil_imc_stopping_stiffness(const FilPotentialProblem* problem, const FilPotentialContact* contact);
/* What a contact would have the stiffness begin with: twice the weight of what it moves. */
double fil_imc_starting_stiffness(const FilPotentialProblem* problem, const FilPotentialContact* contact);
/* How many steps ahead the force of a contact looks whose normal does not tilt. */
double fil_imc_steps_ahead(const FilPotentialProblem* problem, const FilPotentialContact* contact);
/* Normal and normal force at the step's start, which static friction is bounded by. */
void fil_imc_bound_at_start(const FilPotentialProblem* problem, FilPotentialContact* contact);

#if defined(FIL_VECTOR_LEVELS)
/* FilPairPotential.evaluate_edges() but for static friction, for AVX2. */
void fil_imc_edges_avx2(const FilPotentialProblem* problem, const FilDouble4 x[12], FilPotentialEdges* e);
#endif

/* NULL if the settings can be used; else what is wrong with them. */
const char* fil_imc_settings_problem(const FilImcSettings* settings);

#endif
