/* Owns the bag of `filum run`.
 *
 * Making messages of thousands of nodes takes a good part of a step's own time. So the run only copies its state and
 * what a state does not tell (contacts, probes, counters) into a slot, and goes on; a thread of its own restores the
 * copy into a second world made of the same scene, makes the messages there, and gives them to the recorder, which
 * writes them from yet another thread. There are few slots: who is faster waits, and nothing is lost. */
#include "bag_run.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "messages.h"
#include "recording.h"

/* Steps whose messages are made elsewhere meanwhile. Each holds a copy of a time's state; one helper makes them, so that more than a few only wait.
 */
enum { SLOTS = 4 };

/* what follows from the state and the step's counters alone, and is worth making elsewhere: step_info has the hash */
static const FilMessageSet LATE = 1u << FIL_MESSAGE_TF | 1u << FIL_MESSAGE_ROD_STATES | 1u << FIL_MESSAGE_STEP_INFO;

/* One time of the run on its way to the bag. */
typedef struct Slot {
    FilMessageSet due;
    uint64_t time;             /* ns */
    FilStateMessages messages; /* those that are not late */
    void* snapshot;            /* for those that are, and */
    FilStepInfo last_step;
} Slot;

struct FilRunBag {
    FilSimulation simulation; /* the run's own */
    FilOutputs outputs;       /* what is due */
    size_t snapshot_size;
    Slot slots[SLOTS];

    FilSimulation mirror; /* the thread's, with a world of its own */
    FilStateMessages late;
    FilRecording* recording;

    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    size_t first, filled; /* slots that wait for the thread */
    bool closing;
    FilRecordingCounts counts;
    bool failed;
    FilError error;
};

/* ---- the thread ---- */

typedef struct Sending {
    FilRecording* recording;
    uint64_t time;
} Sending;

static void send(void* context, FilTopicId topic, const void* message)
{
    const Sending* sending = context;
    fil_recording_hear_at(sending->recording, fil_output_topic(topic), message, sending->time);
}

static FilStatus make_messages(FilRunBag* bag, Slot* slot, FilError* error)
{
    if ((slot->due & LATE) != 0) {
        const FilStatus status = fil_world_restore(bag->mirror.world, slot->snapshot, bag->snapshot_size);
        if (status != FIL_OK) {
            return fil_error(error, status, "%s", fil_world_error(bag->mirror.world));
        }
        bag->mirror.last_step = slot->last_step;
        fil_messages_fill(&bag->late, &bag->mirror, slot->due & LATE);
    }
    Sending sending = {bag->recording, slot->time};
    for (int i = 0; i < FIL_MESSAGE_COUNT; ++i) {
        if ((slot->due & 1u << i) != 0) {
            fil_message_send((LATE & 1u << i) != 0 ? &bag->late : &slot->messages, (FilMessageId)i, send, &sending);
        }
    }
    const char* failure = fil_recording_error(bag->recording);
    return failure == NULL ? FIL_OK : fil_error(error, FIL_IO, "%s", failure);
}

static void* empty_slots(void* argument)
{
    FilRunBag* bag = argument;
    pthread_mutex_lock(&bag->lock);
    while (bag->filled > 0 || !bag->closing) {
        if (bag->filled == 0) {
            pthread_cond_wait(&bag->changed, &bag->lock);
            continue;
        }
        Slot* slot = &bag->slots[bag->first];
        FilError error = {""};
        const bool good = !bag->failed;
        pthread_mutex_unlock(&bag->lock);
        const FilStatus status = good ? make_messages(bag, slot, &error) : FIL_OK;
        const FilRecordingCounts counts = fil_recording_counts(bag->recording);
        pthread_mutex_lock(&bag->lock);
        if (status != FIL_OK) {
            bag->failed = true;
            bag->error = error;
        }
        bag->counts = counts;
        bag->first = (bag->first + 1) % SLOTS;
        bag->filled -= 1;
        pthread_cond_broadcast(&bag->changed);
    }
    pthread_mutex_unlock(&bag->lock);
    return NULL;
}

/* Starts the thread with all signals blocked: they are the run's. */
static bool start_thread(FilRunBag* bag)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bag->running = pthread_create(&bag->thread, NULL, empty_slots, bag) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return bag->running;
}

static void end_thread(FilRunBag* bag)
{
    if (bag->running) {
        pthread_mutex_lock(&bag->lock);
        bag->closing = true;
        pthread_cond_broadcast(&bag->changed);
        pthread_mutex_unlock(&bag->lock);
        pthread_join(bag->thread, NULL);
        bag->running = false;
    }
}

/* ---- the beginning ---- */

/* the node's parameters of the same run, as a file that the node reads */
static void attach_parameters(FilRunBag* bag)
{
    char text[1024];
    const FilOutputs* outputs = &bag->outputs;
    snprintf(text, sizeof text,
             "/filum:\n  ros__parameters:\n    scene: \"%.500s\"\n    contact_model: %s\n    time_step: %.17g\n"
             "    publish_rate: %.17g\n    tf_rate: %.17g\n    clock_rate: %.17g\n",
             bag->simulation.scene_path, fil_world_contact_model(bag->simulation.world), fil_world_dt(bag->simulation.world), outputs->states.rate,
             outputs->transforms.rate, outputs->clock.rate);
    fil_recording_attach(bag->recording, "parameters.yaml", "application/yaml", text);
}

static FilStatus start_recording(FilRunBag* bag, const FilRunBagOptions* options, const FilSceneOptions* how, FilError* error)
{
    FilRecordingOptions recording = fil_recording_options_default();
    recording.storage = options->storage != NULL ? options->storage : recording.storage;
    recording.compression = options->compression != NULL ? options->compression : recording.compression;
    char seed[32];
    const size_t count = (size_t)how->setting_count + 1;
    FilRecordingPair* pairs = calloc(count, sizeof *pairs);
    char(*keys)[160] = calloc(count, sizeof *keys);
    FilStatus status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", options->path);
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

/* Slots and the second world. */
static FilStatus make_slots(FilRunBag* bag, const char* path, const FilSceneOptions* how, FilError* error)
{
    const FilStatus status = fil_scene_load(path, how, &bag->mirror.world, &bag->mirror.scene, error);
    if (status != FIL_OK) {
        return status;
    }
    bag->mirror.load_count = 1;
    bag->snapshot_size = fil_world_snapshot_size(bag->simulation.world);
    bool made = fil_state_messages_init(&bag->late) && fil_state_messages_fit(&bag->late, &bag->mirror, NULL);
    for (int i = 0; made && i < SLOTS; ++i) {
        Slot* slot = &bag->slots[i];
        slot->snapshot = malloc(bag->snapshot_size);
        made = slot->snapshot != NULL && fil_state_messages_init(&slot->messages) && fil_state_messages_fit(&slot->messages, &bag->simulation, NULL);
    }
    return made ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "the bag: out of memory");
}

static void destroy(FilRunBag* bag)
{
    for (int i = 0; i < SLOTS; ++i) {
        fil_state_messages_fini(&bag->slots[i].messages);
        free(bag->slots[i].snapshot);
    }
    fil_state_messages_fini(&bag->late);
    fil_world_destroy(bag->mirror.world);
    fil_outputs_fini(&bag->outputs);
    pthread_cond_destroy(&bag->changed);
    pthread_mutex_destroy(&bag->lock);
    free(bag);
}

FilStatus fil_run_bag_start(const FilRunBagOptions* options, FilWorld* world, const FilSceneInfo* scene, const char* path, const FilSceneOptions* how,
                            FilRunBag** bag, FilError* error)
{
    *bag = NULL;
    FilRunBag* made = calloc(1, sizeof *made);
    if (made == NULL || !fil_outputs_init(&made->outputs)) {
        free(made);
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", options->path);
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->simulation = (FilSimulation){.world = world, .scene = *scene, .load_count = 1};
    snprintf(made->simulation.scene_path, sizeof made->simulation.scene_path, "%s", path);
    if (options->rate > 0.0) {
        made->outputs.states.rate = made->outputs.transforms.rate = made->outputs.clock.rate = options->rate;
    }
    FilStatus status = make_slots(made, path, how, error);
    if (status == FIL_OK) {
        status = start_recording(made, options, how, error);
    }
    if (status != FIL_OK) {
        destroy(made);
        return status;
    }
    attach_parameters(made);
    *bag = made;
    if (!start_thread(made)) {
        FilError again = {""};
        const FilStatus stopped = fil_run_bag_stop(made, &again);
        (void)stopped;  // the first failure is the one to tell
        *bag = NULL;
        return fil_error(error, FIL_IO, "%s: cannot start the thread that makes messages", options->path);
    }
    return FIL_OK;
}

/* ---- the run ---- */

FilStatus fil_run_bag_observe(FilRunBag* bag, const FilStepInfo* last, FilError* error)
{
    const bool first = last == NULL;
    FilMessageSet due = 0;
    bag->simulation.last_step = first ? (FilStepInfo){0} : *last;
    // a bag is there to be looked at: it has the markers
    if (!fil_outputs_plan(&bag->outputs, &bag->simulation, first, true, &due)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (due == 0) {
        return FIL_OK;
    }
    pthread_mutex_lock(&bag->lock);
    while (bag->filled == SLOTS) {
        pthread_cond_wait(&bag->changed, &bag->lock);
    }
    Slot* slot = &bag->slots[(bag->first + bag->filled) % SLOTS];
    const FilStatus status = bag->failed ? fil_error(error, FIL_IO, "%s", bag->error.text) : FIL_OK;
    pthread_mutex_unlock(&bag->lock);
    if (status != FIL_OK) {
        return status;
    }
    slot->time = fil_time_nanoseconds(fil_world_time(bag->simulation.world));
    slot->due = due & (LATE | fil_messages_fill(&slot->messages, &bag->simulation, due & ~LATE));
    if (slot->due != due) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if ((due & LATE) != 0) {
        slot->last_step = bag->simulation.last_step;
        fil_world_save(bag->simulation.world, slot->snapshot);
    }
    pthread_mutex_lock(&bag->lock);
    bag->filled += 1;
    pthread_cond_broadcast(&bag->changed);
    pthread_mutex_unlock(&bag->lock);
    return FIL_OK;
}

FilRunBagCounts fil_run_bag_counts(FilRunBag* bag)
{
    end_thread(bag);
    return (FilRunBagCounts){bag->counts.messages, bag->counts.bytes};
}

FilStatus fil_run_bag_stop(FilRunBag* bag, FilError* error)
{
    if (bag == NULL) {
        return FIL_OK;
    }
    end_thread(bag);
    FilError closing = {""};
    FilStatus status = fil_recording_stop(bag->recording, &closing);
    if (bag->failed) {
        status = fil_error(error, FIL_IO, "%s", bag->error.text);
    } else if (status != FIL_OK) {
        status = fil_error(error, status, "%s", closing.text);
    }
    destroy(bag);
    return status;
}
