#include "scene/keys.h"

#include <string.h>

const FilKey* fil_find_key(const FilKey* keys, const char* name)
{
    while (keys->name != NULL && strcmp(keys->name, name) != 0) {
        keys++;
    }
    return keys->name != NULL ? keys : NULL;
}

int fil_count_keys(const FilKey* keys)
{
    int count = 0;
    while (keys[count].name != NULL) {
        count++;
    }
    return count;
}

FilKey* fil_keys_copy(FilReader* reader, const FilKey* keys)
{
    const size_t size = (size_t)fil_count_keys(keys) + 1;
    FilKey* copy = fil_reader_alloc(reader, size, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, keys, size * sizeof *copy);
    }
    return copy;
}

FilKey* fil_keys_join(FilReader* reader, const FilKey* a, const FilKey* b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const size_t first = (size_t)fil_count_keys(a), second = (size_t)fil_count_keys(b);
    FilKey* all = fil_reader_alloc(reader, first + second + 1, sizeof *all);
    if (all != NULL) {
        memcpy(all, a, first * sizeof *all);
        memcpy(all + first, b, second * sizeof *all);
    }
    return all;
}

FilKey* fil_keys_with_words(FilReader* reader, const FilKey* keys, const char* name, const char* const* words)
{
    FilKey* copy = words != NULL ? fil_keys_copy(reader, keys) : NULL;
    for (int k = 0; copy != NULL && copy[k].name != NULL; k++) {
        if (strcmp(copy[k].name, name) == 0) {
            copy[k].types = (copy[k].types & ~(unsigned)FIL_IS_TEXT) | FIL_IS_WORD;
            copy[k].words = words;
        }
    }
    return copy;
}

const char* const* fil_make_words(FilReader* reader, int count, const char* (*word)(int number))
{
    const char** words = fil_reader_alloc(reader, (size_t)count + 1, sizeof *words);
    for (int k = 0; k < count && words != NULL; k++) {
        words[k] = word(k);
    }
    return words;
}

bool fil_check_keys(FilReader* reader, const FilYaml* node, const FilKey* keys)
{
    if (!fil_check_mapping(reader, node)) {
        return false;
    }
    for (const FilYaml* child = node->first; child != NULL && reader->status == FIL_OK; child = child->next) {
        if (fil_find_key(keys, child->key) == NULL) {
            const int count = fil_count_keys(keys);
            const char** words = fil_reader_alloc(reader, (size_t)count + 1, sizeof *words);
            for (int k = 0; k < count && words != NULL; k++) {
                words[k] = keys[k].name;
            }
            if (words != NULL) {
                fil_fail_word(reader, child, "key", child->key, words);
            }
        }
    }
    return reader->status == FIL_OK;
}
