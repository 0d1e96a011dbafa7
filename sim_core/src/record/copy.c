/* Owns the copying of bags. */
#include "record/copy.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/reader.h"

typedef struct Copier {
    FilReader* reader;
    FilRecorder* recorder; /* made when the source's compression is known */
    const char* target;
    FilCopyRevise revise;
    void* context;
    FilCopyReport* report;
    uint16_t numbers[FIL_BAG_MAX_CHANNELS + 1]; /* of the copy, by those of the source; 0 if not copied yet */
    size_t channel_count;                       /* copied so far, and likewise */
    size_t attachments_seen, metadata_seen;
    FilBytes kept; /* a message, while something else is read */
} Copier;

static FilStatus ensure_recorder(Copier* copier, FilError* error)
{
    if (copier->recorder != NULL) {
        return FIL_OK;
    }
    FilRecorderOptions options = fil_recorder_options_default();
    options.compression = fil_reader_info(copier->reader).compression;
    return fil_recorder_create(copier->target, &options, &copier->recorder, error);
}

/* Copies the channels that have become known since the last time. */
static FilStatus copy_channels(Copier* copier, FilError* error)
{
    const FilBagChannels* channels = fil_reader_channels(copier->reader);
    FilStatus status = ensure_recorder(copier, error);
    for (; status == FIL_OK && copier->channel_count < channels->count; ++copier->channel_count) {
        const FilBagEntry* entry = &channels->items[copier->channel_count];
        FilBagChannel channel = entry->channel;
        if (copier->revise != NULL) {
            copier->revise(copier->context, &channel);
        }
        status = fil_recorder_add_channel(copier->recorder, &channel, &copier->numbers[entry->id], error);
    }
    return status;
}

/* Copies attachments and metadata that have become known since the last time, so that they keep their place among the
 * messages; rosbag2's own metadata is written anew. Damaged ones are counted. */
static FilStatus copy_extras(Copier* copier, FilError* error)
{
    const FilReaderInfo info = fil_reader_info(copier->reader);
    FilError damage = {""};
    while (copier->attachments_seen < info.attachment_count) {
        FilBagAttachment attachment;
        FilStatus status = fil_reader_attachment(copier->reader, copier->attachments_seen++, &attachment, &damage);
        if (status == FIL_OUT_OF_MEMORY) {
            return fil_error(error, status, "%s", damage.text);
        }
        if (status != FIL_OK) {
            copier->report->lost_extras += 1;
            continue;
        }
        status = fil_recorder_attach(copier->recorder, &attachment, error);
        if (status != FIL_OK) {
            return status;
        }
    }
    while (copier->metadata_seen < info.metadata_count) {
        FilReaderMetadata metadata;
        FilStatus status = fil_reader_metadata(copier->reader, copier->metadata_seen++, &metadata, &damage);
        if (status == FIL_OUT_OF_MEMORY) {
            return fil_error(error, status, "%s", damage.text);
        }
        if (status != FIL_OK) {
            copier->report->lost_extras += 1;
            continue;
        }
        status = strcmp(metadata.name, "rosbag2") == 0
                     ? FIL_OK
                     : fil_recorder_describe(copier->recorder, metadata.name, metadata.pairs, metadata.count, error);
        if (status != FIL_OK) {
            return status;
        }
    }
    return FIL_OK;
}

/* What lies in front of a message; its bytes are kept, since reading something else moves them. */
static FilStatus copy_extras_before(Copier* copier, FilBagMessage* message, FilError* error)
{
    const FilReaderInfo info = fil_reader_info(copier->reader);
    if (copier->attachments_seen == info.attachment_count && copier->metadata_seen == info.metadata_count) {
        return FIL_OK;
    }
    fil_bytes_clear(&copier->kept);
    fil_bytes_put(&copier->kept, message->data.data, message->data.size);
    if (copier->kept.failed) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", copier->target);
    }
    message->data = (FilSlice){.data = copier->kept.data, .size = copier->kept.size};
    return copy_extras(copier, error);
}

static FilStatus copy_messages(Copier* copier, FilError* error)
{
    for (;;) {
        FilBagMessage message;
        bool found = false;
        const FilStatus read = fil_reader_next(copier->reader, &message, &found, &copier->report->stop);
        if (read == FIL_OUT_OF_MEMORY) {
            return fil_error(error, read, "%s", copier->report->stop.text);
        }
        if (!found) {
            return copy_channels(copier, error);  // also those without messages
        }
        FilStatus status = copy_channels(copier, error);
        if (status == FIL_OK) {
            status = copy_extras_before(copier, &message, error);
        }
        if (status == FIL_OK) {
            message.channel = copier->numbers[message.channel];
            status = fil_recorder_write(copier->recorder, &message, error);
        }
        if (status != FIL_OK) {
            return status;
        }
        copier->report->messages += 1;
    }
}

FilStatus fil_bag_copy(const char* source, const char* target, FilCopyRevise revise, void* context, FilCopyReport* report, FilError* error)
{
    *report = (FilCopyReport){0};
    Copier* copier = fil_alloc(1, sizeof *copier);
    if (copier == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", target);
    }
    *copier = (Copier){.target = target, .revise = revise, .context = context, .report = report};
    FilReaderOptions options = fil_reader_options_default();
    options.salvage = true;
    FilStatus status = fil_reader_open(source, &options, &copier->reader, error);
    if (status == FIL_OK) {
        status = copy_messages(copier, error);
    }
    if (status == FIL_OK) {
        status = copy_extras(copier, error);
    }
    if (copier->reader != NULL) {
        const FilReaderInfo info = fil_reader_info(copier->reader);
        report->partial_messages = info.partial_messages;
        report->damaged_chunks = info.damaged_chunks;
        report->ended = info.ended;
    }
    FilError closing = {""};
    const FilStatus closed = fil_recorder_close(copier->recorder, NULL, &closing);
    if (status == FIL_OK && closed != FIL_OK) {
        status = fil_error(error, closed, "%s", closing.text);
    }
    fil_reader_close(copier->reader);
    fil_bytes_free(&copier->kept);
    fil_free(copier);
    return status;
}
