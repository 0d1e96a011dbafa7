/* The folded chain factorisation: against dense Cholesky, for every small size, open and closed; what is not positive
 * definite is refused; and kernels without vectors give the same numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dense.h"
#include "lane_jobs.h"

enum { N = LANE_JOB_UNKNOWNS };

static double matrix[N * N];

/* Positive definite with eigenvalues of about 0.5 to 50: products B B' of random B, and the identity. */
static void random_job(Random* random, int nodes, bool closed, FoldJob* job)
{
    memset(job, 0, sizeof *job);
    job->nodes = nodes;
    job->closed = closed;
    for (int p = 1; p <= fold_job_last(job); ++p) {
        double b[11][11];
        for (int k = 0; k < 121; ++k) {
            b[k / 11][k % 11] = random_between(random, -1.0, 1.0);
        }
        for (int k = 0; k < 121; ++k) {
            for (int m = 0; m < 11; ++m) {
                job->blocks[p][k] += b[k / 11][m] * b[k % 11][m];
            }
        }
    }
    for (int k = 0; k < 4 * nodes; ++k) {
        job->diagonal[k] = random_between(random, 0.5, 1.5);
        job->x[k] = random_between(random, -1.0, 1.0);
    }
    if (!closed) {
        job->x[4 * nodes - 1] = 0.0;
    }
}

/* Unknown number u (0..10) of the hinge at position p. */
static int hinge_unknown(const FoldJob* job, int p, int u)
{
    return 4 * fold_job_node(job, p - 1 + u / 4) + u % 4;
}

/* The same matrix, dense; the angle that an open rod lacks is an equation of its own. */
static void expand(const FoldJob* job)
{
    memset(matrix, 0, sizeof matrix);
    for (int k = 0; k < 4 * job->nodes; ++k) {
        matrix[N * k + k] = job->diagonal[k];
    }
    for (int p = 1; p <= fold_job_last(job); ++p) {
        for (int j = 0; j < 11; ++j) {
            for (int k = 0; k < 11; ++k) {
                matrix[N * hinge_unknown(job, p, j) + hinge_unknown(job, p, k)] += job->blocks[p][11 * j + k];
            }
        }
    }
}

/* Plain Cholesky, in place; false if a pivot is not positive. */
static bool dense_solve(int n, double* x)
{
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            double sum = matrix[N * i + j];
            for (int k = 0; k < j; ++k) {
                sum -= matrix[N * i + k] * matrix[N * j + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            matrix[N * i + j] = i == j ? sqrt(sum) : sum / matrix[N * j + j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= matrix[N * i + k] * x[k];
        }
        x[i] /= matrix[N * i + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= matrix[N * k + i] * x[k];
        }
        x[i] /= matrix[N * i + i];
    }
    return true;
}

/* Open chains have an odd number of places; closed ones need room for the border before the joint (see fold.h). */
static void for_each_chain(void (*test)(Random* random, int nodes, bool closed), uint64_t seed)
{
    Random random = {seed};
    for (int nodes = 3; nodes <= 21; nodes += 2) {
        test(&random, nodes, false);
    }
    for (int nodes = 5; nodes <= 20; ++nodes) {
        test(&random, nodes, true);
    }
    test(&random, 63, false);
    test(&random, 61, true);
    test(&random, 62, true);
}

static FoldJob job, other;

static void agrees_with_dense(Random* random, int nodes, bool closed)
{
    double x[N];
    random_job(random, nodes, closed, &job);
    other = job;
    memcpy(x, job.x, sizeof x);
    expand(&job);
    assert_true(dense_solve(4 * nodes, x));
    assert_true(vector_fold_job(&job));
    /* condition numbers of a few hundred times rounding */
    assert_true(dense_mismatch(job.x, x, 4 * nodes) < 1e-12);
    assert_true(scalar_fold_job(&other));
    assert_true(dense_mismatch(other.x, job.x, 4 * nodes) < 1e-13);
}

static void solutions_agree_with_dense_cholesky(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        for_each_chain(agrees_with_dense, seed);
    }
}

/* one negative eigenvalue at a time, at every unknown */
static void refuses_each_pivot(Random* random, int nodes, bool closed)
{
    if (nodes > 13) {
        return;
    }
    random_job(random, nodes, closed, &job);
    const int unknowns = 4 * nodes - (closed ? 0 : 1);
    for (int k = 0; k < unknowns; ++k) {
        static FoldJob bad;
        double x[N] = {0};
        bad = job;
        /* just below what the rest of the chain makes up for: the pivot of an unknown eliminated last is
         * 1 / (A^-1)_kk, so subtracting a little more than that makes A indefinite, and a little less does not */
        expand(&job);
        x[k] = 1.0;
        assert_true(dense_solve(4 * nodes, x));
        bad.diagonal[k] -= 1.001 / x[k];
        assert_false(vector_fold_job(&bad));
        assert_false(scalar_fold_job(&bad));
        bad.diagonal[k] += 0.002 / x[k];
        assert_true(vector_fold_job(&bad));
        assert_true(scalar_fold_job(&bad));
    }
}

static void indefinite_matrices_are_refused(void** state)
{
    (void)state;
    for_each_chain(refuses_each_pivot, 6);
}

static void refuses_nan(Random* random, int nodes, bool closed)
{
    random_job(random, nodes, closed, &job);
    const int unknowns = 4 * nodes - (closed ? 0 : 1);
    for (int k = 0; k < unknowns; ++k) {
        const double diagonal = job.diagonal[k];
        job.diagonal[k] = NAN;
        assert_false(vector_fold_job(&job));
        assert_false(scalar_fold_job(&job));
        job.diagonal[k] = diagonal;
    }
}

static void nan_is_refused(void** state)
{
    (void)state;
    for_each_chain(refuses_nan, 7);
}

/* ---- the rod kernel in both kinds of lanes ---- */

static ChainJob vector_job, scalar_job;

static void compare_lanes(Random* random, int nodes, bool closed, bool twist_free, double motion, double damping)
{
    ReferenceRod rod;
    double base[REFERENCE_MAX_DOFS + 1], q[REFERENCE_MAX_DOFS + 1];
    random_rod(random, nodes, closed, &rod, base);
    base[4 * nodes - 1] = closed ? base[4 * nodes - 1] : 0.0;
    for (int i = 0; i < nodes && twist_free; ++i) {  // straight at rest: its frames do not matter
        rod.rest_kappa1[i] = rod.rest_kappa2[i] = 0.0;
    }
    for (int k = 0; k < 4 * nodes; ++k) {
        /* angles turn up to sixty times as far as positions move: beyond the range of the series for sine and cosine */
        q[k] = base[k] + motion * (k % 4 == 3 ? 60.0 : 1.0) * random_between(random, -1.0, 1.0);
    }
    vector_job = (ChainJob){.rod = &rod, .base = base, .q = q, .twist_free = twist_free, .damping = damping, .added = 4e4};
    scalar_job = vector_job;
    vector_chain_job(&vector_job);
    scalar_chain_job(&scalar_job);
    assert_true(vector_job.reached && scalar_job.reached);
    assert_int_equal(vector_job.solved, scalar_job.solved);
    /* only the order of a few sums differs, and series in place of library functions */
    const double rounding = 1e-13;
    assert_true(fabs(vector_job.energy - scalar_job.energy) <= rounding * vector_job.energy);
    assert_true(dense_mismatch(scalar_job.gradient, vector_job.gradient, 4 * nodes) < rounding);
    assert_true(dense_mismatch(scalar_job.hessian, vector_job.hessian, N * N) < rounding);
    assert_true(dense_mismatch(scalar_job.directors, vector_job.directors, 3 * nodes) < rounding);
    assert_true(dense_mismatch(scalar_job.solution, vector_job.solution, 4 * nodes) < rounding);
    for (int i = 0; i < nodes; ++i) {
        assert_true(fabs(scalar_job.twists[i] - vector_job.twists[i]) < rounding * 4.0 * M_PI);
    }
}

static void lanes_agree(void** state)
{
    (void)state;
    Random random = {8};
    for (int nodes = 2; nodes <= 16; ++nodes) {
        for (int closed = 0; closed <= (nodes > 2 ? 1 : 0); ++closed) {
            compare_lanes(&random, nodes, closed != 0, false, 0.0, 0.0);
            compare_lanes(&random, nodes, closed != 0, false, 0.01, 0.0);
            compare_lanes(&random, nodes, closed != 0, false, 0.01, 2.5);
            compare_lanes(&random, nodes, closed != 0, true, 0.01, 0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_agree_with_dense_cholesky),
        cmocka_unit_test(indefinite_matrices_are_refused),
        cmocka_unit_test(nan_is_refused),
        cmocka_unit_test(lanes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
