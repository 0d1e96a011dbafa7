/* Owns taking CDR messages apart by the definitions in a bag.
 *
 * A definition is compiled once into types with fields; a walk then goes through a message and names each number and
 * text by its path, as in header.stamp.sec or positions[3]. CDR puts numbers at multiples of their size, counted from
 * after the four bytes that say the byte order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bag.h"
#include "base/error.h"

/* Types of one message, how deep they nest, and the path of a number in it: bounds of ours, beyond which a channel is refused. */
enum { MAX_TYPES = 256, MAX_DEPTH = 32, PATH_SIZE = 1024 };

typedef enum Kind {
    KIND_BOOL,
    KIND_UNSIGNED,
    KIND_SIGNED,
    KIND_FLOAT,
    KIND_STRING,
    KIND_WSTRING,
    KIND_MESSAGE,
} Kind;

typedef struct Member {
    FilField field;
    Kind kind;
    size_t size; /* of a number */
    int type;    /* index of a message's type */
} Member;

typedef struct Type {
    char name[FIL_DEFINITION_NAME];
    Member* members;
    int count;
} Type;

struct FilDecoder {
    Type types[MAX_TYPES];
    int count;
};

static const struct {
    const char* name;
    Kind kind;
    size_t size;
} primitives[] = {
    {"bool", KIND_BOOL, 1},       {"byte", KIND_UNSIGNED, 1}, {"char", KIND_UNSIGNED, 1},   {"int8", KIND_SIGNED, 1},
    {"uint8", KIND_UNSIGNED, 1},  {"int16", KIND_SIGNED, 2},  {"uint16", KIND_UNSIGNED, 2}, {"int32", KIND_SIGNED, 4},
    {"uint32", KIND_UNSIGNED, 4}, {"int64", KIND_SIGNED, 8},  {"uint64", KIND_UNSIGNED, 8}, {"float32", KIND_FLOAT, 4},
    {"float64", KIND_FLOAT, 8},   {"string", KIND_STRING, 1}, {"wstring", KIND_WSTRING, 1},
};

/* ---- compiling ---- */

static bool add_member(Type* type, const FilField* field)
{
    Member* members = realloc(type->members, (size_t)(type->count + 1) * sizeof *members);
    if (members == NULL) {
        return false;
    }
    type->members = members;
    Member* member = &members[type->count++];
    *member = (Member){.field = *field, .kind = KIND_MESSAGE, .type = -1};
    for (size_t i = 0; field->primitive && i < sizeof primitives / sizeof primitives[0]; ++i) {
        if (strcmp(field->type, primitives[i].name) == 0) {
            member->kind = primitives[i].kind;
            member->size = primitives[i].size;
        }
    }
    return true;
}

/* The package of "pkg/T" and of "pkg/msg/T"; the name as "pkg/T". */
static bool start_type(FilDecoder* decoder, const char* name, size_t size, char* package)
{
    const char* first = memchr(name, '/', size);
    const char* last = name + size;
    while (last > name && last[-1] != '/') {
        last -= 1;
    }
    if (first == NULL || size >= FIL_DEFINITION_NAME || decoder->count == MAX_TYPES) {
        return false;
    }
    Type* type = &decoder->types[decoder->count++];
    snprintf(package, FIL_DEFINITION_NAME, "%.*s", (int)(first - name), name);
    snprintf(type->name, sizeof type->name, "%.*s/%.*s", (int)(first - name), name, (int)(name + size - last), last);
    return true;
}

static bool is_rule(const char* at, const char* end)
{
    size_t count = 0;
    while (at + count < end && at[count] == '=') {
        count += 1;
    }
    return count >= 8 && (at + count == end || at[count] == '\n' || at[count] == '\r');
}

static FilStatus compile(FilDecoder* decoder, const FilBagChannel* channel)
{
    char package[FIL_DEFINITION_NAME];
    const char* at = (const char*)channel->schema.data;
    const char* end = at + channel->schema.size;
    if (!start_type(decoder, channel->type, strlen(channel->type), package)) {
        return FIL_BAD_INPUT;
    }
    while (at < end) {
        FilField field;
        if (is_rule(at, end)) {
            // the next line names the next type
            const char* line = memchr(at, '\n', (size_t)(end - at));
            if (line == NULL || end - line < 6 || memcmp(line + 1, "MSG: ", 5) != 0) {
                return FIL_BAD_INPUT;
            }
            const char* name = line + 6;
            size_t size = 0;
            while (name + size < end && strchr("\r\n \t", name[size]) == NULL) {
                size += 1;
            }
            if (!start_type(decoder, name, size, package)) {
                return FIL_BAD_INPUT;
            }
            const char* next = memchr(name, '\n', (size_t)(end - name));
            at = next != NULL ? next + 1 : end;
            continue;
        }
        const FilDefinitionLine line = fil_definition_line(&at, end, package, &field);
        if (line == FIL_LINE_BAD) {
            return FIL_BAD_INPUT;
        }
        if (line == FIL_LINE_FIELD && !add_member(&decoder->types[decoder->count - 1], &field)) {
            return FIL_OUT_OF_MEMORY;
        }
    }
    return FIL_OK;
}

/* Gives each message field its type; NULL, or the name of a type that is missing. */
static const char* link_types(FilDecoder* decoder)
{
    for (int i = 0; i < decoder->count; ++i) {
        for (int k = 0; k < decoder->types[i].count; ++k) {
            Member* member = &decoder->types[i].members[k];
            for (int t = 0; member->kind == KIND_MESSAGE && t < decoder->count; ++t) {
                if (strcmp(decoder->types[t].name, member->field.type) == 0) {
                    member->type = t;
                }
            }
            if (member->kind == KIND_MESSAGE && member->type < 0) {
                return member->field.type;
            }
        }
    }
    return NULL;
}

FilStatus fil_decoder_create(const FilBagChannel* channel, FilDecoder** decoder, FilError* error)
{
    *decoder = NULL;
    if (strcmp(channel->encoding, "cdr") != 0 || strcmp(channel->schema_encoding, "ros2msg") != 0) {
        return fil_error(error, FIL_BAD_INPUT, "%s: has no ros2msg definition of cdr messages", channel->topic);
    }
    FilDecoder* made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilStatus status = compile(made, channel);
    const char* missing = status == FIL_OK ? link_types(made) : NULL;
    if (status == FIL_OUT_OF_MEMORY) {
        status = fil_error(error, status, "out of memory");
    } else if (status != FIL_OK) {
        status = fil_error(error, status, "%s: its definition cannot be understood", channel->topic);
    } else if (missing != NULL) {
        status = fil_error(error, FIL_BAD_INPUT, "%s: its definition lacks %s", channel->topic, missing);
    }
    if (status != FIL_OK) {
        fil_decoder_destroy(made);
        return status;
    }
    *decoder = made;
    return FIL_OK;
}

void fil_decoder_destroy(FilDecoder* decoder)
{
    for (int i = 0; decoder != NULL && i < decoder->count; ++i) {
        free(decoder->types[i].members);
    }
    free(decoder);
}

/* ---- walking ---- */

typedef struct Walk {
    const FilDecoder* decoder;
    const uint8_t* data; /* after the four bytes */
    size_t size, at;
    bool big_endian;
    char path[PATH_SIZE];
    FilDecoderLeaf leaf;
    void* context;
    FilBytes text; /* of a string value */
} Walk;

/* A number of `size` bytes at the next multiple of its size. */
static bool take(Walk* walk, size_t size, uint64_t* value)
{
    const size_t at = (walk->at + size - 1) / size * size;
    if (at > walk->size || size > walk->size - at) {
        return false;
    }
    *value = 0;
    for (size_t i = 0; i < size; ++i) {
        const size_t place = walk->big_endian ? size - 1 - i : i;
        *value |= (uint64_t)walk->data[at + place] << (8 * i);
    }
    walk->at = at + size;
    return true;
}

static bool walk_string(Walk* walk)
{
    uint64_t size = 0;
    if (!take(walk, 4, &size) || size > walk->size - walk->at) {
        return false;
    }
    fil_bytes_clear(&walk->text);
    fil_bytes_put(&walk->text, walk->data + walk->at, (size_t)size);
    fil_bytes_u8(&walk->text, '\0');
    walk->at += (size_t)size;
    if (walk->text.failed) {
        return false;
    }
    walk->leaf(walk->context, walk->path, (const char*)walk->text.data);
    return true;
}

static bool walk_number(Walk* walk, const Member* member)
{
    uint64_t bits = 0;
    char text[64];
    if (!take(walk, member->size, &bits)) {
        return false;
    }
    if (member->kind == KIND_FLOAT && member->size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(text, sizeof text, "%.17g", value);
    } else if (member->kind == KIND_FLOAT) {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        snprintf(text, sizeof text, "%.9g", (double)value);
    } else if (member->kind == KIND_SIGNED) {
        // the sign bit counts as minus twice its worth
        const uint64_t sign = UINT64_C(1) << (8 * member->size - 1);
        snprintf(text, sizeof text, "%" PRId64, (int64_t)((bits ^ sign) - sign));
    } else {
        snprintf(text, sizeof text, "%" PRIu64, bits);
    }
    walk->leaf(walk->context, walk->path, text);
    return true;
}

static bool walk_type(Walk* walk, int type, size_t path, int depth);

static bool walk_item(Walk* walk, const Member* member, size_t path, int depth)
{
    switch (member->kind) {
        case KIND_MESSAGE:
            return walk_type(walk, member->type, path, depth + 1);
        case KIND_STRING:
            return walk_string(walk);
        case KIND_WSTRING:
            return false;  // vendors do not agree on its bytes
        default:
            return walk_number(walk, member);
    }
}

static bool walk_member(Walk* walk, const Member* member, size_t path, int depth)
{
    const int added = snprintf(walk->path + path, PATH_SIZE - path, "%s%s", path > 0 ? "." : "", member->field.name);
    uint64_t count = member->field.count;
    if (added < 0 || path + (size_t)added + 16 >= PATH_SIZE) {
        return false;
    }
    path += (size_t)added;
    if (member->field.array == FIL_FIELD_SINGLE) {
        return walk_item(walk, member, path, depth);
    }
    if (member->field.array == FIL_FIELD_DYNAMIC && !take(walk, 4, &count)) {
        return false;
    }
    // each item takes a byte at least: a wrong count ends with the message
    for (uint64_t i = 0; i < count; ++i) {
        const int index = snprintf(walk->path + path, PATH_SIZE - path, "[%" PRIu64 "]", i);
        if (!walk_item(walk, member, path + (size_t)index, depth)) {
            return false;
        }
    }
    return true;
}

static bool walk_type(Walk* walk, int type, size_t path, int depth)
{
    const Type* walked = &walk->decoder->types[type];
    uint64_t dummy = 0;
    if (depth > MAX_DEPTH) {
        return false;
    }
    if (walked->count == 0) {
        return take(walk, 1, &dummy);
    }
    for (int i = 0; i < walked->count; ++i) {
        if (!walk_member(walk, &walked->members[i], path, depth)) {
            return false;
        }
    }
    return true;
}

FilStatus fil_decoder_walk(const FilDecoder* decoder, FilSlice message, FilDecoderLeaf leaf, void* context)
{
    if (message.size < 4 || message.data[0] != 0 || message.data[1] > 1) {
        return FIL_BAD_INPUT;
    }
    Walk walk = {
        .decoder = decoder, .data = message.data + 4, .size = message.size - 4, .big_endian = message.data[1] == 0, .leaf = leaf, .context = context};
    const bool good = walk_type(&walk, 0, 0, 0);
    const FilStatus status = good ? FIL_OK : walk.text.failed ? FIL_OUT_OF_MEMORY : FIL_BAD_INPUT;
    fil_bytes_free(&walk.text);
    return status;
}
