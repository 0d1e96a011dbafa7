/* Files that worlds and entities can be made of. No ROS. */
#ifndef FILUM_NODE_RESOURCES_H
#define FILUM_NODE_RESOURCES_H

#include <stdbool.h>

/* A bound of ours, as of entities (FIL_MAX_SPAWNED). */
enum { FIL_MAX_RESOURCES = 1000 };

typedef struct FilResource {
    char name[256]; /* of the file, without folder */
    char path[4096];
} FilResource;

typedef struct FilResourceList {
    FilResource* items;
    int count, capacity;
} FilResourceList;

void fil_resources_free(FilResourceList* list);

/* The scenes that are found by name. */
void fil_resources_find_worlds(FilResourceList* list);

/* Robots (.urdf) in the folders, which are separated by colons, and in `robots` below them; objects (.yaml) in `objects` below them. */
void fil_resources_find_spawnables(FilResourceList* list, const char* folders);

/* All .urdf and .yaml in one more; false if it is no folder, or not below `folders`. */
bool fil_resources_add_folder(FilResourceList* list, const char* folder, const char* folders);

#endif
