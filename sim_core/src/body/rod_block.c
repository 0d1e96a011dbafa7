#include "body/rod_block.h"

#include <string.h>

#include "base/vec3.h"

/* One edge's part of a hinge: gradient and Hessian in (tangent displacement 1, 2, angle). */
typedef struct EdgePart {
    double g1, g2, ga;
    double s11, s12, s22, s1a, s2a, saa;
} EdgePart;

/* Block (4 x 4) and gradient on the edge vector and the angle: H = Q [[s, -g], [-g', 0]] Q', Q = (m1, m2, t) / length. */
static void edge_part(const Frame1* f, const EdgePart* p, double block[4][4], double gradient[4])
{
    const double i1 = f->inverse, i2 = i1 * i1;
    for (int j = 0; j < 3; j++) {
        gradient[j] = i1 * (p->g1 * f->m1[j] + p->g2 * f->m2[j]);
        block[j][3] = block[3][j] = i1 * (p->s1a * f->m1[j] + p->s2a * f->m2[j]);
        for (int k = 0; k < 3; k++) {
            block[j][k] = i2 * (p->s11 * f->m1[j] * f->m1[k] + p->s22 * f->m2[j] * f->m2[k] + p->s12 * (f->m1[j] * f->m2[k] + f->m2[j] * f->m1[k]) -
                                p->g1 * (f->m1[j] * f->t[k] + f->t[j] * f->m1[k]) - p->g2 * (f->m2[j] * f->t[k] + f->t[j] * f->m2[k]));
        }
    }
    gradient[3] = p->ga;
    block[3][3] = p->saa;
}

static EdgePart first_part(const HingeTerms1* t)
{
    return (EdgePart){t->g_v1, t->g_v2, t->g_e, t->v1v1, t->v1v2, t->v2v2, t->v1e, t->v2e, t->ee};
}

static EdgePart second_part(const HingeTerms1* t)
{
    return (EdgePart){t->g_u1, t->g_u2, t->g_f, t->u1u1, t->u1u2, t->u2u2, t->u1f, t->u2f, t->ff};
}

/* An edge-level block (rows: edge vector and angle) on node unknowns x, angle, x'; the edge vector is x' - x. */
static void spread_edge(double (*part)[4], double* block)
{
    for (int j = 0; j < 3; j++) {
        double *first = block + 7 * j, *last = first + 7 * 4;
        for (int k = 0; k < 3; k++) {
            first[k] = last[4 + k] = part[j][k];
            first[4 + k] = last[k] = -part[j][k];
        }
        first[3] = -part[j][3], last[3] = part[j][3];
        block[7 * 3 + j] = -part[3][j], block[7 * 3 + 4 + j] = part[3][j];
    }
    block[7 * 3 + 3] = part[3][3];
}

/* Rows x, theta_e, x', theta_f, x'' of a hinge between the edges e = x' - x and f = x'' - x', from E and F on each alone and C on both. */
static void spread_hinge(double (*restrict e)[4], double (*restrict f)[4], double (*restrict c)[4], double* restrict block)
{
    double *turn_e = block + 11 * 3, *turn_f = block + 11 * 7;
    for (int j = 0; j < 3; j++) {
        double *first = block + 11 * j, *middle = first + 11 * 4, *last = first + 11 * 8;
        for (int k = 0; k < 3; k++) {
            first[k] = e[j][k];
            first[4 + k] = c[j][k] - e[j][k];
            first[8 + k] = -c[j][k];
            middle[k] = c[k][j] - e[j][k];
            middle[4 + k] = e[j][k] + f[j][k] - c[j][k] - c[k][j];
            middle[8 + k] = c[j][k] - f[j][k];
            last[k] = -c[k][j];
            last[4 + k] = c[k][j] - f[j][k];
            last[8 + k] = f[j][k];
        }
        first[3] = -e[j][3], middle[3] = e[j][3] - c[3][j], last[3] = c[3][j];
        first[7] = -c[j][3], middle[7] = c[j][3] - f[j][3], last[7] = f[j][3];
        turn_e[j] = -e[3][j], turn_e[4 + j] = e[3][j] - c[3][j], turn_e[8 + j] = c[3][j];
        turn_f[j] = -c[j][3], turn_f[4 + j] = c[j][3] - f[3][j], turn_f[8 + j] = f[3][j];
    }
    turn_e[3] = e[3][3], turn_e[7] = turn_f[3] = c[3][3], turn_f[7] = f[3][3];
}

void fil_rod_hinge_block(const Frame1* e, const Frame1* f, const HingeTerms1* terms, double* block, double* gradient)
{
    double own_e[4][4], own_f[4][4], cross[4][4], g_e[4], g_f[4];
    EdgePart part = first_part(terms);
    edge_part(e, &part, own_e, g_e);
    part = second_part(terms);
    edge_part(f, &part, own_f, g_f);
    for (int k = 0; k < 3; k++) {
        gradient[k] = -g_e[k], gradient[4 + k] = g_e[k] - g_f[k], gradient[8 + k] = g_f[k];
    }
    gradient[3] = g_e[3], gradient[7] = g_f[3];
    const double both = e->inverse * f->inverse;
    for (int j = 0; j < 3; j++) {
        cross[j][3] = e->inverse * (terms->v1f * e->m1[j] + terms->v2f * e->m2[j]);
        cross[3][j] = f->inverse * (terms->eu1 * f->m1[j] + terms->eu2 * f->m2[j]);
        for (int k = 0; k < 3; k++) {
            cross[j][k] =
                both * (e->m1[j] * (terms->v1u1 * f->m1[k] + terms->v1u2 * f->m2[k]) + e->m2[j] * (terms->v2u1 * f->m1[k] + terms->v2u2 * f->m2[k]));
        }
    }
    cross[3][3] = terms->ef;
    spread_hinge(own_e, own_f, cross, block);
}

static void single_block(const Frame1* frame, const EdgePart* part, double* block, double* gradient)
{
    double own[4][4], g[4];
    edge_part(frame, part, own, g);
    spread_edge(own, block);
    for (int k = 0; k < 3; k++) {
        gradient[k] = -g[k], gradient[4 + k] = g[k];
    }
    gradient[3] = g[3];
}

void fil_rod_start_block(const Frame1* f, const HingeTerms1* terms, double* block, double* gradient)
{
    const EdgePart part = second_part(terms);
    single_block(f, &part, block, gradient);
}

void fil_rod_end_block(const Frame1* e, const HingeTerms1* terms, double* block, double* gradient)
{
    const EdgePart part = first_part(terms);
    single_block(e, &part, block, gradient);
}

void fil_rod_strain_gradients(const Frame1* e, const Frame1* f, double out[3][6])
{
    const double c = fil_v3_dot(e->t, f->t), ic = 1.0 / (1.0 + c), cc = c * ic;
    const double p1 = fil_v3_dot(e->m1, f->t) * ic, p2 = fil_v3_dot(e->m2, f->t) * ic;
    const double q1 = fil_v3_dot(e->t, f->m1) * ic, q2 = fil_v3_dot(e->t, f->m2) * ic;
    const double r11 = fil_v3_dot(e->m1, f->m1) * ic, r12 = fil_v3_dot(e->m1, f->m2) * ic;
    const double r21 = fil_v3_dot(e->m2, f->m1) * ic, r22 = fil_v3_dot(e->m2, f->m2) * ic;
    const double k1 = p1 - q1, k2 = p2 - q2;
    const double rows[3][6] = {{-cc - r11 - k1 * p1, -r21 - k1 * p2, p2, r11 + cc - k1 * q1, r12 - k1 * q2, -q2},
                               {-r12 - k2 * p1, -cc - r22 - k2 * p2, -p1, r21 - k2 * q1, r22 + cc - k2 * q2, q1},
                               {-p2, p1, -1.0, q2, -q1, 1.0}};
    memcpy(out, rows, sizeof rows);
}
