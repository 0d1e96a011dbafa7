/* A 64-bit hash of bytes (FNV-1a over 8-byte words, then a final mix): state identity, not security. */
#ifndef FILUM_BASE_HASH_H
#define FILUM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV's offset basis for 64 bits. */
#define FIL_HASH_SEED UINT64_C(14695981039346656037)

/* Continues `hash` over `size` bytes. */
uint64_t fil_hash_bytes(uint64_t hash, const void* bytes, size_t size);

#endif
