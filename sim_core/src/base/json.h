/* Writes JSON, indented. Numbers keep all their digits; what is not finite becomes null. */
#ifndef FILUM_BASE_JSON_H
#define FILUM_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct FilJson {
    FILE* out;
    int depth;
    bool started; /* the open object or array has an element */
} FilJson;

/* Inside an object every element has a key; inside an array, and at the top, the key is NULL. */
void fil_json_open(FilJson* json, const char* key, char bracket); /* '{' or '[' */
void fil_json_close(FilJson* json, char bracket);                 /* '}' or ']' */
void fil_json_number(FilJson* json, const char* key, double value);
void fil_json_integer(FilJson* json, const char* key, uint64_t value);
void fil_json_boolean(FilJson* json, const char* key, bool value);
void fil_json_text(FilJson* json, const char* key, const char* value);

/* A state hash, as text: it does not fit a double. */
void fil_json_hash(FilJson* json, const char* key, uint64_t value);

#endif
