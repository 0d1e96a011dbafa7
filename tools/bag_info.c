/* Owns `filum bag info`, and finding the file of a bag. */
#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "bag.h"
#include "base/error.h"
#include "base/json.h"

static bool ends_with(const char* text, const char* end)
{
    const size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

bool fil_bag_find(const char* bag, char* path, size_t size, FilError* error)
{
    struct stat status;
    if (stat(bag, &status) != 0) {
        fil_error(error, FIL_IO, "%s: there is no such bag", bag);
        return false;
    }
    int found = 0;
    if (!S_ISDIR(status.st_mode)) {
        found = 1;
        snprintf(path, size, "%s", bag);
    }
    DIR* folder = found == 0 ? opendir(bag) : NULL;
    for (const struct dirent* entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (ends_with(entry->d_name, ".mcap") || ends_with(entry->d_name, ".db3")) {
            found += 1;
            snprintf(path, size, "%s/%s", bag, entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    if (found != 1) {
        fil_error(error, FIL_BAD_INPUT, found == 0 ? "%s: has no .mcap and no .db3 file" : "%s: has several files of messages; name one", bag);
    }
    return found == 1;
}

bool fil_bag_derive(const char* bag, const char* ending, bool keep_extension, char* path, size_t size)
{
    size_t length = strlen(bag);
    while (length > 1 && bag[length - 1] == '/') {
        length -= 1;
    }
    const bool database = ends_with(bag, ".db3");
    const bool file = database || ends_with(bag, ".mcap");
    length -= file ? strlen(database ? ".db3" : ".mcap") : 0;
    const int written = snprintf(path, size, "%.*s%s%s", (int)length, bag, ending, file && keep_extension ? ".mcap" : "");
    return written > 0 && (size_t)written < size;
}

FilStatus fil_bag_read_through(FilReader* reader, FilError* error)
{
    FilStatus status = FIL_OK;
    for (bool found = !fil_reader_info(reader).summarised; found && status == FIL_OK;) {
        FilBagMessage message;
        status = fil_reader_next(reader, &message, &found, error);
    }
    return status;
}

static void print_info(const FilReader* reader)
{
    const FilReaderInfo info = fil_reader_info(reader);
    const FilBagChannels* channels = fil_reader_channels(reader);
    const char* compression = fil_compression_name(info.compression);
    printf("%s\n", info.path);
    printf("written by %s (profile %s)\n", info.library, info.profile);
    printf("size       %" PRIu64 " bytes in %" PRIu64 " chunks, compression %s\n", info.size, info.chunk_count,
           compression[0] != '\0' ? compression : "none");
    printf("time       %.9f s to %.9f s\n", (double)info.start_time * 1e-9, (double)info.end_time * 1e-9);
    printf("messages   %" PRIu64 "%s\n", info.message_count,
           info.summarised ? "" : (info.ended ? " (no summary)" : " (cut off or still being written: filum bag repair)"));
    for (size_t i = 0; i < channels->count; ++i) {
        const FilBagEntry* entry = &channels->items[i];
        printf("  %-24s %10" PRIu64 "  %s%s\n", entry->channel.topic, entry->message_count, entry->channel.type,
               entry->channel.schema.size > 0 ? "" : " (no definition: filum bag add-definitions)");
    }
    printf("attachments %zu, metadata %zu\n", info.attachment_count, info.metadata_count);
}

static void print_json(const FilReader* reader)
{
    const FilReaderInfo info = fil_reader_info(reader);
    const FilBagChannels* channels = fil_reader_channels(reader);
    FilJson json = {.out = stdout};
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "path", info.path);
    fil_json_text(&json, "library", info.library);
    fil_json_text(&json, "compression", fil_compression_name(info.compression));
    fil_json_integer(&json, "size", info.size);
    fil_json_integer(&json, "chunks", info.chunk_count);
    fil_json_boolean(&json, "summary", info.summarised);
    fil_json_integer(&json, "start_time", info.start_time);
    fil_json_integer(&json, "end_time", info.end_time);
    fil_json_integer(&json, "messages", info.message_count);
    fil_json_integer(&json, "attachments", info.attachment_count);
    fil_json_integer(&json, "metadata", info.metadata_count);
    fil_json_open(&json, "topics", '[');
    for (size_t i = 0; i < channels->count; ++i) {
        fil_json_open(&json, NULL, '{');
        fil_json_text(&json, "topic", channels->items[i].channel.topic);
        fil_json_text(&json, "type", channels->items[i].channel.type);
        fil_json_integer(&json, "messages", channels->items[i].message_count);
        fil_json_boolean(&json, "definition", channels->items[i].channel.schema.size > 0);
        fil_json_close(&json, '}');
    }
    fil_json_close(&json, ']');
    fil_json_close(&json, '}');
}

int fil_bag_info(int argc, char** argv)
{
    bool json = false;
    const FilOption options[] = {{"--json", FIL_OPTION_FLAG, &json, NULL, "print one object"}};
    const FilUsage usage = {
        .command = "bag info",
        .arguments = "BAG",
        .about = "Says what a bag (a directory, an .mcap or a .db3 file) contains. One without summary is read to its end.",
        .min_arguments = 1,
        .max_arguments = 1,
        .options = options,
        .option_count = 1,
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    char path[FIL_BAG_PATH];
    FilError error = {""};
    FilReader* reader = NULL;
    const FilReaderOptions reading = fil_reader_options_default();
    if (!fil_bag_find(argv[1], path, sizeof path, &error) || fil_reader_open(path, &reading, &reader, &error) != FIL_OK) {
        return fil_cli_fail("bag info", FIL_EXIT_USAGE, "%s", error.text);
    }
    const FilStatus status = fil_bag_read_through(reader, &error);
    json ? print_json(reader) : print_info(reader);
    fil_reader_close(reader);
    return status == FIL_OK ? FIL_EXIT_DONE : fil_cli_fail("bag info", FIL_EXIT_FAILED, "%s", error.text);
}
