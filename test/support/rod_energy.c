/* The energy of the plain rod over the complex numbers, and its numerical derivatives.
 *
 * Every operation below is analytic, so energy(q + i h e_k) = E + i h dE/dq_k up to h^2: with h = 1e-30 the imaginary
 * part is the derivative to rounding error, with no subtraction.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "rod_reference.h"

typedef double complex Number;

static Number dot(const Number a[3], const Number b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const Number a[3], const Number b[3], Number out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* shortest rotation of a vector d normal to a */
static void transport(const Number a[3], const Number b[3], const Number d[3], Number out[3])
{
    Number s = dot(d, b) / (1.0 + dot(a, b));
    for (int k = 0; k < 3; ++k) {
        out[k] = d[k] - s * (a[k] + b[k]);
    }
}

/* atan2 continued to complex arguments with small imaginary parts */
static Number angle_of(Number y, Number x)
{
    double a = atan2(creal(y), creal(x));
    Number rest = (y * cos(a) - x * sin(a)) / (x * cos(a) + y * sin(a));
    return a + catan(rest);
}

typedef struct Edge {
    Number length;
    Number t[3], m1[3], m2[3];
} Edge;

static Edge edge_at(const ReferenceRod* rod, const Number* q, int i)
{
    Edge edge;
    const Number* x0 = q + 4 * i;
    const Number* x1 = q + 4 * ((i + 1) % rod->node_count);
    for (int k = 0; k < 3; ++k) {
        edge.t[k] = x1[k] - x0[k];
    }
    edge.length = csqrt(dot(edge.t, edge.t));
    Number base_t[3], base_m1[3], u1[3], u2[3];
    for (int k = 0; k < 3; ++k) {
        edge.t[k] /= edge.length;
        base_t[k] = rod->base_tangent[i][k];
        base_m1[k] = rod->base_director[i][k];
    }
    transport(base_t, edge.t, base_m1, u1);
    cross(edge.t, u1, u2);
    Number angle = q[4 * i + 3] - rod->base_angle[i];
    for (int k = 0; k < 3; ++k) {
        edge.m1[k] = ccos(angle) * u1[k] + csin(angle) * u2[k];
        edge.m2[k] = ccos(angle) * u2[k] - csin(angle) * u1[k];
    }
    return edge;
}

/* P0 eqs. 4 and 5 at one node */
static Number hinge_energy(const ReferenceRod* rod, const Number* q, int node)
{
    Edge e = edge_at(rod, q, node > 0 ? node - 1 : rod->node_count - 1);
    Edge f = edge_at(rod, q, node);
    Number kb[3];
    cross(e.t, f.t, kb);
    Number scale = 2.0 / (1.0 + dot(e.t, f.t));
    Number kappa1 = 0.5 * scale * (dot(kb, e.m2) + dot(kb, f.m2));
    Number kappa2 = -0.5 * scale * (dot(kb, e.m1) + dot(kb, f.m1));

    Number u1[3], u2[3];
    transport(e.t, f.t, e.m1, u1);
    cross(f.t, u1, u2);
    Number twist = angle_of(dot(f.m1, u2), dot(f.m1, u1));
    double turn = 2.0 * M_PI;
    twist += turn * round((rod->previous_twist[node] - creal(twist)) / turn);

    kappa1 -= rod->rest_kappa1[node];
    kappa2 -= rod->rest_kappa2[node];
    twist -= rod->rest_twist[node];
    return 0.5 * (rod->bend1[node] * kappa1 * kappa1 + rod->bend2[node] * kappa2 * kappa2 + rod->torsion[node] * twist * twist);
}

static Number energy(const ReferenceRod* rod, const Number* q)
{
    Number sum = 0.0;
    for (int i = 0; i < reference_edge_count(rod); ++i) {
        /* P0 eq. 3 */
        Number strain = edge_at(rod, q, i).length / rod->rest_length[i] - 1.0;
        sum += 0.5 * rod->ea[i] * rod->rest_length[i] * strain * strain;
    }
    for (int i = 0; i < rod->node_count; ++i) {
        if (rod->closed || (i > 0 && i < rod->node_count - 1)) {
            sum += hinge_energy(rod, q, i);
        }
    }
    return sum;
}

static void widen(const ReferenceRod* rod, const double* q, Number* wide)
{
    for (int i = 0; i < reference_dof_count(rod); ++i) {
        wide[i] = q[i];
    }
}

double reference_energy(const ReferenceRod* rod, const double* q)
{
    Number wide[REFERENCE_MAX_DOFS];
    widen(rod, q, wide);
    return creal(energy(rod, wide));
}

static void complex_step_gradient(const ReferenceRod* rod, Number* q, double* gradient)
{
    const double h = 1e-30;
    for (int i = 0; i < reference_dof_count(rod); ++i) {
        Number kept = q[i];
        q[i] = kept + h * I;
        gradient[i] = cimag(energy(rod, q)) / h;
        q[i] = kept;
    }
}

void numerical_gradient(const ReferenceRod* rod, const double* q, double* gradient)
{
    Number wide[REFERENCE_MAX_DOFS];
    widen(rod, q, wide);
    complex_step_gradient(rod, wide, gradient);
}

/* fourth-order central differences of the gradient: with steps of 2e-3 truncation is of the order of 1e-11 times a
 * fifth derivative and rounding of the order of 1e-13 */
void numerical_hessian(const ReferenceRod* rod, const double* q, double scale, double* hessian)
{
    static const int offset[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    int n = reference_dof_count(rod);
    Number wide[REFERENCE_MAX_DOFS];
    double g[REFERENCE_MAX_DOFS];
    widen(rod, q, wide);
    memset(hessian, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0; j < n; ++j) {
        Number kept = wide[j];
        double h = 5e-4 * (j % 4 == 3 ? 1.0 : scale);
        double column[REFERENCE_MAX_DOFS] = {0};
        for (int s = 0; s < 4; ++s) {
            wide[j] = kept + offset[s] * h;
            complex_step_gradient(rod, wide, g);
            for (int i = 0; i < n; ++i) {
                column[i] += weight[s] * g[i] / h;
            }
        }
        wide[j] = kept;
        for (int i = 0; i < n; ++i) {
            hessian[i * n + j] = column[i];
        }
    }
}
