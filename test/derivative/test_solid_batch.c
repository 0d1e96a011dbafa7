/* Batches of tetrahedra: each lane agrees with the element by itself, for every law and every kind of deformation. */
#include "body/solid_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "solid_material.h"

/* rounding of a few hundred operations on numbers up to the Hessian's largest; where singular values nearly cancel,
 * that of the rotation is larger by 1/(s2 + s3) */
static const double NEAR = 1e-12;

enum { STRIDE = 4 };

/* elements that share no vertex: each of its own shape, deformed by its own F of one kind */
typedef struct Sample {
    FilSolidElement elements[FIL_SOLID_LANES];
    int tets[4 * FIL_SOLID_LANES];
    double positions[STRIDE * 4 * FIL_SOLID_LANES];
    double f[FIL_SOLID_LANES][9];
} Sample;

static void make_sample(Random* random, int kind, Sample* sample)
{
    for (int e = 0; e < FIL_SOLID_LANES; e++) {
        double rest[12];
        const double* corners[4] = {rest, rest + 3, rest + 6, rest + 9};
        do {
            for (int k = 0; k < 12; k++) {
                rest[k] = random_between(random, -1.0, 1.0);
            }
        } while (!fil_solid_element_make(corners, &sample->elements[e]) || sample->elements[e].volume < 0.05);
        // lanes of different kinds side by side
        random_matrix(random, (kind + e * (kind % 3)) % MATRIX_KINDS, sample->f[e]);
        for (int k = 0; k < 4; k++) {
            const int v = 4 * e + (k + e) % 4;  // numbers in some disorder
            sample->tets[4 * e + k] = v;
            fil_m3_apply(sample->positions + STRIDE * v, sample->f[e], rest + 3 * k);
            sample->positions[STRIDE * v + 3] = NAN;  // never looked at
        }
    }
}

static double singular_sum(const double* f)
{
    double u[9], s[3], v[9];
    fil_svd3(f, u, s, v);
    return s[1] + s[2];
}

/* one element by itself; blocks in a batch's order */
static double alone(const Sample* sample, int e, const FilSolidMaterial* m, const FilSolidStrain* given, bool definite, double* gradient,
                    double (*blocks)[9])
{
    const double* corners[4];
    FilSolidStrain strain = *given;
    FilSolidTangent tangent;
    double p[9], hessian[144];
    for (int k = 0; k < 4; k++) {
        corners[k] = sample->positions + STRIDE * sample->tets[4 * e + k];
    }
    fil_solid_element_deformation(&sample->elements[e], corners, strain.f);
    const double energy = fil_solid_law_evaluate(m, &strain, definite, p, &tangent);
    memset(gradient, 0, 12 * sizeof *gradient);
    fil_solid_element_add_gradient(&sample->elements[e], 1.0, p, gradient);
    fil_solid_element_hessian(&sample->elements[e], 0.7, &tangent, hessian);
    int block = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = i; j < 4; j++, block++) {
            for (int k = 0; k < 9; k++) {
                blocks[block][k] = hessian[12 * (3 * i + k / 3) + 3 * j + k % 3];
            }
        }
    }
    return sample->elements[e].volume * energy;
}

static void test_lanes_agree_with_elements(void** state)
{
    (void)state;
    Random random = {51};
    for (int round = 0; round < 60 * MATRIX_KINDS; round++) {
        for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
            const FilSolidMaterial m = material_of(model);
            const bool definite = round % 2 == 0;
            Sample sample;
            FilSolidBatch batch;
            FilSolidBatchStrain strain = {.kept = 0.8};
            FilSolidBatchResult result, plain;
            FilDouble4 theta;
            make_sample(&random, round % MATRIX_KINDS, &sample);
            fil_solid_batch_make(sample.elements, sample.tets, FIL_SOLID_LANES, &batch);
            double rotations[FIL_SOLID_LANES][9];
            for (int e = 0; e < FIL_SOLID_LANES; e++) {
                random_rotation(&random, rotations[e]);
                for (int k = 0; k < 9; k++) {
                    fil_double4_set(&strain.rotation[k], e, rotations[e][k]);
                }
                fil_double4_set(&strain.pressure, e, 0.1 * e);
            }
            fil_solid_batch_evaluate(&batch, &m, sample.positions, STRIDE, &strain, true, definite, 0.7, &result);
            fil_solid_batch_evaluate(&batch, &m, sample.positions, STRIDE, &strain, false, false, 1.0, &plain);
            fil_solid_batch_dilation(&batch, &m, sample.positions, STRIDE, strain.rotation, &theta);
            for (int e = 0; e < FIL_SOLID_LANES; e++) {
                FilSolidStrain one = fil_solid_strain_rest();
                double gradient[12], blocks[FIL_SOLID_BLOCKS][9], size = 1.0;
                memcpy(one.rotation, rotations[e], sizeof one.rotation);
                one.kept = 0.8;
                one.pressure = 0.1 * e;
                const double energy = alone(&sample, e, &m, &one, definite, gradient, blocks);
                for (int k = 0; k < 9 * FIL_SOLID_BLOCKS; k++) {
                    size = fmax(size, fabs(blocks[k / 9][k % 9]));
                }
                assert_true(fabs(fil_double4_get(&result.energy, e) - energy) < NEAR * size);
                assert_true(fabs(fil_double4_get(&plain.energy, e) - energy) < NEAR * size);
                memcpy(one.f, sample.f[e], sizeof one.f);
                assert_true(fabs(fil_double4_get(&theta, e) - fil_solid_law_dilation(&m, &one, NULL)) < NEAR * size);
                const bool rotates = model == FIL_SOLID_COROTATED || model == FIL_SOLID_COROTATED_LINEAR;
                if (rotates && singular_sum(sample.f[e]) < 0.1) {
                    continue;  // the rotation is open there: either is right
                }
                for (int k = 0; k < 12; k++) {
                    assert_true(fabs(fil_double4_get(&result.gradient[k], e) - gradient[k]) < NEAR * size);
                    assert_true(fabs(fil_double4_get(&plain.gradient[k], e) - gradient[k]) < NEAR * size);
                }
                for (int k = 0; k < 9 * FIL_SOLID_BLOCKS; k++) {
                    assert_true(fabs(fil_double4_get(&result.hessian[k / 9][k % 9], e) - blocks[k / 9][k % 9]) < NEAR * size);
                }
            }
        }
    }
}

static void test_rotations_agree(void** state)
{
    (void)state;
    Random random = {52};
    for (int round = 0; round < 500 * MATRIX_KINDS; round++) {
        Sample sample;
        FilSolidBatch batch;
        FilDouble4 rotation[9];
        make_sample(&random, round % MATRIX_KINDS, &sample);
        fil_solid_batch_make(sample.elements, sample.tets, FIL_SOLID_LANES, &batch);
        fil_solid_batch_rotation(&batch, sample.positions, STRIDE, rotation);
        for (int e = 0; e < FIL_SOLID_LANES; e++) {
            double r[9], gram[9], expected[9];
            for (int k = 0; k < 9; k++) {
                r[k] = fil_double4_get(&rotation[k], e);
            }
            fil_m3_multiply_left_transposed(gram, r, r);
            for (int k = 0; k < 9; k++) {
                assert_true(fabs(gram[k] - (k % 4 == 0 ? 1.0 : 0.0)) < 4e-15);
            }
            assert_true(fil_m3_det(r) > 0.0);
            fil_polar3(sample.f[e], expected);
            for (int k = 0; k < 9 && singular_sum(sample.f[e]) > 0.1; k++) {
                assert_true(fabs(r[k] - expected[k]) < 1e-12);
            }
        }
    }
}

/* lanes left over have no energy, force or stiffness */
static void test_few_elements(void** state)
{
    (void)state;
    Random random = {53};
    const FilSolidMaterial m = material_of(FIL_SOLID_NEO_HOOKEAN);
    for (int count = 1; count <= FIL_SOLID_LANES; count++) {
        Sample sample;
        FilSolidBatch batch;
        const FilSolidBatchStrain strain = {.kept = 1.0};
        FilSolidBatchResult result;
        make_sample(&random, MATRIX_MILD, &sample);
        fil_solid_batch_make(sample.elements, sample.tets, count, &batch);
        assert_int_equal(batch.count, count);
        fil_solid_batch_evaluate(&batch, &m, sample.positions, STRIDE, &strain, true, true, 1.0, &result);
        for (int e = 0; e < FIL_SOLID_LANES; e++) {
            assert_true((fil_double4_get(&result.energy, e) > 0.0) == (e < count));
            for (int k = 0; k < 9 * FIL_SOLID_BLOCKS && e >= count; k++) {
                assert_true(fil_double4_get(&result.hessian[k / 9][k % 9], e) == 0.0);
                assert_true(fil_double4_get(&result.gradient[k % 12], e) == 0.0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_agree_with_elements),
        cmocka_unit_test(test_rotations_agree),
        cmocka_unit_test(test_few_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
