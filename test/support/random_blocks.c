#include "random_blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

double random_blocks_dense[MAX_N * MAX_N];

RandomBlocks* random_blocks(Random* random, int columns, double fill, bool diagonal)
{
    RandomBlocks* m = calloc(1, sizeof *m);
    m->pattern = (FilBlockPattern){columns, m->start, m->row};
    int end = 0;
    for (int j = 0; j < columns; j++) {
        for (int i = j; i < columns; i++) {
            if (i == j ? diagonal : random_between(random, 0.0, 1.0) < fill) {
                // swap into a random place of the column
                const int place = m->start[j] + (int)(random_bits(random) % (uint64_t)(end - m->start[j] + 1));
                m->row[end++] = m->row[place];
                m->row[place] = i;
            }
        }
        m->start[j + 1] = end;
        for (int k = m->start[j]; k < end; k++) {
            for (int e = 0; e < 16; e++) {
                m->values[16 * k + e] = random_between(random, -1.0, 1.0);
            }
            for (int e = 0; e < 16 && m->row[k] == j; e++) {
                m->values[16 * k + e] = m->values[16 * k + 4 * (e % 4) + e / 4];  // symmetric
            }
        }
    }
    return m;
}

void random_blocks_add_dense(const RandomBlocks* m)
{
    const int n = 4 * m->pattern.columns;
    for (int j = 0; j < m->pattern.columns; j++) {
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            for (int e = 0; e < 16; e++) {
                const int r = 4 * m->row[k] + e % 4, c = 4 * j + e / 4;
                random_blocks_dense[r * n + c] += m->values[16 * k + e];
                if (m->row[k] != j) {
                    random_blocks_dense[c * n + r] += m->values[16 * k + e];
                }
            }
        }
    }
}

void random_blocks_make_definite(RandomBlocks* a, const RandomBlocks* c)
{
    const int n = 4 * a->pattern.columns;
    memset(random_blocks_dense, 0, sizeof random_blocks_dense);
    random_blocks_add_dense(a);
    if (c != NULL) {
        random_blocks_add_dense(c);
    }
    for (int j = 0; j < a->pattern.columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            for (int d = 0; d < 4 && a->row[k] == j; d++) {
                const int r = 4 * j + d;
                double sum = 0.1;
                for (int i = 0; i < n; i++) {
                    sum += i == r ? 0.0 : fabs(random_blocks_dense[r * n + i]);
                }
                a->values[16 * k + 5 * d] += sum - random_blocks_dense[r * n + r];
                random_blocks_dense[r * n + r] = sum;
            }
        }
    }
}

void random_blocks_make_thin(RandomBlocks* m, bool diagonal)
{
    for (int j = 0; j < m->pattern.columns; j++) {
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            for (int i = 0; i < 4; i++) {
                m->values[16 * k + 4 * i + 3] = m->values[16 * k + 12 + i] = 0.0;
            }
            m->values[16 * k + 15] = diagonal && m->row[k] == j ? 1.0 : 0.0;
        }
    }
}

RandomBlocks* random_blocks_fewer(const RandomBlocks* a)
{
    const int columns = a->pattern.columns;
    RandomBlocks* fewer = calloc(1, sizeof *fewer);
    assert_non_null(fewer);
    fewer->pattern = (FilBlockPattern){columns, fewer->start, fewer->row};
    int end = 0;
    for (int j = 0; j < columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (k % 2 == 0) {
                fewer->row[end] = a->row[k];
                memcpy(fewer->values + 16 * end++, a->values + 16 * k, 16 * sizeof(double));
            }
        }
        fewer->start[j + 1] = end;
    }
    return fewer;
}

double* random_blocks_pivot(RandomBlocks* a, int column, int d)
{
    int k = a->start[column];
    while (a->row[k] != column) {
        k++;
    }
    return &a->values[16 * k + 5 * d];
}

void random_blocks_compare(const double* b, const double* x, const double* y, int n)
{
    double size = 0.0;
    for (int k = 0; k < n; k++) {
        size = fmax(size, fabs(y[k]));
    }
    for (int k = 0; k < n; k++) {
        assert_true(fabs(x[k] - y[k]) <= 1e-12 * size);
        double rest = -b[k];
        for (int i = 0; i < n; i++) {
            rest += random_blocks_dense[k * n + i] * x[i];
        }
        assert_true(fabs(rest) <= 1e-12);
    }
}
