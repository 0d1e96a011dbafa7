/* One rod as a folded chain: its elastic energy, gradient and Hessian, and the linear solves with them.
 *
 * Everything outside is in plain order, four numbers a node: x, y, z of node i and the angle of edge i. The angle of the
 * last node of an open rod belongs to no edge and stays out of everything.
 */
#ifndef FILUM_BODY_ROD_CHAIN_H
#define FILUM_BODY_ROD_CHAIN_H

#include "body/rod_hinge.h"
#include "linalg/fold.h"

/* State that frames are transported from, and live rest values; one per node (the edge and the hinge of the same index). */
typedef struct FilRodHistory {
    double tangent[3];   /* of the edge */
    double director[3];  /* m1 of the edge */
    double twist;        /* of the hinge, unwrapped, and */
    double cosine, sine; /* of it */
    double rest_length;  /* m */
    double rest1, rest2; /* kappa_1, kappa_2 at rest (integrated over the Voronoi length) */
    double rest_twist;   /* likewise */
} FilRodHistory;

/* Elastic constants per node, constant for the life of a rod. */
typedef struct FilRodLaw {
    double ea;         /* of the edge, N */
    double k1, k2, kt; /* of the hinge, N m; zero where there is none */
} FilRodLaw;

typedef struct FilRodChain {
    int node_count, edge_count;
    bool closed;
    bool solvable; /* false for closed rods too short to fold: assembled here, factored elsewhere */
    FilFold matrix;
    int* node_at[2]; /* plain node at each place of a half, -1 for padding */
    int* edge_at[2]; /* plain edge at each place but the last; a copy that must not act twice is marked in acts */
    bool* edge_acts[2];
    bool* hinge_acts[2];
    int middle;  /* plain node of the middle hinge */
    int regular; /* first place from which on both halves act, up to the middle: nearly all */

    bool twist_free; /* set by its owner: bends alike in all directions and resists no twist */

    /* set by fil_rod_chain_begin */
    bool untwisted;                          /* twist-free and straight at rest: frames follow each other along the rod, whatever they were */
    FilLanes *tangent0, *director0, *angle0; /* 3, 3, 1 per edge */
    KnownTwist2* twist0;                     /* per hinge */
    FilLanes *stretch, *natural;             /* per edge: EA/L0 in N/m, length at rest */
    HingeLaw2* law;
    HingeLaw1 middle_law;
    KnownTwist1 middle_twist0;
    FilLanes* diagonal; /* 4 per node: added to the Hessian's diagonal */

    /* of untwisted chains, for their blocks: see fil_rod_chain_expect() */
    FilLanes *expected, *along; /* per edge: tension, N; direction where blocks were last asked for, 3 */
    bool expects, follows;      /* there is the one; and the other, in this step */

    /* set by fil_rod_chain_assemble */
    FilLanes *x, *angle; /* 3 per node, 1 per edge */
    bool framed;         /* frames are those of x and angle: untwisted chains find theirs when asked for */
    Frame2* frames;
    FilLanes* gradient; /* 4 per node */
    double middle_gradient[FIL_FOLD_JOINT];
    double energy; /* J */
    bool hessian;  /* the matrix was asked for, too, ... */
    bool pending;  /* ... but is still to be filled in, which untwisted chains do when it is needed */
    double shift;  /* for that */
} FilRodChain;

/* Its memory is the arena's. False when out of memory. */
bool fil_rod_chain_init(FilRodChain* chain, FilArena* arena, int node_count, bool closed);

/* Half 1 walks backwards: tangents, angles and the second curvature change sign there. */
static inline double fil_rod_half_direction(int half)
{
    return half == 0 ? 1.0 : -1.0;
}

/* Where frames start from (history and angles q[4 i + 3]), the elastic law, and the diagonal to be added (4 per node).
 * damping >= 0 adds a spring of `damping` times the elastic one, at rest at the start's strains: stiffness-proportional
 * damping over a step, see docs/rod.md. */
void fil_rod_chain_begin(FilRodChain* chain, const double* q, const FilRodHistory* history, const FilRodLaw* law, double damping,
                         const double* diagonal);
/* The same once more with the law and the diagonal that the chain last began with, and without damping as then: only the state and values at rest are
 * others. */
void fil_rod_chain_begin_again(FilRodChain* chain, const double* q, const FilRodHistory* history, const FilRodLaw* law);

/* The same second spring for one hinge with the given strains at the start. */
void fil_rod_blend_law(HingeLaw1* law, double kappa1, double kappa2, double twist, double damping);

/* Energy, gradient and (if `hessian`) the Hessian plus (1 + shift) times the diagonal, at configuration q; else a matrix
 * that has been factored goes on to serve. False if an edge has no length or turns by pi: q is out of reach. */
bool fil_rod_chain_assemble(FilRodChain* chain, const double* q, double shift, bool hessian);

#if defined(FIL_LANE_PAIRS)
/* Two chains at once, each with the bits that it has alone: those that have begun a step and are folded alike, where the processor has the registers.
 */
bool fil_rod_chain_goes_with(const FilRodChain* a, const FilRodChain* b);
void fil_rod_chain_assemble_pair(FilRodChain* const* chains, const double* const* q, const double* shift, bool hessian, bool* in_reach);
void fil_rod_chain_factor_pair(FilRodChain* const* chains, bool* definite);
void fil_rod_chain_solve_pair(FilRodChain* const* chains, double* const* rhs);
#endif

/* For the chain's own files. Positions and angles from plain order; frames are to be found anew then. */
void fil_rod_chain_load_positions(FilRodChain* chain, const double* q);
/* What a step starts from. Without a diagonal: only the state and values at rest. */
void fil_rod_chain_load_start(FilRodChain* chain, const double* q, const FilRodHistory* history, const FilRodLaw* law, const double* diagonal);
/* Frames at the configuration that x and angle hold; returns the smallest edge length and the smallest
 * 1 + cosine of the turn of any edge since the start. */
void fil_rod_chain_find_frames(FilRodChain* chain, double* shortest, double* straightest);
/* The same where only frames are asked for, unless they have been found. */
void fil_rod_chain_have_frames(FilRodChain* chain);
/* Frames of the edges at the middle hinge. */
void fil_rod_chain_middle_frames(const FilRodChain* chain, Frame1* e, Frame1* f);
/* The place where an edge acts: its half and its index there. */
void fil_rod_chain_find_edge(const FilRodChain* chain, int edge, int* half, int* place);

/* rod_chain_cord.c: energy and gradient of untwisted chains whose positions are loaded; their matrix, if pending. */
bool fil_rod_chain_assemble_untwisted(FilRodChain* chain);
void fil_rod_chain_fill(FilRodChain* chain);
/* Where places have been loaded: tangents of all edges, the first director carried on from the start, and then from edge to edge. */
void fil_rod_chain_transport_untwisted(const FilRodChain* chain, FilRodHistory* history);
/* Instead of that: the joint alone, and the diagonal of the rest added to `out`. */
void fil_rod_chain_add_diagonal(FilRodChain* chain, double* out);

/* Adds the gradient to `out` (4 per node). */
void fil_rod_chain_add_gradient(const FilRodChain* chain, double* out);

/* The assembled diagonal, 4 per node; only before factoring. */
void fil_rod_chain_diagonal(FilRodChain* chain, double* out);

/* Frame of an edge at the last assembled configuration. */
void fil_rod_chain_frame(FilRodChain* chain, int edge, Frame1* frame);

/* Adds a symmetric 7 x 7 block, where the Hessian was assembled, and a gradient on (x, theta, x') of an edge. */
void fil_rod_chain_add_edge_block(FilRodChain* chain, int edge, const double* block, const double* gradient);

/* Carries frames and twists from the step's start to configuration q (NULL: the one assembled last): overwrites them in
 * `history`. */
void fil_rod_chain_transport(FilRodChain* chain, const double* q, FilRodHistory* history);

bool fil_rod_chain_factor(FilRodChain* chain);
void fil_rod_chain_solve(FilRodChain* chain, double* rhs /* 4 per node, in place */);

/* Calls `add` for every stored entry of the assembled lower triangle: plain unknowns row, column and the value; entries
 * of one place may come in parts. For sparse matrices and for tests. */
typedef void FilRodVisitor(void* context, int row, int column, double value);
void fil_rod_chain_visit(FilRodChain* chain, FilRodVisitor* add, void* context);

/* The same without a call per entry: values[slots[k]] += scale * entry k, in visiting order. Returns the number of entries. */
int fil_rod_chain_scatter(FilRodChain* chain, const int* slots, double scale, double* values);
/* The same of an open chain that has its 4 x 4 blocks to itself, by columns from `first_block` on, each node's own and those of the next two with it:
 * sets them, but for the upper triangles of diagonal blocks, which are 0 or as they were. */
void fil_rod_chain_put(FilRodChain* chain, const int* slots, double scale, double* values, int first_block);

/* Positions of twist-free chains, whose angles are held and couple with nothing that counts, to 4 x 4 blocks by columns: calls
 * `add` for the entry (1, 0) of each block, with row and column -1 where there is none. */
void fil_rod_chain_visit_blocks(const FilRodChain* chain, FilRodVisitor* add, void* context);
/* Adds scale times all of them, given the slots of those entries in visiting order, where blocks start at multiples of 16; the
 * first part that a block gets may be marked, and is set then. Returns the number of slots. */
enum { FIL_SLOT_FIRST = 8 };
int fil_rod_chain_scatter_blocks(FilRodChain* chain, const int* slots, double scale, double* values);
/* Expects the tensions that edges have at q. Blocks of a definite tangent have across each edge the tension that is expected of it: at first this
 * one, then the one that the tangent before led to, EA (t . e / L0 - 1) with its direction t. What an edge is stretched by turning, a
 * square of the angle, is there only until Newton's next step, and would keep the edge from turning as far as it must (Magisano, Leonetti and
 * Garcea 2017, who take stresses for unknowns). */
void fil_rod_chain_expect(FilRodChain* chain, const double* q);

#endif
