#include "body/rod_block.h"

#include <string.h>

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
            block[j][k] = i2 * (p->s11 * f->m1[j] * f->m1[k] + p->s22 * f->m2[j] * f->m2[k] +
                                p->s12 * (f->m1[j] * f->m2[k] + f->m2[j] * f->m1[k]) -
                                p->g1 * (f->m1[j] * f->t[k] + f->t[j] * f->m1[k]) -
                                p->g2 * (f->m2[j] * f->t[k] + f->t[j] * f->m2[k]));
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

/* Adds an edge-level block (rows: edge vector and angle) to node unknowns; the edge vector is x' - x, and its three
 * nodes-level places and the angle's are given. */
static void spread(const double* part, int columns, const int* row_of, const int* column_of, double* block, int size)
{
    // row_of: place of x, of the angle, of x'
    for (int j = 0; j < 4; j++) {
        for (int k = 0; k < 4; k++) {
            const double value = part[columns * j + k];
            for (int a = 0; a < (j < 3 ? 2 : 1); a++) {
                for (int b = 0; b < (k < 3 ? 2 : 1); b++) {
                    const int r = j < 3 ? row_of[2 * a] + j : row_of[1];
                    const int c = k < 3 ? column_of[2 * b] + k : column_of[1];
                    const double sign = ((j < 3 && a == 0) != (k < 3 && b == 0)) ? -1.0 : 1.0;
                    block[size * r + c] += sign * value;
                }
            }
        }
    }
}

static void spread_gradient(const double* part, const int* row_of, double* gradient)
{
    for (int k = 0; k < 3; k++) {
        gradient[row_of[0] + k] -= part[k];
        gradient[row_of[2] + k] += part[k];
    }
    gradient[row_of[1]] += part[3];
}

void fil_rod_hinge_block(const Frame1* e, const Frame1* f, const HingeTerms1* terms, double* block, double* gradient)
{
    static const int e_places[3] = {0, 3, 4}, f_places[3] = {4, 7, 8};
    double own[4][4], cross[4][4], transposed[4][4], g[4];
    memset(block, 0, sizeof(double) * 121);
    memset(gradient, 0, sizeof(double) * 11);
    EdgePart part = first_part(terms);
    edge_part(e, &part, own, g);
    spread(&own[0][0], 4, e_places, e_places, block, 11);
    spread_gradient(g, e_places, gradient);
    part = second_part(terms);
    edge_part(f, &part, own, g);
    spread(&own[0][0], 4, f_places, f_places, block, 11);
    spread_gradient(g, f_places, gradient);
    // e with f
    const double both = e->inverse * f->inverse;
    for (int j = 0; j < 3; j++) {
        cross[j][3] = e->inverse * (terms->v1f * e->m1[j] + terms->v2f * e->m2[j]);
        cross[3][j] = f->inverse * (terms->eu1 * f->m1[j] + terms->eu2 * f->m2[j]);
        for (int k = 0; k < 3; k++) {
            cross[j][k] = both * (e->m1[j] * (terms->v1u1 * f->m1[k] + terms->v1u2 * f->m2[k]) +
                                  e->m2[j] * (terms->v2u1 * f->m1[k] + terms->v2u2 * f->m2[k]));
        }
    }
    cross[3][3] = terms->ef;
    for (int j = 0; j < 4; j++) {
        for (int k = 0; k < 4; k++) {
            transposed[k][j] = cross[j][k];
        }
    }
    spread(&cross[0][0], 4, e_places, f_places, block, 11);
    spread(&transposed[0][0], 4, f_places, e_places, block, 11);
}

static void single_block(const Frame1* frame, const EdgePart* part, double* block, double* gradient)
{
    static const int places[3] = {0, 3, 4};
    double own[4][4], g[4];
    memset(block, 0, sizeof(double) * 49);
    memset(gradient, 0, sizeof(double) * 7);
    edge_part(frame, part, own, g);
    spread(&own[0][0], 4, places, places, block, 7);
    spread_gradient(g, places, gradient);
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
