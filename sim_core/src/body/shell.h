/* The body kind "shell": a sheet of triangles. Four unknowns a vertex, (x, y, z, idle), so that blocks of four are one
 * vertex each. */
#ifndef FILUM_BODY_SHELL_H
#define FILUM_BODY_SHELL_H

#include "body/body.h"
#include "body/chambers.h"
#include "body/shell_elements.h"
#include "body/vertex_holds.h"
#include "linalg/block_cholesky.h"

/* The tangent is made in parts of its columns, the same for any number of workers. More parts share better among workers and cost more, as elements
 * beside two parts are looked at twice: 8 are two for each of four threads. */
enum { FIL_SHELL_PARTS = 8 };

/* Folds whose Hessians are kept while the tangent is made by blocks: at corners of a sheet, where mass is small. Where there are more, it is made by
 * elements. */
enum { FIL_SHELL_HEAVY = 64 };

typedef struct FilShellBody {
    int vertex_count, triangle_count, edge_count, fold_count;
    int* triangles; /* 3 each */
    FilShellEdge* edges;
    int* edge_ends;       /* 2 each: the same */
    double* edge_lengths; /* m, at rest: the same */
    FilShellFold* folds;
    FilShellBending bending;
    double thickness, damping_mass, damping_stiffness;
    double* mass; /* per vertex, kg */
    FilCollision collision;
    double *initial_q, *initial_v;

    FilChambers chambers;
    FilVertexHolds holds;
    double* load; /* 4 per vertex, N */

    /* the tangent's lower triangle in blocks */
    int block_count;
    int *block_start, *block_column, *block_row; /* by columns, rows rising */
    int* edge_slots;                             /* per edge: its block */
    int* fold_slots;                             /* per fold: its blocks (b, a), (c, a), (c, b), (d, a), (d, b), (d, c) */
    int part_start[2 * FIL_SHELL_PARTS + 1];     /* where the edges, then the folds of each part of the columns begin in ... */
    int* part_elements;                          /* ... those with a vertex there, in their order */
    int* block_terms_start;                      /* where the edges, then the folds of each block begin in ... */
    int* block_terms;                            /* ... those that it is about, in their order; of a fold 16 f + 4 row + column, as its corners */
    FilBlockCholesky* cholesky;
    double* values;  /* tangent */
    double* damping; /* stiffness at the step's start, where stiffness damping needs it; else NULL */

    /* the step */
    FilWorkers* workers; /* who share loops over elements and parts; NULL: nobody */
    FilStepSetup setup;
    const double *q0, *v0, *h0;
    bool* held;     /* 4 per vertex: by component */
    double* held_q; /* 4 per vertex, where held vertices are at the end of the step */
    double *q_theta, *v_theta, *gradient, *reaction, *damped;
    FilShellBend* bends; /* of folds at q_theta */
    FilShellPull* pulls; /* of edges there */
    double* light;       /* scratch of fil_shell_stiffen(): of folds psi'', or -1 less their place in `heavy`; ... */
    double* stretching;  /* ... of edges fil_shell_edge_stiffness(); ... */
    double* heavy;       /* ... Hessians of folds that need them */
    double shift;
    bool assembled; /* values are those of the last evaluation */
    bool analysed;
} FilShellBody;

extern const FilBodyOps fil_shell_ops;

FilStatus fil_shell_create(const FilShellDef* def, FilShellBody** body, FilError* error);

/* ---- the parts of the table, by file ---- */

/* shell_mesh.c: edges, folds, masses and the block pattern of a definition that has been checked. */
FilStatus fil_shell_build_mesh(FilShellBody* body, const FilShellDef* def, FilError* error);
FilStatus fil_shell_build_pattern(FilShellBody* body, FilError* error);

/* The first vertex of a part, and of what is after it. */
static inline int fil_shell_part(const FilShellBody* body, int part)
{
    return (int)(((int64_t)part * body->vertex_count + FIL_SHELL_PARTS - 1) / FIL_SHELL_PARTS);
}

/* shell_mesh.c: corners of a fold that its blocks join, as fold_slots has them. */
extern const int fil_shell_fold_pairs[6][2];

static inline double* fil_shell_diagonal_block(const FilShellBody* body, double* values, int vertex)
{
    return values + FIL_BLOCK_SIZE * body->block_start[vertex];
}

/* Where the corners of a fold are. */
typedef struct FilShellCorners {
    const double* x[4];
} FilShellCorners;

static inline FilShellCorners fil_shell_corners(const FilShellFold* fold, const double* q)
{
    const int* v = fold->vertex;
    return (FilShellCorners){{q + 4 * v[0], q + 4 * v[1], q + 4 * v[2], q + 4 * v[3]}};
}

/* Columns of the tangent, or vertices. */
typedef struct FilShellColumns {
    int first, end;
} FilShellColumns;

static inline bool fil_shell_has(FilShellColumns columns, int vertex)
{
    return vertex >= columns.first && vertex < columns.end;
}

/* shell_stiffness.c: `values` becomes scale K at q, where elements have been measured, plus `damped` times `damping` unless that is NULL. `kept` is
 * that of elements. `inertia`: times each vertex's mass on the diagonal, with what holds it; 0: neither. */
typedef struct FilShellStiffening {
    const FilShellBody* body;
    const double* q;
    double kept, scale;
    const double* damping;
    double damped;
    double* values;
    double inertia;
} FilShellStiffening;

void fil_shell_stiffen(const FilShellStiffening* stiffening);
/* Adds inertia and holds of vertex i. */
void fil_shell_add_inertia(const FilShellBody* body, double inertia, int i, double* values);

/* shell_step.c */
bool fil_shell_share(void* body, FilWorkers* workers);
void fil_shell_begin(void* body, const FilStepSetup* setup, const double* q, const double* v, const double* h);
void fil_shell_lead(void* body, int block, const double* velocity);
void fil_shell_let_go(void* body);
void fil_shell_guess(const void* body, const double* change, double* v);
bool fil_shell_evaluate(void* body, const double* v, double shift, double* residual, double* potential);
void fil_shell_diagonal(const void* body, const double* v, double* diagonal, double* scale);
bool fil_shell_factor(void* body);
void fil_shell_solve(void* body, double* x);
void fil_shell_push(void* body, const double* v, const double* impulse, double* scratch);
void fil_shell_finish(void* body, const double* v, double* q1, double* v1, double* h1);
void fil_shell_tangent(void* body, double* values);
double fil_shell_elastic_energy(const FilShellBody* body, const double* q);

/* shell_boundary.c */
FilStatus fil_shell_attach(void* body, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error);
void fil_shell_set_target(void* body, int slot, const FilTarget* target);
void fil_shell_reaction(const void* body, int slot, double* force, double* torque);
void fil_shell_clear_loads(void* body);
void fil_shell_load(void* body, int object, FilDriveKind kind, int first, int count, const double* value, double* h);
int fil_shell_load_range(const void* body, int object, FilDriveKind kind);

#endif
