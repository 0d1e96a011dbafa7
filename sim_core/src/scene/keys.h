/* Keys of the mappings of a scene: a row for each.
 *
 * Readers check a mapping against its table, the schema for editors (`filum schema`) and the list of all keys in docs/keys.md are
 * printed from the same rows. So what is known, what it is and what it means is written once, beside the code that reads it.
 */
#ifndef FILUM_SCENE_KEYS_H
#define FILUM_SCENE_KEYS_H

#include "scene/reader.h"

/* What a value can be: bits of FilKey.types. */
enum {
    FIL_IS_NUMBER = 1 << 0, /* or an expression */
    FIL_IS_WHOLE = 1 << 1,  /* a whole number, or an expression */
    FIL_IS_FLAG = 1 << 2,   /* true or false */
    FIL_IS_TEXT = 1 << 3,
    FIL_IS_NAME = 1 << 4,
    FIL_IS_WORD = 1 << 5,      /* one of `words` */
    FIL_IS_VECTOR = 1 << 6,    /* a list of `count` numbers; 0: of any number of them */
    FIL_IS_ROWS = 1 << 7,      /* a list of lists of `count` numbers */
    FIL_IS_TEXTS = 1 << 8,     /* a list of texts, or of `words` */
    FIL_IS_MAPPING = 1 << 9,   /* with `keys` */
    FIL_IS_LIST = 1 << 10,     /* of mappings with `keys` */
    FIL_IS_NAMED = 1 << 11,    /* a mapping of names to mappings with `keys`, or to one of `words` */
    FIL_IS_TREE = 1 << 12,     /* a mapping of names to numbers or further such mappings */
    FIL_IS_FUNCTION = 1 << 13, /* a number, or an expression that may use a variable */
};

typedef struct FilKey {
    const char* name; /* NULL ends a table */
    unsigned types;
    unsigned flags; /* FIL_REQUIRED, FIL_POSITIVE, FIL_NOT_NEGATIVE of numbers, FIL_VARIANT */
    int count;
    const char* const* words; /* NULL at the end */
    const struct FilKey* keys;
    const struct FilKey* other;         /* a second form of the mapping; NULL: there is none */
    const char *unit, *standard, *text; /* for people; NULL or empty: nothing to say */
} FilKey;

/* Further flags. */
enum {
    FIL_VARIANT = 1 << 8,  /* exactly one of the rows of a table that have this flag is given */
    FIL_REPEATED = 1 << 9, /* elements of the list may have `repeat` and `parameters` */
    FIL_OBJECT = 1 << 10,  /* as FIL_VARIANT, of what is acted on */
};

/* Rows. */
#define FIL_KEY_NUMBER(name_, flags_, unit_, standard_, text_)                                                                \
    {                                                                                                                         \
        .name = (name_), .types = FIL_IS_NUMBER, .flags = (flags_), .unit = (unit_), .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_WHOLE(name_, flags_, standard_, text_)                                                      \
    {                                                                                                       \
        .name = (name_), .types = FIL_IS_WHOLE, .flags = (flags_), .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_FLAG(name_, standard_, text_)                                           \
    {                                                                                   \
        .name = (name_), .types = FIL_IS_FLAG, .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_TEXT(name_, flags_, standard_, text_)                                                      \
    {                                                                                                      \
        .name = (name_), .types = FIL_IS_TEXT, .flags = (flags_), .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_NAME(text_)                                   \
    {                                                         \
        .name = "name", .types = FIL_IS_NAME, .text = (text_) \
    }
#define FIL_KEY_WORD(name_, words_, standard_, text_)                                                      \
    {                                                                                                      \
        .name = (name_), .types = FIL_IS_WORD, .words = (words_), .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_VECTOR(name_, count_, flags_, unit_, standard_, text_)                                                                           \
    {                                                                                                                                            \
        .name = (name_), .types = FIL_IS_VECTOR, .count = (count_), .flags = (flags_), .unit = (unit_), .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_ROWS(name_, count_, flags_, unit_, text_)                                                             \
    {                                                                                                                 \
        .name = (name_), .types = FIL_IS_ROWS, .count = (count_), .flags = (flags_), .unit = (unit_), .text = (text_) \
    }
#define FIL_KEY_TEXTS(name_, words_, flags_, standard_, text_)                                                                 \
    {                                                                                                                          \
        .name = (name_), .types = FIL_IS_TEXTS, .words = (words_), .flags = (flags_), .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_MAPPING(name_, keys_, flags_, text_)                                                  \
    {                                                                                                 \
        .name = (name_), .types = FIL_IS_MAPPING, .keys = (keys_), .flags = (flags_), .text = (text_) \
    }
#define FIL_KEY_LIST(name_, keys_, flags_, text_)                                                  \
    {                                                                                              \
        .name = (name_), .types = FIL_IS_LIST, .keys = (keys_), .flags = (flags_), .text = (text_) \
    }
#define FIL_KEY_MANY(name_, types_, count_, flags_, unit_, standard_, text_)                                                                \
    {                                                                                                                                       \
        .name = (name_), .types = (types_), .count = (count_), .flags = (flags_), .unit = (unit_), .standard = (standard_), .text = (text_) \
    }
#define FIL_KEY_END  \
    {                \
        .name = NULL \
    }

/* Rows that many tables share. */
#define FIL_KEYS_PLACE                                                                            \
    FIL_KEY_VECTOR("position", 3, 0, "m", "[0, 0, 0]", "of its frame"),                           \
        FIL_KEY_VECTOR("orientation", 4, 0, "", "", "unit quaternion [x, y, z, w], or else ..."), \
        FIL_KEY_VECTOR("rotation", 3, 0, "rad", "[0, 0, 0]", "... a rotation vector")
#define FIL_KEYS_TOUCH                                                                                                 \
    FIL_KEY_MAPPING("surface", fil_surface_keys, 0, "what it feels like where it touches, instead of the material's"), \
        FIL_KEY_MAPPING("collision", fil_collision_keys, 0, "what it collides with")

#define FIL_KEYS_LOOK                                                                                                        \
    FIL_KEY_TEXT("color", 0, "one of a palette", "#rrggbb, #rrggbbaa or a name of CSS such as steelblue; in quotes with #"), \
        FIL_KEY_FLAG("visible", "true", "false: pictures, pages and markers leave it out")

/* Fails unless the node is a mapping with none but these keys. */
bool fil_check_keys(FilReader* reader, const FilYaml* node, const FilKey* keys);

/* A copy of a table in the reader's pool; NULL after a failure. */
FilKey* fil_keys_copy(FilReader* reader, const FilKey* keys);

/* The rows of two tables behind each other; NULL after a failure. */
FilKey* fil_keys_join(FilReader* reader, const FilKey* a, const FilKey* b);

/* A copy of a table, in the reader's pool, with words that are known later; NULL after a failure. */
FilKey* fil_keys_with_words(FilReader* reader, const FilKey* keys, const char* name, const char* const* words);

/* Words by their numbers, NULL at the end, in the reader's pool; NULL after a failure. */
const char* const* fil_make_words(FilReader* reader, int count, const char* (*word)(int number));

/* Rows before the end. */
int fil_count_keys(const FilKey* keys);

/* The row of a name; NULL: there is none. */
const FilKey* fil_find_key(const FilKey* keys, const char* name);

#endif
