#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    // 2^64 over the golden ratio, odd (Knuth's multiplicative hashing); the shift brings the upper half of
    // the bits down, which a product leaves out of the lower ones: 29, as splitmix64 and others have it near a half
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

uint64_t fil_hash_bytes(uint64_t hash, const void* bytes, size_t size)
{
    const unsigned char* p = bytes;
    uint64_t word;
    for (; size >= sizeof word; size -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    if (size > 0) {
        memcpy(&word, p, size);
    }
    // at most seven bytes are left: the upper one says how many
    return mix(hash, word ^ ((uint64_t)size << 56));
}
