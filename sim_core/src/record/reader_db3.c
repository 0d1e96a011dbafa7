/* Owns the reading of rosbag2's SQLite files, of any release: topics, messages in order of time, and the definitions
 * that Iron and later keep in them. */
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/reader_impl.h"

struct FilDb3Reader {
    sqlite3* connection;
    sqlite3_stmt* messages;
    uint32_t sequence[FIL_BAG_MAX_CHANNELS + 1]; /* messages given out, by topic */
};

static FilStatus complain(const FilReader* reader, FilError* error)
{
    const FilDb3Reader* database = reader->database;
    return fil_error(error, FIL_BAD_INPUT, "%s: SQLite: %s", reader->path, sqlite3_errmsg(database->connection));
}

/* A text of the current row; "" for none. Texts end at their first NUL. */
static const char* text_at(sqlite3_stmt* statement, int column)
{
    const char* text = (const char*)sqlite3_column_text(statement, column);
    return text != NULL ? text : "";
}

/* ---- topics ---- */

/* The definition that a file of Iron or later has of a type. */
static sqlite3_stmt* find_definition(const FilDb3Reader* database, const char* type)
{
    sqlite3_stmt* statement = NULL;
    if (sqlite3_prepare_v2(database->connection, "SELECT encoding, encoded_message_definition FROM message_definitions WHERE topic_type = ?", -1,
                           &statement, NULL) != SQLITE_OK) {
        return NULL;
    }
    sqlite3_bind_text(statement, 1, type, -1, SQLITE_TRANSIENT);
    if (sqlite3_step(statement) != SQLITE_ROW) {
        sqlite3_finalize(statement);
        return NULL;
    }
    return statement;
}

static FilStatus add_topic(FilReader* reader, sqlite3_stmt* row, FilError* error)
{
    const sqlite3_int64 id = sqlite3_column_int64(row, 0);
    if (id < 1 || id > FIL_BAG_MAX_CHANNELS || reader->channels.text_bytes > FIL_READER_MAX_TEXT ||
        fil_bag_channels_find(&reader->channels, (uint16_t)id) != NULL) {
        return fil_error(error, FIL_BAD_INPUT, "%s: topic %lld: its number is not possible, or taken, or topics are too long", reader->path,
                         (long long)id);
    }
    const char* type = text_at(row, 2);
    sqlite3_stmt* definition = find_definition(reader->database, type);
    const FilBagPair property = {FIL_BAG_QOS_KEY, text_at(row, 4)};
    FilBagChannel channel = {
        .topic = text_at(row, 1),
        .type = type,
        .encoding = text_at(row, 3),
        .schema_encoding = "",
        .schema = {.data = (const uint8_t*)"", .size = 0},
        .properties = &property,
        .property_count = 1,
    };
    if (definition != NULL && strcmp(text_at(definition, 0), "ros2msg") == 0) {
        channel.schema_encoding = "ros2msg";
        channel.schema.data = (const uint8_t*)text_at(definition, 1);
        channel.schema.size = strlen((const char*)channel.schema.data);
    }
    const bool added = fil_bag_channels_add(&reader->channels, &channel, (uint16_t)id, (uint16_t)id);
    sqlite3_finalize(definition);
    if (!added) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", reader->path);
    }
    fil_bag_channels_find(&reader->channels, (uint16_t)id)->message_count = (uint64_t)sqlite3_column_int64(row, 5);
    return FIL_OK;
}

static FilStatus read_topics(FilReader* reader, FilError* error)
{
    // Dashing's files have no QoS
    static const char* const queries[] = {
        "SELECT id, name, type, serialization_format, offered_qos_profiles,"
        " (SELECT count(*) FROM messages WHERE topic_id = topics.id) FROM topics ORDER BY id",
        "SELECT id, name, type, serialization_format, '',"
        " (SELECT count(*) FROM messages WHERE topic_id = topics.id) FROM topics ORDER BY id",
    };
    sqlite3_stmt* row = NULL;
    for (int i = 0; row == NULL && i < 2; ++i) {
        if (sqlite3_prepare_v2(reader->database->connection, queries[i], -1, &row, NULL) != SQLITE_OK && i == 1) {
            return complain(reader, error);
        }
    }
    FilStatus status = FIL_OK;
    int code = SQLITE_OK;
    while (status == FIL_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
        status = add_topic(reader, row, error);
    }
    if (status == FIL_OK && code != SQLITE_DONE) {
        status = complain(reader, error);
    }
    sqlite3_finalize(row);
    return status;
}

static FilStatus read_totals(FilReader* reader, FilError* error)
{
    sqlite3_stmt* row = NULL;
    if (sqlite3_prepare_v2(reader->database->connection, "SELECT count(*), min(timestamp), max(timestamp) FROM messages", -1, &row, NULL) !=
            SQLITE_OK ||
        sqlite3_step(row) != SQLITE_ROW) {
        const FilStatus status = complain(reader, error);
        sqlite3_finalize(row);
        return status;
    }
    reader->info.message_count = (uint64_t)sqlite3_column_int64(row, 0);
    reader->info.start_time = (uint64_t)sqlite3_column_int64(row, 1);
    reader->info.end_time = (uint64_t)sqlite3_column_int64(row, 2);
    sqlite3_finalize(row);
    return FIL_OK;
}

/* ---- life ---- */

FilStatus fil_db3_reader_open(FilReader* reader, FilError* error)
{
    struct stat file;
    reader->database = fil_alloc(1, sizeof *reader->database);
    if (reader->database == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", reader->path);
    }
    if (sqlite3_open_v2(reader->path, &reader->database->connection, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        return complain(reader, error);
    }
    sqlite3_limit(reader->database->connection, SQLITE_LIMIT_LENGTH, FIL_BAG_MAX_MESSAGE);
    reader->info.profile = "ros2";
    reader->info.library = "rosbag2, SQLite";
    reader->info.size = stat(reader->path, &file) == 0 ? (uint64_t)file.st_size : 0;
    reader->info.summarised = true;
    reader->info.ended = true;
    FilStatus status = read_topics(reader, error);
    if (status == FIL_OK) {
        status = read_totals(reader, error);
    }
    return status == FIL_OK ? fil_db3_reader_restart(reader, error) : status;
}

void fil_db3_reader_close(FilDb3Reader* database)
{
    if (database != NULL) {
        sqlite3_finalize(database->messages);
        sqlite3_close(database->connection);
        fil_free(database);
    }
}

/* ---- messages ---- */

FilStatus fil_db3_reader_restart(FilReader* reader, FilError* error)
{
    FilDb3Reader* database = reader->database;
    // front to back is the order of writing
    const bool by_time = !reader->options.front_to_back && !reader->options.salvage;
    const char* query = by_time ? "SELECT topic_id, timestamp, data FROM messages WHERE timestamp BETWEEN ? AND ?"
                                  " ORDER BY timestamp, id"
                                : "SELECT topic_id, timestamp, data FROM messages WHERE timestamp BETWEEN ? AND ?"
                                  " ORDER BY id";
    sqlite3_finalize(database->messages);
    database->messages = NULL;
    memset(database->sequence, 0, sizeof database->sequence);
    if (sqlite3_prepare_v2(database->connection, query, -1, &database->messages, NULL) != SQLITE_OK) {
        return complain(reader, error);
    }
    // SQLite's numbers have a sign
    const uint64_t bounds[2] = {reader->select_start, reader->select_end};
    for (int i = 0; i < 2; ++i) {
        sqlite3_bind_int64(database->messages, i + 1, bounds[i] > INT64_MAX ? INT64_MAX : (sqlite3_int64)bounds[i]);
    }
    return FIL_OK;
}

FilStatus fil_db3_reader_next(FilReader* reader, FilBagMessage* message, bool* found, FilError* error)
{
    FilDb3Reader* database = reader->database;
    *found = false;
    const int code = sqlite3_step(database->messages);
    if (code == SQLITE_DONE) {
        return FIL_OK;
    }
    if (code != SQLITE_ROW) {
        return complain(reader, error);
    }
    const sqlite3_int64 topic = sqlite3_column_int64(database->messages, 0);
    const sqlite3_int64 time = sqlite3_column_int64(database->messages, 1);
    if (topic < 1 || topic > FIL_BAG_MAX_CHANNELS) {
        return fil_error(error, FIL_BAD_INPUT, "%s: a message has a topic that is not there", reader->path);
    }
    const void* data = sqlite3_column_blob(database->messages, 2);
    *message = (FilBagMessage){
        .channel = (uint16_t)topic,
        .sequence = database->sequence[topic]++,
        .log_time = (uint64_t)time,
        .publish_time = (uint64_t)time,
        .data = {.data = data != NULL ? data : (const uint8_t*)"", .size = (size_t)sqlite3_column_bytes(database->messages, 2)},
    };
    *found = true;
    return FIL_OK;
}
