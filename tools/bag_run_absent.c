/* Owns what `filum run --bag` and `filum view BAG` say in a build that cannot record messages. */
#include "bag_run.h"
#include "bag_view.h"
#include "base/error.h"
#include "cli.h"

#ifdef FILUM_RECORD
static const char reason[] = "this build has no message types: configure with -DFILUM_ROS=embedded or in a ROS 2 workspace";
#else
static const char reason[] = "this build has no recorder: it was configured without zlib, lz4, zstd or sqlite3";
#endif

int fil_bag_view(const char* bag, const FilBagViewOptions* options)
{
    (void)options;
    return fil_cli_fail("view", FIL_EXIT_FAILED, "%s: %s", bag, reason);
}

bool fil_bag_watch(const char* bag, FilBagWatch watch, void* context, const char* command)
{
    (void)watch;
    (void)context;
    fil_cli_fail(command, 0, "%s: %s", bag, reason);
    return false;
}

FilStatus fil_run_bag_start(const FilRunBagOptions* options, FilWorld* world, const FilSceneInfo* scene, const char* path, const FilSceneOptions* how,
                            FilRunBag** bag, FilError* error)
{
    (void)world;
    (void)scene;
    (void)path;
    (void)how;
    *bag = NULL;
    return fil_error(error, FIL_BAD_INPUT, "--bag %s: %s; --csv FILE writes the probes", options->path, reason);
}

FilStatus fil_run_bag_observe(FilRunBag* bag, const FilStepInfo* last, FilError* error)
{
    (void)bag;
    (void)last;
    (void)error;
    return FIL_OK;
}

FilRunBagCounts fil_run_bag_counts(FilRunBag* bag)
{
    (void)bag;
    return (FilRunBagCounts){0};
}

FilStatus fil_run_bag_stop(FilRunBag* bag, FilError* error)
{
    (void)bag;
    (void)error;
    return FIL_OK;
}
