/* Incomplete Cholesky factor of a symmetric 4x4-block matrix in single precision, without fill: A ~ (1 + N) D (1 + N)' with N where A has blocks. A
 * preconditioner for conjugate gradients whose price does not depend on how the matrix would fill. How good it is depends on the order of variables.
 */
#ifndef FILUM_LINALG_BLOCK_INCOMPLETE_H
#define FILUM_LINALG_BLOCK_INCOMPLETE_H

#include "base/workers.h"
#include "linalg/block_matrix.h"
#include "linalg/buffer.h"
#include "linalg/single_step.h"

/* Rows of the first part and of the second are joined by rows of the third alone, so that two workers may take one each. */
enum { FIL_INCOMPLETE_PARTS = 3 };

typedef struct FilBlockIncomplete {
    int end[FIL_INCOMPLETE_PARTS]; /* of the rows of each part */
    FilInts start, column;         /* of each row: blocks left of the diagonal, by rising columns, ... */
    FilInts from;                  /* ... where they are in A, ... */
    FilInts diagonal;              /* ... and where the row's own one is */
    FilInts mark;
    FilFloats values;                  /* N */
    FilFloats pivots;                  /* D^-1 */
    FilFloats row;                     /* N D of the row at hand, of each part */
    FilFloats y;                       /* (1 + N)^-1 r */
    int longest;                       /* blocks of a row */
    bool broken[FIL_INCOMPLETE_PARTS]; /* a pivot of the part is not positive definite */
} FilBlockIncomplete;

void fil_block_incomplete_free(FilBlockIncomplete* factor);

/* Adopts a pattern, every diagonal block of which is there. `end` as above. False when out of memory. Allocates only to grow. */
FIL_MUST_CHECK bool fil_block_incomplete_find(FilBlockIncomplete* factor, const FilBlockPattern* pattern, const int end[FIL_INCOMPLETE_PARTS]);

/* Factors A with its diagonal multiplied by 1 + shift; false: what is left of a pivot is not positive definite. */
FIL_MUST_CHECK bool fil_block_incomplete_factor(FilBlockIncomplete* factor, FilWorkers* workers, const double* values, double shift);

/* p = z + turn p, s = w + turn s, x = x + length p, r = r - length s; then z = ((1 + N) D (1 + N)')^-1 r. */
void fil_block_incomplete_step(FilBlockIncomplete* factor, FilWorkers* workers, const FilSingleStep* step);

#endif
