/* Shells: cloth and thin sheets of triangles.
 *
 * Each vertex has three degrees of freedom. Edges resist stretching (P4 eq. 4a), pairs of triangles resist folding
 * about the edge they share: either as published (P4 eq. 4b, right for equilateral triangles only) or by the dihedral
 * angle, weighted so that the result does not depend on the mesh. Both rest laws are about the initial shape or flat.
 */
#ifndef FILUM_SHELL_H
#define FILUM_SHELL_H

#include "filum/base.h"
#include "filum/contact.h"
#include "filum/gas.h"

FIL_API_BEGIN

/* Laws of bending. */
typedef enum FilShellBending {
    FIL_BENDING_NORMALS, /* Y b^3 / (12 sqrt 3) |n_a - n_b|^2 per inner edge */
    FIL_BENDING_HINGES,  /* 1/2 D |e|^2 / (A_a + A_b) theta^2 per inner edge, D = Y b^3 / (12 (1 - nu^2)) */
} FilShellBending;

/* Pointers are borrowed for the call only. */
typedef struct FilShellDef {
    const char* name; /* unique among rods, rigid bodies, arms and shells; NULL gets "shell<k>" */
    int vertex_count;
    const double* vertices; /* 3 per vertex, m */
    int triangle_count;
    const int* triangles;     /* 3 per triangle, all turning the same way */
    const double* velocities; /* 3 per vertex, m/s; NULL: zero */
    double thickness;         /* m */
    double young;             /* Pa */
    double poisson;           /* 1; hinges only */
    double density;           /* kg/m^3 */
    FilShellBending bending;
    bool rest_flat;           /* no rest angles; false: the initial shape is stress free */
    double damping_mass;      /* Rayleigh alpha, 1/s */
    double damping_stiffness; /* Rayleigh beta, s: on the stretching and folding stiffness at the step's start */
    FilGas gas;               /* inside, where it is closed: each closed surface is a chamber */
    FilCollision collision;
} FilShellDef;

FilShellDef fil_shell_def_default(void);

/* Adds a shell. Allocates. Under velocity-level contact models and "ipc" its triangles, at half the thickness, collide with rods, rigid
 * shapes, solids, other shells and, unless collision.self is false, the shell itself. */
FIL_MUST_CHECK FilStatus fil_world_add_shell(FilWorld* world, const FilShellDef* def, FilId* shell);

int fil_world_shell_count(const FilWorld* world);
FilId fil_world_shell_at(const FilWorld* world, int index);
FilId fil_world_find_shell(const FilWorld* world, const char* name); /* null id if there is none */

const char* fil_shell_name(const FilWorld* world, FilId shell);
int fil_shell_vertex_count(const FilWorld* world, FilId shell);
int fil_shell_triangle_count(const FilWorld* world, FilId shell);
int fil_shell_edge_count(const FilWorld* world, FilId shell);
double fil_shell_thickness(const FilWorld* world, FilId shell);                                 /* m */
void fil_shell_get_triangles(const FilWorld* world, FilId shell, int* triangles);               /* 3 per triangle */
void fil_shell_get_triangle(const FilWorld* world, FilId shell, int triangle, int vertices[3]); /* its vertices */

/* State, copied out. None of these allocates; what is no shell of this world leaves the arrays as they were. */
void fil_shell_get_positions(const FilWorld* world, FilId shell, double* vertices); /* 3 per vertex, m */
void fil_shell_get_position(const FilWorld* world, FilId shell, int vertex, double* position);
void fil_shell_get_velocities(const FilWorld* world, FilId shell, double* vertices); /* 3 per vertex, m/s */

/* Gas inside closed shells, by chambers in the order of their first vertices. */
int fil_shell_chamber_count(const FilWorld* world, FilId shell);
double fil_shell_chamber_volume(const FilWorld* world, FilId shell, int chamber);   /* m^3 */
double fil_shell_chamber_pressure(const FilWorld* world, FilId shell, int chamber); /* Pa, over that outside */
/* Commands FilGas.pressure (Pa) from the next step on, in place of the definition's and of drives, until released. */
FIL_MUST_CHECK FilStatus fil_shell_set_pressure(FilWorld* world, FilId shell, int chamber, double pressure);
FIL_MUST_CHECK FilStatus fil_shell_release_pressure(FilWorld* world, FilId shell, int chamber);

/* Overwrites positions and velocities; NULL keeps them. */
FIL_MUST_CHECK FilStatus fil_shell_set_state(FilWorld* world, FilId shell, const double* vertices, const double* velocities);

FIL_API_END

#endif
