/* Little-endian bytes: a buffer that grows at its end, and a cursor that never reads past its own. Both remember a
 * failure (no memory, too short), so that a run of calls is checked once, after the last. */
#ifndef FILUM_RECORD_BYTES_H
#define FILUM_RECORD_BYTES_H

#include "filum/record.h"

typedef struct FilBytes {
    uint8_t* data;
    size_t size, capacity;
    bool failed; /* out of memory: something is missing */
} FilBytes;

void fil_bytes_free(FilBytes* bytes);
void fil_bytes_clear(FilBytes* bytes); /* keeps the memory */

/* Appends `size` bytes of any value and returns where they are; NULL when out of memory. */
uint8_t* fil_bytes_extend(FilBytes* bytes, size_t size);

void fil_bytes_put(FilBytes* bytes, const void* data, size_t size);
void fil_bytes_u8(FilBytes* bytes, uint8_t value);
void fil_bytes_u16(FilBytes* bytes, uint16_t value);
void fil_bytes_u32(FilBytes* bytes, uint32_t value);
void fil_bytes_u64(FilBytes* bytes, uint64_t value);
void fil_bytes_text(FilBytes* bytes, const char* text); /* u32 length, then the letters without NUL */

/* Overwrites the number at `at`, which is in the buffer unless the buffer failed. */
void fil_bytes_set_u32(FilBytes* bytes, size_t at, uint32_t value);
void fil_bytes_set_u64(FilBytes* bytes, size_t at, uint64_t value);

/* ---- reading ---- */

typedef struct FilCursor {
    const uint8_t* at;
    size_t left;
    bool failed; /* something was longer than what was left; zeros were given instead */
} FilCursor;

uint8_t fil_cursor_u8(FilCursor* cursor);
uint16_t fil_cursor_u16(FilCursor* cursor);
uint32_t fil_cursor_u32(FilCursor* cursor);
uint64_t fil_cursor_u64(FilCursor* cursor);
FilSlice fil_cursor_take(FilCursor* cursor, uint64_t size);
FilSlice fil_cursor_slice(FilCursor* cursor); /* u32 size, then the bytes */

#endif
