/* Owns the writing of rosbag2's SQLite files (schema 3, Humble's default storage). A batch is a transaction. SQLite has
 * no place for definitions and attachments: definitions are left out, attachments refused by name. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/mcap.h"
#include "record/metadata.h"
#include "record/storage.h"

typedef struct Database {
    sqlite3* connection;
    sqlite3_stmt* insert_topic;
    sqlite3_stmt* insert_message;
    sqlite3_stmt* insert_metadata;
    char* path;
    FilBytes types; /* by schema number: where its name is in `names`, as u32 */
    FilBytes names;
} Database;

static const char tables[] =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "BEGIN;"
    "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);"
    "CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);"
    "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,"
    " serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
    " data BLOB NOT NULL);"
    "CREATE INDEX timestamp_idx ON messages (timestamp ASC);"
    "INSERT INTO schema(schema_version, ros_distro) VALUES (3, 'humble');"
    "COMMIT;";

static FilStatus complain(const Database* database, FilError* error)
{
    return fil_error(error, FIL_IO, "%s: SQLite: %s", database->path, sqlite3_errmsg(database->connection));
}

static void destroy(void* storage)
{
    Database* database = storage;
    if (database == NULL) {
        return;
    }
    sqlite3_finalize(database->insert_topic);
    sqlite3_finalize(database->insert_message);
    sqlite3_finalize(database->insert_metadata);
    sqlite3_close(database->connection);
    fil_bytes_free(&database->types);
    fil_bytes_free(&database->names);
    fil_free(database->path);
    fil_free(database);
}

static bool prepare(Database* database, const char* text, sqlite3_stmt** statement)
{
    return sqlite3_prepare_v2(database->connection, text, -1, statement, NULL) == SQLITE_OK;
}

/* ---- names that begin with a handle ---- */

#define BY_HANDLE "filum_by_handle"

/* The usual one replaces links in a name by where they lead, that to a handle included, and so would look for the journals by a path. */
static int keep_name(sqlite3_vfs* vfs, const char* name, int size, char* full)
{
    (void)vfs;
    return snprintf(full, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* SQLite's usual system, which opens files without following a link at their end, with names as they are */
static void register_by_handle(void)
{
    static sqlite3_vfs by_handle;
    const sqlite3_vfs* usual = sqlite3_vfs_find(NULL);
    if (usual != NULL) {
        by_handle = *usual;
        by_handle.pNext = NULL;
        by_handle.zName = BY_HANDLE;
        by_handle.xFullPathname = keep_name;
        sqlite3_vfs_register(&by_handle, 0);
    }
}

/* SQLite has names only: one that begins with the folder's handle, for which links on its path do not matter, where that is asked for. */
static bool connect(const FilPlace* place, sqlite3** connection)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    if (!place->bound) {
        return sqlite3_open_v2(place->file, connection, flags, NULL) == SQLITE_OK;
    }
    char name[FIL_PLACE_PATH + 64];
    snprintf(name, sizeof name, "/proc/self/fd/%d/%s", place->folder, place->name);
    return pthread_once(&once, register_by_handle) == 0 && sqlite3_open_v2(name, connection, flags, BY_HANDLE) == SQLITE_OK;
}

static bool open_database(Database* database, const FilPlace* place)
{
    return connect(place, &database->connection) && sqlite3_exec(database->connection, tables, NULL, NULL, NULL) == SQLITE_OK &&
           prepare(database,
                   "INSERT INTO topics(id, name, type, serialization_format, offered_qos_profiles)"
                   " VALUES (?, ?, ?, ?, ?)",
                   &database->insert_topic) &&
           prepare(database, "INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)", &database->insert_message) &&
           prepare(database, "INSERT INTO metadata(metadata_version, metadata) VALUES (5, ?)", &database->insert_metadata);
}

/* Removes a file that has no tables yet, and what SQLite may have put beside it. */
static void remove_files(const FilPlace* place)
{
    static const char* const endings[] = {"", "-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        fil_place_remove_file(place, endings[i]);
    }
}

static FilStatus create(const FilPlace* place, const FilStorageOptions* options, void** storage, FilError* error)
{
    if (options->compression != FIL_COMPRESSION_NONE) {
        return fil_error(error, FIL_BAD_INPUT, "%s: .db3 files are not compressed; use .mcap", place->file);
    }
    // made here, since SQLite would take a file that exists, and follow a link that leads nowhere yet
    int made;
    FilStatus status = fil_place_create(place, &made, error);
    if (status != FIL_OK) {
        return status;
    }
    close(made);
    Database* database = fil_alloc(1, sizeof *database);
    if (database == NULL || (database->path = fil_strdup(place->file)) == NULL) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", place->file);
    } else if (!open_database(database, place)) {
        status = complain(database, error);
    }
    if (status != FIL_OK) {
        destroy(database);
        remove_files(place);
        return status;
    }
    *storage = database;
    return FIL_OK;
}

/* ---- the records of a batch ---- */

static void bind_text(sqlite3_stmt* statement, int place, FilSlice text)
{
    sqlite3_bind_text64(statement, place, (const char*)text.data, text.size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Runs a statement whose values are bound. */
static bool run(sqlite3_stmt* statement)
{
    const bool done = sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_reset(statement) == SQLITE_OK && done;
}

/* Remembers a schema's name until its channels come. */
static bool remember_type(Database* database, const FilMcapSchema* schema)
{
    const size_t needed = 4 * ((size_t)schema->id + 1);
    while (database->types.size < needed && !database->types.failed) {
        fil_bytes_u32(&database->types, 0);
    }
    fil_bytes_set_u32(&database->types, 4 * (size_t)schema->id, (uint32_t)database->names.size);
    fil_bytes_u32(&database->names, (uint32_t)schema->name.size);
    fil_bytes_put(&database->names, schema->name.data, schema->name.size);
    return !database->types.failed && !database->names.failed;
}

static FilSlice type_of(const Database* database, uint16_t schema)
{
    FilCursor types = {.at = database->types.data, .left = database->types.size};
    (void)fil_cursor_take(&types, 4 * (uint64_t)schema);
    FilCursor names = {.at = database->names.data, .left = database->names.size};
    (void)fil_cursor_take(&names, fil_cursor_u32(&types));
    return fil_cursor_slice(&names);
}

static FilSlice find_pair(FilSlice pairs, const char* key)
{
    const FilSlice wanted = {.data = (const uint8_t*)key, .size = strlen(key)};
    FilCursor cursor = {.at = pairs.data, .left = pairs.size};
    while (cursor.left > 0 && !cursor.failed) {
        const FilSlice found = fil_cursor_slice(&cursor);
        const FilSlice value = fil_cursor_slice(&cursor);
        if (fil_slice_equal(found, wanted)) {
            return value;
        }
    }
    return (FilSlice){.data = (const uint8_t*)"", .size = 0};
}

static bool insert_topic(Database* database, FilSlice content)
{
    FilMcapChannel channel;
    if (!fil_mcap_take_channel(content, &channel)) {
        return false;
    }
    sqlite3_stmt* statement = database->insert_topic;
    sqlite3_bind_int(statement, 1, channel.id);
    bind_text(statement, 2, channel.topic);
    bind_text(statement, 3, type_of(database, channel.schema_id));
    bind_text(statement, 4, channel.encoding);
    bind_text(statement, 5, find_pair(channel.pairs, FIL_BAG_QOS_KEY));
    return run(statement);
}

static bool insert_message(Database* database, FilSlice content)
{
    FilBagMessage message;
    if (!fil_mcap_take_message(content, &message)) {
        return false;
    }
    sqlite3_stmt* statement = database->insert_message;
    sqlite3_bind_int(statement, 1, message.channel);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)message.log_time);
    // an empty blob is not NULL
    const void* data = message.data.size > 0 ? (const void*)message.data.data : "";
    sqlite3_bind_blob64(statement, 3, data, message.data.size, SQLITE_STATIC);
    return run(statement);
}

static bool insert_record(Database* database, const FilMcapRecord* record)
{
    FilMcapSchema schema;
    switch (record->opcode) {
        case FIL_MCAP_SCHEMA:
            return fil_mcap_take_schema(record->content, &schema) && remember_type(database, &schema);
        case FIL_MCAP_CHANNEL:
            return insert_topic(database, record->content);
        case FIL_MCAP_MESSAGE:
            return insert_message(database, record->content);
        default:
            return true;
    }
}

static FilStatus write_batch(void* storage, FilSlice batch, FilError* error)
{
    Database* database = storage;
    FilCursor cursor = {.at = batch.data, .left = batch.size};
    FilMcapRecord record;
    bool good = sqlite3_exec(database->connection, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    while (good && fil_mcap_next_record(&cursor, &record)) {
        good = insert_record(database, &record);
    }
    good = good && sqlite3_exec(database->connection, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!good) {
        const FilStatus status = complain(database, error);
        sqlite3_exec(database->connection, "ROLLBACK", NULL, NULL, NULL);
        return status;
    }
    return FIL_OK;
}

static FilStatus attach(void* storage, const FilBagAttachment* attachment, FilError* error)
{
    const Database* database = storage;
    return fil_error(error, FIL_BAD_INPUT, "%s: .db3 files have no place for the attachment '%s'; use .mcap", database->path, attachment->name);
}

static FilStatus describe(void* storage, const char* name, const FilBagPair* pairs, size_t count, FilError* error)
{
    const Database* database = storage;
    (void)pairs;
    (void)count;
    return fil_error(error, FIL_BAD_INPUT, "%s: .db3 files have no place for the metadata '%s'; use .mcap", database->path, name);
}

static FilStatus finish(void* storage, const FilBagChannels* channels, const FilBagTally* tally, FilError* error)
{
    Database* database = storage;
    const char* slash = strrchr(database->path, '/');
    FilBytes text = {0};
    fil_metadata_put(&text, false, "sqlite3", slash != NULL ? slash + 1 : database->path, channels, tally);
    bool good = !text.failed;
    if (good) {
        bind_text(database->insert_metadata, 1, (FilSlice){.data = text.data, .size = text.size});
        good = run(database->insert_metadata);
    }
    fil_bytes_free(&text);
    // all into the one file: what copies a bag does not look for a journal
    good = good && sqlite3_exec(database->connection, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_stmt** statements[] = {&database->insert_topic, &database->insert_message, &database->insert_metadata};
    const FilStatus status = good ? FIL_OK : complain(database, error);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i) {
        sqlite3_finalize(*statements[i]);
        *statements[i] = NULL;
    }
    // with a journal in memory, since the one change is that of two bytes: a file's journal that could not be deleted afterwards would keep
    // those from reading who must not write
    if (good && sqlite3_exec(database->connection, "PRAGMA journal_mode=MEMORY", NULL, NULL, NULL) != SQLITE_OK) {
        return complain(database, error);
    }
    return status;
}

const FilStorageOps fil_db3_storage = {
    .identifier = "sqlite3",
    .extension = ".db3",
    .create = create,
    .write = write_batch,
    .attach = attach,
    .describe = describe,
    .finish = finish,
    .destroy = destroy,
};
