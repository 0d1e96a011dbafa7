/* Elastic rods: definition, state and live parameters.
 *
 * A rod is a chain of nodes joined by straight edges (discrete elastic rod). Edge i joins nodes i and i + 1; a
 * closed rod has an extra edge from the last node to the first. Each edge carries an orthonormal material frame
 * (m1, m2, t); its rotation about t is a degree of freedom (radians). Curvature has two components (P0 eq. 5): the
 * first bends the rod towards m1 and is resisted by EI1, the second towards m2 and is resisted by EI2.
 */
#ifndef FILUM_ROD_H
#define FILUM_ROD_H

#include "filum/base.h"
#include "filum/contact.h"

FIL_API_BEGIN

/* Shapes of cross-sections. */
typedef enum FilSectionShape {
    FIL_SECTION_CIRCLE,    /* radius */
    FIL_SECTION_TUBE,      /* radius, inner_radius */
    FIL_SECTION_RECTANGLE, /* width along m1, height along m2 */
    FIL_SECTION_STIFFNESS, /* EA, EI1, EI2, GJ, mass and rotary inertia given directly; radius is for contact only */
} FilSectionShape;

/* Cross-section and material of one segment. Zero means "not given". */
typedef struct FilSection {
    FilSectionShape shape;
    double radius;             /* m */
    double inner_radius;       /* m */
    double width;              /* m */
    double height;             /* m */
    double young;              /* Pa */
    double shear;              /* Pa; when zero, young / (2 (1 + poisson)) */
    double poisson;            /* 1 */
    double density;            /* kg/m^3 */
    double ea;                 /* N; of the other shapes too, instead of young times the area: ropes are laid, belts have cords */
    double ei1;                /* N m^2, bending towards m1 */
    double ei2;                /* N m^2, bending towards m2 */
    double gj;                 /* N m^2; likewise, instead of shear times the torsion constant */
    double mass_per_length;    /* kg/m */
    double inertia_per_length; /* kg m, about the axis */
} FilSection;

/* What a section amounts to. */
typedef struct FilStiffness {
    double ea;                 /* N */
    double ei1, ei2;           /* N m^2 */
    double gj;                 /* N m^2, Saint-Venant torsion constant for rectangles */
    double mass_per_length;    /* kg/m */
    double inertia_per_length; /* kg m */
} FilStiffness;

/* Section constants; FIL_BAD_INPUT if a value is missing, negative or not finite. `error` may be NULL. */
FIL_MUST_CHECK FilStatus fil_section_stiffness(const FilSection* section, FilStiffness* out, FilError* error);

/* What a rod is at ease in, where lengths, curvature or twist are not given. */
typedef enum FilRestShape {
    FIL_REST_STRAIGHT, /* zero rest curvature and rest twist; rest lengths from the initial nodes */
    FIL_REST_INITIAL,  /* the initial shape is stress free */
} FilRestShape;

/* Pointers are borrowed for the call only. */
typedef struct FilRodDef {
    const char* name;           /* unique in the world; NULL gets "rod<k>" */
    int node_count;             /* at least 2, at least 3 when closed */
    const double* nodes;        /* 3 * node_count, m */
    bool closed;                /* the last node is joined to the first */
    FilVec3 director;           /* wanted direction of m1 on the first edge; zero picks one */
    const double* angles;       /* one per edge, rad: initial rotation of the material frame against the twist-free one */
    FilSection section;         /* of all segments ... */
    const FilSection* sections; /* ... or one per edge, when not NULL */
    FilRestShape rest_shape;
    const double* rest_lengths;   /* one per edge, m; NULL: from the nodes */
    const double* rest_curvature; /* two per node, rad/m (towards m1, m2); NULL: from rest_shape */
    const double* rest_twist;     /* one per node, rad/m; NULL: from rest_shape */
    const double* velocities;     /* 3 * node_count, m/s; NULL: zero */
    const double* spins;          /* one per edge, rad/s about t; NULL: zero */
    double damping_mass;          /* Rayleigh alpha, 1/s */
    double damping_stiffness;     /* Rayleigh beta, s */
    double drag;                  /* viscous drag per length (P2 eq. 23), Pa s */
    FilCollision collision;
    bool twist_free; /* three unknowns a node (P4 eq. 2): edges keep their angles and twist costs nothing; round
                        sections only */
    bool gyroscopic; /* the couple that keeps angular momentum when edges spin and turn; default true */
} FilRodDef;

FilRodDef fil_rod_def_default(void);

/* Two nodes that are one: node_a of rod a and node_b of rod b. Rods that share nodes form one body. */
typedef struct FilRodJunction {
    int rod_a, node_a; /* index into the defs of the same call */
    int rod_b, node_b; /* likewise */
} FilRodJunction;

/* Adds one rod. Allocates. */
FIL_MUST_CHECK FilStatus fil_world_add_rod(FilWorld* world, const FilRodDef* def, FilId* rod);

/* Adds rods that share nodes, as one body; `rods` receives `count` ids. Allocates. */
FIL_MUST_CHECK FilStatus fil_world_add_rod_network(FilWorld* world, const FilRodDef* defs, int count, const FilRodJunction* junctions,
                                                   int junction_count, FilId* rods);

int fil_world_rod_count(const FilWorld* world);
FilId fil_world_rod_at(const FilWorld* world, int index);
FilId fil_world_find_rod(const FilWorld* world, const char* name); /* null id if there is none */

const char* fil_rod_name(const FilWorld* world, FilId rod);
bool fil_rod_closed(const FilWorld* world, FilId rod); /* its last node joined to the first */
int fil_rod_node_count(const FilWorld* world, FilId rod);
int fil_rod_edge_count(const FilWorld* world, FilId rod);
double fil_rod_radius(const FilWorld* world, FilId rod, int edge);      /* m; half the diagonal for rectangles */
FilSection fil_rod_section(const FilWorld* world, FilId rod, int edge); /* as it was given */

/* State, copied out. None of these allocates; what is no rod of this world leaves the arrays as they were. */
void fil_rod_get_positions(const FilWorld* world, FilId rod, double* nodes); /* 3 per node, m */
void fil_rod_get_position(const FilWorld* world, FilId rod, int node, double* position);
void fil_rod_get_velocities(const FilWorld* world, FilId rod, double* nodes); /* 3 per node, m/s */
void fil_rod_get_angles(const FilWorld* world, FilId rod, double* edges);     /* 1 per edge, rad */
void fil_rod_get_spins(const FilWorld* world, FilId rod, double* edges);      /* 1 per edge, rad/s */
void fil_rod_get_frames(const FilWorld* world, FilId rod, double* edges);     /* 9 per edge: m1, m2, t */
void fil_rod_get_curvatures(const FilWorld* world, FilId rod, double* nodes); /* 2 per node, rad/m; 0 at free ends */
void fil_rod_get_twists(const FilWorld* world, FilId rod, double* nodes);     /* 1 per node, rad/m; 0 at free ends */
void fil_rod_get_tensions(const FilWorld* world, FilId rod, double* edges);   /* 1 per edge, N */
double fil_rod_length(const FilWorld* world, FilId rod);                      /* m */

/* Overwrites positions, velocities and edge angles (NULL keeps them); material frames follow the shortest rotation. */
FIL_MUST_CHECK FilStatus fil_rod_set_state(FilWorld* world, FilId rod, const double* nodes, const double* velocities, const double* angles,
                                           const double* spins);

/* Live rest shape, for pneumatic filaments and growth; takes effect at the next step. Node range [first, first + count). */
FIL_MUST_CHECK FilStatus fil_rod_set_rest_curvature(FilWorld* world, FilId rod, int first, int count,
                                                    const double* curvature /* 2 per node, rad/m */);
FIL_MUST_CHECK FilStatus fil_rod_set_rest_twist(FilWorld* world, FilId rod, int first, int count, const double* twist /* 1 per node, rad/m */);
FIL_MUST_CHECK FilStatus fil_rod_set_rest_length(FilWorld* world, FilId rod, int first, int count, const double* length /* 1 per edge, m */);

FIL_API_END

#endif
