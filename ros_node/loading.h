/* A world that is loaded in a thread of its own, while the simulation runs on and services are answered. */
#ifndef FILUM_NODE_LOADING_H
#define FILUM_NODE_LOADING_H

#include "view/simulation.h"

typedef struct FilLoading FilLoading;

/* Where the world comes from, and what it may take. Everything is copied. */
typedef struct FilLoadingDef {
    const char* scene;   /* path or name; of text: what stands for its file */
    const char* text;    /* NULL: the scene's file is read */
    size_t size;         /* of the text */
    const char* folders; /* as of FilSceneOptions */
    int max_nodes;
} FilLoadingDef;

/* NULL with a reason if no thread can be made. */
FilLoading* fil_loading_start(const FilLoadingDef* def, FilError* error);

bool fil_loading_is_done(const FilLoading* loading);

/* Waits for its end and makes the world that of the simulation; on failure that stays as it is. Frees the loading. */
FIL_MUST_CHECK FilStatus fil_loading_take(FilLoading* loading, FilSimulation* simulation, FilError* error);

/* Ends it early. May be NULL. */
void fil_loading_cancel(FilLoading* loading);

#endif
