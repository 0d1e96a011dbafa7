/* The contact model "ipc": rings on rods and barriers between surfaces, as one field of the potential stage (P4). */
#ifndef FILUM_SOLVER_IPC_FIELD_H
#define FILUM_SOLVER_IPC_FIELD_H

#include "contact/friction.h"
#include "contact/ipc_barrier.h"
#include "contact/potential.h"
#include "filum/world.h"
#include "geometry/track.h"
#include "linalg/block_sum.h"
#include "solver/ipc_near.h"

/* Pairs that workers share at a time: large enough that sharing costs nothing, small enough that what they find stays in a cache (512 pairs of
 * FIL_IPC_WORK numbers are 0.6 MB, of the 1 MB that a core's second cache has). */
enum {
    FIL_IPC_BATCH = 512,
    FIL_IPC_GRAIN = 32,
    FIL_IPC_WORK = 147 /* numbers a pair, at most: what it adds, which variables its corners are, its second derivatives over four of them */
};

/* In place of a corner's block, of pairs that have fewer than four. */
enum { FIL_IPC_NO_CORNER = -2 };

/* Blocks that one ring couples: its point and three nodes, or place and turn of its body and four. */
enum { FIL_RING_BLOCKS = 6 };

/* A ring in a step. */
typedef struct FilRingTerm {
    int body;                             /* of the world */
    int count;                            /* of blocks */
    bool stuck;                           /* at the step's start, ... */
    bool within;                          /* ... where its rod holds it */
    FilFriction friction;                 /* along the rod, and of a hole along its rim */
    double jacobian[FIL_RING_BLOCKS][12]; /* 3 x 4, of the velocity of the ring against the rod at the step's start */
    int lagged[FIL_RING_BLOCKS];          /* blocks of the world's velocities, for friction, ... */
    int column[FIL_RING_BLOCKS];          /* ... and columns of the matrix for them */
    int block[FIL_RING_BLOCKS];           /* for the potential, as of the last accepted v */
    FilTrackPlace place;                  /* at the last accepted v */
    int local[FIL_RING_BLOCKS];           /* which variable of its list each block is; -1: none */
    FilTrackPlace seen;                   /* where it was when last asked for forces, ... */
    int seen_block[FIL_RING_BLOCKS];      /* ... with these blocks, ... */
    bool past;                            /* ... beyond an end of its rod, ... */
    double energy;                        /* ... and with this potential */
    double gradient[3 * FIL_RING_BLOCKS];
} FilRingTerm;

/* Two features, or a point and a plane, that could come into each other's range. */
typedef struct FilIpcPair {
    FilRepulsion repulsion;
    int point[4];
    int corner_count;
    int plane;   /* of the surface; -1: none */
    bool beside; /* in range there, but another side of the shape is nearer: it does not push */
    double friction;
    double times;    /* of its barrier: 1; of inner edges of meshes -1 to 0, of inner vertices 0 to 1 (ipc_mesh.c) */
    double share;    /* of what touches it and its neighbours along rods: in the stiffness */
    double gap;      /* m, where points were when last asked for forces, or listed */
    double expected; /* m, what Newton's model of it is made about */
} FilIpcPair;

/* What Newton's model has of a barrier's force and stiffness, as shares of the true ones. */
typedef struct FilIpcModel {
    double force, stiffness;
} FilIpcModel;

/* Friction of a pair that touched at the step's start, with what it was then. */
typedef struct FilIpcSlide {
    FilIpcPair pair;
    int first, count; /* blocks of the relative velocity */
    FilFriction friction;
    bool reported; /* with the contacts of the step */
    int born;      /* where it acts is where solution born - 1 of the step was; 0: its start */
} FilIpcSlide;

/* An edge on its way: its middle, half of it, its mean motion, and how far around that its surface may get. */
typedef struct FilIpcSweptBound {
    double middle[3], half[3], motion[3], reach;
} FilIpcSweptBound;

/* Friction of all pairs that touch. */
typedef struct FilIpcSlides {
    FilIpcSlide* at;
    int count, capacity;
    FilInts variable; /* blocks of the world's velocities ... */
    FilInts column;   /* ... and columns of the matrix for them */
    FilDoubles jacobian;
} FilIpcSlides;

/* What a solution was found with that friction was found again after: for gradients. */
typedef struct FilIpcRound {
    FilIpcPair* pairs; /* that were in range there */
    int pair_count;
    size_t pair_capacity;
    FilIpcSlides slides;
} FilIpcRound;

typedef struct FilIpcField {
    double dt;
    double scale;        /* of the barriers' stiffness */
    bool anticipates;    /* Newton's model is about the gaps that are expected, not those there are */
    bool relisted;       /* since the last accepted v */
    int first_pairs;     /* listed on the way of the first guess */
    int max_pairs;       /* with more a list is not finished: FIL_NOT_CONVERGED; 0: with any number it is */
    FilStatus listing;   /* of pairs on the way of the last direction: where it fails, so does the step */
    FilDoubles first;    /* what add() adds where the step begins, ... */
    double first_energy; /* ... and its energy */
    FilDoubles x;        /* positions of a trial, as long as q: of bodies that are points */
    FilRingTerm* rings;
    int ring_count, ring_capacity;
    FilIpcSurface surface;
    FilDoubles points, ends; /* 3 per point of the surface: of a trial; of the end of a Newton step */
    FilDoubles from;         /* where points were at the beginning of that */
    double looked;           /* the share of that step whose end is in `ends` */
    FilDoubles x_end;        /* like q: of the end of a Newton step */
    FilDoubles ahead;        /* where points go in the step, as first guessed: what edges share contacts by */
    FilDoubles listed;       /* where points were when all pairs were listed */
    FilDoubles listed_end;   /* where they were to go when pairs of theirs were listed last, apart from what all go since, ... */
    FilDoubles slack;        /* ... and how far beside that, against the mean of all, each may go now, m */
    double fall;             /* m, how far any may have moved by itself: for planes */
    FilInts stale;           /* points, edges and triangles whose pairs are to be listed: 1, else 0 */
    FilAabb* boxes;          /* of points */
    size_t box_capacity;
    FilIpcSweptBound* swept_bounds; /* of edges */
    size_t swept_bound_capacity;
    FilIpcNear near;
    FilPairs chosen[2];  /* of those, to be looked at closely, in rising order: of edges, of points and triangles, ... */
    FilPairs sorting[2]; /* ... and room to sort them */
    FilInts picked;      /* while they are chosen: how many in each chunk; and which pairs stay when others are dropped */
    FilInts moved;       /* while what meets is kept apart: when points were moved, and what pairs had seen of that when looked at last */
    FilDoubles work;     /* what workers find of a batch of pairs, before it is taken in their order */
    FilIpcPair* pairs;
    int pair_count, pair_capacity;
    FilInts active, was_active; /* pairs within range at the last accepted v */
    int active_count;
    FilDoubles pushes;         /* gradients over their corners of pairs that were in range when last asked for forces, 12 each, ... */
    FilInts pushing;           /* ... which those are, ... */
    FilInts pushed;            /* ... and the blocks of their corners, 4 each; -1: no node */
    FilJet* jets;              /* barriers of active ones, where they are, ... */
    size_t jet_capacity;       /* ... while what is expected of them is found, ... */
    FilDoubles held;           /* ... and what they add to the diagonal of each block of velocities */
    FilIpcSlides slides;       /* as they are taken: of the step's start, or of the last solution */
    FilIpcSlides other_slides; /* room for those of the next one */
    int lag_round;             /* how often friction has been found again in this step */
    FilIpcRound* rounds;       /* those before the last, if they are kept: FilPotentialStage.round_count */
    int round_room;
} FilIpcField;

static inline FilSlipping fil_ring_slipping(const FilRingTerm* term)
{
    return (FilSlipping){term->count, term->lagged, term->column, term->jacobian[0]};
}

static inline FilSlipping fil_slide_slipping(const FilIpcSlides* slides, const FilIpcSlide* slide)
{
    return (FilSlipping){slide->count, slides->variable.at + slide->first, slides->column.at + slide->first, slides->jacobian.at + 12 * slide->first};
}

/* Of a pair whose gap is within its range. */
static inline FilIpcModel fil_ipc_model(const FilIpcPair* pair)
{
    const FilRepulsion* r = &pair->repulsion;
    const FilJet model = fil_barrier(pair->expected, r->range, r->stiffness), now = fil_barrier(pair->gap, r->range, r->stiffness);
    return (FilIpcModel){(model.first + model.second * (pair->gap - pair->expected)) / now.first, model.second / now.second};
}

struct FilSolver;

/* The field of the model; solver/model.h. */
extern const struct FilPotentialField fil_ipc_potential;

void fil_ipc_field_free(FilIpcField* field);

/* ipc_list.c: pairs of features that could come into range on the way to `ends`, and a little beyond. */
FilStatus fil_ipc_list(struct FilSolver* solver);
/* Lists those anew that may be others on the way to `ends` by now. */
FilStatus fil_ipc_relist(struct FilSolver* solver);

/* ipc_meet.c: whether points of two colliders repel each other, or of one. */
bool fil_ipc_may_meet(const struct FilSolver* solver, int p, int q);
/* Whether points lie at a joint of theirs, by any of the parts that meet at each. */
bool fil_ipc_at_joint(const struct FilSolver* solver, int p, int q);
/* The same of two edges, and of a point with a plane or a triangle; planes and faces meet rims instead of prisms, those that are for them. */
bool fil_ipc_edge_meets(const struct FilSolver* solver, const FilIpcEdge* e, const FilIpcEdge* f);
bool fil_ipc_plane_meets(const struct FilSolver* solver, int plane, int p);
bool fil_ipc_triangle_meets(const struct FilSolver* solver, const FilIpcTriangle* triangle, int p);

/* ipc_choose.c: chooses pairs of what is near, in rising order: of points, edges and triangles that are stale; `all` are. */
FilStatus fil_ipc_choose(FilIpcField* field, const int* points, const int* edges, const int* triangles, bool all, double range, FilWorkers* workers);

/* ipc_pairs.c: how far two features are from each other. */
double fil_ipc_distance(FilFeature kind, const int* points, int count, const double* x);
/* The same, and the way from the first one's closest point to the second's. */
double fil_ipc_nearest(FilFeature kind, const int* points, int count, const double* x, double* between);
/* How much nearer two features may come when points go from `from` to `to`, and each `slack` farther (may be NULL): what
 * moves all corners alike does not count. */
double fil_ipc_approach(FilFeature kind, const int* points, int count, const double* from, const double* to, const double* slack);
/* The gap of a pair where `points` and `x` are. */
double fil_ipc_gap(const struct FilSolver* solver, const FilIpcPair* pair);
/* Whether a point that is near a side of a convex shape is nearer to another side of it, where `points` are: the shape pushes it once, as if it had
 * no sides. Where sides share the nearest place it is the first one's. */
bool fil_ipc_beside(const struct FilSolver* solver, const FilIpcPair* pair);
/* ipc_mesh.c: points of rigid shapes against triangles that deform. */
/* Whether a point is a shape's and a corner a mesh's. */
bool fil_ipc_meets_mesh(const FilIpcSurface* surface, int point, int corner);
bool fil_ipc_of_mesh(const struct FilSolver* solver, const FilIpcPair* pair);
/* How much the triangles a b c and b a d bend towards p, to how much a sphere around p does: 0 if they are flat; negative: away from it. */
double fil_ipc_bend(const double* p, const double* a, const double* b, const double* c, const double* d);
/* Share of an inner vertex, or edge, in the sum for p, in a step: 0 to 1; and the triangle that brings it into lists. */
double fil_ipc_inner_share(const struct FilSolver* solver, int p, const int* corners, int count);
int fil_ipc_inner_owner(const FilIpcSurface* surface, const int* corners, int count);
/* Whether a pair of those cancels with others where `points` are, or another stands for it. */
bool fil_ipc_beside_mesh(const struct FilSolver* solver, const FilIpcPair* pair);
/* The normal force by which such a pair rubs: with its part of what edges and vertices take back. */
double fil_ipc_mesh_force(const struct FilSolver* solver, const FilIpcPair* pair, double gap);

/* How much of the way from `points`, where pairs have the gaps they tell, to `ends` nothing meets on, at most 1. */
double fil_ipc_sweep(const struct FilSolver* solver);
/* The same of what is not made of nodes alone, for a way that is straight only from here to there: not of planes. */
double fil_ipc_sweep_turning(const struct FilSolver* solver);
/* Lets pairs tell the gaps that they have where `points` and `x` are. */
void fil_ipc_find_gaps(struct FilSolver* solver);
/* Lets corners of nodes that would meet on the way to `ends` move more alike, looking at all pairs for so many rounds at most; whether there were
 * some. *free: nor did anything else meet. There is room in `moved`. */
bool fil_ipc_keep_apart(struct FilSolver* solver, int rounds, bool* free);

/* ipc_share.c: share of a pair in what touches it and its neighbours along rods, with points at x. */
double fil_ipc_share(const struct FilSolver* solver, const FilRepulsion* repulsion, const int* points, const double* x);
/* How it follows the places of points, where features are not side by side: of each the one before it on its rod, its ends (of a point both are
 * that), and the one after; -1: there is none. */
void fil_ipc_share_slopes(const struct FilSolver* solver, const FilRepulsion* repulsion, const int* points, const double* x, int point[2][4],
                          double slope[2][4][3]);

/* ipc_start.c: FIL_BAD_INPUT and a message if something intersects. */
FilStatus fil_ipc_check_start(struct FilSolver* solver);

/* ipc_contacts.c: barriers and friction of those pairs. */
/* Friction of pairs that touch with points where they are: at the step's start, ... */
FilStatus fil_ipc_contacts_begin(struct FilSolver* solver);
/* ... or at a solution, where those of `other_slides` keep their places and tangents: with arms of a backward Euler step's start friction
 * does not change angular momentum. In stages of second order all are those of the solution: with lagged ones they would be of first. */
FilStatus fil_ipc_contacts_follow(struct FilSolver* solver);
double fil_ipc_contacts_add(struct FilSolver* solver, const double* v, double* residual);
FilStatus fil_ipc_contacts_accept(struct FilSolver* solver, bool* changed);
FilStatus fil_ipc_contacts_finish(struct FilSolver* solver, const double* v, FilStepInfo* info);
/* The stiffness' scale that the last step left. */
double fil_ipc_scale(const struct FilSolver* solver);

/* ipc_sum.c: what pairs are to their unknowns, and what they add up to. */
/* Of a pair with points where `points` and `x` are: gap, normal from the first feature to the second (of a plane: its own), and weights of the
 * corners. */
double fil_ipc_pair_see(const struct FilSolver* solver, const FilIpcPair* pair, double* normal, double* weight);
/* Its energy with derivatives over the corners; hessian may be NULL. `positive`: only what makes it positive semi-definite. */
double fil_ipc_pair_energy(const struct FilSolver* solver, const FilIpcPair* pair, double* gradient, double* hessian, bool positive);

/* The block of the world's velocities that a corner which is a node has for itself; -1: it is none. */
int fil_ipc_node_block(const struct FilSolver* solver, int point);
/* What a corner's velocity depends on: blocks of the world's velocities and 3 x 4 Jacobians; `bias` if on nothing. */
int fil_ipc_corner_blocks(const struct FilSolver* solver, int point, const double* x, const double* q, int* blocks, double* jacobian, double* bias);
/* Whether it is of edges that push each other with their ends as well. */
bool fil_ipc_nearly_parallel(const struct FilSolver* solver, const FilIpcPair* pair);
/* Adds the gradients over their corners of so many pairs, those in `pushes`, to those of their unknowns, in their order; each times what stands at
 * every third place of `scale`, unless that is NULL. */
void fil_ipc_add_gradients(const struct FilSolver* solver, int count, const int* pairs, const double* scale, double* residual);
/* Of barriers: how many lists there will be; adds to *variables how many variables they hold at most. */
int fil_ipc_contacts_lists(const struct FilSolver* solver, size_t* variables);
void fil_ipc_contacts_list(struct FilSolver* solver, int* list_end, int* variable, int* lists, int* variables);
void fil_ipc_contacts_hessian(struct FilSolver* solver, bool majorised, FilBlockSum* sum, int first_list);

/* ipc_expect.c: finds which gaps Newton's model is made about, where the residual is this, and adds by how much the model's gradient differs from the
 * true one; hessian() then is that model's, until this is called with NULL. */
void fil_ipc_anticipate(struct FilSolver* solver, double* residual);
/* Where a pair in range comes to by itself: `change` of its gap without its force, and how far it gives way to that, m/N. */
double fil_ipc_expected_gap(const FilIpcPair* pair, double change, double give);

/* ipc_slide.c: friction of a pair in range, seen from the first feature along `normal` with those weights and that gap, under a
 * normal force; and the blocks that its slip depends on at most. There is room for them. */
FilStatus fil_ipc_slide_add(struct FilSolver* solver, const FilIpcPair* pair, const double* normal, const double* weight, double gap, double force);
/* The same of one that there was before: it acts where it did, along the same tangents, under another normal force. */
FilStatus fil_ipc_slide_keep(struct FilSolver* solver, const FilIpcSlide* was, double force);
/* How two edges that do not twist, along a and b, share a moment: of duals share[0] is with a + b, and share[1] with a - b and b - a; then how these
 * follow a . b. */
void fil_ipc_share_moment(const double* a, const double* b, double share[4]);
size_t fil_ipc_slide_blocks(const struct FilSolver* solver, const FilIpcPair* pair);
/* The slide of a pair, looked for from `from` on, where it most likely is; -1: it has none. */
int fil_ipc_slide_find(const FilIpcSlides* slides, const FilIpcPair* pair, int from);
void fil_ipc_slides_free(FilIpcSlides* slides);

/* ipc_lag.c: friction as the solution v has it takes the place of what v was found with, and *again is set, where the two differ. */
FilStatus fil_ipc_follow_friction(struct FilSolver* solver, const double* v, bool* again, FilStepInfo* info);

/* ring_field.c: the same for rings alone. */
FilStatus fil_rings_begin(struct FilSolver* solver);
double fil_rings_add(struct FilSolver* solver, const double* v, double* residual);
/* Appends the variables of each ring; *end and *variable count them. */
void fil_rings_list(struct FilSolver* solver, int* list_end, int* variable, int* lists, int* variables);
void fil_rings_hessian(struct FilSolver* solver, bool positive, FilBlockSum* sum, int first_list);
void fil_rings_accept(struct FilSolver* solver, bool* changed);
void fil_rings_finish(struct FilSolver* solver, const double* v);

#endif
