/* The kinds of what users address: one row each, with its parts and what can be measured of it. Each row stands in the
 * file of its kind. */
#ifndef FILUM_API_KINDS_H
#define FILUM_API_KINDS_H

#include "filum/world.h"
#include "world/world.h"

/* What an index counts on an object. */
typedef struct FilPart {
    const char *word, *plural; /* "node", "nodes" */
    int (*count)(const FilWorld* world, FilId of);
} FilPart;

/* What can be measured. */
typedef struct FilQuantity {
    const char* name;    /* as in scenes */
    const FilPart* part; /* of which part of the object; NULL: of the whole */
    int components;      /* 1, 2 or 3 */
    const char* unit;
    /* Writes the components; `of` and `index` are sound. */
    void (*measure)(const FilWorld* world, FilId of, int index, double* out);
    /* How many components there are of this object; NULL: all of them. */
    int (*width)(const FilWorld* world, FilId of);
} FilQuantity;

typedef struct FilKindRow {
    const char* word;   /* "body": what users call one in scenes */
    const char* phrase; /* "a rigid body": what messages call one */
    /* Name of an object, NULL if the id is none of this kind and world; NULL for the world as a whole. */
    const char* (*name)(const FilWorld* world, FilId id);
    FilFinder* find; /* one by its name; NULL for the world */
    const FilPart* parts;
    int part_count;
    const FilQuantity* quantities;
    int quantity_count;
} FilKindRow;

/* For rows: an array and the number of its elements. */
#define FIL_ROWS(array) (array), (int)(sizeof(array) / sizeof *(array))

/* All rows, in the order in which quantities are listed. */
extern const FilKindRow* const fil_kind_rows[];
extern const int fil_kind_row_count;

extern const FilKindRow fil_rod_row, fil_rigid_row, fil_arm_row, fil_shell_row, fil_ring_row, fil_robot_row, fil_link_row, fil_solid_row;
/* measure.c: what is no body */
extern const FilKindRow fil_world_row, fil_object_row, fil_attachment_row, fil_drive_row, fil_joint_row;

static inline void fil_measure_vec3(double* out, FilVec3 a)
{
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

#endif
