/* What a world is made of: a scene, entities that were spawned into it, and objects that were deleted from it. No ROS. */
#ifndef FILUM_NODE_COMPOSITION_H
#define FILUM_NODE_COMPOSITION_H

#include "filum/filum.h"

/* A name with a namespace, and entities that may be spawned: bounds of ours, beyond which a request is refused. */
enum { FIL_ENTITY_NAME = 128, FIL_MAX_SPAWNED = 1000 };

/* One spawned entity. */
typedef struct FilSpawned {
    char name[FIL_ENTITY_NAME]; /* as it was asked for, empty: its resource's own; in full once it is settled */
    bool settled;
    bool floating;                /* found out with the name: a robot's root moves freely */
    char prefix[FIL_ENTITY_NAME]; /* of its name, and of a robot's links and joints: its namespace; or empty */
    bool rename;                  /* another name may be found where this one is taken */
    bool urdf;                    /* else a scene of one object */
    char* source;                 /* path, or what stands for it in messages */
    char* text;                   /* NULL: the file is read */
    size_t size;                  /* of the text */
    FilVec3 position;             /* of the resource's frame in the world */
    FilQuat orientation;
} FilSpawned;

typedef struct FilComposition {
    char* scene; /* path or name; of text: what stands for its file */
    char* text;  /* NULL: the scene's file is read */
    size_t size;
    bool trusted; /* the scene was chosen by who started the node: its files may lie anywhere */
    FilSpawned* spawned;
    int spawned_count;
    char** deleted; /* names of the scene's own */
    int deleted_count;
} FilComposition;

/* All copy what they are given; NULL or false: out of memory. */
FilComposition* fil_composition_create(const char* scene, const char* text, size_t size, bool trusted);
FilComposition* fil_composition_copy(const FilComposition* from);
void fil_composition_destroy(FilComposition* composition); /* NULL is fine */
bool fil_composition_spawn(FilComposition* composition, const FilSpawned* spawned);
/* Takes out what was spawned by this name, or leaves out the scene's own. */
bool fil_composition_delete(FilComposition* composition, const char* name);
/* Whether anything was spawned or deleted. */
bool fil_composition_is_changed(const FilComposition* composition);

/* What was wrong with it. */
typedef enum FilCompositionFault {
    FIL_COMPOSITION_FAILED, /* the scene itself, memory, an interruption */
    FIL_COMPOSITION_RESOURCE,
    FIL_COMPOSITION_NAME,
    FIL_COMPOSITION_TAKEN, /* a name that is not unique */
    FIL_COMPOSITION_POSE,
} FilCompositionFault;

typedef struct FilCompositionFailure {
    FilCompositionFault fault;
    bool own; /* the message is about the request, and quotes no file */
} FilCompositionFailure;

/* Where spawned resources may be read from, and what the world may take in all. */
typedef struct FilCompositionBounds {
    const char* folders;
    FilSceneBudget budget;
} FilCompositionBounds;

/* Builds the world. Names that were left open are filled in. `options` are those of the scene; folders and nodes come from the bounds. */
FIL_MUST_CHECK FilStatus fil_composition_build(FilComposition* composition, const FilSceneOptions* options, const FilCompositionBounds* bounds,
                                               FilWorld** world, FilSceneInfo* info, char path[512], FilCompositionFailure* failure, FilError* error);

#endif
