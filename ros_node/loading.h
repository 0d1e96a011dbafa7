/* A world that is built in a thread of its own, while the simulation runs on and services are answered. */
#ifndef FILUM_NODE_LOADING_H
#define FILUM_NODE_LOADING_H

#include "composition.h"
#include "view/simulation.h"

typedef struct FilLoading FilLoading;

/* What the world is made of, and what it may take. All but the composition is copied. */
typedef struct FilLoadingDef {
    FilComposition* composition; /* from now on the loading's */
    const char* folders;         /* as of FilSceneOptions */
    FilSceneBudget budget;
    double dt;                 /* s; 0: the scene's */
    const char* contact_model; /* NULL: the scene's */
} FilLoadingDef;

/* NULL with a reason if no thread can be made; then the composition is gone. */
FilLoading* fil_loading_start(const FilLoadingDef* def, FilError* error);

bool fil_loading_is_done(const FilLoading* loading);

/* What a loading has made; on failure there is no world. The composition is the caller's from now on. */
typedef struct FilLoaded {
    FilStatus status;
    FilCompositionFailure failure;
    FilError error;
    FilComposition* composition;
    FilWorld* world;
    FilSceneInfo info;
    char path[512];
} FilLoaded;

/* Waits for its end. Frees the loading. */
FilLoaded fil_loading_take(FilLoading* loading);

/* Ends it early. May be NULL. */
void fil_loading_cancel(FilLoading* loading);

#endif
