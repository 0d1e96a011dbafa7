/* Compression of chunks: none, LZ4 frames or Zstandard frames. */
#ifndef FILUM_RECORD_CODEC_H
#define FILUM_RECORD_CODEC_H

#include "record/bytes.h"

/* As MCAP spells it: "", "lz4", "zstd". */
const char* fil_compression_name(FilCompression compression);

/* From MCAP's spelling, or "none"; false if it is none of them. */
bool fil_compression_find(const char* name, size_t size, FilCompression* compression);

/* Replaces `out` by the compressed bytes. NONE is the caller's own to pass by. */
FIL_MUST_CHECK bool fil_compress(FilCompression compression, FilSlice in, FilBytes* out);

/* Replaces `out` by at most `limit` bytes. Memory grows with what is really there, not with what is promised. True if
 * `in` was one whole frame of at most `limit` bytes; otherwise `out` has what could be had of it. */
FIL_MUST_CHECK bool fil_decompress(FilCompression compression, FilSlice in, size_t limit, FilBytes* out);

#endif
