/* The state hash: the same for the same bytes, another for any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "random.h"

enum { SIZE = 100 };

static void fill(unsigned char* bytes)
{
    Random random = {1};
    for (int k = 0; k < SIZE; ++k) {
        bytes[k] = (unsigned char)random_bits(&random);
    }
}

/* each of 800 flipped bits gives a hash of its own: among 800 numbers of 64 bits two are equal by chance in one of 5e13
 * cases */
static void every_bit_counts(void** state)
{
    (void)state;
    unsigned char bytes[SIZE];
    static uint64_t seen[8 * SIZE + 1];
    fill(bytes);
    seen[8 * SIZE] = fil_hash_bytes(FIL_HASH_SEED, bytes, SIZE);
    for (int k = 0; k < 8 * SIZE; ++k) {
        bytes[k / 8] ^= (unsigned char)(1u << (k % 8));
        seen[k] = fil_hash_bytes(FIL_HASH_SEED, bytes, SIZE);
        bytes[k / 8] ^= (unsigned char)(1u << (k % 8));
    }
    for (int k = 0; k <= 8 * SIZE; ++k) {
        for (int m = 0; m < k; ++m) {
            assert_true(seen[k] != seen[m]);
        }
    }
    assert_true(fil_hash_bytes(FIL_HASH_SEED, bytes, SIZE) == seen[8 * SIZE]);
}

/* zeros are not nothing: lengths differ */
static void length_counts(void** state)
{
    (void)state;
    const unsigned char zeros[32] = {0};
    uint64_t seen[33];
    for (size_t size = 0; size <= 32; ++size) {
        seen[size] = fil_hash_bytes(FIL_HASH_SEED, zeros, size);
        for (size_t other = 0; other < size; ++other) {
            assert_true(seen[size] != seen[other]);
        }
    }
}

/* where the bytes lie in memory does not count, what came before does */
static void place_does_not_count_and_history_does(void** state)
{
    (void)state;
    unsigned char bytes[SIZE], moved[SIZE + 16];
    fill(bytes);
    const uint64_t hash = fil_hash_bytes(FIL_HASH_SEED, bytes, SIZE);
    for (size_t shift = 0; shift < 16; ++shift) {
        memcpy(moved + shift, bytes, SIZE);
        assert_true(fil_hash_bytes(FIL_HASH_SEED, moved + shift, SIZE) == hash);
    }
    assert_true(fil_hash_bytes(hash, bytes, SIZE) != hash);
    const uint64_t ab = fil_hash_bytes(fil_hash_bytes(FIL_HASH_SEED, bytes, 8), bytes + 8, 8);
    const uint64_t ba = fil_hash_bytes(fil_hash_bytes(FIL_HASH_SEED, bytes + 8, 8), bytes, 8);
    assert_true(ab != ba);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(length_counts),
        cmocka_unit_test(place_does_not_count_and_history_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
