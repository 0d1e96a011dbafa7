/* Owns the text of metadata.yaml. */
#include "record/metadata.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends an indented line. */
static void FIL_PRINTF(3, 4) line(FilBytes* text, int indent, const char* format, ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    for (int i = 0; i < indent; ++i) {
        fil_bytes_u8(text, ' ');
    }
    fil_bytes_put(text, words, strlen(words));
    fil_bytes_u8(text, '\n');
}

/* Bytes of the character that begins at `c` if YAML keeps it as it is in double quotes; 0: it is none, or to be escaped. Names of files, and of
 * topics in others' bags, need not be UTF-8 (RFC 3629, whose bits these are); what is no character by itself: surrogates, U+FEFF, U+FFFE and U+FFFF,
 * and U+2028 and U+2029, which YAML 1.1 takes for ends of lines. */
static int plain_bytes(const char* c)
{
    const unsigned char* byte = (const unsigned char*)c;
    if (byte[0] < 0x80) {
        return byte[0] >= 0x20 && byte[0] != 0x7f && byte[0] != '"' && byte[0] != '\\';
    }
    static const uint32_t min[] = {UINT32_MAX, 0xa0, 0x800, 0x10000};  // below: controls, and characters written too long
    const int more = (byte[0] & 0xe0) == 0xc0 ? 1 : (byte[0] & 0xf0) == 0xe0 ? 2 : (byte[0] & 0xf8) == 0xf0 ? 3 : 0;
    uint32_t code = byte[0] & (0x3fu >> more);
    for (int i = 1; i <= more; ++i) {
        if ((byte[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (byte[i] & 0x3fu);
    }
    const bool line_break = code == 0x2028 || code == 0x2029;
    const bool none = (code >= 0xd800 && code < 0xe000) || code == 0xfeff || code == 0xfffe || code == 0xffff || code > 0x10ffff;
    return code < min[more] || line_break || none ? 0 : 1 + more;
}

/* Appends a line with a text in double quotes. */
static void quoted(FilBytes* text, int indent, const char* key, const char* value)
{
    for (int i = 0; i < indent; ++i) {
        fil_bytes_u8(text, ' ');
    }
    fil_bytes_put(text, key, strlen(key));
    fil_bytes_u8(text, '"');
    for (const char* c = value; *c != '\0';) {
        const int plain = plain_bytes(c);
        char escaped[8] = "\\n";
        if (*c == '"' || *c == '\\') {
            snprintf(escaped, sizeof escaped, "\\%c", *c);
        } else if (*c != '\n') {
            snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned)(unsigned char)*c);
        }
        fil_bytes_put(text, plain > 0 ? c : escaped, plain > 0 ? (size_t)plain : strlen(escaped));
        c += plain > 0 ? plain : 1;
    }
    fil_bytes_put(text, "\"\n", 2);
}

static void put_topic(FilBytes* text, int indent, const FilBagEntry* entry)
{
    line(text, indent, "- topic_metadata:");
    quoted(text, indent + 4, "name: ", entry->channel.topic);
    quoted(text, indent + 4, "type: ", entry->channel.type);
    quoted(text, indent + 4, "serialization_format: ", entry->channel.encoding);
    quoted(text, indent + 4, "offered_qos_profiles: ", fil_bag_property(&entry->channel, FIL_BAG_QOS_KEY));
    line(text, indent + 2, "message_count: %" PRIu64, entry->message_count);
}

static void put_span(FilBytes* text, int indent, const FilBagTally* tally)
{
    line(text, indent, "duration:");
    line(text, indent + 2, "nanoseconds: %" PRIu64, tally->end_time - tally->start_time);
    line(text, indent, "starting_time:");
    line(text, indent + 2, "nanoseconds_since_epoch: %" PRIu64, tally->start_time);
    line(text, indent, "message_count: %" PRIu64, tally->message_count);
}

void fil_metadata_put(FilBytes* text, bool nested, const char* identifier, const char* file_name, const FilBagChannels* channels,
                      const FilBagTally* tally)
{
    const int indent = nested ? 2 : 0;
    if (nested) {
        line(text, 0, "rosbag2_bagfile_information:");
    }
    line(text, indent, "version: 5");
    line(text, indent, "storage_identifier: %s", identifier);
    put_span(text, indent, tally);
    line(text, indent, "topics_with_message_count:%s", channels->count == 0 ? " []" : "");
    for (size_t i = 0; i < channels->count; ++i) {
        put_topic(text, indent + 2, &channels->items[i]);
    }
    // chunks are compressed inside the file, which rosbag2 does not count as compression
    line(text, indent, "compression_format: \"\"");
    line(text, indent, "compression_mode: \"\"");
    line(text, indent, "relative_file_paths:");
    quoted(text, indent + 2, "- ", file_name);
    line(text, indent, "files:");
    quoted(text, indent + 2, "- path: ", file_name);
    put_span(text, indent + 4, tally);
}
