#include "base/arena.h"

#include <stdint.h>

#include "base/memory.h"

/* Chunks double from SMALLEST to LARGEST, so that small worlds stay small; an address checker wants each block apart. */
enum { SMALLEST = 1 << 16, LARGEST = 1 << 22 };
#ifdef __has_feature
#define ADDRESSES_CHECKED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define ADDRESSES_CHECKED 1
#else
#define ADDRESSES_CHECKED 0
#endif
enum { BLOCKS_APART = ADDRESSES_CHECKED };

typedef struct FilArenaChunk {
    struct FilArenaChunk* next;
    char* bytes;
    size_t size;
} FilArenaChunk;

static FilArenaChunk* add_chunk(FilArena* arena, size_t min)
{
    size_t size = SMALLEST;
    if (BLOCKS_APART) {
        size = min;
    } else if (arena->chunks != NULL) {
        size = arena->chunks->size < LARGEST ? 2 * arena->chunks->size : LARGEST;
    }
    size = size < min ? min : size;
    FilArenaChunk* chunk = fil_alloc(1, sizeof *chunk);
    if (chunk == NULL || (chunk->bytes = fil_alloc(1, size)) == NULL) {
        fil_free(chunk);
        return NULL;
    }
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used = 0;
    return chunk;
}

void* fil_arena_alloc(FilArena* arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - FIL_ALIGNMENT) / size) {
        return NULL;
    }
    const size_t bytes = (count * size + FIL_ALIGNMENT - 1) / FIL_ALIGNMENT * FIL_ALIGNMENT;
    FilArenaChunk* chunk = arena->chunks;
    if (chunk == NULL || BLOCKS_APART || bytes > chunk->size - arena->used) {
        chunk = add_chunk(arena, bytes);
    }
    if (chunk == NULL) {
        return NULL;
    }
    void* block = chunk->bytes + arena->used;
    arena->used += bytes;
    return block;
}

void fil_arena_free(FilArena* arena)
{
    while (arena->chunks != NULL) {
        FilArenaChunk* next = arena->chunks->next;
        fil_free(arena->chunks->bytes);
        fil_free(arena->chunks);
        arena->chunks = next;
    }
    arena->used = 0;
}
