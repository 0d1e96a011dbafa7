/* Scenes put together piece by piece, with random numbers. */
#ifndef FILUM_TEST_RANDOM_TEXT_H
#define FILUM_TEST_RANDOM_TEXT_H

#include <stddef.h>

#include "random.h"

enum { TEXT = 4000 };

typedef struct Text {
    Random* random;
    size_t length;
    double friction; /* of all; negative: each its own */
    char text[TEXT];
} Text;

void add(Text* t, const char* format, ...); /* as printf does; what does not fit fails the test */
double pick(Text* t, double low, double high);

/* ", key: [x, y, z]", each off by up to `spread`. */
void add_vector(Text* t, const char* key, double x, double y, double z, double spread);

#endif
