/* Contact models at potential level: contact is an energy of the positions (and lagged friction an energy of the
 * velocities) that enters the bodies' Newton iteration (P2, P4). A model says what one contact contributes; the
 * solver's potential stage does the rest.
 *
 * Derivatives are by displacement: forces in N, stiffness in N/m. A contact has up to two parts:
 * - nodes: a function of the four end points of two round edges, 12 coordinates;
 * - rows: a function of the relative velocity u = J v + bias in the contact's frame (t1, t2, n) at the step's start; a
 *   displacement is dt u. */
#ifndef FILUM_CONTACT_POTENTIAL_H
#define FILUM_CONTACT_POTENTIAL_H

#include "contact/contact_set.h"
#include "filum/contact.h"
#include "geometry/smooth_distance.h"

typedef struct FilPotentialContact {
    FilContact* contact;
    bool nodes, rows;  /* which parts it has */
    int variable[4];   /* nodes: blocks of the world's velocities of the four ends */
    int local[4];      /* nodes: the same, counted among the contact's Jacobian blocks */
    double x[12];      /* nodes: where the ends are at the step's start, m */
    double speed[12];  /* nodes: and their velocities, m/s */
    double slip[3];    /* u at the step's start, m/s; 0 of a plain contact */
    double diagonal;   /* kg, least diagonal of the tangent among its unknowns: about the inertia that it moves */
    double elastic;    /* of that, what is no inertia, over what is: diagonal = inertia (1 + elastic) */
    double part;       /* kg, of a body's mass that each of its contacts with the same other body has; the larger of both sides' */
    double compliance; /* 1/kg, of the normal velocity per impulse by that diagonal; 0 of a plain contact */
    double radius;     /* m, what lengths are measured in */
    double thickness;  /* m, nodes: distance of axes at which surfaces touch */
    double share;      /* of what touches this pair and its neighbours along the rods */
    int memory[2];     /* numbers of the two edges in the model's memory, -1: none */
    int edges, lane;   /* where it stands among those evaluated side by side; -1: it does not */
    /* the model's own */
    double stiffness;
    double start, ahead;            /* distance of surfaces at the step's start, m; steps ahead, by its change in this one, that it counts as */
    double normal_force, normal[3]; /* lagged */
    double push[3];                 /* mu times the direction of slip, weighted; world frame (nodes) or contact frame (rows) */
} FilPotentialContact;

/* What one contact contributes at a trial state; zero at the call. */
typedef struct FilPotentialTerm {
    double energy;          /* J */
    double gradient[12];    /* nodes */
    double hessian[144];    /* nodes; positive semidefinite where `definite` is asked for */
    double row_gradient[3]; /* rows */
    double row_hessian[9];
} FilPotentialTerm;

/* What is kept of the forces last evaluated. */
typedef struct FilPotentialForce {
    double gradient[12], row_gradient[3]; /* as of the term */
} FilPotentialForce;

/* Contacts that have nodes and no rows, side by side in lanes: what their forces need, and the forces last evaluated.
 */
typedef struct FilPotentialEdges {
    int count; /* the last contact stands in where lanes are left */
    int contact[FIL_DOUBLE4_COUNT];
    int variable[4][FIL_DOUBLE4_COUNT];
    double x[12][FIL_DOUBLE4_COUNT], stiffness[FIL_DOUBLE4_COUNT], radius[FIL_DOUBLE4_COUNT], thickness[FIL_DOUBLE4_COUNT];
    double push[3][FIL_DOUBLE4_COUNT], start[FIL_DOUBLE4_COUNT], ahead[FIL_DOUBLE4_COUNT];
    double energy[FIL_DOUBLE4_COUNT], gradient[12][FIL_DOUBLE4_COUNT];
    double slope[12][FIL_DOUBLE4_COUNT], second[FIL_DOUBLE4_COUNT];
    bool simple; /* all of their definite Hessians is `second` slope slope' */
} FilPotentialEdges;

/* How much of the second derivatives is wanted. */
typedef enum FilPotentialOrder { FIL_POTENTIAL_FORCE, FIL_POTENTIAL_FULL, FIL_POTENTIAL_DEFINITE } FilPotentialOrder;

enum { FIL_POTENTIAL_MEMORY = 8 }; /* numbers that a model keeps from step to step, beside one per edge */

typedef struct FilPotentialProblem {
    double dt;      /* s */
    double gravity; /* m/s^2 */
    const FilImcSettings* settings;
    FilSoftClamp soft; /* of settings->smoothing */
    int count;
    FilPotentialContact* contacts;
    double* memory;       /* in: of the last step; out: for the next */
    double* edge_memory;  /* the same, one number per edge; indexed by FilPotentialContact.memory */
    double* edge_scratch; /* as long */
    int round;            /* how often refine() has asked for another solution */
} FilPotentialProblem;

/* How Newton's method goes about a potential. */
typedef struct FilPotentialNewton {
    double force_tolerance; /* N: it stops where all unbalanced forces are below, or ... */
    double reduction;       /* ... reduced to this share of those at the first guess; both 0: by the world's newton_tolerance */
    bool tangent;           /* the contacts have a tangent */
    int tangent_after;      /* iterations without the contacts' tangent; negative: until convergence is slow */
    bool tangent_first;     /* the contacts' tangent takes part from the start */
    bool full_tangent;      /* begins with all second derivatives; else with those that are positive definite by themselves */
    bool damping;           /* halves the step every other iteration instead of searching the line */
    bool descends;          /* the potential itself must not rise, however the residual falls */
    bool askew;             /* the residual is not quite the potential's gradient: where that falls, the potential may rise */
} FilPotentialNewton;

/* What pairs of contacts contribute. */
typedef struct FilPairPotential {
    /* Once a sub-step, when contacts are known: stiffness, lagged friction. Says which parts each contact has. */
    void (*begin)(FilPotentialProblem* problem);
    /* One contact with its ends at x (12 numbers) or its relative velocity u (3). */
    void (*evaluate)(const FilPotentialProblem* problem, const FilPotentialContact* contact, const double* x, const double* u,
                     FilPotentialOrder order, FilPotentialTerm* term);
    /* Forces alone of contacts that have nodes and no rows, side by side, with their ends at x; NULL: one by one. Where
     * it is there, round edges have rows only for friction at contact points. */
    void (*evaluate_edges)(const FilPotentialProblem* problem, const FilDouble4 x[12], FilPotentialEdges* edges);
    /* The longest step along a Newton direction that keeps surfaces apart; NULL: any. */
    double (*step_limit)(const FilPotentialProblem* problem, const FilPotentialContact* contact, const double* x, const double* direction);
    /* After convergence, with distances of the solution: changes the problem and asks for another solution. NULL:
     * never. */
    bool (*refine)(FilPotentialProblem* problem, const double* distances);
    /* The normal force that a contact's friction should have been bounded by, N, with its ends at x or its relative velocity u at a
     * solution; negative: its friction has no such bound. NULL: none has. */
    double (*bound)(const FilPotentialProblem* problem, const FilPotentialContact* contact, const double* x, const double* u);
    bool tangent; /* has second derivatives at all */
} FilPairPotential;

#endif
