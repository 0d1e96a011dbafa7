/* Owns the bag of `filum run`. */
#include "bag_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "recording.h"

struct FilRunBag {
    FilSimulation simulation;
    FilOutputs outputs;
    FilRecording* recording;
};

static void send(void* context, FilTopicId topic, const void* message)
{
    FilRunBag* bag = context;
    fil_recording_hear(bag->recording, fil_output_topic(topic), message);
}

/* the node's parameters of the same run, as a file that the node reads */
static void attach_parameters(FilRunBag* bag)
{
    char text[1024];
    const FilOutputs* outputs = &bag->outputs;
    snprintf(text, sizeof text,
             "/filum:\n  ros__parameters:\n    scene: \"%.500s\"\n    contact_model: %s\n    time_step: %.17g\n"
             "    publish_rate: %.17g\n    tf_rate: %.17g\n    clock_rate: %.17g\n",
             bag->simulation.scene_path, fil_world_contact_model(bag->simulation.world),
             fil_world_dt(bag->simulation.world), outputs->states.rate, outputs->transforms.rate, outputs->clock.rate);
    fil_recording_attach(bag->recording, "parameters.yaml", "application/yaml", text);
}

static FilStatus start_recording(FilRunBag* bag, const FilRunBagOptions* options, const FilSceneOptions* how,
                                 FilError* error)
{
    FilRecordingOptions recording = fil_recording_options_default();
    recording.storage = options->storage != NULL ? options->storage : recording.storage;
    recording.compression = options->compression != NULL ? options->compression : recording.compression;
    char seed[32];
    const size_t count = (size_t)how->setting_count + 1;
    FilRecordingPair* pairs = calloc(count, sizeof *pairs);
    char(*keys)[160] = calloc(count, sizeof *keys);
    FilStatus status = FIL_OUT_OF_MEMORY;
    if (pairs != NULL && keys != NULL) {
        snprintf(seed, sizeof seed, "%" PRIu64, bag->simulation.scene.seed);
        pairs[0] = (FilRecordingPair){"seed", seed};
        for (int i = 0; i < how->setting_count; ++i) {
            snprintf(keys[i], sizeof keys[i], "%s%s", FIL_RECORDING_SET, how->settings[i].path);
            pairs[i + 1] = (FilRecordingPair){keys[i], how->settings[i].value};
        }
        status = fil_recording_start(options->path, &recording, &bag->simulation, pairs, count, &bag->recording, error);
    }
    free(pairs);
    free(keys);
    return status;
}

FilStatus fil_run_bag_start(const FilRunBagOptions* options, FilWorld* world, const FilSceneInfo* scene,
                            const char* path, const FilSceneOptions* how, FilRunBag** bag, FilError* error)
{
    *bag = NULL;
    FilRunBag* made = calloc(1, sizeof *made);
    if (made == NULL || !fil_outputs_init(&made->outputs)) {
        free(made);
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", options->path);
    }
    made->simulation = (FilSimulation){.world = world, .scene = *scene, .load_count = 1};
    snprintf(made->simulation.scene_path, sizeof made->simulation.scene_path, "%s", path);
    if (options->rate > 0.0) {
        made->outputs.states.rate = made->outputs.transforms.rate = made->outputs.clock.rate = options->rate;
    }
    const FilStatus status = start_recording(made, options, how, error);
    if (status != FIL_OK) {
        fil_outputs_fini(&made->outputs);
        free(made);
        return status;
    }
    attach_parameters(made);
    *bag = made;
    return FIL_OK;
}

FilStatus fil_run_bag_observe(FilRunBag* bag, const FilStepInfo* last, FilError* error)
{
    const bool first = last == NULL;
    bag->simulation.last_step = first ? (FilStepInfo){0} : *last;
    // a bag is there to be looked at: it has the markers
    if (!fil_outputs_update(&bag->outputs, &bag->simulation, first, true, send, bag)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", fil_recording_file(bag->recording));
    }
    const char* failure = fil_recording_error(bag->recording);
    return failure == NULL ? FIL_OK : fil_error(error, FIL_IO, "%s", failure);
}

FilRunBagCounts fil_run_bag_counts(const FilRunBag* bag)
{
    const FilRecordingCounts counts = fil_recording_counts(bag->recording);
    return (FilRunBagCounts){counts.messages, counts.bytes};
}

FilStatus fil_run_bag_stop(FilRunBag* bag, FilError* error)
{
    if (bag == NULL) {
        return FIL_OK;
    }
    const FilStatus status = fil_recording_stop(bag->recording, error);
    fil_outputs_fini(&bag->outputs);
    free(bag);
    return status;
}
