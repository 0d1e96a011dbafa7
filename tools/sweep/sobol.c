/* The directions are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008: for each
 * dimension a primitive polynomial of degree `degree` with inner coefficients `inner`, and first numbers m_k, odd and below 2^k. */
#include "sweep/sobol.h"

typedef struct Row {
    int degree;
    uint32_t inner;
    uint32_t first[6];
} Row;

/* From the second dimension on; the first one is the binary fractions mirrored. */
static const Row rows[FIL_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

uint32_t fil_sobol(uint32_t index, int dimension)
{
    // of a coordinate
    enum { BITS = 32 };
    uint32_t v[BITS], x = 0;
    for (int k = 0; k < BITS; k++) {
        v[k] = UINT32_C(1) << (BITS - 1 - k);
    }
    if (dimension > 0) {
        const Row* row = &rows[dimension - 1];
        const int s = row->degree;
        for (int k = 0; k < s; k++) {
            v[k] = row->first[k] << (BITS - 1 - k);
        }
        // v_k = v_{k-s} ^ (v_{k-s} >> s) ^ sum of a_i v_{k-i}
        for (int k = s; k < BITS; k++) {
            v[k] = v[k - s] ^ (v[k - s] >> s);
            for (int i = 1; i < s; i++) {
                v[k] ^= (row->inner >> (s - 1 - i) & 1) ? v[k - i] : 0;
            }
        }
    }
    // of Gray's code: any index by itself
    for (uint32_t gray = index ^ (index >> 1), k = 0; gray != 0; gray >>= 1, k++) {
        x ^= (gray & 1) ? v[k] : 0;
    }
    return x;
}
