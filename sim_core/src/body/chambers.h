/* Chambers of a body whose unknowns are vertices, four numbers each: closed surfaces with gas inside (body/gas.h). Bodies call these
 * from the parts of their own step; the history of a body with chambers is that of its chambers. */
#ifndef FILUM_BODY_CHAMBERS_H
#define FILUM_BODY_CHAMBERS_H

#include "body/gas.h"
#include "linalg/block_matrix.h"

/* Per chamber of the history: the pressure in force, whether it is commanded, and the command. */
enum { FIL_CHAMBER_HISTORY = 3 };

typedef struct FilChamber {
    int triangle_count, vertex_count;
    int* vertices;       /* of the body; a tree in which parents come before children, see chambers.c */
    int* parents;        /* places in `vertices`, -1 of the first */
    int* triangles;      /* 3 places in `vertices` each, counter-clockwise seen from outside the gas */
    int *own, *branches; /* per vertex: its block in the body's pattern, and the one that it shares with its parent */
    int* sides;          /* 3 per triangle: blocks of its corners (0, 1), (1, 2), (2, 0) */
    double* gradient;    /* scratch, 3 per vertex: dV/dx */
    double rest_volume;  /* m^3 */
    double script;       /* Pa: the gas's own and what drives add, in this step */
    double value;        /* Pa: the pressure in force in this step */
} FilChamber;

typedef struct FilChambers {
    FilGas gas;
    int count;
    FilChamber* items;
    int sibling_count;
    int* siblings;      /* 2 each: vertices of the body that have the same parent */
    int* sibling_slots; /* their blocks */
} FilChambers;

/* Takes the closed surfaces among the triangles of the body, counter-clockwise seen from outside the body: those that enclose a positive
 * volume, or with `cavities` a negative one. `x` has `stride` numbers per vertex. FIL_BAD_INPUT if there are none. Allocates. */
FIL_MUST_CHECK FilStatus fil_chambers_build(FilChambers* chambers, const FilGas* gas, int vertex_count, const double* x, int stride,
                                            const int* triangles, int triangle_count, bool cavities, FilError* error);
void fil_chambers_free(FilChambers* chambers);

/* `siblings` are the pairs of vertices whose blocks the tangent needs although no triangle may join them. Once the body's
 * pattern is there, rows rising. */
void fil_chambers_place(FilChambers* chambers, const FilBlockPattern* pattern);

/* Marks vertices whose fourth number is an unknown of the tangent. */
void fil_chambers_mark(const FilChambers* chambers, unsigned char* used);
bool fil_chambers_has(const FilChambers* chambers, int vertex);

/* ---- history and commands ---- */

void fil_chambers_init(const FilChambers* chambers, double* h);
void fil_chambers_clear(FilChambers* chambers);
void fil_chambers_load(FilChambers* chambers, int first, int count, double pressure);
void fil_chambers_begin(FilChambers* chambers, const double* h);
void fil_chambers_finish(const FilChambers* chambers, const double* h0, double* h1);

/* ---- energy ---- */

/* Energy at q (4 numbers a vertex) with the pressures of the step; its gradient is added. Sets *ok to false where a sealed chamber has
 * no volume. */
double fil_chambers_gradient(const FilChambers* chambers, const double* q, double* gradient, bool* ok);
/* Adds scale times the Hessian at q to the blocks: without what may be indefinite if `definite`. The part that couples all vertices of a
 * sealed chamber comes by the fourth numbers of their blocks; eliminating those gives it. */
void fil_chambers_stiffness(const FilChambers* chambers, const double* q, double scale, bool definite, double* values);

/* At any state: volume, and the gas there. */
double fil_chambers_volume(const FilChambers* chambers, int chamber, const double* q);
FilGasState fil_chambers_state(const FilChambers* chambers, int chamber, const double* q, const double* h);
/* Of sealed gas, J: driven pressure is a load, which has none. */
double fil_chambers_energy(const FilChambers* chambers, const double* q, const double* h);

#endif
