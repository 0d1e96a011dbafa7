/* Random messages of any type, and their comparison, both driven by introspection and independent of the encoder. */
#ifndef FILUM_TEST_RANDOM_MESSAGE_H
#define FILUM_TEST_RANDOM_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "cdr.h"

/* A zeroed and initialised message on the heap. */
void* message_new(const FilMessageMembers* type);
void message_free(const FilMessageMembers* type, void* message);

/* Overwrites every field; sequences get up to `longest` elements, numbers any bits but NaN. */
void message_randomise(const FilMessageMembers* type, void* message, size_t longest, uint64_t* seed);

/* Field by field; -0.0 and 0.0 differ. */
bool message_equal(const FilMessageMembers* type, const void* a, const void* b);

uint64_t random_bits(uint64_t* seed);

#endif
