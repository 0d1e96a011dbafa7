/* Many worlds of one scene. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "filum/scene.h"

FilSceneBatchDef fil_scene_batch_def_default(void)
{
    return (FilSceneBatchDef){.count = 1};
}

typedef struct Loading {
    const FilSceneBatchDef* def;
    FilSceneInfo* info;
} Loading;

static FilStatus load(void* context, int index, FilWorld** world, FilError* error)
{
    const Loading* loading = context;
    const FilSceneBatchDef* def = loading->def;
    FilSceneOptions options = def->options;
    const size_t common = (size_t)options.setting_count, own = (size_t)def->setting_count;
    FilSetting* settings = fil_alloc(common + own, sizeof *settings);
    if (settings == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (common > 0) {
        memcpy(settings, options.settings, common * sizeof *settings);
    }
    if (own > 0) {
        memcpy(settings + common, def->settings + own * (size_t)index, own * sizeof *settings);
    }
    options.settings = settings;
    options.setting_count = (int)(common + own);
    if (def->seeds != NULL) {
        options.seed = def->seeds[index];
        options.seed_given = true;
    }
    FilSceneInfo* info = index == 0 ? loading->info : NULL;
    const FilStatus status = def->text != NULL ? fil_scene_load_text(def->path, def->text, def->size, &options, world, info, error)
                                               : fil_scene_load(def->path, &options, world, info, error);
    fil_free(settings);
    return status;
}

FilStatus fil_scene_load_batch(const FilSceneBatchDef* def, FilBatch** batch, FilSceneInfo* info, FilError* error)
{
    if (def == NULL || def->path == NULL || def->setting_count < 0 || (def->setting_count > 0 && def->settings == NULL)) {
        return fil_error(error, FIL_BAD_INPUT, "a batch of a scene needs its path, and the settings that it counts");
    }
    Loading loading = {def, info};
    return fil_batch_create(&(FilBatchDef){.count = def->count, .threads = def->threads, .make = load, .context = &loading}, batch, error);
}
