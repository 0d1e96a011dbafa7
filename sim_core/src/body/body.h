/* Body kinds. A body owns a contiguous range of the world's positions q, velocities v and history h; the world knows it
 * only through this table. docs/architecture.md tells how to add a kind.
 *
 * Inside a step the unknown is the velocity v at its end, and a body solves m(v) = M (v - v0) - dt k(q_theta, v_theta) = 0
 * (P0 eq. 11) with the tangent A = dm/dv. Degrees of freedom that something holds have residual zero. */
#ifndef FILUM_BODY_BODY_H
#define FILUM_BODY_BODY_H

#include "base/watch.h"
#include "base/workers.h"
#include "body/collider.h"
#include "filum/world.h"

typedef struct FilStepSetup {
    double time;            /* s, at the start */
    double dt;              /* s */
    double theta, theta_vq; /* P0 eq. 8 */
    double gravity[3];      /* m/s^2 */
    bool staged;            /* one of several stages of a step: forces are those at its end, to second order */
    bool frugal;            /* tangents may leave out what makes no difference to Newton's pace and costs time */
    bool goes_on;           /* from a state that an earlier stage was extrapolated to: what that found of forces is expected again */
    FilWatch* watch;        /* ends Newton early, as not converged; NULL: nobody does */
} FilStepSetup;

/* Where an attachment's hold is, relative to where it was made, at the start and at the end of a step. */
typedef struct FilTarget {
    bool active;
    double displacement[2][3]; /* m */
    double rotation[2][3];     /* rotation vector, rad */
    double angle[2];           /* rad */
} FilTarget;

/* A scalar equation on a body's own unknowns, g(q) = 0 with dg/dt = sum rate v + bias: its impulse is that of a spring and
 * damper, kept in [lower, upper]. */
typedef struct FilBodyConstraint {
    int count; /* of unknowns, 1 or 2 */
    int unknown[2];
    double rate[2], bias;
    double error;              /* g at the step's start */
    double stiffness, damping; /* stiffness INFINITY: as rigid as the step can resolve */
    bool exact;                /* stiffness and damping as they are, even where the step cannot resolve them */
    double lower, upper;       /* impulse: <= 0, >= 0 */
} FilBodyConstraint;

/* One side of a joint: a frame on a body, or a point of it, which has no orientation. */
typedef struct FilBodySide {
    int body;            /* of the system; -1: the world */
    int index, edge;     /* of its collider, for Jacobians */
    int frame_part;      /* for the body's frame */
    int point;           /* block of unknowns of the point that is the side; -1: there is a frame */
    bool placed;         /* the frame's origin, or `offset` in it, is where the joint has to be ... */
    bool section;        /* ... and the frame is that of a rod's section, which keeps its axes */
    double offset[3];    /* m, in the frame */
    double stiffness[3]; /* N m/rad about the frame's axes, of what is welded there; all 0: as rigid as the step can resolve */
    int carrier;         /* object of the body whose shapes shall not touch the other side's; -1: they may */
    FilPose anchor;      /* the joint's frame in the body's frame; in the world's for the world */
} FilBodySide;

/* A body that is, or is bounded by, a sheet of triangles; pointers are the body's, constant for its life. */
typedef struct FilBodyMesh {
    int vertex_count, edge_count, triangle_count;
    const int *edges, *triangles; /* 2 and 3 vertices each */
    const double* lengths;        /* m, of the edges at rest, for contact with itself; NULL: that is not by points */
    double radius;                /* m, around them */
    const int* blocks;            /* the block of unknowns that each vertex is; NULL: they are the body's blocks in order */
    double bedding;               /* Pa/m, of contact by areas; 0: by points */
    bool closed;                  /* has an inside, which triangles run about counter-clockwise seen from outside */
} FilBodyMesh;

/* Number `at` of `count`, counted from the end if negative; -1: there is none such. */
static inline int fil_counted(int at, int count)
{
    const int index = at < 0 ? at + count : at;
    return index >= 0 && index < count ? index : -1;
}

#define FIL_MIN_SHIFT 1e-300 /* adds nothing to the mass, but says that a definite tangent is wanted */
/* Shifts that are tried, in masses: a tenth of the mass part, then ten times more each time. At 1e20 of it stiffness is rounding: nothing larger
 * helps. */
#define FIL_FIRST_SHIFT 0.1
#define FIL_SHIFT_GROWS 10.0
#define FIL_MAX_SHIFT 1e20

/* Two bodies of a kind at once, each with the bits that it has alone. The second of what is asked for has index 1. */
typedef struct FilBodyPairOps {
    /* Whether they go together in the step that both have begun. */
    bool (*goes_with)(const void* a, const void* b);
    /* evaluate(), factor() and solve() of both. */
    void (*evaluate)(void* const* bodies, const double* const* v, const double* shift, double* const* residual, double* potential, bool* in_reach);
    void (*factor)(void* const* bodies, bool* definite);
    void (*solve)(void* const* bodies, double* const* x);
} FilBodyPairOps;

typedef struct FilBodyOps {
    const char* kind;
    bool deforms;         /* is stiff inside, by forces that are not linear in its place */
    bool points;          /* q and v are points, 4 numbers each of which the first three are the place; they move by dt v */
    bool carries_history; /* between the stages of a step its history is what the contact model made of it, not extrapolated */
    bool given_history;   /* its history is what users have set, and steps only hand it on */
    void (*destroy)(void* body);
    int (*dofs)(const void* body);
    void (*init_state)(const void* body, double* q, double* v, double* h);

    /* ---- a step: begin, any number of evaluations, finish ---- */

    /* Borrows q, v and h of the step's start until finish. */
    void (*begin)(void* body, const FilStepSetup* setup, const double* q, const double* v, const double* h);
    /* First guess of v: that of the start changed by `change`, held degrees of freedom in their motion. */
    void (*guess)(const void* body, const double* change, double* v);
    /* Who share loops over the body's own parts from now on, NULL: nobody. Only for a body that is not in a loop of theirs itself. False: it is
     * of too few parts for that. NULL: always. */
    bool (*share)(void* body, FilWorkers* workers);
    /* Residual m(v) and a potential whose gradient it is; prepares the tangent plus `shift` times its mass part. With any
     * shift the tangent is wanted definite, and pressure may be left out of it. False if v leads to a configuration out of
     * reach. */
    bool (*evaluate)(void* body, const double* v, double shift, double* residual, double* potential);
    /* The same without the tangent: one that has been factored goes on to serve. NULL: evaluate() does it, which may lose
     * the factors. */
    bool (*residual)(void* body, const double* v, double* residual, double* potential);
    /* Whether m is linear in v within the step begun: one tangent says all. NULL: it is not. */
    bool (*linear)(const void* body);
    /* Diagonal of the tangent, zero where held and elsewhere no less than the mass, which pressure may outweigh; `scale`
     * receives the momentum and external impulse of each unknown. */
    void (*diagonal)(const void* body, const double* v, double* diagonal, double* scale);
    /* Factors the tangent; false if it is not positive definite (evaluate again with a larger shift). */
    bool (*factor)(void* body);
    /* x <- A^-1 x. */
    void (*solve)(void* body, double* x);
    /* The same of two bodies at once; NULL: one after the other. */
    const FilBodyPairOps* pair;
    /* State at the end of the step. */
    void (*finish)(void* body, const double* v, double* q1, double* v1, double* h1);

    /* ---- measures, at any state ---- */
    void (*energy)(const void* body, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to);
    void (*momentum)(const void* body, const double* q, const double* v, const double* h, double* linear, double* angular);

    /* How many of its places a step's error is judged by, and the velocity of one of them, m/s. */
    int (*place_count)(const void* body);
    void (*place_velocity)(const void* body, int place, const double* q, const double* v, double* velocity);
    /* m/s that none of its points exceeds, of bodies whose place, loads and contacts are all that decides whether they stay where they
     * are; NULL: it has more, and never sleeps. */
    double (*pace)(const void* body, const double* v);
    /* kg that a push anywhere on it moves; NULL: that depends on where, and is found from its tangent. */
    double (*mass)(const void* body);
    /* kg, what of the tangent's diagonal is inertia, of an unknown of its velocities that is free; NULL: all of it. */
    double (*inertia)(const void* body, int unknown);

    /* ---- boundary ---- (set_target and reaction may be NULL where attach always refuses) */
    FilStatus (*attach)(void* body, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error);
    void (*set_target)(void* body, int slot, const FilTarget* target);
    /* Force and torque of the last step. */
    void (*reaction)(const void* body, int slot, double* force, double* torque);
    void (*clear_loads)(void* body);
    /* Adds a load, or writes live rest values to h. The range has been checked. */
    void (*load)(void* body, int object, FilDriveKind kind, int first, int count, const double* value, double* h);
    /* Number of parts that a drive of this kind can address on an object: nodes, edges, or 1; 0 if it cannot. */
    int (*load_range)(const void* body, int object, FilDriveKind kind);

    /* ---- contact ----
     * Velocities come in blocks of four unknowns (linalg/block_matrix.h); v_count is a multiple of four. */

    int (*collider_count)(const void* body);
    void (*collider)(const void* body, int index, FilCollider* out);
    /* Its triangles, where those are more than its colliders show: these are their vertices, in order, and part 1 + k of any is
     * triangle k. NULL: it has none. */
    void (*mesh)(const void* body, FilBodyMesh* out);
    /* Where collider `index` is at a state. */
    void (*place)(const void* body, int index, const double* q, const double* v, FilPlacement* out);
    /* Shape and pose of one part of a collider: an edge, or the shape itself. */
    void (*part)(const void* body, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose);
    /* Whether parts of two colliders of the body are joined, so that they always touch. */
    bool (*joined)(const void* body, int index_a, int part_a, int index_b, int part_b);
    /* Velocity of the material point of that part at `point`: blocks of the body and 3 x 4 Jacobians by rows (12 numbers
     * each), at most FIL_JACOBIAN_BLOCKS. Returns their number; 0 for what has no unknowns, whose velocity is `bias`. */
    int (*point_jacobian)(const void* body, int index, int part, const double* point, const double* q, int* blocks, double* jacobian, double* bias);
    /* Rows: the same as point_jacobian() in a frame, whose rows are given, times `scale`, which costs less. NULL: there are none. */
    int (*edge_jacobian)(const void* body, int index, int edge, const double* point, const double* q, const double* frame, double scale, int* blocks,
                         double* jacobian);
    /* Rows: the sum of edge_jacobian() of the edges before and behind a node, given their axes, at a point near it, which costs less than both:
     * writes FIL_NODE_BLOCKS blocks and returns that; or 0, where blocks of both are more, or fewer. */
    int (*node_jacobian)(const void* body, int index, const int edge[2], const FilEdgeAxis axis[2], const double* point, const double* q,
                         const double* frame, double scale, int* blocks, double* jacobian);
    /* Angular velocity of the part, as the velocity of a point. */
    int (*turn_jacobian)(const void* body, int index, int part, const double* q, int* blocks, double* jacobian, double* bias);
    /* Rows: the blocks that hold the positions of an edge's two ends. */
    void (*edge_blocks)(const void* body, int index, int edge, int* blocks);
    /* A frame to join objects to. Rods: `part` is 2 edge + end, the frame is the edge's, placed at that end. Rigid bodies:
     * their own frame. Arms: `index` is the disk, as of colliders. */
    void (*frame)(const void* body, int index, int part, const double* q, const double* h, FilPose* pose);
    /* The side that a joint finds at node (disk, vertex) `node` of an object, negative counting from the end. The body's own
     * index stands in side->body already, which a body without unknowns of its own may replace. FIL_BAD_INPUT and a message
     * that goes on after the object's name. */
    FilStatus (*side)(const void* body, int object, int node, const double* q, FilBodySide* side, FilError* error);
    /* The object of the body that carries another one rigidly; NULL: each carries itself. */
    int (*carrier)(const void* body, int object);
    /* How many points an object has, and the block of unknowns that one is; NULL: it has none. */
    int (*point_count)(const void* body, int object);
    int (*point)(const void* body, int object, int node);
    /* Whether the place of a block's point is held. NULL: none is. */
    bool (*held)(const void* body, int block);
    /* The same of a step that has not begun, by the targets that it has: sets bits 0 to 2 of a block's number where x, y and z are held; a
     * fourth means nothing. NULL: none is. */
    void (*mark_held)(const void* body, unsigned char* axes);
    /* Of points: whether the fourth number of a block is an unknown of the tangent, which only eliminating it gives its meaning; its
     * residual is zero. NULL: none is. */
    bool (*auxiliary)(const void* body, int block);
    /* Of points: between begin and let_go a block's point moves by this velocity, m/s, whatever pushes it. NULL: it cannot be asked. */
    void (*lead)(void* body, int block, const double* velocity);
    void (*let_go)(void* body);
    /* Its centre of mass in its own frame, of rigid bodies that may have holes for rods; NULL: it cannot. */
    void (*center)(const void* body, double* center);
    /* The ring that it is, which slides along rods by potentials of the contact model; NULL: none. */
    struct FilRingBody* (*ring)(void* body);
    /* Block pattern of the tangent's lower triangle; arrays may be NULL. Returns the number of blocks, 0 if it has no
     * unknowns, -1 when out of memory. Allocates when first called. */
    int (*tangent_pattern)(void* body, int* columns, int* rows);
    /* Sets flags of that pattern's blocks which couple little over short steps but fill up factors of large bodies: bending
     * across a junction of cords or across a fold. NULL: it has none. */
    void (*weak_blocks)(const void* body, bool* weak);
    /* Tangent as last evaluated, 16 numbers a block by columns. Before factoring only. */
    void (*tangent)(void* body, double* values);
    /* Contacts and joints have brought the body to `v` by `impulse`, J' gamma on its unknowns: what the reactions of its
     * holds follow from. `scratch` has v_count numbers; it is NULL where v is what
     * the body was evaluated at last. NULL: it has no holds. */
    void (*push)(void* body, const double* v, const double* impulse, double* scratch);

    /* ---- constraints on its own unknowns, solved with the contacts; NULL: there are none ---- */

    /* How many are in force in a step from this state. */
    int (*constraint_count)(const void* body, const double* q, const double* v, const double* h);
    /* After the step's begin: one of them. */
    void (*constraint)(const void* body, int index, FilBodyConstraint* out);
    /* The impulse that it took. */
    void (*constrained)(void* body, int index, double impulse);

    const struct FilDerivativeOps* derivative; /* how a step varies with its start (body/derivative.h). NULL: that is not known */
} FilBodyOps;

/* Blocks of four unknowns that one point of a body can depend on: a robot of 128 coordinates, a soft arm of 42 sections. Arrays on the stack have
 * this size. */
enum { FIL_JACOBIAN_BLOCKS = 32 };

/* Of a node of a row with its neighbours. */
enum { FIL_NODE_BLOCKS = 3 };

#endif
