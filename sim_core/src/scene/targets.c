/* Parts of objects that scenes name: {rod: cable, node: 3}, {shell: cloth, vertices: [0, 4]}, {body: box}. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene_build.h"

/* The part of a kind that has one of the uses; NULL if none has. */
static const FilScenePart* part_for(const FilSceneKind* kind, int uses)
{
    for (int p = 0; p < kind->part_count; p++) {
        if ((kind->parts[p].uses & uses) != 0) {
            return &kind->parts[p];
        }
    }
    return NULL;
}

static bool is_word(const char* const* words, const char* word)
{
    while (*words != NULL && strcmp(*words, word) != 0) {
        words++;
    }
    return *words != NULL;
}

static void add_word(const char** words, const char* word)
{
    if (word != NULL && !is_word(words, word)) {
        while (*words != NULL) {
            words++;
        }
        *words = word;
    }
}

static void add_key(FilKey* keys, const FilKey* key)
{
    if (key->name != NULL && fil_find_key(keys, key->name) == NULL) {
        keys[fil_count_keys(keys)] = *key;
    }
}

/* The object that the word of its kind names, and its parts: by number or by name, and as a range. */
static void add_target(FilKey* keys, const FilSceneKind* kind, int uses, unsigned flags, bool alone)
{
    const unsigned needed = alone && flags == FIL_TARGET_ONE ? FIL_REQUIRED : 0;
    const FilKey object = FIL_KEY_TEXT(kind->word, alone ? FIL_REQUIRED : FIL_OBJECT, "", kind->title);
    add_key(keys, &object);
    for (int p = 0; p < kind->part_count; p++) {
        const FilScenePart* part = &kind->parts[p];
        if ((part->uses & uses) != 0) {
            const FilKey one = FIL_KEY_MANY(part->word, kind->find_part != NULL ? FIL_IS_TEXT : FIL_IS_WHOLE, 0, needed, "", "",
                                            "from 0, or from the end if negative");
            const FilKey many = FIL_KEY_VECTOR(part->plural, 2, 0, "", "", "[first, count]");
            add_key(keys, &one);
            if ((flags & FIL_TARGET_RANGE) != 0) {
                add_key(keys, &many);
            }
        }
    }
}

const FilKey* fil_scene_target_keys(FilScene* scene, int uses, unsigned flags, const char* except, const FilKey* others)
{
    size_t max = 1 + (others != NULL ? (size_t)fil_count_keys(others) : 0);
    for (int k = 0; k < scene->list_count; k++) {
        max += 1 + 2 * (size_t)scene->lists[k].kind->part_count;
    }
    FilKey* keys = fil_reader_alloc(&scene->reader, max, sizeof *keys);
    const FilSceneKind* kinds[FIL_SCENE_MAX_KINDS];
    int count = 0;
    for (int k = 0; k < scene->list_count && keys != NULL; k++) {
        const FilSceneKind* kind = scene->lists[k].kind;
        const bool left_out = except != NULL && kind->word != NULL && strcmp(kind->word, except) == 0;
        if (!left_out && part_for(kind, uses) != NULL) {
            kinds[count++] = kind;
        }
    }
    for (int k = 0; k < count; k++) {
        add_target(keys, kinds[k], uses, flags, count == 1);
    }
    for (int k = 0; others != NULL && others[k].name != NULL && keys != NULL; k++) {
        add_key(keys, &others[k]);
    }
    return keys;
}

/* ---- which object ---- */

/* "'rod', 'arm' or 'link'" */
static void list_words(const char* const* words, char* text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int k = 0; words[k] != NULL && length < size; k++) {
        const char* between = k == 0 ? "" : words[k + 1] == NULL ? " or " : ", ";
        length += (size_t)snprintf(text + length, size - length, "%s'%s'", between, words[k]);
    }
}

/* A kind that the mapping names, but which does not have the use. */
static void refuse_kinds(FilScene* scene, const FilYaml* mapping, const char* const* words, const char* except, const char* word)
{
    for (int k = 0; k < scene->list_count; k++) {
        const char* other = scene->lists[k].kind->word;
        const FilYaml* found = other != NULL ? fil_yaml_find(mapping, other) : NULL;
        if (found != NULL && !is_word(words, other) && (except == NULL || strcmp(other, except) != 0) && part_for(scene->lists[k].kind, -1) != NULL) {
            char list[200];
            list_words(words, list, sizeof list);
            fil_reader_fail(&scene->reader, found, "'%s' does not act on '%s': it needs %s", word, other, list);
        }
    }
}

/* Keys of parts that the object has not, or that are not meant here. */
static void refuse_parts(FilScene* scene, const FilYaml* mapping, const FilSceneTarget* target, const char* word)
{
    for (int k = 0; k < scene->list_count; k++) {
        const FilSceneKind* kind = scene->lists[k].kind;
        for (int p = 0; p < kind->part_count; p++) {
            const FilScenePart* part = &kind->parts[p];
            const FilYaml* found = part->word != NULL ? fil_yaml_find(mapping, part->word) : NULL;
            found = found != NULL || part->plural == NULL ? found : fil_yaml_find(mapping, part->plural);
            const bool meant = target->part->word != NULL && part->word != NULL && strcmp(part->word, target->part->word) == 0;
            if (found == NULL || meant) {
                continue;
            }
            if (kind == target->kind) {
                fil_reader_fail(&scene->reader, found, "'%s' acts on %s, not on '%s'", word,
                                target->part->word != NULL ? target->part->plural : "the whole", found->key);
            } else {
                fil_reader_fail(&scene->reader, found, "%s '%s' has no %s", target->kind->title, target->item->name, part->plural);
            }
        }
    }
}

/* Finds the kind and the item. */
static FilSceneTarget find_item(FilScene* scene, const FilYaml* mapping, int use, const char* except, const char* word)
{
    FilReader* reader = &scene->reader;
    FilSceneTarget target = {0};
    const char* words[FIL_SCENE_MAX_KINDS] = {NULL};
    for (int k = 0; k < scene->list_count; k++) {
        const FilSceneKind* kind = scene->lists[k].kind;
        if (part_for(kind, use) != NULL && (except == NULL || strcmp(kind->word, except) != 0)) {
            add_word(words, kind->word);
        }
    }
    refuse_kinds(scene, mapping, words, except, word);
    // one that is missing is named, of several all are
    FilYaml* given = NULL;
    int choice = 0;
    if (words[0] != NULL && words[1] == NULL) {
        given = fil_read_node(reader, mapping, words[0], FIL_REQUIRED);
    } else {
        choice = fil_read_variant(reader, mapping, words, &given);
    }
    if (given != NULL && reader->status == FIL_OK) {
        target.kind = fil_scene_list(scene, words[choice])->kind;
        target.part = part_for(target.kind, use);
        target.item = fil_scene_value_item(scene, given, words[choice]);
    }
    return target;
}

/* ---- which part of it ---- */

/* [first, count], inside of `total` elements. */
static void read_range(FilReader* reader, FilYaml* node, int total, int* first, int* count)
{
    double range[2] = {0.0, 1.0};
    if (!fil_value_vector(reader, node, 2, range)) {
        return;
    }
    const double start = range[0] < 0.0 ? range[0] + total : range[0];
    const bool whole = floor(range[0]) == range[0] && floor(range[1]) == range[1];
    if (!whole || range[1] < 1.0 || start < 0.0 || start + range[1] > total) {
        fil_reader_fail(reader, node, "[first, count] = [%g, %g] is not inside of 0 to %d", range[0], range[1], total - 1);
        return;
    }
    *first = (int)start;
    *count = (int)range[1];
}

/* One part, or several, or all without a key. */
static void read_parts(FilReader* reader, const FilYaml* mapping, int total, unsigned flags, FilSceneTarget* target)
{
    const FilScenePart* part = target->part;
    FilYaml* range = (flags & FIL_TARGET_RANGE) != 0 ? fil_read_node(reader, mapping, part->plural, FIL_OPTIONAL) : NULL;
    const unsigned needed = (flags & FIL_TARGET_ALL) != 0 ? FIL_OPTIONAL : FIL_REQUIRED;
    target->count = total;
    if (range == NULL && fil_read_index(reader, mapping, part->word, needed, total, &target->first)) {
        target->count = 1;
    } else if (range != NULL && fil_yaml_find(mapping, part->word) != NULL) {
        fil_reader_fail(reader, range, "only one of '%s' and '%s' may be given", part->word, range->key);
    } else if (range != NULL) {
        read_range(reader, range, total, &target->first, &target->count);
    }
}

FilSceneTarget fil_scene_read_target(FilScene* scene, const FilYaml* mapping, int use, unsigned flags, const char* except, const char* word)
{
    FilReader* reader = &scene->reader;
    FilSceneTarget target = find_item(scene, mapping, use, except, word);
    if (target.item == NULL) {
        return target;
    }
    refuse_parts(scene, mapping, &target, word);
    if (target.part->word != NULL) {
        read_parts(reader, mapping, fil_part_count(scene->world, target.item->id, target.part->word), flags, &target);
    }
    target.item = reader->status == FIL_OK ? target.item : NULL;
    return target;
}

void fil_scene_read_part(FilScene* scene, const FilYaml* mapping, const FilSceneKind* kind, const FilSceneItem* item, const char* part, int* index)
{
    FilReader* reader = &scene->reader;
    if (kind->find_part != NULL) {
        FilYaml* node = fil_read_node(reader, mapping, part, FIL_REQUIRED);
        if (node != NULL) {
            kind->find_part(scene, item, node, index);
        }
        return;
    }
    fil_read_index(reader, mapping, part, FIL_REQUIRED, fil_part_count(scene->world, item->id, part), index);
}
