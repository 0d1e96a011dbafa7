/* Those cells of a field that can meet another solid, moved to its frame.
 *
 * Cells reach from the surface to the core, far away from where shallow contact is; boxes around whole cells would
 * overlap with nearly all of the other side's. So cells are collected that reach into a slab, and boxes are made around
 * just the parts that lie in it. */
#ifndef FILUM_GEOMETRY_NEAR_CELLS_H
#define FILUM_GEOMETRY_NEAR_CELLS_H

#include "geometry/field.h"
#include "geometry/pose.h"

/* Grows and is used again. Zero-initialised it is empty. */
typedef struct FilNearCells {
    FilFieldCell* cells; /* moved */
    int* index;          /* in the field */
    FilAabb* boxes;      /* around their parts in the slab */
    int count, capacity;
    FilBvh tree; /* over the boxes */
} FilNearCells;

void fil_near_cells_free(FilNearCells* near);

/* The largest u . x over the field's cells, posed. */
double fil_near_cells_reach(const FilField* field, const FilPose* pose, const double* u);

/* Collects the cells with a part in the slab lo <= u . x <= hi and in the box `within`, posed. Allocates only to grow.
 */
FIL_MUST_CHECK FilStatus fil_near_cells_collect(FilNearCells* near, const FilField* field, const FilPose* pose, const FilAabb* within,
                                                const double* u, double lo, double hi);

#endif
