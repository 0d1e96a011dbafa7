/* Scenes: worlds described in YAML. */
#ifndef FILUM_SCENE_H
#define FILUM_SCENE_H

#include "filum/batch.h"
#include "filum/plan.h"
#include "filum/world.h"

FIL_API_BEGIN

/* One `--set key.path=value`. A path names a parameter of the scene (knot.n) or any key of it (world.dt, rods.r1.nodes). */
typedef struct FilSetting {
    const char* path;  /* as above */
    const char* value; /* YAML text of a scalar or flow sequence */
} FilSetting;

/* What a scene may ask for at most; 0 of any: as much as it says there. */
typedef struct FilSceneBudget {
    int nodes;    /* of rods, cloth and solids together; ten million */
    int elements; /* triangles of cloth and tetrahedra of solids together; a hundred million */
    int contacts; /* of a step, as of FilWorldDef.max_contacts; a hundred thousand */
    size_t bytes; /* of memory while it loads, and while the world steps then; any number. What libraries and further threads take does
                     not count */
} FilSceneBudget;

/* How a scene is read. Pointers are borrowed for the call only. */
typedef struct FilSceneOptions {
    const FilSetting* settings;
    int setting_count;
    uint64_t seed;             /* of the scene's random numbers */
    bool seed_given;           /* false: the scene's own seed, or 1 */
    double dt;                 /* s; 0: the scene's */
    const char* contact_model; /* NULL: the scene's */
    const char* folders;       /* that the scene and what it names may be read from, separated by colons; NULL: any. What a robot's URDF
                                  names is read from anywhere */
    FilSceneBudget budget;
    bool (*stop)(void* context); /* asked from part to part: true ends the loading with FIL_INTERRUPTED. NULL: nobody asks */
    void* stop_context;
    const char* const* without; /* names of objects that are left out; what holds on to one of them is an error */
    int without_count;
    const char* object_name; /* of the scene's only object, in place of its own; NULL: its own */
} FilSceneOptions;

/* What a scene says about the run itself, beside the world it builds. */
typedef struct FilSceneInfo {
    char name[128];       /* file name without folder and extension */
    char title[256];      /* the scene's `title`, or empty */
    double duration;      /* s */
    double output_period; /* s between CSV rows */
    uint64_t seed;        /* of its random numbers */
    bool has_plan;        /* it has a section `plan` */
    FilPlanDef plan;      /* which is this, else the default */
} FilSceneInfo;

/* Finds a scene given by path or by name. A name is looked for in the folders of FILUM_SCENE_PATH, beside the
 * installed program and in the source tree. Fails with a message that suggests the nearest name. */
FIL_MUST_CHECK bool fil_scene_find(const char* scene, char* path, size_t size, FilError* error);

/* For FilSceneOptions.folders: the working directory, and where fil_scene_find() looks, with the robots and meshes there. */
void fil_scene_folders(char* folders, size_t size);

/* Calls `visit` for each scene that fil_scene_find() finds by name, folder after folder: of two with one name the first counts.
 * `name` and `path` are borrowed for the call. */
void fil_scene_each(void (*visit)(void* context, const char* name, const char* path), void* context);

/* Reads a scene and builds its world. FIL_BAD_INPUT: `error` holds "file:line: key: what is wrong", with the nearest
 * known key where one was misspelt. `options` and `info` may be NULL. */
FIL_MUST_CHECK FilStatus fil_scene_load(const char* path, const FilSceneOptions* options, FilWorld** world, FilSceneInfo* info, FilError* error);

/* The same from text in memory; `name` stands for the file in messages, includes are resolved against its folder. */
FIL_MUST_CHECK FilStatus fil_scene_load_text(const char* name, const char* text, size_t size, const FilSceneOptions* options, FilWorld** world,
                                             FilSceneInfo* info, FilError* error);

/* Adds the objects of a scene, and what goes with them, to a world that is there; its section `world` has no effect. `text` NULL: `name` is
 * the file's path. After a failure the world holds a part of it and is good for nothing but fil_world_destroy(). */
FIL_MUST_CHECK FilStatus fil_scene_extend(FilWorld* world, const char* name, const char* text, size_t size, const FilSceneOptions* options,
                                          FilError* error);

/* Many worlds of one scene. Pointers are borrowed for the call only. */
typedef struct FilSceneBatchDef {
    int count, threads;         /* as in FilBatchDef */
    const char* path;           /* of the scene, or its name in messages if the text is given */
    const char* text;           /* NULL: the file */
    size_t size;                /* bytes of the text */
    FilSceneOptions options;    /* that all worlds have in common; `stop` is asked by several threads */
    const FilSetting* settings; /* what each has of its own: world by world, `setting_count` rows; they come after the common ones */
    int setting_count;
    const uint64_t* seeds; /* one per world; NULL: that of the options */
} FilSceneBatchDef;

FilSceneBatchDef fil_scene_batch_def_default(void);

/* `info`, which may be NULL, is that of world 0. `error` begins with the number of the world that could not be made. */
FIL_MUST_CHECK FilStatus fil_scene_load_batch(const FilSceneBatchDef* def, FilBatch** batch, FilSceneInfo* info, FilError* error);

FIL_API_END

#endif
