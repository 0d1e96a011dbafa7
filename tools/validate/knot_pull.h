/* Pulling overhand knots of P2: the scene knot_imc, run and watched. A curve is the pull force over the end-to-end
 * shortening, and what must hold in every step. */
#ifndef FILUM_TOOLS_VALIDATE_KNOT_PULL_H
#define FILUM_TOOLS_VALIDATE_KNOT_PULL_H

#include "plot.h"
#include "validate/check.h"

/* Of the scene's rod. */
#define FIL_KNOT_LENGTH 1.0    /* m */
#define FIL_KNOT_RADIUS 1.6e-3 /* m */
#define FIL_KNOT_YOUNG 1.8e5   /* Pa */
enum { FIL_KNOT_NODES = 301 };

typedef struct FilPullDef {
    int n;
    double speed, mu, drag; /* m/s of each end, 1, Pa s */
    double dt;              /* s */
    const char* model;
    double settle;      /* s held still before the pull, without friction and in large steps; 0: not */
    double start;       /* m: drawn there first, in haste and not looked at; 0: not */
    double shortening;  /* m: ends here */
    double loosen;      /* m: then goes back to here; 0: not */
    const char* imc[6]; /* further settings, as in "world.imc.friction=static" */
} FilPullDef;

/* n = 1, 6 mm/s, mu = 0.1, eta = 0.01 Pa s, 0.5 ms, "imc", no settling, to a shortening of 0.2 m. */
FilPullDef fil_pull_def_default(void);

typedef struct FilPullCurve {
    int count, capacity;
    double *time, *shortening, *force; /* s, m, N: mean of both ends and of the time since the last sample */
    int turn;                          /* sample from which on it loosens; count if never */
    double min, max;                   /* m, clearance over all steps once everything has come to touch */
    double determinants[2];            /* least and largest */
    double steps, iterations, cpu;     /* cpu: s */
    int crossings, divided;            /* divided: steps that were halved, or more */
} FilPullCurve;

/* Runs it. False, and a failure reported, if a step fails. */
bool fil_pull_run(FilCheck* check, const FilPullDef* def, FilPullCurve* curve);
void fil_pull_free(FilPullCurve* curve);

/* Force at a shortening, mean over +-half_width about it, while tightening (or loosening); NaN where there is none. */
double fil_pull_force(const FilPullCurve* curve, double shortening, double half_width, bool loosening);

/* Radius of the loop, P2 section 3.2. */
double fil_pull_radius(double shortening);
double fil_pull_stiffness(void); /* EI, N m^2 */

/* Force of Audoly, Clauvelin and Neukirch for the trefoil, P2 eq. 25; sign +1 tightens, -1 loosens. */
double fil_pull_theory(double radius, double mu, double sign);

/* Rows on what must hold in every step of a run: topology, no crossings, clearance as P2 has it. */
void fil_pull_check(FilCheck* check, const FilPullDef* def, const FilPullCurve* curve);

#endif
