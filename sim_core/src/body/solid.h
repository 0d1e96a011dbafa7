/* The body kind "solid": linear tetrahedra. Four unknowns a vertex, (x, y, z, idle), so that blocks of four are one
 * vertex each. */
#ifndef FILUM_BODY_SOLID_H
#define FILUM_BODY_SOLID_H

#include "body/body.h"
#include "body/chambers.h"
#include "body/solid_batch.h"
#include "body/solid_nodal.h"
#include "body/vertex_holds.h"
#include "geometry/tet_mesh.h"
#include "linalg/supernodal.h"

/* Nodal pressure: what solid_pressure.c works with. */
typedef struct FilSolidPressure {
    double kept;                     /* share of the volumetric energy that elements keep; 1 without nodal pressure */
    double *volumes, *of_vertices;   /* per vertex: m^3, Pa */
    double *dilations, *of_elements; /* per element, and to the end of the last batch: 1, Pa */
    int* stars;                      /* of each vertex: itself and its neighbours, rising */
    double* gradients;               /* 3 for each of these: w_a */
    int* slots;                      /* of each star: the blocks of its pairs */
} FilSolidPressure;

typedef struct FilSolidBody {
    FilTetMesh mesh; /* at rest */
    FilSolidModel model;
    FilSolidMaterial material;
    double density, damping_mass, damping_stiffness, radius, bedding;
    bool lumped, nodal;
    FilSolidPressure pressure;
    int plane_strain; /* as in the definition */
    FilCollision collision;
    double *initial_q, *initial_v;
    double* mass; /* per vertex, kg: what gravity acts on, the row sums of the mass matrix */

    int batch_count;
    FilSolidElement* elements;
    FilSolidBatch* batches;
    int* batch_slots; /* per batch: block k of lane l at [FIL_SOLID_LANES k + l] */

    /* the surface: its vertices are the colliders */
    int surface_count, edge_count;
    int* surface;           /* vertices, rising */
    int* surface_edges;     /* 2 each, into `surface` */
    int* surface_triangles; /* 3 each, into `surface` */

    FilChambers chambers; /* of its cavities */
    FilVertexHolds holds;
    double* load; /* 4 per vertex, N */

    /* the tangent's lower triangle in blocks */
    int block_count;
    int *block_start, *block_column, *block_row; /* by columns, rows rising */
    double* block_mass;                          /* kg: the mass matrix has this times the unit matrix there */
    unsigned char* used;                         /* components that are unknowns, for the factor */
    FilSupernodal* factor;
    double* values;    /* tangent */
    double* stiffness; /* at the step's start; NULL where neither the law nor damping needs it */

    /* the step */
    FilStepSetup setup;
    const double *q0, *v0, *h0;
    FilDouble4* rotations; /* 9 per batch, at the step's start; NULL where the law does not lag */
    bool* held;            /* 4 per vertex: by component */
    double* held_q;        /* 4 per vertex, where held vertices are at the end of the step */
    double *q_theta, *v_theta, *change, *momentum, *gradient, *damped, *reaction, *scratch;
    double shift;
    bool assembled; /* values are those of the last evaluation, ... */
    bool factored;  /* ... and so is the factor */
    bool analysed;
} FilSolidBody;

extern const FilBodyOps fil_solid_ops;

FilStatus fil_solid_create(const FilSolidDef* def, FilSolidBody** body, FilError* error);

/* ---- the parts of the table, by file ---- */

/* solid_mesh.c: elements, surface, block pattern and masses of a mesh that has been checked. */
FilStatus fil_solid_build(FilSolidBody* body, FilError* error);

/* solid_pressure.c: room for it, then the places of its stiffness among the blocks. */
bool fil_solid_build_pressure(FilSolidBody* body);
void fil_solid_place_pressure(FilSolidBody* body, const FilBlockPattern* pattern);
void fil_solid_free_pressure(FilSolidPressure* pressure);
/* Sets the elements' pressures at q, about the rotations of the step's start if `lagged`; returns their energy, J. */
double fil_solid_find_pressure(const FilSolidBody* body, const double* q, bool lagged);
/* Adds scale times that part of the stiffness at q that couples vertices around a vertex. */
void fil_solid_add_pressure_stiffness(const FilSolidBody* body, const double* q, double scale, double* values);

/* solid_step.c */
void fil_solid_begin(void* body, const FilStepSetup* setup, const double* q, const double* v, const double* h);
void fil_solid_lead(void* body, int block, const double* velocity);
void fil_solid_let_go(void* body);
void fil_solid_guess(const void* body, const double* change, double* v);
bool fil_solid_evaluate(void* body, const double* v, double shift, double* residual, double* potential);
bool fil_solid_linear(const void* body);
void fil_solid_diagonal(const void* body, const double* v, double* diagonal, double* scale);
bool fil_solid_factor(void* body);
void fil_solid_solve(void* body, double* x);
void fil_solid_push(void* body, const double* v, const double* impulse, double* scratch);
void fil_solid_finish(void* body, const double* v, double* q1, double* v1, double* h1);
void fil_solid_tangent(void* body, double* values);

/* solid_measure.c: at any state */
double fil_solid_elastic_energy(const FilSolidBody* body, const double* q);
double fil_solid_kinetic_energy(const FilSolidBody* body, const double* v);
void fil_solid_angular_momentum(const FilSolidBody* body, const double* q, const double* v, double* add_to);
FilSolidMeasure fil_solid_measure_at(const FilSolidBody* body, const double* q);

/* The part of it that needs no stress: probes ask for it at every step. */
typedef struct FilSolidVolumes {
    double volume; /* m^3 */
    double min_jacobian;
} FilSolidVolumes;

FilSolidVolumes fil_solid_volumes_at(const FilSolidBody* body, const double* q);

/* solid_boundary.c */
FilStatus fil_solid_attach(void* body, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error);
void fil_solid_set_target(void* body, int slot, const FilTarget* target);
void fil_solid_reaction(const void* body, int slot, double* force, double* torque);
void fil_solid_clear_loads(void* body);
void fil_solid_load(void* body, int object, FilDriveKind kind, int first, int count, const double* value, double* h);
int fil_solid_load_range(const void* body, int object, FilDriveKind kind);

#endif
