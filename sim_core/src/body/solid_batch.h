/* Several linear tetrahedra at once, one in each lane: what solid_element.h does for one, for the loop over a mesh.
 * Lanes agree with single elements to rounding. Nothing allocates. */
#ifndef FILUM_BODY_SOLID_BATCH_H
#define FILUM_BODY_SOLID_BATCH_H

#include "base/vector.h"
#include "body/solid_element.h"

/* Elements side by side; blocks of an element: pairs of its four corners, 4 * 5 / 2. */
enum { FIL_SOLID_LANES = FIL_DOUBLE4_COUNT, FIL_SOLID_BLOCKS = 10 };

/* Elements at rest. */
typedef struct FilSolidBatch {
    FilDouble4 gradient[9]; /* 1/m, grad N_i of the vertices 1, 2, 3 */
    FilDouble4 volume;      /* m^3; 0 in lanes without an element */
    int vertex[4][FIL_SOLID_LANES];
    int count; /* of elements, in the first lanes */
} FilSolidBatch;

/* What the law is asked about besides positions. */
typedef struct FilSolidBatchStrain {
    FilDouble4 rotation[9]; /* lagged law: fil_solid_batch_rotation at the step's start */
    FilDouble4 pressure;    /* Pa, as in FilSolidStrain */
    double kept;
} FilSolidBatchStrain;

/* The 3 x 3 blocks of an element's Hessian on and above the diagonal: (0,0), (0,1), (0,2), (0,3), (1,1), (1,2), (1,3),
 * (2,2), (2,3), (3,3). */
typedef struct FilSolidBatchResult {
    FilDouble4 energy;                       /* J */
    FilDouble4 gradient[12];                 /* N */
    FilDouble4 hessian[FIL_SOLID_BLOCKS][9]; /* N/m */
} FilSolidBatchResult;

/* Of `count` elements, at most FIL_SOLID_LANES, with four vertices each. Lanes left over repeat the last one without
 * volume. */
void fil_solid_batch_make(const FilSolidElement* elements, const int* tets, int count, FilSolidBatch* out);

/* Positions: `stride` numbers a vertex, of which the first three count. */
void fil_solid_batch_rotation(const FilSolidBatch* batch, const double* positions, int stride, FilDouble4* rotation);

/* theta of each element, for nodal pressure: fil_solid_law_dilation. `rotation` is read by the lagged law only. */
void fil_solid_batch_dilation(const FilSolidBatch* batch, const FilSolidMaterial* material, const double* positions, int stride,
                              const FilDouble4* rotation, FilDouble4* theta);

/* Energy and gradient, and, if `hessian`, the blocks times their share `scale`, positive semi-definite if `definite`.
 */
void fil_solid_batch_evaluate(const FilSolidBatch* batch, const FilSolidMaterial* material, const double* positions, int stride,
                              const FilSolidBatchStrain* strain, bool hessian, bool definite, double scale, FilSolidBatchResult* out);

/* The last three as built for a level of vectors. */
typedef struct FilSolidBatchKernels {
    void (*find_rotation)(const FilSolidBatch*, const double*, int, FilDouble4*);
    void (*find_dilation)(const FilSolidBatch*, const FilSolidMaterial*, const double*, int, const FilDouble4*, FilDouble4*);
    void (*evaluate)(const FilSolidBatch*, const FilSolidMaterial*, const double*, int, const FilSolidBatchStrain*, bool, bool, double,
                     FilSolidBatchResult*);
} FilSolidBatchKernels;

#if defined(FIL_VECTOR_LEVELS)
extern const FilSolidBatchKernels fil_solid_batch_256;
#endif

#endif
