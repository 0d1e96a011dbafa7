/* Constraints of the convex contact problem (SAP): each is a convex cost of its velocity v_c in R^3,
 *     v_c = J v + b,    gamma = -d cost / d v_c,    G = d^2 cost / d v_c^2 >= 0,
 * so that the solver needs to know nothing else about it. A kind is one row of a const table: `prepare` turns what the
 * caller says (distance, stiffness, bounds, ...) into the numbers of a law, `evaluate` is the law. */
#ifndef FILUM_CONTACT_SAP_CONSTRAINT_H
#define FILUM_CONTACT_SAP_CONSTRAINT_H

#include "contact/contact_set.h"

typedef enum FilSapKind {
    FIL_SAP_CONTACT,        /* contact point with friction, the published convex approximation */
    FIL_SAP_LAGGED_CONTACT, /* contact point, friction bounded by a normal impulse found before: of the last state, then of the last solution */
    FIL_SAP_BOUNDED,        /* up to three scalar equations, each impulse in an interval: welds, limits, drives */
    FIL_SAP_KIND_COUNT
} FilSapKind;

/* A contact point. Its velocity has components (t1, t2, n), n > 0 when separating. */
typedef struct FilSapContact {
    double distance;         /* phi0, m, at the step's start; < 0 when penetrating */
    double mu;               /* friction coefficient, >= 0 */
    double stiffness;        /* k, N/m, > 0; INFINITY: as rigid as the step can resolve */
    double dissipation_time; /* tau, s; FIL_SAP_CONTACT */
    double hunt_crossley;    /* d, s/m; FIL_SAP_LAGGED_CONTACT */
    double normal_velocity;  /* of the contact at the step's start, m/s */
    bool redundant;          /* of a rod's edge: loads that alternate from edge to edge push no node, so rigid surfaces leave them open */
    bool bounded;            /* FIL_SAP_LAGGED_CONTACT: friction begins with `bound`, not with what the step's start says */
    double depth;            /* m, up to which near-rigid contact may penetrate as regularised; 0: any */
    double bound;            /* normal impulse of a solution, where bounds follow it anyway */
} FilSapContact;

/* Equations g = 0, each with v_c = dg/dt (P3 eq. 3). Impulses are those of a spring and damper, kept in [lower, upper]:
 * all of R for a weld or pin, [0, INFINITY] for a limit, +-dt*effort for a drive. */
typedef struct FilSapBounded {
    int equations;    /* 1 to 3; the Jacobian's other rows are zero */
    double error[3];  /* g at the step's start */
    double stiffness; /* k; INFINITY: as rigid as the step can resolve */
    double damping;   /* c, force per velocity; >= 0, may stand alone (k = 0) */
    double depth;     /* |g|, up to which what a step cannot resolve gives way by w; beyond it is harder. Impulses from 0 or without bounds. 0: any */
    double hardest;   /* ... by this factor, no more than 1/FIL_SAP_HARDEST */
    bool exact;       /* k and c as they are, even where the step cannot resolve them */
    bool sticks;      /* v_c = 0 within the bounds as contacts stick, whatever g, k and c: dry friction, speeds of motors */
    double lower[3];  /* impulse, <= 0 */
    double upper[3];  /* impulse, >= 0 */
} FilSapBounded;

typedef struct FilSapConstraint {
    FilSapKind kind;
    int first_block, block_count; /* its Jacobian, a range of the problem's blocks */
    double bias[3];               /* b: velocity that no variable accounts for, such as that of a scripted body */
    double compliance;            /* w, mean diagonal of J A^-1 J', 1/kg; 0: estimated */
    union {
        FilSapContact contact;
        FilSapBounded bounded;
    };
} FilSapConstraint;

/* Whether its law depends on its compliance. */
static inline bool fil_sap_is_scaled(const FilSapConstraint* constraint)
{
    return constraint->kind != FIL_SAP_BOUNDED || !constraint->bounded.exact || constraint->bounded.sticks;
}

/* Harder than this by depth and Newton does not converge where objects start inside each other; 1e5 times the usual load takes 5e-4. */
#define FIL_SAP_HARDEST 1e-4
/* Power that the depth reached in the last step, an explicit measure, allows: contact relaxes at the rate (1 + power)/(dt + tau). */
enum { FIL_SAP_DAMPED_POWER = 3 };

/* Compliance `rigid` of a near-rigid contact (a share of its own, w), less beyond the contact's depth: with the power `power` of the depth
 * reached at the step's start, and with the penetration predicted for its end. */
double fil_sap_near_rigid(const FilSapContact* contact, double rigid, double dt, int power);

/* What regularisation depends on besides the constraint itself. */
typedef struct FilSapScales {
    double dt;            /* s */
    double rigidity;      /* beta: periods of the stiffest contact, in steps */
    double stick;         /* sigma: tangential over effective compliance */
    double slip_velocity; /* v_s, m/s: where lagged friction is half-way developed at the least */
} FilSapScales;

/* The numbers of a law; which of them are used depends on the kind. */
typedef struct FilSapLaw {
    double v_hat[3];
    double r[3];         /* diagonal regularisation R */
    double r_inverse[3]; /* 0 for an equation that is not there */
    double mu;
    double lower[3], upper[3];
    /* lagged: gamma_n = linear u + quadratic u^2 with u = (v_end - v_n)+, |gamma_t| <= friction */
    double v_end, linear, quadratic;
    /* that times 1 to `hardest`, from u + harden_offset = harden_from on; bounded: `hardest` times what is beyond, 0: not at all */
    double harden_from, harden_offset, hardest;
    double friction, slip;
    double bound;                          /* normal impulse that friction belongs to, ... */
    double bound_before, wanted_before;    /* ... the one before, and what the solution with that had instead */
    double dual[2];                        /* v_t/s as an unknown of its own: see FilSapKindOps */
    double slip_velocity, slip_compliance; /* slip = max(slip_velocity, slip_compliance friction) */
} FilSapLaw;

typedef struct FilSapResponse {
    double cost;
    double impulse[3]; /* gamma */
    double hessian[9]; /* G, symmetric */
} FilSapResponse;

typedef struct FilSapKindOps {
    const char* name;
    /* sets what evaluate() reads */
    void (*prepare)(const FilSapConstraint* constraint, double compliance, const FilSapScales* scales, FilSapLaw* law);
    void (*evaluate)(const FilSapLaw* law, const double* v_c, FilSapResponse* response);
    /* Where the law has bounds that its own solution decides (both NULL: it has none). The first returns by how much they would change if
     * they followed `response`, relative, times a weight from 0 (they decide nothing) to 1, which it adds to *weight; the second lets them follow. */
    double (*bound_change)(const FilSapLaw* law, const double* v_c, const FilSapResponse* response, double* weight);
    void (*follow)(FilSapLaw* law, const FilSapResponse* response);
    /* Where friction is so stiff that its kinks stop line searches one after the other (both NULL: it is not). The first multiplies its compliance
     * by `factor`, a power of two; false: there is none. The second takes such a factor away again; its response is that of the law, or, where it
     * stuck in the last `response`, of a law that sticks whatever it has to bear: one solution with it brings v_c from the soft law's to the law's.
     */
    bool (*soften)(FilSapLaw* law, double factor);
    void (*harden)(FilSapLaw* law, double factor, const double* v_c, FilSapResponse* response);
    /* Where a law that bears nothing at v_c may yet hold what is at rest (NULL: as evaluated): the same response of what touches;
     * false: it does not. */
    bool (*stand)(const FilSapConstraint* constraint, const FilSapLaw* law, const double* v_c, FilSapResponse* response);
    /* Where a cost has kinks that Newton on it alone is slow to pass (all NULL: it has none): gamma_t = -friction u with u = v_t/s is
     * solved for u and v_t together, s u = v_t linearised about both (Chan, Golub and Mulet 1999). The first takes u from v_c, the second writes
     * the matrix G of that linearisation, symmetric and positive semi-definite while |u| <= 1, the third moves u along with dv_c, within that bound.
     */
    void (*begin_dual)(FilSapLaw* law, const double* v_c);
    void (*dual_hessian)(const FilSapLaw* law, const double* v_c, double* hessian);
    void (*move_dual)(FilSapLaw* law, const double* v_c, const double* dv_c);
    /* Where the law has a gap (NULL: it may bear at any v_c): how far it is open after a step with v_c (m); above 0 the response is zero, whatever
     * the law's numbers. */
    double (*clearance)(const FilSapConstraint* constraint, double dt, const double* v_c);
    /* Where the law has a gap (NULL: as evaluated): the response at v_c of a contact that bears at any v_c within `share` of its own from touching,
     * pulling too; friction is that of u = 0, whose matrix is a majoriser: slip is not known either. */
    void (*presume)(FilSapLaw* law, double share, const double* v_c, FilSapResponse* response);
} FilSapKindOps;

/* The law of bounded equations, for solvers that want it linear: as hard as its error at the step's start says. A quarter of what that is beyond the
 * depth is taken back in a step: all of it, and a heavy load would bounce off the depth as fast as it came. */
void fil_sap_linearise(FilSapLaw* law);

/* A contact of the set as a constraint of kind FIL_SAP_CONTACT or FIL_SAP_LAGGED_CONTACT; its Jacobian is the set's. */
void fil_sap_constraint_of_contact(const FilContact* contact, FilSapKind kind, FilSapConstraint* constraint);

extern const FilSapKindOps fil_sap_kinds[FIL_SAP_KIND_COUNT];

/* By how much bounds would change if they followed the responses, relative, mean over constraints that feel them. Not relative to
 * their sum: what holds least, at the slack end of a capstan, decides about all that follows. Then: let them follow. */
double fil_sap_bounds_change(const FilSapConstraint* constraints, int count, const FilSapLaw* laws, const double* v_c,
                             const FilSapResponse* responses);
void fil_sap_bounds_follow(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const FilSapResponse* responses);
/* The same by way of an iterate of all bounds, one number a constraint: reads them and by how much they are off, and sets them. */
void fil_sap_bounds_read(const FilSapConstraint* constraints, int count, const FilSapLaw* laws, const FilSapResponse* responses, double* bounds,
                         double* errors);
void fil_sap_bounds_set(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const double* bounds);

/* begin_dual and move_dual of every constraint that has them; `v_c` and `dv_c` have 3 numbers for each. */
void fil_sap_duals_begin(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const double* v_c);
void fil_sap_duals_move(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const double* v_c, const double* dv_c);

#endif
