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

struct FilSolver;

/* Lists of columns, as fil_block_sum_adopt() wants them. */
typedef struct FilPotentialLists {
    FilInts end, variable;
    int count;
} FilPotentialLists;

typedef struct FilPotentialStage {
    FilPotentialProblem problem;
    void* contacts;
    size_t contact_capacity;
    void* forces; /* FilPotentialForce per contact, see fil_potential_force() */
    size_t force_capacity;
    void* edges; /* FilPotentialEdges, see fil_potential_edges() */
    size_t edges_capacity;
    int edges_count;
    FilDoubles distances; /* per contact, of the solution */
    FilDoubles impulse;   /* on the world's velocities, by contacts */
    FilDoubles edge_scratch;
    double shift; /* of bodies' tangents as evaluated with their residuals */
    FilBlockCholesky* cholesky;
    FilBlockPcg pcg;
    int pcg_pattern;            /* FilContactStage.patterns when it was bound */
    bool pcg_bound;             /* to the contacts' pattern */
    FilBlockSum hessian;        /* of contacts and joints */
    FilBlockSum friction;       /* of contacts, where it stands apart */
    int first_friction_list;    /* where friction begins among the lists where it does not */
    FilDoubles vectors;         /* over the matrix's variables, of sheets */
    FilPotentialLists lists;    /* of contacts and joints: columns of the matrix */
    FilPotentialLists rubbing;  /* of friction, where it stands apart */
    FilStepInfo* analysis_info; /* of the analysis that is being made */
    FilSapLaw* laws;            /* of joints and motors */
    size_t law_capacity;
    FilInts column_block; /* of each column of the matrix: the block of the world's velocities */
    int first_joint_list; /* where joints and motors begin among the lists */
    int analysed_blocks;
    bool analysed;     /* there is an analysis */
    bool begins;       /* nothing has been solved in this step */
    bool exact;        /* the analysis is of just this pattern, */
    int exact_pattern; /* with these of the bodies */
    bool settled;      /* this step has an analysis that depends on nothing before it */
    bool bound;        /* the pattern is that of the contacts, */
    bool listed;       /* or will be as soon as what they couple is adopted, */
    bool adopted;      /* for which there was memory the last time; */
    bool apart;        /* friction's by itself */
    bool factorable;   /* and the analysis is for it */
    bool analysing;    /* an analysis is being made beside what fills the matrix */
    bool serves;       /* the matrix of the last direction, of a net, would do for one more */
    FilPotentialFactors factors;
    FilBroyden broyden; /* mends them */
    double goes_on;     /* the share of the last step's change of velocities that the first guess goes on by: for gradients */
    bool keeps_rounds;  /* for gradients: solutions that friction was found again after are kept, */
    FilDoubles rounds;  /* v_count each */
    int round_count;
} FilPotentialStage;

/* One of `count` parts of the columns, by stripes: what is added to a column is added by one thread, so that every block has its sum in the order of
 * lists. A ring's nodes on its rod are neighbours, most in one stripe; chosen. */
typedef struct FilFrictionPart {
    int part, count;
} FilFrictionPart;
enum { FIL_FRICTION_STRIPE = 32 }; /* chosen: a cord between two knots and more */
static const FilFrictionPart FIL_FRICTION_ALL = {0, 1};

static inline bool fil_friction_part_has(FilFrictionPart part, int column)
{
    return column / FIL_FRICTION_STRIPE % part.count == part.part;
}

/* What takes part in Newton's iteration besides the bodies and their joints: a potential over all of them. Velocities and
 * residuals are the system's; derivatives over velocities: dt times those over positions. Entries may be NULL where that is
 * said. */
typedef struct FilPotentialField {
    const struct FilPotentialScheme* scheme;
    bool keeps_analysis; /* symbolic analyses serve other patterns that they cover, within a step */
    bool keeps_bending;  /* where the matrix is indefinite, bodies' mass is enlarged before the field's own bending is left out */
    /* How Newton shall go about it, by its settings. */
    void (*newton)(const struct FilSolver* solver, FilPotentialNewton* options);
    /* What is near, lagged friction; v is an initial guess and becomes one that keeps surfaces apart. NULL: v is fine. */
    FilStatus (*begin)(struct FilSolver* solver, double dt, double* v, FilStepInfo* info);
    /* After the bodies have been evaluated and weighed: what contacts are. NULL: they are known. */
    FilStatus (*weigh)(struct FilSolver* solver);
    /* Adds the gradient to the residual; returns the potential, infinite where surfaces would touch. */
    double (*add)(struct FilSolver* solver, const double* v, double* residual);
    /* The same where begin() has left v, and evaluated it. NULL: it has not. */
    double (*add_first)(struct FilSolver* solver, double* residual);
    /* Adds the gradient as last found by add() again; NULL: it is not asked for. */
    void (*add_kept)(const struct FilSolver* solver, double* sum);
    /* Columns of the matrix that its terms but friction couple, as fil_block_sum_adopt() wants them. */
    FilStatus (*list)(struct FilSolver* solver, FilInts* end, FilInts* variable, int* count);
    /* Adds the Hessian of those, where add() was asked last. */
    void (*hessian)(struct FilSolver* solver, const double* v, FilPotentialOrder order, FilBlockSum* sum);
    /* ---- friction that stands apart; all NULL: it is one of the terms ---- */
    /* Appends the same of friction, which stays for the whole step. */
    FilStatus (*list_friction)(struct FilSolver* solver, FilInts* end, FilInts* variable, int* count);
    /* Adds friction's Hessian, whose lists begin at `first_list`, in columns of that part. */
    void (*friction_hessian)(struct FilSolver* solver, const double* v, FilPotentialOrder order, FilBlockSum* sum, int first_list,
                             FilFrictionPart part);
    /* Adds by how much the gradient of the model that the full Hessian belongs to differs from the true one at v, from where the next ones go on;
     * returns the size of that, as the model weighs it. May be asked beside friction_hessian(). */
    double (*add_lead)(struct FilSolver* solver, const double* v, double* residual);
    /* The step -direction from there was found with that model: the size of the residual by which it is wrong there. Makes the next
     * one, which revise() puts in its place, but for parts that all together are wrong by less than what is `negligible`. */
    double (*review)(struct FilSolver* solver, const double* direction);
    void (*revise)(struct FilSolver* solver, double negligible);
    /* The same step, after that: moves what sticks to the slip that has the force it took, to within a residual that is `negligible`. NULL: there is
     * nothing to move. */
    void (*settle)(struct FilSolver* solver, double negligible, double* direction);
    /* Makes the model about v itself: the potential's own gradient and Hessian there. */
    void (*center)(struct FilSolver* solver, const double* v);
    /* Adds by how much the gradient of a model about what is expected of the terms differs from the true one, and lets hessian() be of that
     * model until this is asked for the one about v, with NULL. NULL: there is no other. */
    void (*anticipate)(struct FilSolver* solver, double* residual);
    /* ---- between iterations ---- */
    /* The longest part of the step -direction from v, where add() was asked last, on which nothing meets. NULL: all of it. */
    double (*longest)(struct FilSolver* solver, const double* v, const double* direction);
    /* Whether nothing meets on the way to the end of a part of that step, no longer than that. NULL: nothing does. */
    bool (*is_free)(struct FilSolver* solver, const double* v, const double* direction, double step);
    /* v, where add() was asked last, has been accepted; *changed: the terms are others now. NULL: they never are. */
    FilStatus (*accept)(struct FilSolver* solver, const double* v, bool* changed);
    /* After convergence at v: changes itself and asks for another solution. NULL: never. */
    FilStatus (*refine)(struct FilSolver* solver, const double* v, bool* again, FilStepInfo* info);
    /* v is the solution: the field keeps what the next step needs and completes the contacts; impulses on the bodies are added
     * to `impulse`. */
    FilStatus (*finish)(struct FilSolver* solver, const double* v, double* impulse, FilStepInfo* info);
} FilPotentialField;

/* A Newton iteration under way. */
typedef struct FilPotentialIteration {
    const FilPotentialField* field;
    FilPotentialNewton options;
    bool as_force;    /* the residual is measured in N */
    double tolerance; /* of its size */
    double norm, potential;
    double noise; /* J, by which a potential may seem to rise by rounding, where its slope or the residual fall */
    int iterations;
    bool tangent;    /* the contacts' tangent takes part */
    bool definite;   /* wanted: second derivatives that are positive definite by themselves; the last line had a kink */
    bool fresh;      /* the bodies' tangents are those of the present velocities */
    bool exhausted;  /* what is left of the residual is rounding: no step makes it smaller */
    double accuracy; /* of the next direction */
    double slope;    /* of the potential along the last one, where its search begins */
    bool plain;      /* directions are those of models about v: others have been no good */
} FilPotentialIteration;

/* Where directions come from, and how far to go along them. */
typedef struct FilPotentialScheme {
    bool quasi_newton; /* factors are kept and corrected (Broyden); else the bodies' tangents are needed in every iteration */
    FilStatus (*direction)(struct FilSolver* solver, FilPotentialIteration* newton, const double* v, FilStepInfo* info);
    /* Walks along the direction until the residual or the potential has fallen; v and the residual follow. False: it does not. */
    bool (*search)(struct FilSolver* solver, FilPotentialIteration* newton, double* v);
} FilPotentialScheme;

void fil_potential_stage_free(FilPotentialStage* stage);

/* potential_newton.c: finds the velocities of all bodies that take part, in the scratch. Bodies have begun their step, contacts are
 * known and fil_contacts_prepare() has chosen who takes part. */
FIL_MUST_CHECK FilStatus fil_potential_solve_step(struct FilSolver* solver, double dt, FilStepInfo* info);

/* Room for what the stage keeps, and the problem as models see it. */
FIL_MUST_CHECK FilStatus fil_potential_set_up(struct FilSolver* solver, double dt);

/* The two schemes: P2's hybrid one, which does without the contacts' tangent while it can and keeps factors; and full Newton steps
 * for fields with friction that stands apart. */
extern const FilPotentialScheme fil_scheme_hybrid, fil_scheme_full;

/* ---- potential_residual.c: who takes part, measures of a residual, vectors ---- */

bool fil_potential_takes_part(const struct FilSolver* solver, int body);
/* What is held feels no contact. */
void fil_potential_spare_held(const struct FilSolver* solver, double* residual);
/* A body's velocities at the start changed by `change`, those that are held in their motion; both are the system's. */
void fil_potential_guess(const struct FilSolver* solver, int body, const double* change, double* v);
/* Inverse diagonals as weights, diagonals as Broyden's metric; returns the size of momenta at work, and what rounding leaves. */
double fil_potential_set_measure(struct FilSolver* solver, double dt, const double* v, double* rounding);
/* Size of a residual: weighted, or as plain force where a force is what Newton shall stop at. */
double fil_potential_size(const struct FilSolver* solver, const double* residual, bool as_force);
/* Slope of the potential along -direction where the residual is known. */
double fil_potential_slope(const struct FilSolver* solver, const double* residual, const double* direction);
/* Both, in one pass or side by side: the slope, and the weighted size. */
double fil_potential_slope_and_size(const struct FilSolver* solver, const double* residual, const double* direction, double* size);
/* v - step * direction of everything that takes part. */
void fil_potential_try(const struct FilSolver* solver, const double* v, const double* direction, double step, double* trial);
/* A vector over the system's velocities to the matrix's variables; those, solver->contact.v, back to the system as a direction. */
void fil_potential_gather(const struct FilSolver* solver, const double* residual, double* to);
void fil_potential_direct(const struct FilSolver* solver, double* direction);
/* scale J_row' G J_column of 3 x 4 Jacobians. */
void fil_potential_row_block(const double* a, const double* g, const double* b, double scale, double* block);

/* ---- potential_joints.c: joints, motors, limits and friction of joints. Bodies have been evaluated ---- */

FIL_MUST_CHECK FilStatus fil_potential_joints_begin(struct FilSolver* solver, double dt);
/* Adds the gradient of their costs at v to the residual; returns the costs. */
double fil_potential_joints_add(const struct FilSolver* solver, const double* v, double* residual);
/* Appends the columns that each couples. */
FIL_MUST_CHECK FilStatus fil_potential_joints_list(struct FilSolver* solver, FilInts* end, FilInts* variable, int* count);
void fil_potential_joints_hessian(const struct FilSolver* solver, const double* v, FilBlockSum* sum);
/* v is the solution: impulses to joints and bodies, and J' gamma added to `impulse`. */
void fil_potential_joints_finish(struct FilSolver* solver, const double* v, double* impulse);

/* ---- potential_evaluate.c ---- */

/* Residual of the bodies that take part, without contact; false if v leads out of reach. Prepares their tangents, if asked to:
 * else those that have been factored stay. */
bool fil_potential_evaluate_bodies(struct FilSolver* solver, const double* v, bool tangent, double* residual, double* potential);
/* Adds contacts and joints to that; `first`: where begin() has left v. */
bool fil_potential_evaluate_contacts(struct FilSolver* solver, const FilPotentialField* field, const double* v, bool first, double* residual,
                                     double* potential);
/* Both, as a scheme needs them. */
bool fil_potential_evaluate_all(struct FilSolver* solver, const FilPotentialField* field, const double* v, double* residual, double* potential);

/* ---- potential_system.c, potential_sheet.c: linear systems ---- */

/* What is asked of a direction: `accuracy` is the share of the residual, of size `norm`, that may be left; `tolerance` is the size
 * that Newton stops at. */
typedef struct FilPotentialAim {
    bool definite; /* never uphill, rather than quick: by second derivatives that are positive definite by themselves */
    bool centred;  /* friction's model is about v and stays so */
    bool factored; /* whatever its fill: the factor is wanted for other systems, too */
    bool again;    /* with the matrix of the last direction, which serves: but for friction */
    double accuracy, norm, tolerance;
} FilPotentialAim;

/* The size of a residual that friction's model may be wrong by: no more than the direction leaves anyway, or than Newton cares for. */
static inline double fil_potential_negligible(const FilPotentialAim* aim)
{
    // a third: chosen, so that what is left with Newton's own residual is within the tolerance
    return fmax(aim->accuracy * aim->norm, 0.3 * aim->tolerance);
}

/* Factors the tangent at v, whose bodies have been evaluated. Each body by itself: false if nothing
 * makes a tangent positive definite. */
bool fil_potential_factor_bodies(struct FilSolver* solver, const double* v, double* scratch, FilStepInfo* info);
/* direction = tangent^-1 residual, with the factors at hand. */
bool fil_potential_solve(struct FilSolver* solver, const double* residual, double* direction);
/* What fil_potential_solve_all() needs to know of the pattern, which may be asked for before the residual is there: its analysis takes long, and may
 * be made beside what else there is to do. */
FIL_MUST_CHECK FilStatus fil_potential_prepare(struct FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim,
                                               FilStepInfo* info);
/* Factors bodies and contacts together, and solves; friction's active set is found on the way. Where the sum is not positive definite,
 * the contacts' own bending is left out and the bodies' mass part is enlarged. Uses the scratch for trials. */
FIL_MUST_CHECK FilStatus fil_potential_solve_all(struct FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim,
                                                 const double* v, const double* residual, double* direction, FilStepInfo* info);
/* Whether factors would fill up, so that conjugate gradients are quicker. */
bool fil_potential_is_sheet(const struct FilSolver* solver, const FilPotentialField* field);
/* Whether bodies take part whose vertices are held by stiffness more than by mass. */
bool fil_potential_has_solids(const struct FilSolver* solver);
/* Lists the columns that contacts and joints couple; friction's among them, or apart. */
FIL_MUST_CHECK FilStatus fil_potential_list(struct FilSolver* solver, const FilPotentialField* field, bool apart);
/* Adopts these, if they are others: the patterns of the matrix. False when out of memory, now or the last time. */
bool fil_potential_adopt(struct FilSolver* solver, const FilPotentialField* field);
/* That, and the analysis for conjugate gradients, which needs nothing else, beside whatever follows; and waits for either. */
void fil_potential_begin_analysis(struct FilSolver* solver, FilStepInfo* info);
FIL_MUST_CHECK bool fil_potential_await_patterns(struct FilSolver* solver); /* false: out of memory */
void fil_potential_end_analysis(struct FilSolver* solver);
/* Solves so, with friction apart. */
FIL_MUST_CHECK FilStatus fil_potential_solve_sheet(struct FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim,
                                                   const double* v, const double* residual, double* direction, FilBlockPcgResult* result,
                                                   FilStepInfo* info);

/* ---- pair_field.c: contacts that collision found, each with a potential of its own (FilPairPotential) ---- */

extern const FilPotentialField fil_pair_field;

#endif
