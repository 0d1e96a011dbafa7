#include "loading.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct FilLoading {
    char *scene, *text, *folders;
    size_t size;
    int max_nodes;
    pthread_t thread;
    atomic_bool cancelled, done;
    /* what the thread makes: */
    FilStatus status;
    FilError error;
    FilWorld* world;
    FilSceneInfo info;
    char path[512];
};

static void destroy(FilLoading* loading)
{
    fil_world_destroy(loading->world);
    free(loading->scene);
    free(loading->text);
    free(loading->folders);
    free(loading);
}

static bool is_cancelled(void* context)
{
    FilLoading* loading = context;
    return atomic_load(&loading->cancelled);
}

static void* load(void* context)
{
    FilLoading* loading = context;
    const FilSceneOptions options = {.folders = loading->folders, .max_nodes = loading->max_nodes, .stop = is_cancelled, .stop_context = loading};
    loading->status = FIL_BAD_INPUT;
    if (loading->text != NULL) {
        snprintf(loading->path, sizeof loading->path, "%s", loading->scene);
        loading->status =
            fil_scene_load_text(loading->scene, loading->text, loading->size, &options, &loading->world, &loading->info, &loading->error);
    } else if (fil_scene_find(loading->scene, loading->path, sizeof loading->path, &loading->error)) {
        loading->status = fil_scene_load(loading->path, &options, &loading->world, &loading->info, &loading->error);
    }
    atomic_store(&loading->done, true);
    return NULL;
}

static char* copy(const char* text, size_t size)
{
    char* made = text != NULL ? malloc(size + 1) : NULL;
    if (made != NULL) {
        memcpy(made, text, size);
        made[size] = '\0';
    }
    return made;
}

FilLoading* fil_loading_start(const FilLoadingDef* def, FilError* error)
{
    FilLoading* loading = calloc(1, sizeof *loading);
    if (loading != NULL) {
        loading->scene = copy(def->scene, strlen(def->scene));
        loading->text = copy(def->text, def->size);
        loading->folders = copy(def->folders, strlen(def->folders));
        loading->size = def->size;
        loading->max_nodes = def->max_nodes;
        const bool whole = loading->scene != NULL && loading->folders != NULL && (loading->text != NULL) == (def->text != NULL);
        if (whole && pthread_create(&loading->thread, NULL, load, loading) == 0) {
            return loading;
        }
        destroy(loading);
    }
    snprintf(error->text, sizeof error->text, "there is no memory, or no thread, to load a world");
    return NULL;
}

bool fil_loading_is_done(const FilLoading* loading)
{
    return atomic_load(&loading->done);
}

FilStatus fil_loading_take(FilLoading* loading, FilSimulation* simulation, FilError* error)
{
    pthread_join(loading->thread, NULL);
    const FilStatus status = loading->status;
    *error = loading->error;
    if (status == FIL_OK) {
        fil_simulation_adopt(simulation, loading->world, &loading->info, loading->path);
        loading->world = NULL;
    }
    destroy(loading);
    return status;
}

void fil_loading_cancel(FilLoading* loading)
{
    if (loading != NULL) {
        atomic_store(&loading->cancelled, true);
        pthread_join(loading->thread, NULL);
        destroy(loading);
    }
}
