/* Owns compression and decompression. */
#include "record/codec.h"

#include <lz4frame.h>
#include <string.h>
#include <zstd.h>

enum {
    PIECE = 1 << 18, /* how much room is made at a time */
    ZSTD_LEVEL = 1,  /* states change in every digit: higher levels take time and gain little */
};

static const char* const names[] = {[FIL_COMPRESSION_NONE] = "", [FIL_COMPRESSION_LZ4] = "lz4", [FIL_COMPRESSION_ZSTD] = "zstd"};

const char* fil_compression_name(FilCompression compression)
{
    return names[compression];
}

bool fil_compression_find(const char* name, size_t size, FilCompression* compression)
{
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i) {
        if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0) {
            *compression = (FilCompression)i;
            return true;
        }
    }
    *compression = FIL_COMPRESSION_NONE;
    return size == 4 && memcmp(name, "none", 4) == 0;
}

bool fil_compress(FilCompression compression, FilSlice in, FilBytes* out)
{
    // blocks of 64 KiB, so that a frame that was cut off can be read almost to its end
    const LZ4F_preferences_t preferences = {.frameInfo = {.blockSizeID = LZ4F_max64KB, .contentSize = in.size}};
    const bool lz4 = compression == FIL_COMPRESSION_LZ4;
    fil_bytes_clear(out);
    const size_t bound = lz4 ? LZ4F_compressFrameBound(in.size, &preferences) : ZSTD_compressBound(in.size);
    uint8_t* place = fil_bytes_extend(out, bound);
    if (place == NULL) {
        return false;
    }
    const size_t size =
        lz4 ? LZ4F_compressFrame(place, bound, in.data, in.size, &preferences) : ZSTD_compress(place, bound, in.data, in.size, ZSTD_LEVEL);
    if (lz4 ? LZ4F_isError(size) : ZSTD_isError(size)) {
        return false;
    }
    out->size = size;
    return true;
}

/* One call of a streaming decompressor: how much it took and gave; false if the frame is damaged. */
typedef struct Piece {
    const uint8_t* in;
    size_t in_size; /* in: there is; out: was taken */
    uint8_t* out;
    size_t out_size; /* in: there is room; out: was given */
    bool whole;      /* the frame has ended */
} Piece;

static bool lz4_piece(void* context, Piece* piece)
{
    const size_t hint = LZ4F_decompress(context, piece->out, &piece->out_size, piece->in, &piece->in_size, NULL);
    piece->whole = hint == 0;
    return !LZ4F_isError(hint);
}

static bool zstd_piece(void* context, Piece* piece)
{
    ZSTD_inBuffer in = {.src = piece->in, .size = piece->in_size};
    ZSTD_outBuffer out = {.dst = piece->out, .size = piece->out_size};
    const size_t hint = ZSTD_decompressStream(context, &out, &in);
    piece->in_size = in.pos;
    piece->out_size = out.pos;
    piece->whole = hint == 0;
    return !ZSTD_isError(hint);
}

static bool decompress_pieces(bool (*next)(void*, Piece*), void* context, FilSlice in, size_t limit, FilBytes* out)
{
    for (;;) {
        // one byte beyond the limit, so that a frame that is too long shows
        const size_t room = limit - out->size < PIECE ? limit - out->size + 1 : PIECE;
        const size_t before = out->size;
        uint8_t* place = fil_bytes_extend(out, room);
        if (place == NULL) {
            out->size = before;
            return false;
        }
        Piece piece = {.in = in.data, .in_size = in.size, .out = place, .out_size = room};
        const bool good = next(context, &piece);
        out->size = before + (good ? piece.out_size : 0);
        if (!good || out->size > limit) {
            out->size = out->size > limit ? limit : out->size;
            return false;
        }
        in.data += piece.in_size;
        in.size -= piece.in_size;
        if (piece.whole) {
            return in.size == 0;
        }
        if (piece.in_size == 0 && piece.out_size == 0) {
            return false;  // cut off
        }
    }
}

bool fil_decompress(FilCompression compression, FilSlice in, size_t limit, FilBytes* out)
{
    fil_bytes_clear(out);
    bool whole = false;
    switch (compression) {
        case FIL_COMPRESSION_NONE:
            fil_bytes_put(out, in.data, in.size < limit ? in.size : limit);
            return !out->failed && in.size <= limit;
        case FIL_COMPRESSION_LZ4: {
            LZ4F_dctx* context = NULL;
            if (!LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
                whole = decompress_pieces(lz4_piece, context, in, limit, out);
            }
            LZ4F_freeDecompressionContext(context);
            return whole;
        }
        case FIL_COMPRESSION_ZSTD: {
            ZSTD_DCtx* context = ZSTD_createDCtx();
            if (context != NULL) {
                whole = decompress_pieces(zstd_piece, context, in, limit, out);
            }
            ZSTD_freeDCtx(context);
            return whole;
        }
    }
    return false;
}
