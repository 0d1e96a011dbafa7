/* Owns the writing of JSON. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"

static void write_quoted(FILE* out, const char* text)
{
    fputc('"', out);
    for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {  // control characters (RFC 8259, sec. 7)
            fprintf(out, "\\u%04x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

/* Comma, line, indentation and key of the next element. */
static void begin_element(FilJson* json, const char* key)
{
    if (json->started) {
        fputc(',', json->out);
    }
    if (json->depth > 0) {
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    if (key != NULL) {
        write_quoted(json->out, key);
        fputs(": ", json->out);
    }
    json->started = true;
}

void fil_json_open(FilJson* json, const char* key, char bracket)
{
    begin_element(json, key);
    fputc(bracket, json->out);
    json->depth += 1;
    json->started = false;
}

void fil_json_close(FilJson* json, char bracket)
{
    json->depth -= 1;
    if (json->started) {
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->out);
    json->started = true;
    if (json->depth == 0) {
        fputc('\n', json->out);
    }
}

void fil_json_number(FilJson* json, const char* key, double value)
{
    begin_element(json, key);
    if (isfinite(value)) {
        fputs(fil_number_text(value, (char[FIL_NUMBER_TEXT]){0}), json->out);
    } else {
        fputs("null", json->out);
    }
}

void fil_json_integer(FilJson* json, const char* key, uint64_t value)
{
    begin_element(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void fil_json_boolean(FilJson* json, const char* key, bool value)
{
    begin_element(json, key);
    fputs(value ? "true" : "false", json->out);
}

void fil_json_text(FilJson* json, const char* key, const char* value)
{
    begin_element(json, key);
    write_quoted(json->out, value);
}

void fil_json_hash(FilJson* json, const char* key, uint64_t value)
{
    begin_element(json, key);
    fprintf(json->out, "\"%016" PRIx64 "\"", value);
}
