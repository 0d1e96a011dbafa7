/* Owns `filum bag export`: the messages of a bag as CSV, one file per topic, one column per number or text.
 *
 * Arrays may change their length from message to message, so the bag is read twice: once for the columns of every
 * topic, once for the rows. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bag.h"
#include "base/error.h"
#include "base/hash.h"
#include "csv.h"

/* A million numbers a message, as of a cloud of some 3e5 points; a table that is wider no program reads. */
enum { MAX_COLUMNS = 1 << 20 };

/* The columns of a topic, found by name through a hash table of 1 + index. */
typedef struct Columns {
    char** names;
    size_t count, capacity;
    uint32_t* slots;
    size_t slot_count; /* a power of two, at least twice `capacity` */
} Columns;

typedef struct Sheet {
    bool wanted;
    FilDecoder* decoder;
    Columns columns;
    FILE* file;
    FilBytes cells; /* the texts of a row */
    size_t* places; /* by column: 1 + where in `cells`; 0 if empty */
    bool failed;    /* out of memory, or too many columns */
    uint64_t rows, unreadable;
} Sheet;

/* ---- columns ---- */

/* The slot of a name, or the empty one where it would go. */
static uint32_t* find_slot(const Columns* columns, const char* name)
{
    size_t at = (size_t)fil_hash_bytes(FIL_HASH_SEED, name, strlen(name)) & (columns->slot_count - 1);
    while (columns->slots[at] != 0 && strcmp(columns->names[columns->slots[at] - 1], name) != 0) {
        at = (at + 1) & (columns->slot_count - 1);
    }
    return &columns->slots[at];
}

static bool grow_columns(Columns* columns)
{
    const size_t capacity = columns->capacity == 0 ? 64 : 2 * columns->capacity;
    char** names = realloc(columns->names, capacity * sizeof *names);
    columns->names = names != NULL ? names : columns->names;
    uint32_t* slots = calloc(2 * capacity, sizeof *slots);
    if (names == NULL || slots == NULL || capacity > MAX_COLUMNS) {
        free(slots);
        return false;
    }
    free(columns->slots);
    columns->slots = slots;
    columns->slot_count = 2 * capacity;
    columns->capacity = capacity;
    for (size_t i = 0; i < columns->count; ++i) {
        *find_slot(columns, names[i]) = (uint32_t)i + 1;
    }
    return true;
}

static void note_column(void* context, const char* path, const char* value)
{
    Sheet* sheet = context;
    Columns* columns = &sheet->columns;
    (void)value;
    if (sheet->failed || (columns->count == columns->capacity && !grow_columns(columns))) {
        sheet->failed = true;
        return;
    }
    uint32_t* slot = find_slot(columns, path);
    if (*slot == 0) {
        columns->names[columns->count] = strdup(path);
        sheet->failed = columns->names[columns->count] == NULL;
        columns->count += sheet->failed ? 0 : 1;
        *slot = sheet->failed ? 0 : (uint32_t)columns->count;
    }
}

static void note_cell(void* context, const char* path, const char* value)
{
    Sheet* sheet = context;
    const uint32_t column = sheet->columns.count > 0 ? *find_slot(&sheet->columns, path) : 0;
    if (column > 0) {
        sheet->places[column - 1] = sheet->cells.size + 1;
        fil_bytes_put(&sheet->cells, value, strlen(value) + 1);
    }
}

static void free_sheet(Sheet* sheet)
{
    for (size_t i = 0; i < sheet->columns.count; ++i) {
        free(sheet->columns.names[i]);
    }
    free(sheet->columns.names);
    free(sheet->columns.slots);
    free(sheet->places);
    fil_bytes_free(&sheet->cells);
    fil_decoder_destroy(sheet->decoder);
    if (sheet->file != NULL) {
        fclose(sheet->file);
    }
}

/* ---- the two passes ---- */

typedef struct Export {
    const char* topic;  /* the only one wanted, or NULL */
    const char* folder; /* where the files go */
    FilReader* reader;
    Sheet* sheets; /* by the index of the channel */
    size_t sheet_count;
} Export;

/* A channel without definition gets it from those known here. */
static FilStatus create_decoder(const FilBagChannel* channel, FilDecoder** decoder, FilError* error)
{
    FilDefinitionPlaces places = {0};
    FilBytes text = {0};
    FilBagChannel defined = *channel;
    FilStatus status = FIL_OK;
    if (channel->schema.size == 0) {
        status = fil_definition_join(channel->type, fil_definition_find, &places, &text, error);
        defined.schema_encoding = "ros2msg";
        defined.schema = (FilSlice){.data = text.data, .size = text.size};
    }
    if (status == FIL_OK) {
        status = fil_decoder_create(&defined, decoder, error);
    }
    fil_bytes_free(&text);
    return status;
}

/* The sheet of a message; new channels get theirs. */
static Sheet* sheet_of(Export* export, const FilBagMessage* message, FilError* error)
{
    const FilBagChannels* channels = fil_reader_channels(export->reader);
    const size_t index = (size_t)(fil_bag_channels_find(channels, message->channel) - channels->items);
    if (channels->count > export->sheet_count) {
        Sheet* sheets = realloc(export->sheets, channels->count * sizeof *sheets);
        if (sheets == NULL) {
            fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
            return NULL;
        }
        export->sheets = sheets;
        for (; export->sheet_count < channels->count; ++export->sheet_count) {
            const FilBagChannel* channel = &channels->items[export->sheet_count].channel;
            Sheet* sheet = &sheets[export->sheet_count];
            *sheet = (Sheet){.wanted = export->topic == NULL || strcmp(export->topic, channel->topic) == 0};
            FilError reason = {""};
            const FilStatus status = sheet->wanted ? create_decoder(channel, &sheet->decoder, &reason) : FIL_OK;
            if (status == FIL_OUT_OF_MEMORY) {
                export->sheet_count += 1;
                fil_error(error, status, "%s: %s", channel->topic, reason.text);
                return NULL;
            }
            if (status != FIL_OK) {
                sheet->wanted = false;
                fil_cli_fail("bag export", 0, "%s; left out", reason.text);
            }
        }
    }
    return &export->sheets[index];
}

static bool write_row(Sheet* sheet, const FilBagMessage* message)
{
    memset(sheet->places, 0, sheet->columns.count * sizeof *sheet->places);
    fil_bytes_clear(&sheet->cells);
    const FilStatus status = fil_decoder_walk(sheet->decoder, message->data, note_cell, sheet);
    sheet->failed = status == FIL_OUT_OF_MEMORY || sheet->cells.failed;
    if (status != FIL_OK || sheet->failed) {
        sheet->unreadable += sheet->failed ? 0 : 1;
        return true;
    }
    fprintf(sheet->file, "%" PRIu64 ".%09" PRIu64, message->log_time / 1000000000, message->log_time % 1000000000);
    for (size_t i = 0; i < sheet->columns.count; ++i) {
        fil_csv_text(sheet->file, sheet->places[i] > 0 ? (const char*)sheet->cells.data + sheet->places[i] - 1 : "", false);
    }
    sheet->rows += 1;
    return fputc('\n', sheet->file) != EOF;
}

/* FOLDER/rod_states.csv of /rod_states; its first line. */
static bool open_sheet(const Export* export, Sheet* sheet, const char* topic, FilError* error)
{
    char path[FIL_BAG_PATH];
    const int size = snprintf(path, sizeof path, "%s/%s.csv", export->folder, topic[0] == '/' ? topic + 1 : topic);
    if (size < 0 || (size_t)size >= sizeof path) {
        fil_error(error, FIL_BAD_INPUT, "%s: the name is too long", topic);
        return false;
    }
    for (char* c = path + strlen(export->folder) + 1; *c != '\0'; ++c) {
        *c = *c == '/' ? '.' : *c;
    }
    sheet->places = calloc(sheet->columns.count + 1, sizeof *sheet->places);
    sheet->file = fopen(path, "wx");
    if (sheet->places == NULL || sheet->file == NULL) {
        fil_error(error, FIL_IO, "%s: cannot be created: %s", path, strerror(errno));
        return false;
    }
    fil_csv_text(sheet->file, "log_time", true);
    for (size_t i = 0; i < sheet->columns.count; ++i) {
        fil_csv_text(sheet->file, sheet->columns.names[i], false);
    }
    fputc('\n', sheet->file);
    return true;
}

static bool pass(Export* export, bool rows, FilError* error)
{
    for (;;) {
        FilBagMessage message;
        bool found = false;
        if (fil_reader_next(export->reader, &message, &found, error) != FIL_OK) {
            return false;
        }
        if (!found) {
            return true;
        }
        Sheet* sheet = sheet_of(export, &message, error);
        if (sheet == NULL) {
            return false;
        }
        if (!sheet->wanted) {
            continue;
        }
        const char* topic = fil_bag_channels_find(fil_reader_channels(export->reader), message.channel)->channel.topic;
        if (!rows) {
            // what cannot be read is counted in the second pass
            const FilStatus status = fil_decoder_walk(sheet->decoder, message.data, note_column, sheet);
            sheet->failed = sheet->failed || status == FIL_OUT_OF_MEMORY;
        } else if ((sheet->file == NULL && !open_sheet(export, sheet, topic, error))) {
            return false;
        } else if (!write_row(sheet, &message)) {
            fil_error(error, FIL_IO, "%s: cannot write its rows: %s", topic, strerror(errno));
            return false;
        }
        if (sheet->failed) {
            fil_error(error, FIL_BAD_INPUT, "%s: more than %d columns, or out of memory", topic, MAX_COLUMNS);
            return false;
        }
    }
}

static bool export_all(Export* export, FilError* error)
{
    if (!pass(export, false, error) || fil_reader_select(export->reader, 0, UINT64_MAX, error) != FIL_OK || !pass(export, true, error)) {
        return false;
    }
    bool any = false;
    for (size_t i = 0; i < export->sheet_count; ++i) {
        Sheet* sheet = &export->sheets[i];
        const char* topic = fil_reader_channels(export->reader)->items[i].channel.topic;
        if (sheet->file == NULL) {
            continue;
        }
        any = true;
        const bool good = !ferror(sheet->file) && fclose(sheet->file) == 0;
        sheet->file = NULL;
        if (!good) {
            fil_error(error, FIL_IO, "%s: cannot write its rows: %s", topic, strerror(errno));
            return false;
        }
        printf("%-24s %10" PRIu64 " rows, %zu columns", topic, sheet->rows, sheet->columns.count + 1);
        printf(sheet->unreadable > 0 ? ", %" PRIu64 " messages do not fit their definition\n" : "\n", sheet->unreadable);
    }
    if (!any) {
        fil_error(error, FIL_BAD_INPUT, "there is nothing to write%s%s", export->topic ? " of " : "", export->topic ? export->topic : "");
    }
    return any;
}

int fil_bag_export(int argc, char** argv)
{
    bool csv = false;
    Export export = {0};
    const FilOption options[] = {
        {"--csv", FIL_OPTION_FLAG, &csv, NULL, "as CSV, which is the only way for now"},
        {"--topic", FIL_OPTION_TEXT, &export.topic, "NAME", "only this one"},
        {"--output", FIL_OPTION_TEXT, &export.folder, "DIR", "a new directory for the files; BAG_csv if not given"},
    };
    const FilUsage usage = {
        .command = "bag export",
        .arguments = "BAG",
        .about =
            "Writes the messages of a bag as CSV, one file per topic: the time in s, then a column for every number\n"
            "and text, named as in header.stamp.sec or positions[3].",
        .min_arguments = 1,
        .max_arguments = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    char path[FIL_BAG_PATH], folder[FIL_BAG_PATH];
    FilError error = {""};
    const FilReaderOptions reading = fil_reader_options_default();
    if (!fil_bag_find(argv[1], path, sizeof path, &error) || fil_reader_open(path, &reading, &export.reader, &error) != FIL_OK) {
        return fil_cli_fail("bag export", FIL_EXIT_USAGE, "%s", error.text);
    }
    if (export.folder == NULL && fil_bag_derive(argv[1], "_csv", false, folder, sizeof folder)) {
        export.folder = folder;
    }
    if (export.folder == NULL || mkdir(export.folder, 0777) != 0) {
        fil_reader_close(export.reader);
        return fil_cli_fail("bag export", FIL_EXIT_USAGE, "%s: cannot be created: %s", export.folder, strerror(errno));
    }
    const bool good = export_all(&export, &error);
    uint64_t unreadable = 0;
    for (size_t i = 0; i < export.sheet_count; ++i) {
        unreadable += export.sheets[i].unreadable;
        free_sheet(&export.sheets[i]);
    }
    free(export.sheets);
    fil_reader_close(export.reader);
    if (good && unreadable > 0) {
        return fil_cli_fail("bag export", FIL_EXIT_FAILED, "%" PRIu64 " messages do not fit the definition of their type", unreadable);
    }
    return good ? FIL_EXIT_DONE : fil_cli_fail("bag export", FIL_EXIT_FAILED, "%s", error.text);
}
