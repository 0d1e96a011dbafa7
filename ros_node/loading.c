#include "loading.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct FilLoading {
    char folders[4096], contact_model[64];
    FilSceneBudget budget;
    double dt;
    pthread_t thread;
    atomic_bool cancelled, done;
    FilLoaded made; /* by the thread */
};

static bool is_cancelled(void* context)
{
    FilLoading* loading = context;
    return atomic_load(&loading->cancelled);
}

static void* load(void* context)
{
    FilLoading* loading = context;
    FilLoaded* made = &loading->made;
    const FilSceneOptions options = {.dt = loading->dt,
                                     .contact_model = loading->contact_model[0] != '\0' ? loading->contact_model : NULL,
                                     .stop = is_cancelled,
                                     .stop_context = loading};
    const FilCompositionBounds bounds = {.folders = loading->folders, .budget = loading->budget};
    made->status = fil_composition_build(made->composition, &options, &bounds, &made->world, &made->info, made->path, &made->failure, &made->error);
    atomic_store(&loading->done, true);
    return NULL;
}

FilLoading* fil_loading_start(const FilLoadingDef* def, FilError* error)
{
    FilLoading* loading = def->composition != NULL ? calloc(1, sizeof *loading) : NULL;
    if (loading != NULL) {
        loading->made.composition = def->composition;
        snprintf(loading->folders, sizeof loading->folders, "%s", def->folders);
        snprintf(loading->contact_model, sizeof loading->contact_model, "%s", def->contact_model != NULL ? def->contact_model : "");
        loading->budget = def->budget;
        loading->dt = def->dt;
        if (pthread_create(&loading->thread, NULL, load, loading) == 0) {
            return loading;
        }
    }
    free(loading);
    fil_composition_destroy(def->composition);
    snprintf(error->text, sizeof error->text, "there is no memory, or no thread, to load a world");
    return NULL;
}

bool fil_loading_is_done(const FilLoading* loading)
{
    return atomic_load(&loading->done);
}

FilLoaded fil_loading_take(FilLoading* loading)
{
    pthread_join(loading->thread, NULL);
    const FilLoaded made = loading->made;
    free(loading);
    return made;
}

void fil_loading_cancel(FilLoading* loading)
{
    if (loading != NULL) {
        atomic_store(&loading->cancelled, true);
        const FilLoaded made = fil_loading_take(loading);
        fil_world_destroy(made.world);
        fil_composition_destroy(made.composition);
    }
}
