#include "run_system.h"

#include <stdlib.h>

#include "random.h"

static void put(Random* random, int* row, double* values, int* end, int i, bool diagonal, double size)
{
    row[*end] = i;
    for (int e = 0; e < FIL_BLOCK_SIZE; e++) {
        values[FIL_BLOCK_SIZE * *end + e] = diagonal ? (e % 5 == 0 ? size : 0.0) : 0.2 * random_between(random, -1.0, 1.0);
    }
    (*end)++;
}

RunSystem* run_system(uint64_t seed, double share)
{
    Random random = {seed};
    RunSystem* s = calloc(1, sizeof *s);
    if (s == NULL) {
        abort();
    }
    int a_end = 0, c_end = 0, rod_end = 0;
    for (int j = 0; j < RUN_COLUMNS; j++) {
        if (j == rod_end) {
            rod_end = j + 1 + (int)random_between(&random, 0.0, 40.0);
        }
        const bool far = random_between(&random, 0.0, 1.0) < 0.01 && j + 7 < RUN_COLUMNS, swap = random_between(&random, 0.0, 1.0) < 0.3;
        s->a_start[j] = a_end;
        for (int k = 0; k < 3; k++) {
            const int apart = swap ? 2 - k : k;
            const bool there = apart == 0 || random_between(&random, 0.0, 1.0) < 0.95;
            if (there && j + apart < RUN_COLUMNS && (apart == 0 || j + apart < rod_end)) {
                put(&random, s->a_row, s->a, &a_end, j + apart, apart == 0, 8.0);
            }
        }
        if (far) {
            put(&random, s->a_row, s->a, &a_end, j + 7, false, 0.0);
        }
        s->touched[j] = random_between(&random, 0.0, 1.0) < share || (j > 0 && s->touched[j - 1] && random_between(&random, 0.0, 1.0) < 0.5);
    }
    s->a_start[RUN_COLUMNS] = a_end;
    for (int j = 0; j < RUN_COLUMNS; j++) {
        s->c_start[j] = c_end;
        for (int i = j; i < RUN_COLUMNS && i < j + 9 && s->touched[j]; i++) {
            if (s->touched[i]) {
                put(&random, s->c_row, s->c, &c_end, i, i == j, 1.0);
            }
        }
    }
    s->c_start[RUN_COLUMNS] = c_end;
    s->a_pattern = (FilBlockPattern){RUN_COLUMNS, s->a_start, s->a_row};
    s->c_pattern = (FilBlockPattern){RUN_COLUMNS, s->c_start, s->c_row};
    return s;
}
