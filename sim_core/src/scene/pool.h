/* A pool of memory for one scene: blocks are handed out one by one and freed all at once. */
#ifndef FILUM_SCENE_POOL_H
#define FILUM_SCENE_POOL_H

#include <stddef.h>

typedef struct FilPool {
    struct FilPoolChunk* chunks; /* the newest first; NULL: empty */
} FilPool;

/* Zeroed, aligned for any type, valid until fil_pool_free(); NULL when out of memory. */
void* fil_pool_alloc(FilPool* pool, size_t count, size_t size);

/* A terminated copy of `length` characters. */
char* fil_pool_text(FilPool* pool, const char* text, size_t length);

void fil_pool_free(FilPool* pool);

#endif
