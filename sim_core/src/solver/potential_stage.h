/* Contact at potential level: one Newton iteration over all bodies that touch, with the energies of their contacts in it.
 *
 *     m_b(v) + dt dE/dq(q0 + dt v) = 0 for every body b that takes part (P2 eq. 5, 6)
 *
 * Joints, motors and limits add the gradient of their convex costs. The tangent is that of the bodies plus dt^2 d2E/dq2
 * and those costs'. Without the contacts' part it falls apart into the bodies' own, which are banded and quickly solved;
 * with it, it is a sparse matrix of 4x4 blocks. P2's hybrid scheme starts with the former and goes on with the latter. */
#ifndef FILUM_SOLVER_POTENTIAL_STAGE_H
#define FILUM_SOLVER_POTENTIAL_STAGE_H

#include <math.h>

#include "contact/potential.h"
#include "contact/sap_constraint.h"
#include "filum/world.h"
#include "linalg/block_cholesky.h"
#include "linalg/block_pcg.h"
#include "linalg/block_sum.h"
#include "linalg/broyden.h"

/* What has been factored in this step, and serves until it is no longer good enough. */
typedef enum FilPotentialFactors { FIL_FACTORS_NONE, FIL_FACTORS_BODIES, FIL_FACTORS_ALL } FilPotentialFactors;

/* In the model's memory the last numbers are the stage's and the field's: for how many steps sheets are solved with a factor
 * from the start; the scale of barriers; into how many parts steps are divided from the start; for how many steps the contacts' tangent
 * takes part from the start. */
enum { FIL_MEMORY_STIFF = FIL_POTENTIAL_MEMORY - 4, FIL_MEMORY_SCALE, FIL_MEMORY_PARTS, FIL_MEMORY_TANGENT };

typedef struct FilPotentialStage {
    FilPotentialProblem problem;
    void* contacts;
    size_t contact_capacity;
    void* forces; /* FilPotentialForce per contact, see fil_potential_force() */
    size_t force_capacity;
    void* edges; /* FilPotentialEdges, see fil_potential_edges() */
    size_t edges_capacity;
    int edges_count;
    FilDoubles distances;  /* per contact, of the solution */
    FilDoubles impulse;    /* on the world's velocities, by contacts */
    FilDoubles edge_scratch;
    double shift; /* of bodies' tangents as evaluated with their residuals */
    FilBlockCholesky* cholesky;
    FilBlockPcg pcg;
    int pcg_pattern; /* FilContactStage.patterns when it was bound */
    bool pcg_bound;  /* to the contacts' pattern */
    FilBlockSum hessian;   /* of contacts and joints */
    FilBlockSum friction;  /* of contacts, where it stands apart */
    int first_friction_list; /* where friction begins among the lists where it does not */
    FilDoubles vectors;    /* over the matrix's variables, of sheets */
    FilInts list_end, list_variable; /* of contacts: columns of the matrix */
    FilSapLaw* laws; /* of joints and motors */
    size_t law_capacity;
    FilInts column_block; /* of each column of the matrix: the block of the world's velocities */
    int first_joint_list; /* where joints and motors begin among the lists */
    int analysed_blocks;
    bool analysed;   /* there is an analysis */
    bool begins;     /* nothing has been solved in this step */
    bool exact;      /* the analysis is of just this pattern, */
    int exact_pattern; /* with these of the bodies */
    bool settled;    /* this step has an analysis that depends on nothing before it */
    bool bound;      /* the pattern is that of the contacts, */
    bool apart;      /* friction's by itself */
    bool factorable; /* and the analysis is for it */
    bool refused;    /* the world cannot be stepped like this; its message says why */
    FilPotentialFactors factors;
    FilBroyden broyden; /* mends them */
} FilPotentialStage;

struct FilWorld;

/* A potential over all bodies of the world that finds its own pairs (world/ipc_field.c). Velocities and residuals are the
 * world's; derivatives over velocities: dt times those over positions. */
typedef struct FilPotentialField {
    /* What is near, lagged friction; v is a wish for the first guess and becomes one that keeps things apart. */
    FilStatus (*begin)(struct FilWorld* world, double dt, double* v, FilStepInfo* info);
    /* Adds the gradient to the residual; returns the potential, infinite where things would touch. */
    double (*add)(struct FilWorld* world, const double* v, double* residual);
    /* Columns of the matrix that its terms but friction couple, as fil_block_sum_adopt() wants them. */
    FilStatus (*list)(struct FilWorld* world, FilInts* end, FilInts* variable, int* count);
    /* Adds the Hessian of those, where add() was asked last. */
    void (*hessian)(struct FilWorld* world, FilPotentialOrder order, FilBlockSum* sum);
    /* Appends the same of friction, which stays for the whole step. */
    FilStatus (*list_friction)(struct FilWorld* world, FilInts* end, FilInts* variable, int* count);
    /* Adds friction's Hessian, whose lists begin at `first_list`. */
    void (*friction_hessian)(struct FilWorld* world, const double* v, FilPotentialOrder order, FilBlockSum* sum, int first_list);
    /* Adds by how much the gradient of the model that the full Hessian belongs to differs from the true one at v; returns
     * the size of that, as the model weighs it. */
    double (*add_lead)(struct FilWorld* world, const double* v, double* residual);
    /* The step -direction from v was found with that model: the size of the residual by which it is wrong there. Makes the next
     * one, which revise() puts in its place, but for parts that all together are wrong by less than what is `negligible`. */
    double (*review)(struct FilWorld* world, const double* v, const double* direction);
    void (*revise)(struct FilWorld* world, double negligible);
    /* The longest part of the step -direction from v, where add() was asked last, on which nothing meets. */
    double (*longest)(struct FilWorld* world, const double* v, const double* direction);
    /* v, where add() was asked last, has been accepted; *changed: the terms are others now. */
    FilStatus (*accept)(struct FilWorld* world, const double* v, bool* changed);
    /* v is the solution: the field keeps what the next step needs; impulses on the bodies are added to `impulse`. */
    void (*finish)(struct FilWorld* world, const double* v, double* impulse, FilStepInfo* info);
} FilPotentialField;

void fil_potential_stage_free(FilPotentialStage* stage);

/* At the beginning of a world's step, which may have many sub-steps and stages: their first analyses depend on nothing before
 * them, so that a restored world goes on with the same bits. */
void fil_potential_begin(FilPotentialStage* stage);

/* Finds the velocities of all bodies, in the world's scratch. Bodies have begun their step, contacts are known and
 * fil_contacts_prepare() has chosen who takes part. */
FilStatus fil_solve_potential(struct FilWorld* world, const FilPotentialModel* model, double dt, FilStepInfo* info);

/* ---- the stage's parts, by file ---- */

bool fil_potential_takes_part(const struct FilWorld* world, int body);
/* What is held feels no contact. */
void fil_potential_spare_held(const struct FilWorld* world, double* residual);
/* A body's velocities at the start changed by `change`, those that are held in their motion; both are the world's. */
void fil_potential_guess(const struct FilWorld* world, int body, const double* change, double* v);

/* potential_contacts.c: lists the contacts that count; the world's scratch holds inverse diagonals of the tangent. */
FilStatus fil_potential_set_up(struct FilWorld* world, const FilPotentialModel* model, double dt);
/* Where the ends of a contact's edges are after a step with velocities v. */
void fil_potential_place(const FilPotentialContact* contact, const double* v, double dt, double* x);
void fil_potential_evaluate(const struct FilWorld* world, const FilPotentialModel* model, int contact, const double* v,
                            FilPotentialOrder order, FilPotentialTerm* term);
/* What is kept of a contact as last evaluated, unless it is one of several side by side. */
static inline FilPotentialForce* fil_potential_force(const FilPotentialStage* stage, int contact)
{
    return (FilPotentialForce*)stage->forces + contact;
}

static inline FilPotentialEdges* fil_potential_edges(const FilPotentialStage* stage, int index)
{
    return (FilPotentialEdges*)stage->edges + index;
}

/* Forces of all contacts at v, kept per contact; adds them times dt, as a gradient, to `residual`. Returns their energy. */
double fil_potential_add(struct FilWorld* world, const FilPotentialModel* model, const double* v, double* residual);
/* Adds the same again, as last evaluated. */
void fil_potential_add_kept(const struct FilWorld* world, double* sum);
/* Distances of surfaces at the solution. */
void fil_potential_measure(struct FilWorld* world, const double* v);
/* Impulses of the contacts in their frames, and on the bodies. */
void fil_potential_spread(struct FilWorld* world, const FilPotentialModel* model, const double* v, FilStepInfo* info);

/* potential_joints.c: joints, motors, limits and friction of joints. Bodies have been evaluated. */
FilStatus fil_potential_joints_begin(struct FilWorld* world, double dt);
/* Adds the gradient of their costs at v to the residual; returns the costs. */
double fil_potential_joints_add(const struct FilWorld* world, const double* v, double* residual);
/* Appends the columns that each couples. */
FilStatus fil_potential_joints_list(struct FilWorld* world, FilInts* end, FilInts* variable, int* count);
void fil_potential_joints_hessian(const struct FilWorld* world, const double* v, FilBlockSum* sum);
/* v is the solution: impulses to joints and bodies, and J' gamma added to `impulse`. */
void fil_potential_joints_finish(struct FilWorld* world, const double* v, double* impulse);

/* What is asked of a direction: `accuracy` is the share of the residual, of size `norm`, that may be left; `tolerance` is the size that
 * Newton stops at. */
typedef struct FilPotentialAim {
    bool cautious; /* never uphill, rather than quick */
    double accuracy, norm, tolerance;
} FilPotentialAim;

/* The size of a residual that friction's model may be wrong by: no more than the direction leaves anyway, or than Newton cares for. */
static inline double fil_potential_negligible(const FilPotentialAim* aim)
{
    return fmax(aim->accuracy * aim->norm, 0.3 * aim->tolerance);
}

/* potential_system.c: scale J_row' G J_column of 3 x 4 Jacobians. */
void fil_potential_row_block(const double* a, const double* g, const double* b, double scale, double* block);
/* Factors the tangent at v, whose bodies have been evaluated. Each body by itself: false if nothing
 * makes a tangent positive definite. */
bool fil_potential_factor_bodies(struct FilWorld* world, const double* v, double* scratch, FilStepInfo* info);
/* direction = tangent^-1 residual, with the factors at hand. */
bool fil_potential_solve(struct FilWorld* world, const double* residual, double* direction);
/* Factors bodies and contacts together, and solves; friction makes up its mind on the way. Where the sum is not positive definite, first
 * the contacts' own bending is left out, then the bodies' mass part is enlarged. Uses the scratch for trials. */
FilStatus fil_potential_solve_all(struct FilWorld* world, const FilPotentialModel* model, const FilPotentialAim* aim, const double* v,
                                  const double* residual, double* direction, FilStepInfo* info);

/* A vector over the world's velocities to the matrix's variables; those, world->contact.v, back to the world as a direction. */
void fil_potential_gather(const struct FilWorld* world, const double* residual, double* to);
void fil_potential_direct(const struct FilWorld* world, double* direction);

/* potential_sheet.c: whether factors would fill up, so that conjugate gradients are quicker. */
bool fil_potential_is_sheet(const struct FilWorld* world, const FilPotentialModel* model);
/* Solves so, with friction apart. */
FilStatus fil_potential_solve_sheet(struct FilWorld* world, const FilPotentialModel* model, const FilPotentialAim* aim, const double* v,
                                    const double* residual, double* direction, FilBlockPcgResult* result, FilStepInfo* info);

#endif
