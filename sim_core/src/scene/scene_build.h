/* A scene while it becomes a world: what the parts of the reader share.
 *
 * A scene has sections, one row of FilSceneKind each, in the file that reads it; kinds.c lists the rows. Reading goes
 * through the rows twice: first everything that needs no world is read, then the world is made and objects are added to
 * it. What a section makes stands in its list, where others find it by name. Readers reach the rows through
 * scene->lists only, so that none of them depends on the table. Failures are kept in scene->reader.
 */
#ifndef FILUM_SCENE_BUILD_H
#define FILUM_SCENE_BUILD_H

#include "filum/look.h"
#include "filum/scene.h"
#include "filum/world.h"
#include "scene/document.h"
#include "scene/keys.h"
#include "scene/reader.h"

typedef struct FilScene FilScene;
typedef struct FilSceneList FilSceneList;

/* ---- rows ---- */

/* What can be done with a part of an object: bits of FilScenePart.uses. */
enum {
    FIL_USE_HOLD = 1 << 4,   /* an attachment of two nodes and the edge between; the kinds of attachments come before */
    FIL_USE_JOIN = 1 << 26,  /* a joint ends there */
    FIL_USE_POINT = 1 << 27, /* ... and it is the joint's point */
    FIL_USE_RING = 1 << 28,  /* a ring can be made of it */
};
#define FIL_USE_ATTACH(kind) (1 << (kind))      /* an attachment of this kind holds it */
#define FIL_USE_DRIVE(kind) (1 << (8 + (kind))) /* a drive of this kind acts on it */

typedef struct FilScenePart {
    const char *word, *plural; /* "node" with a number, "nodes" with a range; NULL: the object as a whole */
    int uses;
} FilScenePart;

/* Something with a name that others refer to. */
typedef struct FilSceneItem {
    const char* name;
    const FilYaml* at;
    void* def;                 /* of its kind's own */
    const FilSurface* surface; /* where it touches; NULL: it does not */
    FilId id;                  /* from when it is added to the world */
} FilSceneItem;

typedef struct FilSceneKind {
    const char* section;                         /* the scene's key; NULL: others bring these along */
    const char* word;                            /* the key that names one, and the beginning of names that are not given; NULL: none has a name */
    const char* title;                           /* what messages call one */
    const char* text;                            /* what the section is, for people */
    unsigned form;                               /* of the section: FIL_IS_...; 0: a list of mappings with `keys` */
    const FilKey* keys;                          /* NULL: they are made, or there is no section */
    const FilKey* (*make_keys)(FilScene* scene); /* where they follow from what other kinds there are; NULL after a failure */
    const FilKey* other;                         /* a second form of the mapping, or NULL */
    const char* const* (*make_words)(FilScene* scene); /* that may stand in place of the mapping; NULL: none */
    bool is_object;                                    /* they share their names with other objects, and others touch them */
    bool brings_objects;                               /* each is made of several, under a name of its own: robots of links */
    void (*read)(FilScene* scene, FilSceneList* list); /* before there is a world; NULL: nothing to read */
    void (*add)(FilScene* scene, FilSceneList* list);  /* to the world; NULL: nothing to add */
    const FilScenePart* parts;
    int part_count;
    /* Index of the part that the node names; NULL: a number. */
    bool (*find_part)(FilScene* scene, const FilSceneItem* item, FilYaml* node, int* index);
    /* Where its vertices are, three numbers each, of what a box of space can choose from; NULL: of nothing. */
    void (*get_positions)(const FilWorld* world, FilId id, double* positions);
    /* Makes it what a drive acts on; `at` is the key that names it. NULL: the drive's object. */
    void (*take_drive)(FilScene* scene, const FilSceneItem* item, const FilYaml* at, const char* word, FilDriveDef* def);
} FilSceneKind;

enum { FIL_SCENE_MAX_KINDS = 64 }; /* rows of kinds.c: room for words on the stack */

/* For rows: an array and the number of its elements. */
#define FIL_SCENE_PARTS(array) .parts = (array), .part_count = (int)(sizeof(array) / sizeof *(array))

struct FilSceneList {
    const FilSceneKind* kind;
    const FilYaml* node; /* the section; NULL: not given */
    FilSceneItem** items;
    int count, capacity;
    FilNames names; /* of the first names.count items */
};

typedef struct FilSceneMaterial {
    const char* name;
    FilSection section; /* with nothing but young, shear, poisson and density */
    FilSurface surface;
} FilSceneMaterial;

/* What an item of the kind "rod" is made of. */
typedef struct FilSceneRod {
    FilRodDef def; /* its arrays live in the pool */
    int edge_count;
} FilSceneRod;

struct FilScene {
    FilReader reader;
    FilSceneLimits limits;
    const char* path;
    const FilSceneOptions* options;
    FilYaml* root;
    FilWorld* world;
    FilSceneInfo* info;
    uint64_t random;     /* state of the generator */
    int copies_left;     /* values that repeated elements may still take */
    int node_count;      /* of everything so far, at most limits.nodes */
    int element_count;   /* at most limits.elements */
    FilSceneList* lists; /* one for each row */
    int list_count;
    FilNames material_names;
    FilSceneMaterial* materials;
    FilNames group_names;          /* of collision: bit k is that of the name with index k */
    FilRodJunction* net_junctions; /* between rods of nets */
    int net_junction_count;
};

/* ---- objects.c: lists, names, references ---- */

/* The list of a kind by its word; there is one. */
FilSceneList* fil_scene_list(const FilScene* scene, const char* word);

/* The path of a file that a key names, relative to the file that the key stands in; NULL after a failure: there is none, or it
 * may not be read. */
const char* fil_scene_file(FilScene* scene, const FilYaml* at, const char* name);

/* Counts the nodes and elements of something that is about to be made: a failure where there are more than the scene may have. */
void fil_scene_count(FilScene* scene, const FilYaml* at, int nodes, int elements);

/* A new item with zeroed room for its definition; NULL after a failure. */
FilSceneItem* fil_scene_new_item(FilScene* scene, FilSceneList* list, const char* name, const FilYaml* at, size_t size);

/* Items for the elements of the section, with their names or those of their kind and place ("rod0"), each different. */
void fil_scene_start_items(FilScene* scene, FilSceneList* list, size_t size);

/* Brings the lists' indices of names up to date; the same name twice is a failure. */
void fil_scene_index_lists(FilScene* scene);
/* Names of objects of all kinds must be different, and there must be one at least. */
void fil_scene_check_objects(FilScene* scene);

/* An index of names. `ats` are the nodes to blame where two are the same. */
void fil_scene_index_names(FilScene* scene, const char* const* names, const FilYaml* const* ats, int count, FilNames* index);

/* "<name><number>", in the pool. */
const char* fil_scene_number_name(FilReader* reader, const char* name, int number);

/* The item of a kind that the key (the node) names; NULL if it is not given, or after a failure. */
const FilSceneItem* fil_scene_read_item(FilScene* scene, const FilYaml* mapping, const char* key, const char* word, unsigned flags);
const FilSceneItem* fil_scene_value_item(FilScene* scene, FilYaml* node, const char* word);
/* An object of any kind. */
const FilSceneItem* fil_scene_read_object(FilScene* scene, const FilYaml* mapping, const char* key);
/* The words of all kinds of objects, NULL at the end. */
const char* const* fil_scene_object_words(FilScene* scene);

/* `color` and `visible` of all objects, once they are in the world. */
void fil_scene_apply_looks(FilScene* scene);

/* Takes over the world's status after an item was added. */
void fil_scene_take(FilScene* scene, FilStatus status, const FilYaml* at);

/* ---- targets.c: parts of objects ---- */

/* What a mapping such as {rod: cable, nodes: [3, 2]} names. */
typedef struct FilSceneTarget {
    const FilSceneKind* kind;
    const FilSceneItem* item; /* NULL: none, or a failure */
    const FilScenePart* part;
    int first, count;
} FilSceneTarget;

enum {
    FIL_TARGET_ONE = 0,
    FIL_TARGET_RANGE = 1, /* `nodes` besides `node` */
    FIL_TARGET_ALL = 2,   /* all parts if none is given */
};

/* Keys of all targets of these uses, and `others` (NULL: none), for all elements of a section; NULL after a failure.
 * `except` is a kind's word that is none of them, or NULL. */
const FilKey* fil_scene_target_keys(FilScene* scene, int uses, unsigned flags, const char* except, const FilKey* others);

/* The target of a use. `word` is what wants it, for messages. */
FilSceneTarget fil_scene_read_target(FilScene* scene, const FilYaml* mapping, int use, unsigned flags, const char* except, const char* word);

/* Index of an item's part under the key `part`, by number or name. */
void fil_scene_read_part(FilScene* scene, const FilYaml* mapping, const FilSceneKind* kind, const FilSceneItem* item, const char* part, int* index);

/* ---- read_repeats.c ---- */

/* Every parameter must have a value and a name that expressions can use, even if nothing uses it. */
void fil_scene_check_parameters(FilReader* reader, FilYaml* mapping);
/* Elements of lists that stand for many; comes before everything else. */
void fil_scene_expand_repeats(FilScene* scene);
void fil_scene_expand_list(FilScene* scene, FilYaml* list); /* of one list within an element */

/* ---- read_places.c ---- */

/* Place keys of what stands in the world; false (and nothing changed) if `key` is not given. The orientation is
 * `orientation`, a quaternion, or `rotation`, a rotation vector. */
bool fil_scene_read_vec3(FilReader* reader, const FilYaml* mapping, const char* key, FilVec3* vector);
/* `velocity` for each of `count` vertices; NULL where it is not given. */
const double* fil_scene_read_velocities(FilReader* reader, const FilYaml* mapping, int count);
void fil_scene_read_orientation(FilReader* reader, const FilYaml* mapping, FilQuat* orientation);

/* ---- read_sections.c ---- */

/* The material that `key` names; NULL if it is not given (or after a failure). */
const FilSceneMaterial* fil_scene_read_material(FilScene* scene, const FilYaml* mapping, const char* key);
/* The one of circle, tube, rectangle and stiffness that the mapping has, made of `material` (NULL: none given). */
FilSection fil_scene_read_section(FilScene* scene, const FilYaml* mapping, const FilSceneMaterial* material);
extern const char* const fil_section_words[];

/* ---- keys that several sections have ---- */

extern const FilKey fil_surface_keys[], fil_collision_keys[], fil_gas_keys[], fil_shape_keys[], fil_rayleigh_keys[], fil_rigid_damping_keys[],
    fil_pose_keys[], fil_relaxation_keys[], fil_plan_solver_keys[], fil_manipulation_keys[];
extern const char* const fil_plan_solver_kinds[];
extern const FilKey fil_section_keys[], fil_circle_keys[], fil_tube_keys[], fil_rectangle_keys[], fil_stiffness_keys[];
extern const char* const fil_ramp_words[];

/* Exactly one section of a rod. */
#define FIL_KEYS_SECTION                                                                                                  \
    FIL_KEY_MAPPING("circle", fil_circle_keys, FIL_VARIANT, ""), FIL_KEY_MAPPING("tube", fil_tube_keys, FIL_VARIANT, ""), \
        FIL_KEY_MAPPING("rectangle", fil_rectangle_keys, FIL_VARIANT, ""),                                                \
        FIL_KEY_MAPPING("stiffness", fil_stiffness_keys, FIL_VARIANT, "numbers of the section itself, without a material")

/* Where a curve is. */
#define FIL_KEYS_CURVE                                                                                    \
    FIL_KEY_MAPPING("shape", fil_shape_keys, FIL_REQUIRED, "where the nodes are at the start"),           \
        FIL_KEY_FLAG("closed", "false; true for a ring", "an edge goes from the last node to the first"), \
        FIL_KEY_NUMBER("noise", FIL_NOT_NEGATIVE, "m", "0", "moves every coordinate at random by up to this: an imperfection to buckle from")

/* What damps rods, and how they are stepped. */
#define FIL_KEYS_LOSSES                                                                                                                     \
    FIL_KEY_MAPPING("damping", fil_rayleigh_keys, 0, ""), FIL_KEY_NUMBER("drag", FIL_NOT_NEGATIVE, "Pa s", "0", "viscous drag per length"), \
        FIL_KEY_FLAG("gyroscopic", "true", "couple that keeps angular momentum when spinning edges turn"),                                  \
        FIL_KEY_FLAG("twist_free", "false", "edges have no twist of their own: cords of nets")

/* ---- read_surfaces.c ---- */

void fil_scene_read_groups(FilScene* scene);
/* Numbers of a surface; `stiffness` is what that key is called. */
void fil_scene_read_surface_numbers(FilReader* reader, const FilYaml* mapping, const char* stiffness, FilSurface* surface);
/* `surface` and `collision` of an object made of `material` (NULL: none given). */
void fil_scene_read_collision(FilScene* scene, const FilYaml* object, const FilSceneMaterial* material, FilCollision* collision);

/* ---- read_gas.c: `gas` of an object ---- */
struct FilGas;
void fil_scene_read_gas(FilReader* reader, const FilYaml* object, struct FilGas* gas);

/* ---- read_shapes.c: the rod's nodes, number and closedness, from its `shape` and `noise` ---- */

void fil_scene_read_shape(FilScene* scene, const FilYaml* rod, FilRodDef* def);

/* ---- read_rods.c: what every cord of a net shares: material, section, losses, collision ---- */

void fil_scene_read_cord(FilScene* scene, const FilYaml* node, FilRodDef* def);

/* ---- read_junctions.c: adds all rods, as bodies of those that share nodes ---- */

void fil_scene_add_rods(FilScene* scene, FilSceneList* list);

/* ---- read_world.c, read_models.c ---- */

void fil_scene_read_world(FilReader* reader, const FilYaml* node, FilWorldDef* def);
const FilKey* fil_scene_world_keys(FilReader* reader); /* NULL after a failure */
/* A row for each contact model that has settings: its key in `world`, and who reads it. */
typedef struct FilSceneModel {
    const char* key;
    const char* text;
    const FilKey* keys;
    void (*read)(FilReader* reader, const FilYaml* node, FilWorld* world);
} FilSceneModel;
extern const FilSceneModel fil_scene_models[]; /* ends with a key of NULL */
extern const char* const fil_scene_linearisations[];
/* Settings of all models from the section `world`. */
void fil_scene_read_models(FilReader* reader, const FilYaml* node, FilWorld* world);

/* ---- scene.c ---- */

/* All that a scene may have, but `include`, which is gone when it is read; what is made lives in the pool. */
FIL_MUST_CHECK FilStatus fil_scene_keys(FilPool* pool, const FilKey** keys, FilError* error);

/* Reads the scene under bounds of the caller's choice; see fil_scene_load_text(). */
FIL_MUST_CHECK FilStatus fil_scene_load_limited(const FilSource* source, const FilSceneLimits* limits, const FilSceneOptions* options,
                                                FilWorld** world, FilSceneInfo* info, FilError* error);

#endif
