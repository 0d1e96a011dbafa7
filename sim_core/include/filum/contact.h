/* Contact: surfaces, models, and what was found in the last step. */
#ifndef FILUM_CONTACT_H
#define FILUM_CONTACT_H

#include "filum/base.h"

FIL_API_BEGIN

/* Everything that is simulated together (world.h). */
typedef struct FilWorld FilWorld;

/* A surface. Pairs combine: friction by its harmonic mean 2 a b / (a + b), stiffness in series, dissipation added. */
typedef struct FilSurface {
    double friction;         /* Coulomb coefficient */
    double stiffness;        /* N/m of one contact; 0: as rigid as the step can resolve, and never springy */
    double dissipation_time; /* s, model "sap" */
    double dissipation;      /* s/m, Hunt and Crossley's, model "sap_lagged" */
    /* pressure patches instead of points, models "sap", "sap_lagged" and "lcp": docs/scenes.md, "Patches" */
    double modulus;    /* Pa at the deepest points; 0: points of contact, unless the other side has one */
    double resolution; /* m, of the pressure field, or of a rigid surface that meets one; 0: a fifth of the depth */
    double margin;     /* m: patches are looked for so far ahead at rest; 0: a hundredth of the depth, 1e-4 m at least */
    double thickness;  /* m: how deep a half-space reaches its modulus, which needs it; others know by their shape */
    bool whole;        /* every polygon is a contact; else those of two parts are merged into nine at most */
    bool single_point; /* by points: only the deepest where two parts meet, not one at each corner of a face */
    bool by_points;    /* of a pair: it touches by points although one of the two has a modulus */
} FilSurface;

FilSurface fil_surface_default(void);

/* What two surfaces give in a contact: friction by its harmonic mean, stiffness in series, dissipation times added, Hunt
 * and Crossley's dissipation shared by compliance. A stiffness of 0 stands for rigid. */
FilSurface fil_surface_combine(const FilSurface* a, const FilSurface* b);

/* What something collides with. Two objects meet if each one's groups are in the other's mask. */
typedef struct FilCollision {
    bool enabled;    /* false: it meets nothing */
    bool self;       /* a rod or arm with itself, beyond the neighbours that cannot touch */
    uint32_t groups; /* bits */
    uint32_t mask;   /* bits */
    FilSurface surface;
} FilCollision;

FilCollision fil_collision_default(void);

/* Models "sap" and "sap_lagged", and joints under "none": a convex problem (P0 sec. IV; docs/sap.md). */
typedef struct FilSapSettings {
    double tolerance;          /* of the momentum residual, relative */
    int max_iterations;        /* of Newton's method, counted by factorisations */
    double stick;              /* sigma: what sticks creeps by this share of the speed that its friction would give it in a step; > 0 */
    double slip_velocity;      /* m/s, "sap_lagged": friction is full only above this speed, at least; > 0 */
    int friction_iterations;   /* "sap_lagged": how often, at most, bounds of friction follow the normal forces found in a step; 0: those of its start
                                */
    double friction_tolerance; /* "sap_lagged": relative change of these bounds, mean over contacts that slide, that ends that; >= 0 */
} FilSapSettings;

FilSapSettings fil_sap_settings_default(void);

/* Model "lcp": contact as a linear complementarity problem (P1 sec. III; docs/lcp.md). */
typedef enum FilLcpSolver {
    FIL_LCP_NEWTON,       /* semismooth Newton on Fischer and Burmeister's function, damped */
    FIL_LCP_LEMKE,        /* pivoting */
    FIL_LCP_GAUSS_SEIDEL, /* one contact after the other */
    FIL_LCP_SOLVER_COUNT
} FilLcpSolver;

/* Settings of the model "lcp". */
typedef struct FilLcpSettings {
    int directions;      /* of the friction pyramid: even, 4 to 64 */
    bool rank_selection; /* stage 1: leave out contacts that depend on others, unless they are violated */
    bool equilibration;  /* stage 2: Ruiz's scaling of rows and columns */
    bool regularisation; /* stage 3: a little compliance of scaled normal rows */
    FilLcpSolver solver;
    bool fallback;         /* Lemke's method where another one stalls */
    double rank_tolerance; /* of a contact's new direction, relative to the largest */
    double compliance;     /* stage 3: of a scaled normal row */
    double stabilisation;  /* share of a penetration that is taken back within a step, 0 to 1 */
    double recovery_speed; /* m/s, at most, while it is */
    double tolerance;      /* of complementarity, relative */
    int max_iterations;    /* of Newton's method; 100 times as many sweeps of Gauss and Seidel's */
    int dense_limit;       /* islands with more rows than this, and more than 24 velocities, are solved on sparse matrices */
} FilLcpSettings;

FilLcpSettings fil_lcp_settings_default(void);

/* Friction and compliance of two named surfaces may be set apart from their own: overrides what combining gives. The
 * two objects are rods or rigid bodies. Allocates. */
FIL_MUST_CHECK FilStatus fil_world_set_pair_surface(FilWorld* world, FilId a, FilId b, const FilSurface* surface);

/* How the contact model "imc" counts friction. */
typedef enum FilImcFriction {
    FIL_IMC_SLIDING, /* P2: against the velocity of the last step, and none at rest */
    FIL_IMC_STATIC,  /* against the new velocity: holds, but for creep below static_speed */
} FilImcFriction;

/* The contact model "imc": smooth potentials of the distance (P2). Lengths are in radii, so that one set serves all rods.
 * The default has P2's numbers, but contacts dissipate, and friction holds, acts where surfaces touch and twists rods, which P2's
 * does not; and its hybrid scheme turns the contact's tangent on as soon as it pays. */
typedef struct FilImcSettings {
    double stiffness;         /* N, k_c at the start: what one contact bears at most; 0: from weight and speed of what meets, and never
                               * less than what stops it */
    double sharpness;         /* ce_k of the energy */
    double smoothing;         /* k of the softened distance, and of the friction's threshold */
    double reach;             /* delta: how far surfaces feel each other, radii */
    double closest, farthest; /* least distance of surfaces within which the stiffness stays, radii */
    double dissipation;       /* of critical damping, of what a contact moves against its stiffness; 0: P2's, which bounces */
    double rate; /* share by which the stiffness changes in a step where the distance is off by that range; grows by 5, falls by 3 times it at most */
    double force_tolerance; /* N: Newton stops where all unbalanced forces are below, or ... */
    double reduction;       /* ... reduced to this share of those at the first guess; 0: the world's newton_tolerance */
    int tangent_after;      /* omega: iterations without the contact's tangent; negative: until convergence is slow */
    bool full_tangent;      /* with the bending of the distance itself; else without, which is cheaper and never indefinite */
    bool damping;           /* halve the Newton step every other iteration instead of searching the line */
    FilImcFriction friction;
    double slip_speed;       /* radii/s, c: where sliding friction sets in */
    double static_speed;     /* m/s, below which static friction creeps */
    int friction_iterations; /* solutions of a step at most, each with bounds of static friction as the last one had them; 1: those of the step's
                                start */
    bool contact_points;     /* friction acts at the contact points, and turns edges; else mid-edge */
    bool local_stiffness;    /* each edge has its own stiffness */
    bool rectangles;         /* rectangular sections touch with their sides; else they are refused */
} FilImcSettings;

FilImcSettings fil_imc_settings_default(void);

/* The contact model "ipc": barriers of the distance that nothing ever crosses (P4 eq. 5, 7). */
typedef struct FilIpcSettings {
    double range;              /* m: surfaces feel each other from this distance on */
    double stiffness;          /* N/m, K; 0: from the masses that touch, and stiffer while surfaces come too close */
    double slip_speed;         /* m/s: friction is full from there on */
    int friction_iterations;   /* solutions of a step at most, each with friction as the last one had it; 1: that of the step's start */
    double friction_tolerance; /* share by which it may differ without another one */
} FilIpcSettings;

FilIpcSettings fil_ipc_settings_default(void);

/* Each model's settings, which may be changed between steps; FIL_BAD_INPUT leaves the old ones. */
FilSapSettings fil_world_sap_settings(const FilWorld* world);
FIL_MUST_CHECK FilStatus fil_world_set_sap_settings(FilWorld* world, const FilSapSettings* settings);
FilLcpSettings fil_world_lcp_settings(const FilWorld* world);
FIL_MUST_CHECK FilStatus fil_world_set_lcp_settings(FilWorld* world, const FilLcpSettings* settings);
FilImcSettings fil_world_imc_settings(const FilWorld* world);
FIL_MUST_CHECK FilStatus fil_world_set_imc_settings(FilWorld* world, const FilImcSettings* settings);
FilIpcSettings fil_world_ipc_settings(const FilWorld* world);
FIL_MUST_CHECK FilStatus fil_world_set_ipc_settings(FilWorld* world, const FilIpcSettings* settings);

/* A contact of the last step, under every model. */
typedef struct FilContactInfo {
    FilId a, b;         /* objects: rods, rigid bodies, arms, links, cloth */
    int part_a, part_b; /* edge of a rod, disk of an arm, vertex of cloth, shape of a rigid body or link */
    FilVec3 point;      /* m, midway between the surfaces */
    FilVec3 normal;     /* unit, from a to b */
    double distance;    /* m, between the surfaces along the normal at the step's end; < 0 when penetrating */
    FilVec3 force;      /* N, on b: what changed its momentum in the step */
    FilVec3 slip;       /* m/s, tangential velocity of b against a at the step's end */
    double area;        /* m^2, of a pressure patch; 0: a point */
} FilContactInfo;

int fil_world_contact_count(const FilWorld* world);
FilContactInfo fil_world_contact(const FilWorld* world, int index); /* null ids beyond the last */

/* A pressure patch of the last step: what two parts do to each other over an area. Its contacts are `contacts` in a row from
 * `first_contact` on. */
typedef struct FilPatchInfo {
    FilId a, b;                  /* as of a contact */
    int part_a, part_b;          /* as of a contact */
    int first_contact, contacts; /* the number of its first contact, and how many there are */
    int polygons;                /* before merging */
    FilVec3 center;              /* m, of pressure */
    FilVec3 normal;              /* unit, from a to b, mean */
    FilVec3 force;               /* N, on b */
    FilVec3 torque;              /* N m, on b about the center */
    double area;                 /* m^2, of what touched at the step's start; 0: nothing yet */
    double mean_pressure;        /* Pa: normal force over the area */
    double highest_pressure;     /* Pa, at the step's start */
} FilPatchInfo;

/* Patches of the last step, by number from 0; null ids beyond the last. */
int fil_world_patch_count(const FilWorld* world);
FilPatchInfo fil_world_patch(const FilWorld* world, int index);

/* Total of all contacts on a rod or rigid body in the last step: force, and torque about the world's origin. */
void fil_world_contact_wrench(const FilWorld* world, FilId object, FilVec3* force, FilVec3* torque);

FIL_API_END

#endif
