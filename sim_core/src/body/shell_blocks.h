/* Blocks of a shell's tangent: whoever includes this builds them for the level of vectors that its file is compiled for (base/vector.h). */
#ifndef FILUM_BODY_SHELL_BLOCKS_H
#define FILUM_BODY_SHELL_BLOCKS_H

#include "base/vector.h"
#include "body/shell.h"

/* Columns `first` to `end` - 1 of what fil_shell_stiffen() makes by blocks, without inertia, with registers of 256 bits and the same bits. */
void fil_shell_stiffen_columns_avx2(const FilShellStiffening* s, int first, int end);

#if defined(__AVX__)

/* A block of three columns of four numbers. */
typedef struct Sum {
    FilDouble4 column[3];
} Sum;

FIL_VECTOR_INLINE void sum_begin(Sum* sum, double scale, const double* block)
{
    for (int c = 0; c < 3; c++) {
        sum->column[c] = block != NULL ? scale * fil_double4_load(block + 4 * c) : fil_double4_all(0.0);
    }
}

FIL_VECTOR_INLINE void sum_store(const Sum* sum, double* block)
{
    for (int c = 0; c < 3; c++) {
        fil_double4_store(block + 4 * c, sum->column[c]);
    }
}

/* What an edge adds, times a sign: fil_shell_edge_columns(). Sums with -0.0 are what they were. */
FIL_VECTOR_INLINE void sum_edge(Sum* sum, const FilShellPull* pull, const double* stiffness, bool minus)
{
    const FilDouble4 e = fil_double4_load(pull->e);
    const double along = stiffness[0], across = stiffness[1];
    const FilDouble4 front = {0.0, 0.0, -0.0, -0.0}, back = {-0.0, -0.0, 0.0, 0.0}, all = fil_double4_all(across);
    const FilDouble4 beside[3] = {_mm256_blend_pd(front, all, 1), _mm256_blend_pd(front, all, 2), _mm256_blend_pd(back, all, 4)};
    for (int c = 0; c < 3; c++) {
        const FilDouble4 column = along * pull->e[c] * e + beside[c];
        sum->column[c] = minus ? sum->column[c] - column : sum->column[c] + column;
    }
}

/* What any other fold adds: rows and columns of its Hessian, which add_block() has. */
FIL_VECTOR_INLINE void sum_hessian(Sum* sum, double scale, const double* h, int row, int column)
{
    for (int c = 0; c < 3; c++) {
        const double* from = h + 12 * (ptrdiff_t)row + column + c;
        sum->column[c] = sum->column[c] + scale * fil_double4_of(from[0], from[12], from[24], 0.0);
    }
}

/* What a light fold adds: psi'' a b' of its gradients a over the row's vertex, b over the column's. */
FIL_VECTOR_INLINE void sum_fold(Sum* sum, double curve, const double* a, const double* b)
{
    const FilDouble4 three = _mm256_maskload_pd(a, _mm256_setr_epi64x(-1, -1, -1, 0));
    const FilDouble4 bent = fil_double4_all(curve);
    for (int c = 0; c < 3; c++) {
        sum->column[c] = fil_double4_add_product(sum->column[c], bent * fil_double4_all(b[c]), three);
    }
}

#else

/* A block of three columns of four numbers, in halves. */
typedef struct Sum {
    FilDouble2 half[6];
} Sum;

FIL_VECTOR_INLINE void sum_begin(Sum* sum, double scale, const double* block)
{
    for (int k = 0; k < 6; k++) {
        sum->half[k] = block != NULL ? scale * fil_double2_load(block + 2 * k) : fil_double2_all(0.0);
    }
}

FIL_VECTOR_INLINE void sum_store(const Sum* sum, double* block)
{
    for (int k = 0; k < 6; k++) {
        fil_double2_store(block + 2 * k, sum->half[k]);
    }
}

/* What an edge adds, times a sign: fil_shell_edge_columns(). */
FIL_VECTOR_INLINE void sum_edge(Sum* sum, const FilShellPull* pull, const double* stiffness, bool minus)
{
    const FilDouble2 front = fil_double2_load(pull->e), back = fil_double2_load(pull->e + 2);
    const double along = stiffness[0], across = stiffness[1];
    const FilDouble2 first = {across, 0.0}, second = {0.0, across};
    for (int c = 0; c < 3; c++) {
        const FilDouble2 scale = fil_double2_all(along * pull->e[c]);
        FilDouble2 upper = scale * front, lower = scale * back;
        upper = c == 0 ? upper + first : c == 1 ? upper + second : upper;
        lower = c == 2 ? lower + first : lower;
        sum->half[2 * c] = minus ? sum->half[2 * c] - upper : sum->half[2 * c] + upper;
        sum->half[2 * c + 1] = minus ? sum->half[2 * c + 1] - lower : sum->half[2 * c + 1] + lower;
    }
}

/* What any other fold adds: rows and columns of its Hessian, which add_block() has. */
FIL_VECTOR_INLINE void sum_hessian(Sum* sum, double scale, const double* h, int row, int column)
{
    for (int c = 0; c < 3; c++) {
        const double* from = h + 12 * (ptrdiff_t)row + column + c;
        const FilDouble2 upper = {from[0], from[12]}, lower = {from[24], 0.0};
        sum->half[2 * c] = sum->half[2 * c] + scale * upper;
        sum->half[2 * c + 1] = sum->half[2 * c + 1] + scale * lower;
    }
}

/* What a light fold adds: psi'' a b' of its gradients a over the row's vertex, b over the column's. */
FIL_VECTOR_INLINE void sum_fold(Sum* sum, double curve, const double* a, const double* b)
{
    const FilDouble2 front = fil_double2_load(a), back = {a[2], 0.0};
    for (int c = 0; c < 3; c++) {
        const FilDouble2 along = fil_double2_all(curve * b[c]);
        sum->half[2 * c] = fil_double2_add_product(sum->half[2 * c], along, front);
        sum->half[2 * c + 1] = fil_double2_add_product(sum->half[2 * c + 1], along, back);
    }
}

#endif

FIL_VECTOR_INLINE void stiffen_block(const FilShellStiffening* s, int b, bool diagonal)
{
    const FilShellBody* body = s->body;
    const int *start = body->block_terms_start + 2 * (ptrdiff_t)b, *terms = body->block_terms;
    const ptrdiff_t place = FIL_BLOCK_SIZE * (ptrdiff_t)b;
    double* block = s->values + place;
    Sum sum;
    sum_begin(&sum, s->damped, s->damping != NULL ? s->damping + place : NULL);
    const int edges_end = start[1], folds_end = start[2];
    for (int k = start[0]; k < edges_end; k++) {
        sum_edge(&sum, &body->pulls[terms[k]], body->stretching + 2 * (ptrdiff_t)terms[k], !diagonal);
    }
    for (int k = edges_end; k < folds_end; k++) {
        const unsigned term = (unsigned)terms[k], f = term / 16, row = term / 4 % 4, column = term % 4;
        const double *gradient = body->bends[f].gradient, light = body->light[f];
        if (light >= 0.0) {
            sum_fold(&sum, light, gradient + 3 * row, gradient + 3 * column);
        } else {
            sum_hessian(&sum, s->scale, body->heavy + 144 * (int)(-1.0 - light), 3 * (int)row, 3 * (int)column);
        }
    }
    sum_store(&sum, block);
    memset(block + 12, 0, FIL_BLOCK * sizeof *block);
}

FIL_VECTOR_INLINE void stiffen_some(const FilShellStiffening* s, int first, int end)
{
    const int* start = s->body->block_start;
    for (int j = first; j < end; j++) {
        stiffen_block(s, start[j], true);  // rows rise
        for (int b = start[j] + 1; b < start[j + 1]; b++) {
            stiffen_block(s, b, false);
        }
    }
}

#endif
