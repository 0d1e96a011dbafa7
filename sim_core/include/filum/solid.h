/* Solids: soft bodies of linear tetrahedra (P3).
 *
 * Each vertex has three degrees of freedom. The default law is P3's lagged corotational one: small strains about the
 * rotation that each element has at the start of a step, so that a step without contact is one linear solve however
 * stiff the material is. */
#ifndef FILUM_SOLID_H
#define FILUM_SOLID_H

#include "filum/base.h"
#include "filum/contact.h"
#include "filum/gas.h"
#include "filum/mesh.h"

FIL_API_BEGIN

/* Laws of elasticity. */
typedef enum FilSolidModel {
    FIL_SOLID_LINEAR,           /* small strain about the rest orientation; a reference only */
    FIL_SOLID_COROTATED_LAGGED, /* P3 V-B: small strain about the rotation of the step's start; linear in a step */
    FIL_SOLID_COROTATED_LINEAR, /* the same about the present rotation */
    FIL_SOLID_COROTATED,        /* with the volume's true change */
    FIL_SOLID_NEO_HOOKEAN,      /* stable: Smith, de Goes, Kim 2018 without their logarithm */
    FIL_SOLID_MOONEY_RIVLIN,
    FIL_SOLID_MODEL_COUNT
} FilSolidModel;

/* The name of a model, such as "neo_hookean"; the model of a name, or FIL_SOLID_MODEL_COUNT. */
const char* fil_solid_model_name(FilSolidModel model);
FilSolidModel fil_solid_model_find(const char* name);

/* ---- meshes ---- */

/* Tetrahedra and their vertices. */
typedef struct FilSolidMesh {
    int vertex_count, tet_count;
    double* vertices; /* 3 per vertex, m */
    int* tets;        /* 4 per element, of positive volume: (x1 - x0) . (x2 - x0) x (x3 - x0) > 0 */
} FilSolidMesh;

void fil_solid_mesh_free(FilSolidMesh* mesh); /* its arrays; a zeroed mesh is fine */

/* Shapes that solids are made of. */
typedef enum FilSolidShape {
    FIL_SOLID_BALL,      /* size[0]: radius */
    FIL_SOLID_BOX,       /* size: half sides */
    FIL_SOLID_CYLINDER,  /* size[0]: radius, size[1]: half length, along z */
    FIL_SOLID_ELLIPSOID, /* size: half axes */
    FIL_SOLID_TORUS,     /* size[0]: radius of the ring about z, size[1]: of its tube */
    FIL_SOLID_SHAPE_COUNT
} FilSolidShape;

/* One shape of a blend. */
typedef struct FilSolidPart {
    FilSolidShape shape;
    FilVec3 position;    /* m */
    FilQuat orientation; /* all zero: none */
    double size[3];      /* m */
} FilSolidPart;

/* Shapes that are one. */
typedef struct FilSolidBlend {
    const FilSolidPart* parts;
    int part_count;
    double rounding;   /* m, where parts meet; 0: none */
    double spacing;    /* m, about the length of edges */
    FilVec3 cut;       /* normal of a plane: what lies beyond it, cut . x > cut_offset, is cut off; zero: nothing is */
    double cut_offset; /* m, for a normal of length 1 */
} FilSolidBlend;

/* The union of parts by isosurface stuffing: dihedral angles of 10.7 to 164.8 degrees; sharp edges are cut off within a
 * spacing. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_blend(const FilSolidBlend* blend, FilSolidMesh* mesh, FilError* error);

/* A box of `size` (m) about the origin, exactly: cells of five (split 0), six (1) or 24 (2) elements. Vertices go along
 * z first, then y, then x, those in the middle of cells last. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_brick(const double size[3], const int cells[3], int split, FilSolidMesh* mesh, FilError* error);

/* Cells that a brick lacks: from <= cell < to. Those inside become cavities. */
typedef struct FilSolidHollow {
    int from[3], to[3]; /* numbers of cells along x, y, z */
} FilSolidHollow;

/* A brick with hollows in it. Allocates; the caller frees the mesh. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_hollow_brick(const double size[3], const int cells[3], int split, const FilSolidHollow* hollows,
                                                     int hollow_count, FilSolidMesh* mesh, FilError* error);

/* A block of an arch in the plane x z, its springing line along y: between the angles from < to (rad, from +x towards
 * +z) and the radii radius -+ thickness/2, `depth` along y about 0; cells along the arch, across it and along y, of six
 * elements each. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_voussoir(double radius, double thickness, double depth, double from, double to, const int cells[3],
                                                 FilSolidMesh* mesh, FilError* error);

/* A closed belt around two wheels with axes along y, `distance` apart along x, the origin midway: its middle surface goes along half circles of
 * `radius` and straights between; cells along it (6 or more, even), through it and across it, of five elements each; an even number across makes it
 * symmetric about its middle. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_belt(double radius, double distance, double thickness, double width, const int cells[3], FilSolidMesh* mesh,
                                             FilError* error);

/* A cylinder about z, |z| <= length/2, exactly up to its facets: `rings` of triangles about the middle, drawn out in `layers` of
 * prisms of three elements. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_disc(double radius, double length, int rings, int layers, FilSolidMesh* mesh, FilError* error);

/* The inside of a closed surface, as fil_mesh_read() reads one, stuffed as blends are. A surface with holes is refused. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_fill(const FilMesh* surface, double spacing, FilSolidMesh* mesh, FilError* error);

/* A file .vtk (legacy, 2.0 to 5.1) or .msh (Gmsh 2.2 and 4.1), as text. Errors name file and line. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_read(const char* path, double scale, FilSolidMesh* mesh, FilError* error);
/* The same of a file that must lie below one of `folders`, as fil_mesh_read_below() has them. Allocates. */
FIL_MUST_CHECK FilStatus fil_solid_mesh_read_below(const char* path, const char* folders, double scale, FilSolidMesh* mesh, FilError* error);

/* ---- solids ---- */

/* Pointers are borrowed for the call only. */
typedef struct FilSolidDef {
    const char* name; /* unique among objects; NULL gets "solid<k>" */
    int vertex_count;
    const double* vertices; /* 3 per vertex, m: where it is without stress */
    int tet_count;
    const int* tets;          /* 4 per element */
    const double* velocities; /* 3 per vertex, m/s; NULL: zero */
    FilSolidModel model;
    double young, poisson;    /* Pa and 1, all models but Mooney-Rivlin; -1 < poisson < 1/2 */
    double c1, c2, bulk;      /* Pa, Mooney-Rivlin */
    double density;           /* kg/m^3 */
    bool lumped;              /* masses at vertices; false: consistent, exact for rigid motion */
    double damping_mass;      /* Rayleigh alpha, 1/s */
    double damping_stiffness; /* Rayleigh beta, s: on the stiffness at the step's start */
    bool nodal_pressure;      /* against locking of nearly incompressible solids: volume counted per vertex, not per element */
    int plane_strain;         /* 1, 2, 3: nothing moves along x, y or z; 0: everything may */
    double radius;            /* m, rounding around its surface for contact; zero or more */
    double bedding;           /* Pa/m: solids that both have one touch each other by areas, with pressure bedding times depth; 0: by points */
    FilGas gas;               /* in its cavities, each a chamber */
    FilCollision collision;
} FilSolidDef;

FilSolidDef fil_solid_def_default(void);

/* Adds a solid. Allocates. Under velocity-level contact models its surface collides with rods, rigid
 * bodies, arms, robots, shells and other solids and, if asked and with a bedding, itself; under "ipc" its surface collides with
 * everything and, if asked, itself. FIL_BAD_INPUT names elements that are inverted or flat, vertices that coincide, and
 * numbers out of range. */
FIL_MUST_CHECK FilStatus fil_world_add_solid(FilWorld* world, const FilSolidDef* def, FilId* solid);

int fil_world_solid_count(const FilWorld* world);
FilId fil_world_solid_at(const FilWorld* world, int index);
FilId fil_world_find_solid(const FilWorld* world, const char* name); /* null id if there is none */

const char* fil_solid_name(const FilWorld* world, FilId solid);
int fil_solid_vertex_count(const FilWorld* world, FilId solid);
int fil_solid_tet_count(const FilWorld* world, FilId solid);
int fil_solid_triangle_count(const FilWorld* world, FilId solid);  /* of its surface */
FilSolidModel fil_solid_model(const FilWorld* world, FilId solid); /* its law of elasticity */
double fil_solid_mass(const FilWorld* world, FilId solid);         /* kg */
/* Vertices of a triangle of the surface, counter-clockwise seen from outside. */
void fil_solid_get_triangle(const FilWorld* world, FilId solid, int triangle, int vertices[3]);

/* State, copied out. None of these allocates; what is no solid of this world leaves the arrays as they were. */
void fil_solid_get_positions(const FilWorld* world, FilId solid, double* vertices); /* 3 per vertex, m */
void fil_solid_get_position(const FilWorld* world, FilId solid, int vertex, double* position);
void fil_solid_get_velocities(const FilWorld* world, FilId solid, double* vertices); /* 3 per vertex, m/s */

FilVec3 fil_solid_center(const FilWorld* world, FilId solid); /* m, centre of mass */

/* What its elements go through. */
typedef struct FilSolidMeasure {
    double volume;        /* m^3, now */
    double strain_energy; /* J */
    double max_strain;    /* 1, largest change of length per length in any direction */
    double max_stress;    /* Pa, largest von Mises stress */
    double min_jacobian;  /* 1, least volume of an element over its volume at rest; negative: inverted */
} FilSolidMeasure;

/* At the current state. Does not allocate. */
FilSolidMeasure fil_solid_measure(const FilWorld* world, FilId solid);

/* How good the elements of its mesh are, without stress. */
typedef struct FilSolidQuality {
    double min_dihedral, max_dihedral; /* rad, between faces of an element */
    double min_radius_ratio;           /* 3 inradius/circumradius of the worst element: 1 for a regular one, 0 for a flat one */
    int worst;                         /* which one that is, from 0 */
    int pieces;                        /* parts that share no vertex */
} FilSolidQuality;

FIL_MUST_CHECK FilStatus fil_solid_quality(const FilWorld* world, FilId solid, FilSolidQuality* quality); /* allocates for the time of the call */

/* Gas in its cavities; see fil_shell_chamber_volume() and so on. */
int fil_solid_chamber_count(const FilWorld* world, FilId solid);
double fil_solid_chamber_volume(const FilWorld* world, FilId solid, int chamber);   /* m^3 */
double fil_solid_chamber_pressure(const FilWorld* world, FilId solid, int chamber); /* Pa, over that outside */
FIL_MUST_CHECK FilStatus fil_solid_set_pressure(FilWorld* world, FilId solid, int chamber, double pressure);
FIL_MUST_CHECK FilStatus fil_solid_release_pressure(FilWorld* world, FilId solid, int chamber);

/* Overwrites positions and velocities; NULL keeps them. */
FIL_MUST_CHECK FilStatus fil_solid_set_state(FilWorld* world, FilId solid, const double* vertices, const double* velocities);

FIL_API_END

#endif
