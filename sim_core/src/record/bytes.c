/* Owns growing buffers and bounded cursors. */
#include "record/bytes.h"

#include <stdlib.h>
#include <string.h>

void fil_bytes_free(FilBytes* bytes)
{
    free(bytes->data);
    *bytes = (FilBytes){0};
}

void fil_bytes_clear(FilBytes* bytes)
{
    bytes->size = 0;
    bytes->failed = false;
}

uint8_t* fil_bytes_extend(FilBytes* bytes, size_t size)
{
    if (bytes->failed || size > SIZE_MAX / 2 - bytes->size) {
        bytes->failed = true;
        return NULL;
    }
    if (bytes->data == NULL || bytes->size + size > bytes->capacity) {
        // half as much again, so that many small pieces cost little
        const size_t needed = bytes->size + size;
        const size_t roomy = bytes->capacity + bytes->capacity / 2 + 64;
        const size_t capacity = needed > roomy ? needed : roomy;
        uint8_t* data = realloc(bytes->data, capacity);
        if (data == NULL) {
            bytes->failed = true;
            return NULL;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    uint8_t* place = bytes->data + bytes->size;
    bytes->size += size;
    return place;
}

void fil_bytes_put(FilBytes* bytes, const void* data, size_t size)
{
    uint8_t* place = fil_bytes_extend(bytes, size);
    if (place != NULL && size > 0) {
        memcpy(place, data, size);
    }
}

/* Stores the low `size` bytes of a number, the lowest first. */
static void store(uint8_t* place, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        place[i] = (uint8_t)(value >> (8 * i));
    }
}

static void append(FilBytes* bytes, uint64_t value, size_t size)
{
    uint8_t* place = fil_bytes_extend(bytes, size);
    if (place != NULL) {
        store(place, value, size);
    }
}

void fil_bytes_u8(FilBytes* bytes, uint8_t value)
{
    append(bytes, value, 1);
}

void fil_bytes_u16(FilBytes* bytes, uint16_t value)
{
    append(bytes, value, 2);
}

void fil_bytes_u32(FilBytes* bytes, uint32_t value)
{
    append(bytes, value, 4);
}

void fil_bytes_u64(FilBytes* bytes, uint64_t value)
{
    append(bytes, value, 8);
}

void fil_bytes_text(FilBytes* bytes, const char* text)
{
    const size_t size = strlen(text);
    if (size > UINT32_MAX) {
        bytes->failed = true;
        return;
    }
    fil_bytes_u32(bytes, (uint32_t)size);
    fil_bytes_put(bytes, text, size);
}

void fil_bytes_set_u32(FilBytes* bytes, size_t at, uint32_t value)
{
    if (!bytes->failed) {
        store(bytes->data + at, value, 4);
    }
}

void fil_bytes_set_u64(FilBytes* bytes, size_t at, uint64_t value)
{
    if (!bytes->failed) {
        store(bytes->data + at, value, 8);
    }
}

FilSlice fil_cursor_take(FilCursor* cursor, uint64_t size)
{
    if (cursor->failed || size > cursor->left) {
        cursor->failed = true;
        return (FilSlice){.data = (const uint8_t*)"", .size = 0};
    }
    if (size == 0) {
        return (FilSlice){.data = (const uint8_t*)"", .size = 0};  // also where there are no bytes at all
    }
    const FilSlice slice = {.data = cursor->at, .size = (size_t)size};
    cursor->at += slice.size;
    cursor->left -= slice.size;
    return slice;
}

static uint64_t load(FilCursor* cursor, size_t size)
{
    const FilSlice slice = fil_cursor_take(cursor, size);
    uint64_t value = 0;
    for (size_t i = 0; i < slice.size; ++i) {
        value |= (uint64_t)slice.data[i] << (8 * i);
    }
    return value;
}

uint8_t fil_cursor_u8(FilCursor* cursor)
{
    return (uint8_t)load(cursor, 1);
}

uint16_t fil_cursor_u16(FilCursor* cursor)
{
    return (uint16_t)load(cursor, 2);
}

uint32_t fil_cursor_u32(FilCursor* cursor)
{
    return (uint32_t)load(cursor, 4);
}

uint64_t fil_cursor_u64(FilCursor* cursor)
{
    return load(cursor, 8);
}

FilSlice fil_cursor_slice(FilCursor* cursor)
{
    const uint32_t size = fil_cursor_u32(cursor);
    return fil_cursor_take(cursor, size);
}
