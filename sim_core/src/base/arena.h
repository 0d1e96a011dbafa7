/* Blocks that live as long as their owner, side by side: data that a step walks through share pages, large ones where the
 * system has them. Used at creation only, never inside a step. */
#ifndef FILUM_BASE_ARENA_H
#define FILUM_BASE_ARENA_H

#include <stddef.h>

/* Zero is an empty arena. */
typedef struct FilArena {
    struct FilArenaChunk* chunks; /* the one in use first */
    size_t used;                  /* bytes of it */
} FilArena;

/* Zeroed, 64-byte aligned block for `count` items of `size` bytes; NULL when out of memory. count 0 gives a block. */
void* fil_arena_alloc(FilArena* arena, size_t count, size_t size);

/* Frees all blocks at once; the arena is empty again. */
void fil_arena_free(FilArena* arena);

#endif
