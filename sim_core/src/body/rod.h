/* The body kind "rod": one rod, or several that share nodes. Inside the body all rods' nodes stand one after the other,
 * four unknowns each (x, y, z, angle of the edge that starts there). A shared node has one owner; its other appearances
 * are copies whose unknowns are idle and follow the owner. */
#ifndef FILUM_BODY_ROD_H
#define FILUM_BODY_ROD_H

#include <math.h>

#include "body/body.h"
#include "body/rod_chain.h"
#include "linalg/sparse.h"

typedef struct FilRod {
    int node_count, edge_count;
    bool closed;
    int first_node;       /* in the body */
    FilRodLaw* law;       /* per node */
    FilSection* sections; /* per edge */
    double* voronoi;      /* per node, m: the length of rod that a node stands for */
    FilRodHistory* initial;
    double damping_mass, damping_stiffness, drag;
    bool gyroscopic, twist_free;
    FilCollision collision;
    double* radii;  /* per edge, m: of contact */
    double* arc;    /* per node, m: length along the rod up to it, and the whole length at the end */
    bool boxes;     /* some section is a rectangle */
    int first_slot; /* of block_slots */
    int first_copy; /* of the body's copies */
    bool in_a_row;  /* open, and all of its blocks are its own and follow each other: fil_rod_chain_put() */
    bool in_reach;  /* when last assembled */
    FilRodChain chain;
} FilRod;

/* A hinge between a held cross-section and one edge at a clamp, of half an edge's length. */
typedef struct FilClampSide {
    int edge;             /* in its rod, -1: there is none on this side */
    HingeLaw1 law;        /* stiffness; rest values are taken from the node's history */
    double half, voronoi; /* m: of the edge's half, and of all that the node's rest strains stand for */
    Frame1 section;       /* the held cross-section as seen from this side, where it was made */
    double torque[3];     /* on the rod, last evaluation */
} FilClampSide;

typedef struct FilRodAttachment {
    FilAttachmentKind kind;
    int rod, first, count;
    double stiffness, damping, max_force; /* handle */
    double* origin;                       /* held places where it was made: 3 per node, 1 per edge */
    FilClampSide side[2];                 /* clamp: the edge that starts at the node, the edge that ends there */
    FilRodLaw law, clamped_law;           /* clamp: of the node when free, and while it is held */
    FilTarget target;
    double force[3], torque[3];
} FilRodAttachment;

typedef struct FilRodBody {
    FilArena* arena;
    FilWorkers* workers; /* who share loops over rods; NULL: nobody */
    int rod_count, node_count;
    FilRod* rods;
    bool network;
    int* owner;  /* per node: the node that holds its position (itself unless shared) */
    int* copies; /* nodes whose position another holds */
    int copy_count;
    double* mass;  /* 4 per node; zero where idle */
    double* drag;  /* 4 per node, N s/m */
    double* alpha; /* per node, 1/s */

    int attachment_count, attachment_capacity;
    FilRodAttachment* attachments;
    double* load;   /* 4 per node: forces, and axial torques on angles */
    double* torque; /* 3 per node: torques on edges, world frame */
    bool any_load, has_torque;

    /* the step */
    FilStepSetup setup;
    const double *q0, *v0;
    const FilRodHistory* h0;
    bool begun;             /* forces, diagonals and chains are as a step without loads began with them; whoever changes any of these resets it */
    bool begins_again;      /* with the same but for the state and values at rest */
    int held_before;        /* unknowns that were held then */
    double stiffness_scale; /* theta theta_vq dt^2: force per displacement to impulse per velocity */
    bool* held;             /* 4 per node */
    int* held_at;           /* unknowns that are */
    int held_count;
    int held_angles;  /* of these, the first, always: angles of rods that do not twist */
    int still_count;  /* of these again, the first, which are at rest and stay so: all, or none */
    double* held_q;   /* 4 per node, where held unknowns are at the end of the step, ... */
    double* held_v;   /* ... and how fast they go there */
    double* is_free;  /* 4 per node: 1, or 0 for what is held or idle */
    double* force;    /* 4 per node: gravity and loads */
    double* damping;  /* 4 per node, N s/m: mass damping and drag */
    double* diagonal; /* 4 per node, N/m or N m: mass and damping, over the stiffness scale */
    double* q_theta;
    double* v_theta;
    double* gradient;
    double* reaction;  /* 4 per node, N or N m */
    FilSparse* sparse; /* networks, and closed rods too short to fold */
    int* slots;        /* where the entries of the rods' matrices go, in visiting order, then the diagonal */
    double *initial_q, *initial_v;

    /* the tangent in 4 x 4 blocks, for contact: made when first asked for */
    int block_count;
    int *block_columns, *block_rows;
    bool* block_weak;                           /* FilBodyOps.weak_blocks */
    int* block_slots;                           /* where entries go, in visiting order */
    int* block_own;                             /* of each node: its diagonal block */
    int layer_count, *layer_start, *layer_rods; /* rods by layers: those of one share no node; of two that do, the first comes first */
    bool all_cords;                             /* no rod twists: then first parts of blocks are marked */
    bool all_in_rows;                           /* all rods are in a row */

    struct FilRodDerivative* derivative; /* rod_derivative.c: made when first asked for */
} FilRodBody;

enum { FIL_ROD_GRAIN = 4 };     /* rods that a worker takes at once: some 20 us of a net */
enum { FIL_HELD_GRAIN = 2048 }; /* unknowns that are held: some 5 us */

extern const FilBodyOps fil_rod_ops;

/* Nothing is kept of the defs. The arena must outlive the body. */
FilStatus fil_rod_body_create(FilArena* arena, const FilRodDef* defs, int count, const FilRodJunction* junctions, int junction_count,
                              FilRodBody** body, FilError* error);

/* Sizes of the body's share of q (and v) and h. */
int fil_rod_body_q_size(const FilRodBody* body);
int fil_rod_body_h_size(const FilRodBody* body);

/* The unknown that stands for `unknown`: that of the owner if it is a copy's position. */
static inline int fil_rod_owner(const FilRodBody* body, int unknown)
{
    return unknown % 4 == 3 ? unknown : 4 * body->owner[unknown / 4] + unknown % 4;
}

/* ---- below the table ---- */

/* rod_strain.c: frames and strains at a committed state. */
/* Material frame of an edge. */
void fil_rod_edge_frame(const FilRod* rod, const double* q, const FilRodHistory* h, int edge, Frame1* frame);
/* Integrated curvatures at a node, zero and false where it has no hinge. */
bool fil_rod_node_strains(const FilRod* rod, const double* q, const FilRodHistory* h, int node, double* kappa1, double* kappa2);
/* Curvatures per metre at a node and tension of an edge. */
void fil_rod_node_curvature(const FilRod* rod, const double* q, const FilRodHistory* h, int node, double* curvature);
double fil_rod_edge_tension(const FilRod* rod, const double* q, const FilRodHistory* h, int edge);
/* Rest strains of a node for curvatures per metre: what a smooth curve shows at a hinge, 2 tan(kappa l / 2). */
void fil_rod_rest_from_curvature(double voronoi, const double* curvature, double* rest1, double* rest2);
/* The same where the curvature's size is known. */
static inline void fil_rod_rest_from_curvature_of(double voronoi, const double* curvature, double size, double* rest1, double* rest2)
{
    const double angle = 0.5 * size * voronoi;
    // the angle's square, below which the quotient is 1 to the last bit, is 1e-16
    const double scale = angle < 1e-8 ? voronoi : 2.0 * tan(angle) / size;
    *rest1 = scale * curvature[0];
    *rest2 = scale * curvature[1];
}
void fil_rod_curvature_from_rest(double voronoi, double rest1, double rest2, double* curvature);
/* A clamp's held cross-section when turned by a rotation vector, and its half hinge at the node's rest strains. */
Frame1 fil_rod_clamp_section(const FilClampSide* side, const double* turn);
HingeLaw1 fil_rod_clamp_law(const FilClampSide* side, const FilRodHistory* node);

/* rod_build.c: one rod from its definition; adds the mass of its nodes, 4 numbers each. */
enum { FIL_ROD_MAX_NODES = 50 * 1000 * 1000 }; /* chosen: 13 numbers of history a node must stay below INT_MAX */
#define FIL_ROD_MAX_TWIST 1e4                  /* rad, of rest twist at a node: chosen, far beyond what winds up, far below where squares overflow */
FilStatus fil_rod_check(const FilRodDef* def, FilError* error);
FilStatus fil_rod_build(FilRod* rod, FilArena* arena, const FilRodDef* def, double* mass, FilError* error);

/* ---- the parts of the table, by file ---- */

/* rod_points.c */
int fil_rod_place_count(const void* body);
void fil_rod_place_velocity(const void* body, int place, const double* q, const double* v, double* velocity);
double fil_rod_mass(const void* body);
double fil_rod_inertia(const void* body, int unknown);
FilStatus fil_rod_side(const void* body, int object, int node, const double* q, FilBodySide* side, FilError* error);
int fil_rod_point_count(const void* body, int object);
int fil_rod_point(const void* body, int object, int node);
bool fil_rod_is_held(const void* body, int block);
void fil_rod_mark_held(const void* body, unsigned char* axes);

/* rod_step.c */
bool fil_rod_share(void* body, FilWorkers* workers);
void fil_rod_begin(void* body, const FilStepSetup* setup, const double* q, const double* v, const double* h);
void fil_rod_guess(const void* body, const double* change, double* v);
bool fil_rod_evaluate(void* body, const double* v, double shift, double* residual, double* potential);
bool fil_rod_residual(void* body, const double* v, double* residual, double* potential);
void fil_rod_diagonal(const void* body, const double* v, double* diagonal, double* scale);
bool fil_rod_factor(void* body);
void fil_rod_solve(void* body, double* x);
void fil_rod_push(void* body, const double* v, const double* impulse, double* scratch);
/* For rod_pair.c: where v leads to; residual and potential there, once chains are assembled, false if that is out of reach; and a solution, given
 * that of the tangent over the stiffness scale. */
void fil_rod_begin_trial(FilRodBody* body, const double* v);
bool fil_rod_end_trial(FilRodBody* body, const double* v, double energy, double* residual, double* potential);
void fil_rod_scale_solution(const FilRodBody* body, double* x);
void fil_rod_finish(void* body, const double* v, double* q1, double* v1, double* h1);

/* rod_pair.c: two bodies of one rod each */
#if defined(FIL_LANE_PAIRS)
extern const FilBodyPairOps fil_rod_pair_ops;
#define FIL_ROD_PAIR_OPS &fil_rod_pair_ops
#else
#define FIL_ROD_PAIR_OPS NULL
#endif

/* rod_boundary.c */
FilStatus fil_rod_attach(void* body, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error);
void fil_rod_set_target(void* body, int slot, const FilTarget* target);
void fil_rod_reaction(const void* body, int slot, double* force, double* torque);
void fil_rod_clear_loads(void* body);
void fil_rod_load(void* body, int object, FilDriveKind kind, int first, int count, const double* value, double* h);
int fil_rod_load_range(const void* body, int object, FilDriveKind kind);
/* For rod_step.c: marks what is held; adds springs of handles and clamps, and torques; collects reactions. */
void fil_rod_apply_holds(FilRodBody* body);
double fil_rod_add_springs(FilRodBody* body);
/* Where handles are all that holds the body: their forces at the velocity v, and true. */
bool fil_rod_pull_handles(FilRodBody* body, const double* v);
void fil_rod_collect_reactions(FilRodBody* body);

/* rod_contact.c */
FilStatus fil_rod_build_collider(FilRod* rod, FilArena* arena, FilError* error);
int fil_rod_collider_count(const void* body);
void fil_rod_collider(const void* body, int index, FilCollider* out);
void fil_rod_place(const void* body, int index, const double* q, const double* v, FilPlacement* out);
void fil_rod_part(const void* body, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose);
void fil_rod_frame(const void* body, int index, int part, const double* q, const double* h, FilPose* pose);
bool fil_rod_joined(const void* body, int index_a, int part_a, int index_b, int part_b);
int fil_rod_tangent_pattern(void* body, int* columns, int* rows);
void fil_rod_weak_blocks(const void* body, bool* weak);
void fil_rod_tangent(void* body, double* values);

/* rod_jacobian.c */
int fil_rod_point_jacobian(const void* body, int index, int part, const double* point, const double* q, int* blocks, double* jacobian, double* bias);
int fil_rod_edge_jacobian(const void* body, int index, int edge, const double* point, const double* q, const double* frame, double scale, int* blocks,
                          double* jacobian);
int fil_rod_node_jacobian(const void* body, int index, const int edge[2], const FilEdgeAxis axis[2], const double* point, const double* q,
                          const double* frame, double scale, int* blocks, double* jacobian);
int fil_rod_turn_jacobian(const void* body, int index, int part, const double* q, int* blocks, double* jacobian, double* bias);
void fil_rod_edge_blocks(const void* body, int index, int edge, int* blocks);

/* rod_derivative.c */
extern const struct FilDerivativeOps fil_rod_derivative_ops;

/* rod_measure.c */
void fil_rod_energy(const void* body, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to);
void fil_rod_momentum(const void* body, const double* q, const double* v, const double* h, double* linear, double* angular);

#endif
