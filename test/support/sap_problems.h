/* Builds SAP problems for tests: block by block, or at random. */
#ifndef TEST_SAP_PROBLEMS_H
#define TEST_SAP_PROBLEMS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/sap.h"
#include "random.h"

enum { MAX_VARIABLES = 256, MAX_A_BLOCKS = 1024, MAX_CONSTRAINTS = 256, MAX_JACOBIANS = 1024 };

typedef struct SapFixture {
    FilSapProblem problem; /* points into the arrays below */
    int start[MAX_VARIABLES + 1];
    int row[MAX_A_BLOCKS];
    double a[16 * MAX_A_BLOCKS];
    double v_free[4 * MAX_VARIABLES];
    FilSapConstraint constraints[MAX_CONSTRAINTS];
    int block[MAX_JACOBIANS];
    double jacobian[12 * MAX_JACOBIANS];
    int jacobians;
    double v[4 * MAX_VARIABLES];
    double impulse[3 * MAX_CONSTRAINTS];
} SapFixture;

static inline SapFixture* fixture_new(double dt)
{
    SapFixture* f = calloc(1, sizeof *f);
    f->problem = (FilSapProblem){.dt = dt,
                                 .pattern = {0, f->start, f->row},
                                 .a = f->a,
                                 .v_free = f->v_free,
                                 .constraints = f->constraints,
                                 .block = f->block,
                                 .jacobian = f->jacobian};
    return f;
}

/* Starts the next column of A with its diagonal block = mass * 1; returns the block. */
static inline double* fixture_add_variable(SapFixture* f, double mass)
{
    const int j = f->problem.pattern.columns++, k = f->start[j];
    f->row[k] = j;
    f->start[j + 1] = k + 1;
    for (int d = 0; d < 4; d++) {
        f->a[16 * k + 5 * d] = mass;
    }
    return f->a + 16 * k;
}

/* Adds a constraint with no Jacobian blocks yet. */
static inline FilSapConstraint* fixture_add_constraint(SapFixture* f, FilSapKind kind)
{
    FilSapConstraint* c = &f->constraints[f->problem.constraint_count++];
    *c = (FilSapConstraint){.kind = kind, .first_block = f->jacobians};
    return c;
}

/* Adds a block to the constraint added last; returns it, zeroed. */
static inline double* fixture_add_jacobian(SapFixture* f, int variable)
{
    f->constraints[f->problem.constraint_count - 1].block_count++;
    f->block[f->jacobians] = variable;
    return memset(f->jacobian + 12 * f->jacobians++, 0, 12 * sizeof(double));
}

/* ---- random problems: trees of variables, tied by stiff elements, touching each other and the ground ---- */

static inline int random_int(Random* random, int below)
{
    return (int)(random_bits(random) % (uint64_t)below);
}

static inline double random_log(Random* random, double low, double high)
{
    return exp(random_between(random, log(low), log(high)));
}

/* Couples variable `child`, whose column must be the last, with `parent` < child: s J'J with random 3x8 J. */
static inline void couple(Random* random, double* parent_diagonal, double* child_diagonal, double* off, double s)
{
    for (int e = 0; e < 3; e++) {
        double j[8];
        for (int k = 0; k < 8; k++) {
            j[k] = random_between(random, -1.0, 1.0);
        }
        for (int r = 0; r < 4; r++) {
            for (int c = 0; c < 4; c++) {
                parent_diagonal[4 * c + r] += s * j[r] * j[c];
                child_diagonal[4 * c + r] += s * j[4 + r] * j[4 + c];
                off[4 * c + r] += s * j[4 + r] * j[c];  // row child, column parent
            }
        }
    }
}

/* A random rotation matrix, rows t1, t2, n. */
static inline void random_frame(Random* random, double* frame)
{
    double q[4], norm = 0.0;
    for (int k = 0; k < 4; k++) {
        q[k] = random_between(random, -1.0, 1.0);
        norm += q[k] * q[k];
    }
    norm = sqrt(norm);
    const double x = q[0] / norm, y = q[1] / norm, z = q[2] / norm, w = q[3] / norm;
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w),    1 - 2 * (x * x + z * z),
                         2 * (y * z - x * w),     2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)};
    memcpy(frame, m, sizeof m);
}

/* One side of a contact: sign * frame * [1, lever] on a segment's two variables, weighted 1 - s and s. */
static inline void random_side(Random* random, SapFixture* f, const double* frame, double sign, int variable, int next)
{
    const double s = next == variable ? 0.0 : random_between(random, 0.0, 1.0);
    for (int end = 0; end < (next == variable ? 1 : 2); end++) {
        double* j = fixture_add_jacobian(f, end == 0 ? variable : next);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                j[4 * r + c] = sign * (end == 0 ? 1.0 - s : s) * frame[3 * r + c];
            }
            j[4 * r + 3] = end == 0 ? random_between(random, -1.0, 1.0) : 0.0;
        }
    }
}

static inline FilSapContact random_contact(Random* random)
{
    return (FilSapContact){
        .distance = random_between(random, -1e-3, 1e-3),
        .mu = random_int(random, 8) == 0 ? 0.0 : random_between(random, 0.0, 2.0),
        .stiffness = random_int(random, 2) == 0 ? INFINITY : random_log(random, 1e2, 1e8),
        .dissipation_time = random_int(random, 2) == 0 ? 0.0 : random_between(random, 0.0, 0.1),
        .hunt_crossley = random_int(random, 2) == 0 ? 0.0 : random_between(random, 0.0, 100.0),
        .normal_velocity = random_between(random, -1.0, 1.0),
    };
}

/* Repeats the last contact as it is (redundant) or with its normal and one tangent reversed (conflicting: pinched). */
static inline void repeat_contact(SapFixture* f, double sign)
{
    const FilSapConstraint last = f->constraints[f->problem.constraint_count - 1];
    FilSapConstraint* c = fixture_add_constraint(f, last.kind);
    c->contact = last.contact;
    for (int k = 0; k < last.block_count; k++) {
        const double* from = f->jacobian + 12 * (last.first_block + k);
        double* to = fixture_add_jacobian(f, f->block[last.first_block + k]);
        for (int e = 0; e < 12; e++) {
            to[e] = e < 4 ? from[e] : sign * from[e];
        }
    }
}

/* Bodies of mass 1e-2 to 1e2 (ratios to 1e4), 1 to 8 variables each, `contacts` contacts of the given kind. */
static inline SapFixture* random_problem(Random* random, FilSapKind kind, int contacts)
{
    SapFixture* f = fixture_new(random_log(random, 1e-4, 1e-2));
    const int bodies = 1 + random_int(random, 20);
    int first[MAX_VARIABLES], size[MAX_VARIABLES];
    for (int b = 0, n = 0; b < bodies; b++) {
        const double mass = random_log(random, 1e-2, 1e2), stiff = mass * random_log(random, 1e-2, 1e3);
        first[b] = n;
        size[b] = 1 + random_int(random, 8);
        // a tree: each variable hangs on an earlier one; columns hold their children's rows
        int parent[8];
        double child_diagonal[8][16] = {{0}}, off[8][16] = {{0}}, own[8][16] = {{0}};
        for (int k = 1; k < size[b]; k++) {
            parent[k] = random_int(random, k);
            couple(random, own[parent[k]], child_diagonal[k], off[k], stiff);
        }
        for (int k = 0; k < size[b]; k++, n++) {
            double* diagonal = fixture_add_variable(f, mass);
            for (int e = 0; e < 16; e++) {
                diagonal[e] += own[k][e] + child_diagonal[k][e];
            }
            for (int child = k + 1; child < size[b]; child++) {
                if (parent[child] == k) {
                    const int place = f->start[n + 1]++;
                    f->row[place] = first[b] + child;
                    memcpy(f->a + 16 * place, off[child], sizeof off[child]);
                }
            }
            for (int d = 0; d < 4; d++) {
                f->v_free[4 * n + d] = random_between(random, -1.0, 1.0);
            }
        }
    }
    while (f->problem.constraint_count < contacts) {
        const int dice = random_int(random, 10);
        if (f->problem.constraint_count > 0 && dice < 3) {
            repeat_contact(f, dice < 2 ? 1.0 : -1.0);
            continue;
        }
        fixture_add_constraint(f, kind)->contact = random_contact(random);
        double frame[9];
        random_frame(random, frame);
        const int a = random_int(random, bodies), b = random_int(random, bodies);
        const int va = first[a] + random_int(random, size[a]), vb = first[b] + random_int(random, size[b]);
        random_side(random, f, frame, -1.0, va, first[a] + random_int(random, size[a]));
        if (a != b) {
            random_side(random, f, frame, 1.0, vb, first[b] + random_int(random, size[b]));
        }
    }
    return f;
}

#endif
