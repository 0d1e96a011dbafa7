/* Message definitions as text (.msg files): taking their lines apart, and joining a definition with all that it needs
 * into the one text that bags carry (MCAP's ros2msg). */
#ifndef FILUM_RECORD_DEFINITION_H
#define FILUM_RECORD_DEFINITION_H

#include "record/bag.h"

/* Of "package/Type": a bound of ours, beyond which it is refused. */
enum { FIL_DEFINITION_NAME = 128 };

typedef enum FilFieldArray {
    FIL_FIELD_SINGLE,
    FIL_FIELD_FIXED,   /* T[3] */
    FIL_FIELD_DYNAMIC, /* T[] and T[<=3] */
} FilFieldArray;

typedef struct FilField {
    char type[FIL_DEFINITION_NAME]; /* "float64", or "pkg/T" for a message */
    bool primitive;
    FilFieldArray array;
    uint32_t count; /* of a fixed array */
    char name[FIL_DEFINITION_NAME];
} FilField;

typedef enum FilDefinitionLine {
    FIL_LINE_EMPTY, /* also comments and constants */
    FIL_LINE_FIELD,
    FIL_LINE_BAD,
} FilDefinitionLine;

/* Takes the line at *text (which ends at `end`) apart and moves *text to the next. A type without a package is of
 * `package`. */
FilDefinitionLine fil_definition_line(const char** text, const char* end, const char* package, FilField* field);

/* Finds the text of the type "pkg/T" and appends it; false if it is not known. */
typedef bool (*FilDefinitionLookup)(void* context, const char* type, FilBytes* text);

/* Appends the definition of the type ("pkg/msg/T"), then each type that it needs under a line of 80 `=` and `MSG:
 * pkg/T`. Fails, with the name, if one is not found. */
FIL_MUST_CHECK FilStatus fil_definition_join(const char* type, FilDefinitionLookup lookup, void* context, FilBytes* text, FilError* error);

#endif
