#include "scene/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Bytes that are taken at once: few calls of the heap for a scene, and little left over. */
#define CHUNK_SIZE ((size_t)64 * 1024)

typedef struct FilPoolChunk {
    struct FilPoolChunk* next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
} FilPoolChunk;

static FilPoolChunk* chunk_create(size_t size)
{
    FilPoolChunk* chunk = fil_alloc(1, sizeof(FilPoolChunk) + size);
    if (chunk != NULL) {
        chunk->size = size;
    }
    return chunk;
}

void* fil_pool_alloc(FilPool* pool, size_t count, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        return NULL;
    }
    const size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    FilPoolChunk* chunk = pool->chunks;
    if (chunk == NULL || chunk->size - chunk->used < bytes) {
        chunk = chunk_create(bytes > CHUNK_SIZE / 4 ? bytes : CHUNK_SIZE);
        if (chunk == NULL) {
            return NULL;
        }
        // a large block gets a chunk of its own, behind the one that still has room
        if (bytes > CHUNK_SIZE / 4 && pool->chunks != NULL) {
            chunk->next = pool->chunks->next;
            pool->chunks->next = chunk;
        } else {
            chunk->next = pool->chunks;
            pool->chunks = chunk;
        }
    }
    void* block = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return block;
}

char* fil_pool_text(FilPool* pool, const char* text, size_t length)
{
    char* copy = fil_pool_alloc(pool, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

void fil_pool_free(FilPool* pool)
{
    while (pool->chunks != NULL) {
        FilPoolChunk* next = pool->chunks->next;
        fil_free(pool->chunks);
        pool->chunks = next;
    }
}
