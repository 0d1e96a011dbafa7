/* Contact: surfaces, models, and what was found in the last step. */
#ifndef FILUM_CONTACT_H
#define FILUM_CONTACT_H

#include "filum/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FilWorld FilWorld;

/* A surface. Pairs combine: friction by its harmonic mean 2 a b / (a + b), stiffness in series, dissipation added. */
typedef struct FilSurface {
    double friction;         /* Coulomb coefficient */
    double stiffness;        /* N/m of one contact; 0: as rigid as the step can resolve, and never springy */
    double dissipation_time; /* s, model "sap" */
    double dissipation;      /* s/m, Hunt and Crossley's, model "sap_lagged" */
} FilSurface;

FilSurface fil_surface_default(void);

/* What something collides with. Two things meet if each one's groups are in the other's mask. */
typedef struct FilCollision {
    bool enabled;
    bool self;       /* a rod with itself, beyond the neighbours that cannot touch */
    uint32_t groups; /* bits */
    uint32_t mask;   /* bits */
    FilSurface surface;
} FilCollision;

FilCollision fil_collision_default(void);

/* Friction and compliance of two named surfaces may be set apart from their own: overrides what combining gives. The
 * two things are rods or rigid bodies. Allocates. */
FIL_MUST_CHECK FilStatus fil_world_set_pair_surface(FilWorld* world, FilId a, FilId b, const FilSurface* surface);

/* A contact of the last step. */
typedef struct FilContactInfo {
    FilId a, b;       /* rods or rigid bodies */
    int part_a, part_b; /* edge of the rod, shape of the body */
    FilVec3 point;    /* m, midway between the surfaces */
    FilVec3 normal;   /* unit, from a to b */
    double distance;  /* m, at the step's start; < 0 when penetrating */
    FilVec3 force;    /* N, on b */
    FilVec3 slip;     /* m/s, tangential velocity of b against a at the step's end */
} FilContactInfo;

int fil_world_contact_count(const FilWorld* world);
FilContactInfo fil_world_contact(const FilWorld* world, int index);

/* Total of all contacts on a rod or rigid body in the last step: force, and torque about the world's origin. */
void fil_world_contact_wrench(const FilWorld* world, FilId thing, FilVec3* force, FilVec3* torque);

#ifdef __cplusplus
}
#endif

#endif
