/* A scene while it becomes a world: what the parts of the reader share. Each part reads one section of the file and
 * adds its objects to the world; failures are kept in scene->reader. */
#ifndef FILUM_SCENE_BUILD_H
#define FILUM_SCENE_BUILD_H

#include "filum/arm.h"
#include "filum/scene.h"
#include "filum/shell.h"
#include "filum/urdf.h"
#include "scene/document.h"
#include "scene/reader.h"

typedef struct FilSceneMaterial {
    const char* name;
    FilSection section; /* with nothing but young, shear, poisson and density */
    FilSurface surface;
} FilSceneMaterial;

typedef struct FilSceneRod {
    const FilYaml* at;
    FilRodDef def; /* its arrays live in the pool */
    int edge_count;
    FilId id;
} FilSceneRod;

typedef struct FilSceneBody {
    const FilYaml* at;
    FilRigidDef def; /* its arrays live in the pool */
    FilId id;
} FilSceneBody;

typedef struct FilSceneArm {
    const FilYaml* at;
    FilArmDef def; /* its arrays live in the pool */
    const FilSceneBody* base; /* or NULL */
    FilId id;
} FilSceneArm;

typedef struct FilSceneShell {
    const FilYaml* at;
    FilShellDef def; /* its arrays live in the pool */
    FilId id;
} FilSceneShell;

typedef struct FilSceneRobot {
    const FilYaml* at;
    FilRobotDef def; /* without links and joints */
    const char* file;
    const FilRobotJointSetting* settings;
    int setting_count;
    FilId id;
} FilSceneRobot;

/* A rope of rigid capsules. */
typedef struct FilSceneChain {
    const FilYaml* at;
    const char* name;
    FilRodDef curve; /* nodes and closedness only */
    int capsule_count, first_body;
    FilJointDef bushing;
} FilSceneChain;

typedef struct FilSceneDrive {
    FilId id;
    FilDriveKind kind;
} FilSceneDrive;

typedef struct FilScene {
    FilReader reader;
    FilSceneLimits limits;
    const char* path;
    FilYaml* root;
    FilWorld* world;
    uint64_t random; /* state of the generator */
    int copies_left; /* values that repeated elements may still take */
    FilNames material_names;
    FilSceneMaterial* materials;
    FilNames group_names; /* of collision: bit k is that of the name with index k */
    FilNames rod_names;
    FilSceneRod* rods;
    int rod_count;
    FilRodJunction* net_junctions; /* between rods of nets */
    int net_junction_count;
    int node_count; /* of all rods and chains so far */
    FilSceneChain* chains;
    int chain_count;
    FilNames body_names;
    FilSceneBody* bodies; /* the chains' after the others */
    int body_count;
    FilNames arm_names;
    FilSceneArm* arms;
    int arm_count;
    FilNames shell_names;
    FilSceneShell* shells;
    int shell_count;
    FilNames ring_names;
    FilId* rings;
    FilNames robot_names;
    FilSceneRobot* robots;
    int robot_count;
    FilNames thing_names; /* rods, then rigid bodies, then arms */
    FilNames joint_names;
    FilId* joints;
    FilNames attachment_names;
    FilId* attachments;
    FilNames drive_names;
    FilSceneDrive* drives;
} FilScene;

/* scene.c: every parameter must have a value and a name that expressions can use, even if nothing uses it. */
void fil_scene_check_parameters(FilReader* reader, FilYaml* mapping);

/* read_repeats.c: elements of lists that stand for many; comes before everything else. */
void fil_scene_expand_repeats(FilScene* scene);

/* read_sections.c */
void fil_scene_read_materials(FilScene* scene);
/* The material that `key` names; NULL if it is not given (or after a failure). */
const FilSceneMaterial* fil_scene_read_material(FilScene* scene, const FilYaml* mapping, const char* key);
/* The one of circle, tube, rectangle and stiffness that the mapping has, made of `material` (NULL: none given). */
FilSection fil_scene_read_section(FilScene* scene, const FilYaml* mapping, const FilSceneMaterial* material);
extern const char* const fil_section_words[];

/* read_surfaces.c */
void fil_scene_read_groups(FilScene* scene);
/* Numbers of a surface; `stiffness` is what that key is called. */
void fil_scene_read_surface_numbers(FilReader* reader, const FilYaml* mapping, const char* stiffness,
                                    FilSurface* surface);
/* `surface` and `collision` of a rod or rigid body made of `material` (NULL: none given). */
void fil_scene_read_collision(FilScene* scene, const FilYaml* thing, const FilSceneMaterial* material,
                              FilCollision* collision);
void fil_scene_read_pairs(FilScene* scene);

/* read_shapes.c: the rod's nodes, number and closedness, from its `shape` and `noise`. */
void fil_scene_read_shape(FilScene* scene, const FilYaml* rod, FilRodDef* def);

/* read_rods.c, read_junctions.c */
void fil_scene_read_rods(FilScene* scene);
void fil_scene_add_rods(FilScene* scene);

/* What every cord of a net shares: material, section, losses, collision. */
void fil_scene_read_cord(FilScene* scene, const FilYaml* node, FilRodDef* def);

/* read_nets.c: how many rods nets are made of; then these rods, behind the others. */
int fil_scene_count_cords(FilScene* scene);
void fil_scene_read_nets(FilScene* scene, const char** names, const FilYaml** ats, int* rod_count);

/* read_bodies.c, read_chains.c: read_bodies takes in the chains' capsules as well. */
void fil_scene_read_chains(FilScene* scene);
void fil_scene_read_bodies(FilScene* scene);
void fil_scene_add_bodies(FilScene* scene);
void fil_scene_make_capsules(FilScene* scene, FilSceneChain* chain);

/* Place keys of what stands in the world; false (and nothing changed) if `key` is not given. The orientation is
 * `orientation`, a quaternion, or `rotation`, a rotation vector. */
bool fil_scene_read_vec3(FilReader* reader, const FilYaml* mapping, const char* key, FilVec3* vector);
void fil_scene_read_orientation(FilReader* reader, const FilYaml* mapping, FilQuat* orientation);

/* read_arms.c */
void fil_scene_read_arms(FilScene* scene);
void fil_scene_add_arms(FilScene* scene);

/* read_lcp.c: settings of the contact model "lcp" */
void fil_scene_read_lcp(FilReader* reader, const FilYaml* world, FilLcpSettings* lcp);

/* read_shells.c, read_rings.c */
void fil_scene_read_shells(FilScene* scene);
void fil_scene_add_shells(FilScene* scene);
void fil_scene_read_rings(FilScene* scene);

/* read_robots.c */
void fil_scene_read_robots(FilScene* scene);
void fil_scene_add_robots(FilScene* scene);
void fil_scene_read_trajectories(FilScene* scene);
/* The link that the key `link` names, and the robot and joint of `robot` and `joint`. A null id if there is none (or
 * after a failure). */
FilId fil_scene_read_link(FilScene* scene, const FilYaml* mapping, unsigned flags);
FilId fil_scene_read_robot_joint(FilScene* scene, const FilYaml* mapping, int* joint);

/* read_joints.c: with those of the chains */
void fil_scene_read_joints(FilScene* scene);

/* read_boundary.c, read_drives.c, read_probes.c */
void fil_scene_read_attachments(FilScene* scene);
void fil_scene_read_drives(FilScene* scene);
void fil_scene_read_probes(FilScene* scene);

/* Which parts of a rod a key counts. */
typedef enum FilRodPart { FIL_PART_NODES, FIL_PART_EDGES } FilRodPart;

/* The rod of `mapping`, and its `node`/`nodes: [first, count]` (or edge, edges). Without them: all, or a failure if
 * they are required. NULL after a failure. */
const FilSceneRod* fil_scene_read_target(FilScene* scene, const FilYaml* mapping, FilRodPart part, unsigned flags,
                                         int* first, int* count);

/* One (`words[0]`) or several (`words[1]: [first, count]`) out of `total`; without them: all, or a failure if they are
 * required. */
void fil_scene_read_range(FilReader* reader, const FilYaml* mapping, const char* const words[2], int total,
                          unsigned flags, int* first, int* count);

/* Which parts of an arm a key counts. */
typedef enum FilArmPart { FIL_PART_DISKS, FIL_PART_CHAMBERS, FIL_PART_SECTIONS } FilArmPart;

/* The arm of `mapping`, and its `disk`/`disks` (or chamber, section) likewise. A null id after a failure. */
FilId fil_scene_read_arm(FilScene* scene, const FilYaml* mapping, FilArmPart part, unsigned flags, int* first,
                         int* count);

/* The rigid body that `key` names; NULL if it is not given (or after a failure). */
const FilSceneBody* fil_scene_read_body(FilScene* scene, const FilYaml* mapping, const char* key, unsigned flags);

/* A rod, a rigid body or an arm by its index in thing_names. */
FilId fil_scene_object(const FilScene* scene, int index);

/* Names of a list's elements, from their `name` or their kind and place ("rod0"), each different; the list must be
 * one of mappings. False if there is no such list (or after a failure). */
bool fil_scene_read_names(FilScene* scene, const char* section, const char* kind, const FilYaml** list,
                          const char*** names);

/* An index of names. `ats` are the nodes to blame where two are the same. */
void fil_scene_index_names(FilScene* scene, const char* const* names, const FilYaml* const* ats, int count,
                           FilNames* index);

/* Reads the scene under bounds of the caller's choice; see fil_scene_load_text(). */
FIL_MUST_CHECK FilStatus fil_scene_load_limited(const FilSource* source, const FilSceneLimits* limits,
                                                const FilSceneOptions* options, FilWorld** world, FilSceneInfo* info,
                                                FilError* error);

#endif
