/* Owns the queue and the thread that empties it.
 *
 * The queue is a ring of batches. Callers fill the batch at its end; a batch that is full, or old enough, is sealed and
 * waits for the thread, which writes the sealed ones in order. Only the thread, or a caller while it holds the storage,
 * touches the file. */
#include "filum/record.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/mcap.h"
#include "record/metadata.h"
#include "record/storage.h"

/* One that is filled, one that is written and one between them; at most: room for a queue of 1 GB in chunks of 1 MB. */
enum { MIN_BATCHES = 3, MAX_BATCHES = 1024 };

struct FilRecorder {
    const FilStorageOps* ops;
    FilRecorderOptions options;
    FilPlace place;

    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t work;  /* something was sealed, or is to be, or the end has come */
    pthread_cond_t space; /* a batch was written */
    FilBytes batches[MAX_BATCHES];
    size_t batch_count;
    size_t first;           /* the oldest sealed batch */
    size_t sealed;          /* how many there are; the next is being filled */
    bool open_has_messages; /* the batch being filled is worth writing */
    bool flushing, closing;
    FilRecorderCounts counts;
    FilStatus status; /* of the thread; FIL_OK until it fails */
    FilError error;
    FilBagChannels channels;
    FilBagTally tally;

    pthread_mutex_t storage_lock; /* of the file; taken before `lock` where both are */
    void* storage;
};

FilRecorderOptions fil_recorder_options_default(void)
{
    // chunks of a MiB or a second (docs/recording.md), and a queue of 64 of them: a disk may hang for as
    // long as that takes to fill, a second at 64 MB/s, before callers wait or drop
    return (FilRecorderOptions){
        .compression = FIL_COMPRESSION_NONE,
        .chunk_bytes = 1 << 20,
        .queue_bytes = 64 << 20,
        .flush_period = 1.0,
        .library = "filum " FIL_VERSION,
    };
}

FilStatus fil_recorder_options_choose(FilRecorderOptions* options, const char* storage, const char* compression, FilError* error)
{
    options->sqlite = strcmp(storage, fil_db3_storage.identifier) == 0;
    if (!options->sqlite && strcmp(storage, fil_mcap_storage.identifier) != 0) {
        return fil_error(error, FIL_BAD_INPUT, "no storage '%s'; there are mcap and sqlite3", storage);
    }
    if (!fil_compression_find(compression, strlen(compression), &options->compression)) {
        return fil_error(error, FIL_BAD_INPUT, "no compression '%s'; there are none, lz4 and zstd", compression);
    }
    return FIL_OK;
}

/* ---- the queue; the lock is held ---- */

static FilBytes* open_batch(FilRecorder* recorder)
{
    return &recorder->batches[(recorder->first + recorder->sealed) % recorder->batch_count];
}

/* False if the queue is full. */
static bool seal(FilRecorder* recorder)
{
    if (recorder->sealed + 1 >= recorder->batch_count) {
        return false;
    }
    recorder->sealed += 1;
    recorder->open_has_messages = false;
    pthread_cond_signal(&recorder->work);
    return true;
}

static FilStatus failure(const FilRecorder* recorder, FilError* error)
{
    return fil_error(error, recorder->status, "%s", recorder->error.text);
}

/* ---- the thread ---- */

/* Counts the messages of a batch that is in the file. */
static void count_batch(FilRecorder* recorder, const FilBytes* batch)
{
    FilCursor cursor = {.at = batch->data, .left = batch->size};
    FilMcapRecord record;
    FilBagMessage message;
    while (fil_mcap_next_record(&cursor, &record)) {
        if (record.opcode == FIL_MCAP_MESSAGE && fil_mcap_take_message(record.content, &message)) {
            fil_bag_tally_add(&recorder->tally, &message);
            fil_bag_channels_find(&recorder->channels, message.channel)->message_count += 1;
        }
    }
    recorder->counts.written = recorder->tally.message_count;
}

/* Writes the oldest sealed batch. Enters and leaves with the lock held. */
static void write_oldest(FilRecorder* recorder)
{
    FilBytes* batch = &recorder->batches[recorder->first];
    const bool good = recorder->status == FIL_OK;
    pthread_mutex_unlock(&recorder->lock);
    FilStatus status = FIL_OK;
    FilError error = {""};
    if (good) {
        pthread_mutex_lock(&recorder->storage_lock);
        status = recorder->ops->write(recorder->storage, (FilSlice){.data = batch->data, .size = batch->size}, &error);
        pthread_mutex_unlock(&recorder->storage_lock);
    }
    pthread_mutex_lock(&recorder->lock);
    if (good && status == FIL_OK) {
        count_batch(recorder, batch);
    } else if (good) {
        recorder->status = status;
        recorder->error = error;
    }
    fil_bytes_clear(batch);
    recorder->first = (recorder->first + 1) % recorder->batch_count;
    recorder->sealed -= 1;
    pthread_cond_broadcast(&recorder->space);
}

static struct timespec time_after(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    // eleven days, so that nanoseconds fit
    const double whole = seconds < 1e6 ? seconds : 1e6;
    const long long nanoseconds = time.tv_nsec + (long long)(whole * 1e9);
    time.tv_sec += (time_t)(nanoseconds / 1000000000);
    time.tv_nsec = (long)(nanoseconds % 1000000000);
    return time;
}

static void* empty_queue(void* argument)
{
    FilRecorder* recorder = argument;
    pthread_mutex_lock(&recorder->lock);
    struct timespec deadline = time_after(recorder->options.flush_period);
    for (;;) {
        bool late = false;
        while (recorder->sealed == 0 && !recorder->closing && !recorder->flushing && !late) {
            late = pthread_cond_timedwait(&recorder->work, &recorder->lock, &deadline) == ETIMEDOUT;
        }
        // channels alone are no reason for a chunk before the end
        const bool due = recorder->closing ? open_batch(recorder)->size > 0 : (late || recorder->flushing) && recorder->open_has_messages;
        if (recorder->sealed == 0 && due) {
            (void)seal(recorder);  // there is room: nothing else is sealed
        }
        if (recorder->sealed > 0) {
            write_oldest(recorder);
        } else if (recorder->closing) {
            break;
        } else if (recorder->flushing) {
            recorder->flushing = false;
            pthread_cond_broadcast(&recorder->space);
        }
        deadline = time_after(recorder->options.flush_period);
    }
    pthread_mutex_unlock(&recorder->lock);
    return NULL;
}

/* Starts the thread with all signals blocked: they are the caller's. */
static bool start_thread(FilRecorder* recorder)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    recorder->running = pthread_create(&recorder->thread, NULL, empty_queue, recorder) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return recorder->running;
}

/* ---- creating ---- */

static bool ends_with(const char* text, const char* end)
{
    const size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

/* Finds out what the path means and makes the directory. */
static FilStatus settle_place(FilRecorder* recorder, const char* path, FilError* error)
{
    const FilStorageOps* const both[] = {&fil_mcap_storage, &fil_db3_storage};
    recorder->ops = both[recorder->options.sqlite ? 1 : 0];
    bool single = false;
    for (int i = 0; i < 2 && !single; ++i) {
        single = ends_with(path, both[i]->extension);
        recorder->ops = single ? both[i] : recorder->ops;
    }
    return fil_place_make(&recorder->place, path, single ? NULL : recorder->ops->extension, recorder->options.folders, error);
}

/* After the thread has ended, or never began. */
static void destroy(FilRecorder* recorder)
{
    recorder->ops->destroy(recorder->storage);
    fil_place_close(&recorder->place);
    for (size_t i = 0; i < MAX_BATCHES; ++i) {
        fil_bytes_free(&recorder->batches[i]);
    }
    fil_bag_channels_free(&recorder->channels);
    pthread_cond_destroy(&recorder->work);
    pthread_cond_destroy(&recorder->space);
    pthread_mutex_destroy(&recorder->lock);
    pthread_mutex_destroy(&recorder->storage_lock);
    fil_free(recorder);
}

static void init_locks(FilRecorder* recorder)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&recorder->work, &monotonic);
    pthread_cond_init(&recorder->space, NULL);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&recorder->lock, NULL);
    pthread_mutex_init(&recorder->storage_lock, NULL);
}

FilStatus fil_recorder_create(const char* path, const FilRecorderOptions* options, FilRecorder** recorder, FilError* error)
{
    *recorder = NULL;
    const FilRecorderOptions defaults = fil_recorder_options_default();
    options = options != NULL ? options : &defaults;
    if (path == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "a bag needs a path, not NULL");
    }
    if (options->chunk_bytes == 0 || options->chunk_bytes > FIL_BAG_MAX_MESSAGE || !(options->flush_period > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "%s: chunks must have 1 to %d bytes, and a flush period above 0 s", path, FIL_BAG_MAX_MESSAGE);
    }
    FilRecorder* made = fil_alloc(1, sizeof *made);
    if (made == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", path);
    }
    init_locks(made);
    made->options = *options;
    const size_t wanted = options->queue_bytes / options->chunk_bytes;
    made->batch_count = wanted < MIN_BATCHES ? MIN_BATCHES : wanted > MAX_BATCHES ? MAX_BATCHES : wanted;
    FilStatus status = settle_place(made, path, error);
    if (status == FIL_OK) {
        const FilStorageOptions storage = {.compression = options->compression, .library = options->library};
        status = made->ops->create(&made->place, &storage, &made->storage, error);
        if (status == FIL_OK && !start_thread(made)) {
            status = fil_error(error, FIL_IO, "%s: cannot start the writing thread", path);
            fil_place_remove_file(&made->place, "");
        }
    }
    if (status != FIL_OK) {
        fil_place_remove_folder(&made->place);  // empty: it was made just now
        destroy(made);
        return status;
    }
    *recorder = made;
    return FIL_OK;
}

/* ---- writing ---- */

/* The schema of an earlier channel of the same type and definition, or a new one with the channel's own number. */
static uint16_t schema_of(const FilRecorder* recorder, const FilBagChannel* channel, uint16_t id)
{
    for (size_t i = 0; i < recorder->channels.count; ++i) {
        const FilBagEntry* entry = &recorder->channels.items[i];
        if (strcmp(entry->channel.type, channel->type) == 0 && strcmp(entry->channel.schema_encoding, channel->schema_encoding) == 0 &&
            fil_slice_equal(entry->channel.schema, channel->schema)) {
            return entry->schema_id;
        }
    }
    return id;
}

static FilStatus add_channel(FilRecorder* recorder, const FilBagChannel* channel, uint16_t* id, FilError* error)
{
    if (recorder->status != FIL_OK) {
        return failure(recorder, error);
    }
    if (recorder->channels.count >= FIL_BAG_MAX_CHANNELS || channel->schema.size > FIL_BAG_MAX_MESSAGE) {
        return fil_error(error, FIL_BAD_INPUT, "%s: no room for the channel %s", recorder->place.file, channel->topic);
    }
    *id = (uint16_t)(recorder->channels.count + 1);
    const uint16_t schema = schema_of(recorder, channel, *id);
    FilBytes* batch = open_batch(recorder);
    const size_t before = batch->size;
    if (schema == *id) {
        fil_mcap_put_schema(batch, schema, channel);
    }
    fil_mcap_put_channel(batch, *id, schema, channel);
    if (batch->failed || !fil_bag_channels_add(&recorder->channels, channel, *id, schema)) {
        batch->size = before;
        batch->failed = false;
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", recorder->place.file);
    }
    return FIL_OK;
}

FilStatus fil_recorder_add_channel(FilRecorder* recorder, const FilBagChannel* channel, uint16_t* id, FilError* error)
{
    pthread_mutex_lock(&recorder->lock);
    const FilStatus status = add_channel(recorder, channel, id, error);
    pthread_mutex_unlock(&recorder->lock);
    return status;
}

/* Sees to it that the open batch has room for `size` bytes; false if it has none and the message must be dropped. */
static bool make_room(FilRecorder* recorder, size_t size)
{
    bool waited = false;
    while (recorder->status == FIL_OK && open_batch(recorder)->size > 0 && open_batch(recorder)->size + size > recorder->options.chunk_bytes &&
           !seal(recorder)) {
        if (recorder->options.drop_when_full) {
            recorder->counts.dropped += 1;
            return false;
        }
        recorder->counts.waited += waited ? 0 : 1;
        waited = true;
        pthread_cond_wait(&recorder->space, &recorder->lock);
    }
    return true;
}

static FilStatus add_message(FilRecorder* recorder, const FilBagMessage* message, FilError* error)
{
    if (fil_bag_channels_find(&recorder->channels, message->channel) == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "%s: no channel has the number %u", recorder->place.file, message->channel);
    }
    if (message->data.size > FIL_BAG_MAX_MESSAGE) {
        return fil_error(error, FIL_BAD_INPUT, "%s: a message of %zu bytes; at most %d are allowed", recorder->place.file, message->data.size,
                         FIL_BAG_MAX_MESSAGE);
    }
    const size_t size = FIL_MCAP_PREFIX_SIZE + FIL_MCAP_MESSAGE_SIZE + message->data.size;
    if (!make_room(recorder, size)) {
        return FIL_OK;
    }
    if (recorder->status != FIL_OK) {
        return failure(recorder, error);
    }
    FilBytes* batch = open_batch(recorder);
    const size_t before = batch->size;
    fil_mcap_put_message(batch, message);
    if (batch->failed) {
        batch->size = before;
        batch->failed = false;
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", recorder->place.file);
    }
    recorder->open_has_messages = true;
    return FIL_OK;
}

FilStatus fil_recorder_write(FilRecorder* recorder, const FilBagMessage* message, FilError* error)
{
    pthread_mutex_lock(&recorder->lock);
    const FilStatus status = add_message(recorder, message, error);
    pthread_mutex_unlock(&recorder->lock);
    return status;
}

FilStatus fil_recorder_flush(FilRecorder* recorder, FilError* error)
{
    pthread_mutex_lock(&recorder->lock);
    recorder->flushing = true;
    pthread_cond_signal(&recorder->work);
    while (recorder->flushing) {
        pthread_cond_wait(&recorder->space, &recorder->lock);
    }
    const FilStatus status = recorder->status == FIL_OK ? FIL_OK : failure(recorder, error);
    pthread_mutex_unlock(&recorder->lock);
    return status;
}

FilStatus fil_recorder_attach(FilRecorder* recorder, const FilBagAttachment* attachment, FilError* error)
{
    FilStatus status = fil_recorder_flush(recorder, error);
    if (status == FIL_OK) {
        pthread_mutex_lock(&recorder->storage_lock);
        status = recorder->ops->attach(recorder->storage, attachment, error);
        pthread_mutex_unlock(&recorder->storage_lock);
    }
    return status;
}

FilStatus fil_recorder_describe(FilRecorder* recorder, const char* name, const FilBagPair* pairs, size_t count, FilError* error)
{
    FilStatus status = fil_recorder_flush(recorder, error);
    if (status == FIL_OK) {
        pthread_mutex_lock(&recorder->storage_lock);
        status = recorder->ops->describe(recorder->storage, name, pairs, count, error);
        pthread_mutex_unlock(&recorder->storage_lock);
    }
    return status;
}

FilRecorderCounts fil_recorder_counts(FilRecorder* recorder)
{
    pthread_mutex_lock(&recorder->lock);
    const FilRecorderCounts counts = recorder->counts;
    pthread_mutex_unlock(&recorder->lock);
    return counts;
}

const char* fil_recorder_file(const FilRecorder* recorder)
{
    return recorder->place.file;
}

bool fil_recorder_attaches(const FilRecorder* recorder)
{
    return recorder->ops == &fil_mcap_storage;
}

/* ---- closing ---- */

/* The description of the bag, inside an MCAP file or as metadata.yaml beside the file. */
static FilStatus write_metadata(FilRecorder* recorder, bool inside, FilError* error)
{
    FilBytes text = {0};
    fil_metadata_put(&text, !inside, recorder->ops->identifier, recorder->place.name, &recorder->channels, &recorder->tally);
    FilStatus status = FIL_OK;
    if (inside) {
        fil_bytes_u8(&text, '\0');
    }
    if (text.failed) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", recorder->place.file);
    } else if (inside) {
        const FilBagPair pair = {.key = "serialized_metadata", .value = (const char*)text.data};
        status = recorder->ops->describe(recorder->storage, "rosbag2", &pair, 1, error);
    } else {
        status = fil_place_replace(&recorder->place, "metadata.yaml", (FilSlice){.data = text.data, .size = text.size}, error);
    }
    fil_bytes_free(&text);
    return status;
}

FilStatus fil_recorder_close(FilRecorder* recorder, FilRecorderCounts* counts, FilError* error)
{
    if (recorder == NULL) {
        return FIL_OK;
    }
    pthread_mutex_lock(&recorder->lock);
    recorder->closing = true;
    pthread_cond_signal(&recorder->work);
    pthread_mutex_unlock(&recorder->lock);
    pthread_join(recorder->thread, NULL);

    // the first failure is the one to tell; what can still be written is written all the same
    FilStatus status = recorder->status == FIL_OK ? FIL_OK : failure(recorder, error);
    FilStatus steps[3] = {FIL_OK, FIL_OK, FIL_OK};
    FilError errors[3] = {{""}, {""}, {""}};
    if (fil_recorder_attaches(recorder)) {
        steps[0] = write_metadata(recorder, true, &errors[0]);
    }
    steps[1] = recorder->ops->finish(recorder->storage, &recorder->channels, &recorder->tally, &errors[1]);
    if (recorder->place.directory[0] != '\0') {
        steps[2] = write_metadata(recorder, false, &errors[2]);
    }
    for (int i = 0; i < 3 && status == FIL_OK; ++i) {
        if (steps[i] != FIL_OK) {
            status = fil_error(error, steps[i], "%s", errors[i].text);
        }
    }
    if (counts != NULL) {
        *counts = recorder->counts;
    }
    destroy(recorder);
    return status;
}
