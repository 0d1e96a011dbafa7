/* Matrices of rods whose nodes are touched here and there, for tests of eliminated runs. */
#ifndef TEST_RUN_SYSTEM_H
#define TEST_RUN_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "linalg/block_matrix.h"

enum { RUN_COLUMNS = 240, RUN_BLOCKS = 8 * RUN_COLUMNS, RUN_NUMBERS = FIL_BLOCK * RUN_COLUMNS };

typedef struct RunSystem {
    int a_start[RUN_COLUMNS + 1], a_row[RUN_BLOCKS], c_start[RUN_COLUMNS + 1], c_row[RUN_BLOCKS];
    double a[FIL_BLOCK_SIZE * RUN_BLOCKS], c[FIL_BLOCK_SIZE * RUN_BLOCKS];
    FilBlockPattern a_pattern, c_pattern;
    bool touched[RUN_COLUMNS];
} RunSystem;

/* Rods of 1 to 40 nodes, some of which lack a coupling, some of which couple with a node far away; a share of the nodes is touched, alone or with the
 * next, and joined to the last one that was. Rows of a column are in any order. Freed by free(). */
RunSystem* run_system(uint64_t seed, double share);

#endif
