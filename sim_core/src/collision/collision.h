/* Finding contacts: every collider of the world, bounding trees, pairs, contact points. */
#ifndef FILUM_COLLISION_COLLISION_H
#define FILUM_COLLISION_COLLISION_H

#include "body/body.h"
#include "contact/contact_set.h"
#include "geometry/chain.h"
#include "geometry/tree.h"

typedef struct FilWorldCollider {
    FilCollider collider;
    int body, index; /* of the world, and of the collider in its body */
    int object;     /* of the world */
    int carrier;     /* likewise */
    bool unbounded;  /* a half-space: kept out of the tree */
    FilChain row;    /* a row's bounding tree */
    int skip;        /* a row: edges so near along it never touch */
    int memory;      /* a row: where potential models keep one number per edge in the world's h; -1: a shape */
    FilPlacement place;
} FilWorldCollider;

/* A surface for two objects instead of what their own ones combine to. */
typedef struct FilPairSurface {
    int a, b;
    FilSurface surface;
} FilPairSurface;

typedef struct FilCollisionStage {
    int collider_count, collider_capacity;
    FilWorldCollider* colliders;
    FilTree tree;
    bool tree_ready;
    FilPairs pairs; /* of colliders */
    FilPairs parts; /* of one pair of colliders */
    FilPairs near;  /* edges of rows that came close: (collider, edge) twice per pair, for the crossing check */
    double near_axes; /* m^2, least distance of their axes at the step's start, squared; 0: not known */
    FilContactSet set;
    double around; /* how far contacts are looked for at rest, radii; 0: a little */
    bool round;    /* take rectangular sections as round */
    bool plain;    /* contacts of round edges name their ends and need no Jacobians */
    int pair_surface_count, pair_surface_capacity;
    FilPairSurface* pair_surfaces;
    int apart_count, apart_capacity;
    FilPair* apart; /* objects that do not collide: (smaller, larger), sorted */
} FilCollisionStage;

struct FilWorld;

void fil_collision_free(FilCollisionStage* stage);

/* Takes in the colliders of a body; their objects are object_of[collider's own object]. */
FilStatus fil_collision_register(struct FilWorld* world, int body, const int* object_of);

/* Two objects that carry their own shapes, and maybe others', that shall not collide with each other, such as joined bodies. Allocates. */
FilStatus fil_collision_keep_apart(struct FilWorld* world, int object_a, int object_b);

/* Fills the contact set for a step of dt from the current state. Bodies have begun their step. Jacobian variables are
 * blocks of the world's velocities. */
FilStatus fil_collide_world(struct FilWorld* world, double dt);

/* What two colliders' surfaces combine to. */
FilSurface fil_collision_surface(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b);
/* Whether two different colliders may touch at all. */
bool fil_collision_may_meet(const struct FilWorld* world, const FilWorldCollider* a, const FilWorldCollider* b);
/* Whether two shapes are of objects that keep apart. */
bool fil_collision_kept_apart(const struct FilWorld* world, const FilWorldCollider* a, const FilWorldCollider* b);
/* Whether two parts of colliders lie at a joint of theirs, too near along the rods to touch, as neighbours on one rod do. */
bool fil_collision_at_joint(const struct FilWorld* world, int a, int part_a, int b, int part_b);
/* Whether edges i < j of one row are too near along it to touch. */
bool fil_collision_neighbours(const FilCollider* c, int i, int j);

/* Relative velocity of side 1 against side 0 in a contact's frame, at the present state. */
void fil_collision_velocity(const struct FilWorld* world, const FilContact* contact, double* velocity);

/* crossings.c: edges of rows that passed through each other between two configurations. */
int fil_count_crossings(const struct FilWorld* world, const double* q_start, const double* q_end);

#endif
