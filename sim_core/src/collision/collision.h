/* Finding contacts: every collider of the world, bounding trees, pairs, contact points. */
#ifndef FILUM_COLLISION_COLLISION_H
#define FILUM_COLLISION_COLLISION_H

#include "base/watch.h"
#include "body/system.h"
#include "contact/contact_set.h"
#include "geometry/chain.h"
#include "geometry/collide.h"
#include "geometry/facets_pair.h"
#include "geometry/rod_patch.h"
#include "geometry/tree.h"
#include "geometry/tri_mesh.h"

typedef struct FilWorldCollider {
    FilCollider collider;
    int body, index;  /* of the system, and of the collider in its body */
    int object;       /* of the world, for reports ... */
    const char* name; /* ... and its name, borrowed */
    int carrier;      /* the object that its own is fixed to, for shapes that keep apart */
    bool unbounded;   /* a half-space: kept out of the tree */
    FilChain row;     /* a row's bounding tree */
    int skip;         /* a row: edges so near along it never touch */
    int first_part;   /* its place among the parts of all colliders: a row's edges, one of any other */
    double size;      /* m, a shape: half its least extent; INFINITY: it has none */
    int memory;       /* a row: where potential models keep one number per edge in the history; -1: a shape */
    int side;         /* a shape: its place among those of patches; -1: none yet */
    int sheet;        /* a vertex of a sheet, or a shape that is one: which; -1: none */
    FilPlacement place;
    FilAabb bounds; /* over the motion of the step to come */
    bool stays;     /* the tree need not change for them */
} FilWorldCollider;

/* What a shape is to pressure patches; colliders of one shape and surface share one. */
typedef struct FilPatchSide {
    FilShape shape;
    FilFieldDef def; /* as made; modulus 0: rigid */
    FilField field;  /* empty if rigid, and of a half-space */
    FilBoundary boundary;
    double stiffness; /* Pa/m: modulus over depth; 0: rigid */
    double margin;    /* m, at rest; 0: as of points */
} FilPatchSide;

/* A patch of the last step. */
typedef struct FilPatchRecord {
    int collider[2], part[2];
    int first, count; /* of the contact set */
    int polygons;
    double area, highest; /* m^2, Pa: of polygons that touch */
} FilPatchRecord;

/* Everything about patches. */
typedef struct FilPatchStage {
    int compliant;    /* colliders with a modulus */
    const char* name; /* of the first, borrowed */
    int prepared;     /* colliders whose sides are made, once one is compliant */
    FilPatchSide* sides;
    int side_count, side_capacity;
    FilPatch work;
    FilPatchRecord* records;
    int record_count, record_capacity;
    int polygons;  /* of the last search, and ... */
    double change; /* ... what merging them changed, worst patch */
} FilPatchStage;

/* The triangles of a body. Contacts name the collider of the vertex that is nearest, and 1 + triangle as its part. */
enum { FIL_JOINED_TO_MANY = -2 };

/* What a sheet needs to meet itself, made every step. */
typedef struct FilOwnSheet {
    FilAabb* boxes;  /* per triangle, over its motion against the rest of the sheet */
    FilBvh tree;     /* over them */
    double* normals; /* 3 per triangle, units */
    double* motion;  /* m, per triangle: how far that is, at most ... */
    double* reach;   /* ... and how far around it contacts are looked for */
    int* flat;       /* per vertex: 1 if the triangles around it lie side by side */
} FilOwnSheet;

typedef struct FilCollisionSheet {
    int body;
    int first;              /* collider of its first vertex; the others follow. Of a rigid shape: its own ... */
    const FilTriMesh* mesh; /* ... and its surface; NULL: vertices have unknowns */
    FilPose pose;           /* a rigid shape: that the triangles were made ready for ... */
    double pace;            /* ... and the speed, m/s; negative: never */
    FilFacets facets;
    double bedding;   /* Pa/m, of contact by areas; 0: by points */
    int* joined;      /* per vertex: the body that it is joined to; -1: none, FIL_JOINED_TO_MANY: see the joins */
    double* speed;    /* per vertex, m/s */
    double* ahead;    /* 3 per vertex: where it would be, or is after a step, but for the common motion of the sheet */
    FilAabb* boxes;   /* per triangle, over the motion of the step to come */
    FilAabb bounds;   /* of all */
    FilBvh tree;      /* over the boxes ... */
    bool ready;       /* ... of this step */
    FilOwnSheet* own; /* for contact with itself by points; NULL: there is none */
} FilCollisionSheet;

/* A surface for two objects instead of what their own ones combine to. */
typedef struct FilPairSurface {
    int a, b;
    FilSurface surface;
} FilPairSurface;

/* Two bodies that are joined: near the joint they do not touch. */
typedef struct FilCollisionJoin {
    FilBodySide side[2];
} FilCollisionJoin;

/* What a contact model wants of collision. */
typedef struct FilCollisionWants {
    double around; /* how far contacts are looked for at rest, radii; 0: a little */
    bool round;    /* take rectangular sections as round */
    bool plain;    /* contacts of round edges name their ends and need no Jacobians */
    bool vertices; /* sheets touch by their vertices only */
    bool shares;   /* contacts at a node are kept for both of its edges, which share them (geometry/edge_share.h) */
    bool nodes;    /* where neighbouring edges touch a plane with the node between them, that is one contact */
    bool held;     /* what is held touches what it cannot move, too: by a law that says how hard */
} FilCollisionWants;

/* Contacts of a rigid shape and of a part of something else with one normal, next to each other in the set (seams.c). */
typedef struct FilSeamManifold {
    int first, count;
    int collider[2], part[2];
    int next[2];           /* in the list of either */
    double distance;       /* m, of the deepest */
    bool suspect, dropped; /* seems to be at a seam; is, and goes */
} FilSeamManifold;

/* What one part touches of rigid shapes. */
typedef struct FilSeamList {
    int head;
    bool mixed; /* normals differ */
} FilSeamList;

/* Those of one step. */
typedef struct FilSeams {
    FilSeamManifold* manifolds;
    FilSeamList* lists; /* per part of any collider */
    int count, capacity, list_capacity;
    bool bends; /* some are of what deforms */
} FilSeams;

typedef struct FilCollisionLane FilCollisionLane;

typedef struct FilCollisionStage {
    FilSystem* system; /* whose bodies these are */
    FilWatch* watch;   /* ends the search early, as not converged; NULL: nobody does */
    double friction;   /* Coulomb coefficient of all contacts; negative: the surfaces' own */
    double length;     /* m, size of the smallest shape: what contact distances are compared with; 0: none */
    int collider_count, collider_capacity;
    FilWorldCollider* colliders;
    int part_count; /* of all of them */
    FilTree tree;
    bool tree_ready;
    FilPairs pairs;   /* of colliders */
    FilPairs parts;   /* of one pair of colliders */
    FilPairs near;    /* edges of rows that came close: (collider, edge) twice per pair, for the crossing check */
    double near_axes; /* m^2, least distance of their axes at the step's start, squared; 0: not known */
    FilContactSet set;
    int max_contacts; /* in the set */
    FilCollisionWants wants;
    bool by_edges; /* contacts are of one edge each, whatever the model wants: what those of nodes are compared with */
    int pair_surface_count, pair_surface_capacity;
    FilPairSurface* pair_surfaces;
    int apart_count, apart_capacity;
    FilIndexPair* apart; /* objects that do not collide: (smaller, larger), sorted */
    int join_count, join_capacity;
    FilCollisionJoin* joins;
    FilPatchStage patches;
    int sheet_count, sheet_capacity;
    FilCollisionSheet* sheets;
    FilFacetContacts touches; /* of one pair of a sheet and something else */
    FilFacetTouches meetings; /* of two sheets */
    FilPairs near_sheet;      /* colliders near one sheet */
    FilPairs faces, sorted;   /* its triangles near one of them; room to sort */
    FilSeams seams;
    unsigned char* held; /* of each block of velocities, what of its point is held in the step: FilBodyOps.mark_held */
    size_t held_capacity;
    FilCollisionLane* lanes; /* where workers put what they find; NULL: none has yet */
} FilCollisionStage;

/* Contacts are looked for as far ahead as the parts could move against each other in a step, twice over because the
 * velocity changes within it, and a little further for those at rest: 0.01 to 0.05 of the radius leave stacks and capstans the same but for rounding.
 */
#define FIL_LOOK_AHEAD 2.0
#define FIL_LOOK_AROUND 0.02 /* of the radius */

/* What FilWorldDef.max_contacts may be. */
enum { FIL_MAX_CONTACTS = 10000000 };

void fil_collision_free(FilCollisionStage* stage);

/* ---- patch_sides.c: pressure fields and surfaces, made when colliders are taken in ---- */

/* Makes what the colliders taken in so far need. FIL_BAD_INPUT and a message if a field cannot be made. Allocates. */
FIL_MUST_CHECK FilStatus fil_collision_make_sides(FilCollisionStage* stage, FilError* error);
void fil_collision_free_sides(FilCollisionStage* stage);
/* How far ahead patches of a collider are looked for at rest, m; 0 if it is rigid. */
double fil_collision_patch_margin(const FilCollisionStage* stage, const FilWorldCollider* c);

/* ---- colliders.c: who is there, and who may touch ---- */

/* Takes in the colliders of a body; their objects are object_of[collider's own object], called names[that]. Allocates, as all
 * that adds does. */
FIL_MUST_CHECK FilStatus fil_collision_register(FilCollisionStage* stage, int body, const int* object_of, const char* const* names, FilError* error);
/* Distances are compared with the smallest of these. */
void fil_collision_note_length(FilCollisionStage* stage, double length);
/* Two objects that carry their own shapes, and maybe others', that shall not collide, such as joined bodies. */
FIL_MUST_CHECK FilStatus fil_collision_keep_apart(FilCollisionStage* stage, int object_a, int object_b);
/* The same for what carries shapes of a body from collider `first` on that overlap where they are: they do so by design, and never touch. Meshes
 * count as their hulls. */
FIL_MUST_CHECK FilStatus fil_collision_part_overlapping(FilCollisionStage* stage, int first);
FIL_MUST_CHECK FilStatus fil_collision_add_join(FilCollisionStage* stage, const FilBodySide side[2]);
FIL_MUST_CHECK FilStatus fil_collision_set_pair(FilCollisionStage* stage, int object_a, int object_b, const FilSurface* surface);

/* What two colliders' surfaces combine to; the friction of a pair under the world's setting. */
FilSurface fil_collision_surface(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b);
/* The same of a patch: stiffnesses of the sides' fields, Pa/m (0: rigid), say who takes how much of the deformation. */
/* Whether a pair is set to touch by points whatever the moduli. */
bool fil_collision_by_points(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b);
FilSurface fil_collision_patch_surface(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b, double stiffness_a,
                                       double stiffness_b);
double fil_collision_friction(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b);
/* m/s, of a collider's points near a box, at most: half-spaces that turn are faster the farther away. */
double fil_collision_speed_near(const FilWorldCollider* c, const FilAabb* box);
/* Whether two different colliders may touch at all. */
bool fil_collision_may_meet(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b);
/* Whether they need not be looked at in this step: both stay where they are, or one is left out. */
bool fil_collision_idle(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b);
/* Whether two shapes are of objects that keep apart. */
bool fil_collision_kept_apart(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b);
/* Whether a joint is between the bodies of two colliders. */
bool fil_collision_joined(const FilCollisionStage* stage, int a, int b);
/* Whether two parts of colliders lie at a joint of theirs, too near along the rods to touch, as neighbours on one rod do. */
bool fil_collision_at_joint(const FilCollisionStage* stage, int a, int part_a, int b, int part_b);
/* Whether edges i < j of one row are too near along it to touch. */
bool fil_collision_neighbours(const FilCollider* c, int i, int j);

/* ---- contacts.c: what the narrow phase found ---- */

FIL_MUST_CHECK FilStatus fil_collision_emit(FilCollisionStage* stage, int a, int part_a, int b, int part_b, const FilContactPoint* point);
/* What contacts of a row's nodes with a plane have in common: where edges before and behind a node are alike, their contacts there are one, as stiff
 * as both, on the mean motion of both. The normal points from the first collider to the second. */
void fil_collision_describe_nodes(const FilCollisionStage* stage, int row, int edge, int plane, const double* normal, FilContact* out);
/* Adds one like that, of the node between two edges of the row with these axes; `still`: the plane does not move, whatever happens. */
FIL_MUST_CHECK FilStatus fil_collision_emit_node(FilCollisionStage* stage, const FilContact* like, const int edge[2], const FilEdgeAxis axis[2],
                                                 bool still, const FilContactPoint* point);
/* The same of two round edges whose ends are all that counts. */
FIL_MUST_CHECK FilStatus fil_collision_emit_plain(FilCollisionStage* stage, int a, int i, int b, int j, const FilContactPoint* point,
                                                  double normal_velocity);
/* The same of a part of a patch: its stiffness (N/m) and area (m^2), and what the sides' surfaces combine to. */
FIL_MUST_CHECK FilStatus fil_collision_emit_patch(FilCollisionStage* stage, int a, int part_a, int b, int part_b, const FilContactPoint* point,
                                                  double stiffness, double area, const FilSurface* surface);
/* Relative velocity of side 1 against side 0 in a contact's frame, for velocities v of the system. */
void fil_collision_velocity(const FilCollisionStage* stage, const FilContact* contact, const double* v, double* velocity);

/* ---- lanes.c: items of the narrow phase, shared by workers ---- */

/* Meets one item; writes nothing of the stage but contacts, `parts`, `near`, and the patches' results. */
typedef FilStatus FilCollisionMeet(FilCollisionStage* stage, int item, double dt);

/* Meets `count` items; contacts stand in their order, whoever met them. FIL_BAD_INPUT: there are too many. */
FIL_MUST_CHECK FilStatus fil_collision_run(FilCollisionStage* stage, int count, FilCollisionMeet* meet, double dt);
/* Pairs of colliders whose boxes overlap in the tree, sorted, behind what there is. */
FIL_MUST_CHECK FilStatus fil_collision_tree_pairs(FilCollisionStage* stage);
void fil_collision_free_lanes(FilCollisionStage* stage);

/* ---- patches.c: narrow phase by pressure ---- */

/* Two parts of colliders. */
typedef struct FilPartPair {
    int collider[2], part[2];
    FilShape shape[2];
    FilPose pose[2];
    double margin; /* m */
} FilPartPair;

/* Adds the contacts of their patch. False through `met`: they meet by points. */
FIL_MUST_CHECK FilStatus fil_collision_meet_patch(FilCollisionStage* stage, const FilPartPair* pair, bool* met);

/* ---- sheets.c: triangles as collision keeps them ---- */

/* How far contacts of what rests are looked for, of the triangles' size: flat faces that lie on each other must not come and
 * go with the last bits of their motion. Speculative rows bear nothing: 0.003 to 0.03 give `solid.rest` the same bits. */
#define FIL_SHEETS_AT_REST 0.01

/* Takes in the triangles of a body whose vertices are the colliders from `first` on. Allocates. */
FIL_MUST_CHECK FilStatus fil_collision_add_sheet(FilCollisionStage* stage, int body, int first);
/* The same of a rigid shape that is no hull. */
FIL_MUST_CHECK FilStatus fil_collision_add_mesh(FilCollisionStage* stage, int collider);
void fil_collision_free_sheets(FilCollisionStage* stage);
/* Where its vertices are, as their colliders have been placed, and the box around them over the motion of the step to come. */
void fil_collision_place_sheet(FilCollisionStage* stage, FilCollisionSheet* sheet, double dt);
/* Makes the tree over its triangles, once a step: when something is near. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_collision_ready_sheet(const FilCollisionStage* stage, FilCollisionSheet* sheet, double dt);
/* How contacts name a vertex or, from 0 on, a triangle of it. */
int fil_collision_sheet_collider(const FilCollisionSheet* sheet, int vertex);
int fil_collision_sheet_part(const FilCollisionSheet* sheet, int triangle);
/* How far apart two triangles may be and still be a contact of the step to come, m. */
double fil_collision_sheet_margin(const FilCollisionStage* stage, const FilCollisionSheet* a, int s, const FilCollisionSheet* b, int t, double dt);
/* m/s, of a triangle's fastest vertex. */
double fil_collision_sheet_speed(const FilCollisionSheet* sheet, int triangle);
/* m/s, at which a triangle of vertices with unknowns and a shape come closer, at most. */
double fil_collision_sheet_closing(const FilCollisionStage* stage, const FilCollisionSheet* sheet, int triangle, const FilPlacement* place);
/* Notes a joint's point among a sheet's vertices. */
void fil_collision_note_join(FilCollisionStage* stage, const FilBodySide* side, const FilBodySide* other);
/* Whether a vertex is joined to a body, which keeps it from touching that. */
bool fil_collision_vertex_joined(const FilCollisionStage* stage, const FilCollisionSheet* sheet, int vertex, int body);
/* Whether a vertex of the triangle is joined to a body, which keeps it from touching that. */
bool fil_collision_sheet_joined(const FilCollisionStage* stage, const FilCollisionSheet* sheet, int triangle, int body);

/* ---- sheet_pairs.c, meet_sheets.c: faces and edges of sheets ---- */

/* sheet_areas.c: Pa/m of contact by areas between a closed sheet and a rigid shape, beddings and fields in series; 0: they touch by points */
double fil_collision_bed(const FilCollisionStage* stage, const FilCollisionSheet* sheet, const FilWorldCollider* c);
/* what its triangles press on, where that is not 0 */
FIL_MUST_CHECK FilStatus fil_collision_meet_shape_areas(FilCollisionStage* stage, FilCollisionSheet* sheet, int collider, double dt);
/* of the pairs listed in `faces`, where both have a bedding */
FIL_MUST_CHECK FilStatus fil_collision_meet_sheet_areas(FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b, double dt);
/* the same of a solid's surface with itself, beyond neighbours */
FIL_MUST_CHECK FilStatus fil_collision_meet_own_areas(FilCollisionStage* stage, FilCollisionSheet* sheet, double dt);
/* Adds what the triangles of two sheets touch. */
FIL_MUST_CHECK FilStatus fil_collision_meet_sheet_pair(FilCollisionStage* stage, FilCollisionSheet* a, FilCollisionSheet* b, double dt);
/* What the triangles of a sheet with `own` touch of the sheet itself. */
FIL_MUST_CHECK FilStatus fil_collision_meet_own_sheet(FilCollisionStage* stage, FilCollisionSheet* sheet, double dt);
/* Whether it takes part in the step, and whether it and another one may touch. */
bool fil_collision_sheet_collides(const FilCollisionStage* stage, const FilCollisionSheet* sheet);
bool fil_collision_sheets_collide(const FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b);
/* Of the pairs of its triangles in `faces`, keeps those that are no neighbours at a vertex that was flat when it last met itself. */
void fil_collision_drop_flat(FilCollisionStage* stage, const FilCollisionSheet* sheet);
/* Adds what faces and edges of all sheets touch in a step of dt. They and all colliders have been placed, and stand in the tree. */
FIL_MUST_CHECK FilStatus fil_collision_meet_sheets(FilCollisionStage* stage, double dt);

/* ---- row_plane.c: round rows on planes, node by node ---- */

/* Whether the contacts of a row with a half-space are to be found so. */
bool fil_collision_meets_by_nodes(const FilCollisionStage* stage, const FilWorldCollider* row, const FilWorldCollider* plane);
FIL_MUST_CHECK FilStatus fil_collision_meet_nodes(FilCollisionStage* stage, int row, int plane, double dt);

/* ---- drop.c ---- */

/* Whether a contact goes; they are asked about in their order, once each. */
typedef bool FilCollisionGoes(const FilCollisionStage* stage, int contact, void* context);
void fil_collision_drop(FilCollisionStage* stage, FilCollisionGoes* goes, void* context);
/* Drops contacts of nodes and vertices that are held with what they cannot move, where no force would change how deep they are and no compliance
 * says how large it is. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_collision_drop_stuck(FilCollisionStage* stage);

/* ---- seams.c ---- */

/* Drops contacts with sides of rigid shapes that lie level beside what is touched. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_collision_drop_seams(FilCollisionStage* stage, double dt);
void fil_collision_free_seams(FilSeams* seams);

/* ---- collide.c, crossings.c, shares.c ---- */

/* Fills the contact set for a step of dt from the current state, as `wants` says. Bodies have begun their step. Jacobian
 * variables are blocks of the system's velocities. FIL_BAD_INPUT: more contacts than anything sensible has. */
FIL_MUST_CHECK FilStatus fil_collide_all(FilCollisionStage* stage, double dt);

/* The edge that goes on from an end (0, 1) of one side's edge and touches the other side's as well; else -1. */
int fil_collision_edge_beyond(const FilCollisionStage* stage, const int collider[2], const int edge[2], int side, int end);

/* Share of two edges of rows in what touches them and their neighbours, at the end of a step of dt if all goes on as it does. */
double fil_collision_share(const FilCollisionStage* stage, const FilContact* contact, double dt);
/* How that follows where nodes of the rows will be: of each side the one before its edge, its two, and the one after; -1: there is none. */
void fil_collision_share_slopes(const FilCollisionStage* stage, const FilContact* contact, double dt, int node[2][4], double slope[2][4][3]);

/* sheet_crossings.c: vertices and edges of sheets that passed through triangles and edges of their own sheet or another one between two
 * configurations, of those that may touch. Sheets have to be placed anew before they collide. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_collision_sheet_crossings(FilCollisionStage* stage, const double* q_start, const double* q_end, int* count);

/* Edges of rows that passed through each other between two configurations. */
int fil_collision_crossings(const FilCollisionStage* stage, const double* q_start, const double* q_end);

#endif
