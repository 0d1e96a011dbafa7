/* With rest edges D_m = (X_1 - X_0, X_2 - X_0, X_3 - X_0) and deformed edges D_s likewise
 *     V = det D_m/6,  grad N_1..3 = rows of D_m^-1,  grad N_0 = -(their sum) (1) F = D_s D_m^-1 = sum_i x_i grad N_i'
 * (2) E = V Psi(F),  dE/dx_i = V P grad N_i,  d2E/dx_i dx_j = V (grad N_i)_k (dP_rk/dF_cl) (grad N_j)_l             (3)
 * In the frames U, V of the tangent (solid_law.h) with g_i = V' grad N_i the block of (3) is U B_ij U',
 *     B_rr = stretch_rr g_i,r g_j,r + sum_(k != r) same_rk g_i,k g_j,k
 *     B_rc = stretch_rc g_i,r g_j,c + swapped_rc g_i,c g_j,r   (r != c)                                           (4)
 * Only six blocks are worked out: those of vertex 0 are minus the sums of the others'. */
#include "body/solid_element.h"

#include <math.h>
#include <string.h>

#include "base/svd3.h"
#include "base/vec3.h"

bool fil_solid_element_make(const double* const rest[4], FilSolidElement* out)
{
    double edges[9], cofactor[9];
    for (int i = 0; i < 3; i++) {
        fil_v3_sub(edges + 3 * i, rest[i + 1], rest[0]);
    }
    // edges are the rows here, D_m': its cofactors over its determinant are the rows of D_m^-1
    fil_m3_cofactor(cofactor, edges);
    const double det = fil_v3_dot(edges, cofactor);
    out->volume = det / 6.0;
    for (int k = 0; k < 3; k++) {
        double sum = 0.0;
        for (int i = 0; i < 3; i++) {
            out->gradient[3 + 3 * i + k] = cofactor[3 * i + k] / det;
            sum += out->gradient[3 + 3 * i + k];
        }
        out->gradient[k] = -sum;
    }
    return det > 0.0 && isfinite(det) && fil_all_finite(out->gradient, 12);
}

void fil_solid_element_deformation(const FilSolidElement* element, const double* const x[4], double* f)
{
    double edges[3][3];
    for (int i = 0; i < 3; i++) {
        fil_v3_sub(edges[i], x[i + 1], x[0]);
    }
    const double* g = element->gradient + 3;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            f[3 * r + c] = edges[0][r] * g[c] + edges[1][r] * g[3 + c] + edges[2][r] * g[6 + c];
        }
    }
}

void fil_solid_element_add_gradient(const FilSolidElement* element, double scale, const double* p, double* gradient)
{
    double sum[3] = {0.0, 0.0, 0.0}, part[3];
    for (int i = 1; i < 4; i++) {
        fil_m3_apply(part, p, element->gradient + 3 * i);
        fil_v3_axpy(gradient + 3 * i, scale * element->volume, part);
        fil_v3_add(sum, sum, part);
    }
    fil_v3_axpy(gradient, -scale * element->volume, sum);
}

// eq. 4, then U B U'; `weight` is scale V
static void hessian_block(const FilSolidTangent* t, const double* gi, const double* gj, double weight, double* out)
{
    const double d[3] = {gi[0] * gj[0], gi[1] * gj[1], gi[2] * gj[2]};
    double b[9], half[9];
    b[0] = t->stretch[0] * d[0] + t->same[0] * d[1] + t->same[1] * d[2];
    b[4] = t->stretch[1] * d[1] + t->same[0] * d[0] + t->same[2] * d[2];
    b[8] = t->stretch[2] * d[2] + t->same[1] * d[0] + t->same[2] * d[1];
    b[1] = t->stretch[3] * gi[0] * gj[1] + t->swapped[0] * gi[1] * gj[0];
    b[3] = t->stretch[3] * gi[1] * gj[0] + t->swapped[0] * gi[0] * gj[1];
    b[2] = t->stretch[4] * gi[0] * gj[2] + t->swapped[1] * gi[2] * gj[0];
    b[6] = t->stretch[4] * gi[2] * gj[0] + t->swapped[1] * gi[0] * gj[2];
    b[5] = t->stretch[5] * gi[1] * gj[2] + t->swapped[2] * gi[2] * gj[1];
    b[7] = t->stretch[5] * gi[2] * gj[1] + t->swapped[2] * gi[1] * gj[2];
    fil_m3_multiply(half, t->u, b);
    fil_m3_multiply_right_transposed(out, half, t->u);
    for (int k = 0; k < 9; k++) {
        out[k] *= weight;
    }
}

static void make_symmetric(double* b)
{
    b[1] = b[3] = 0.5 * (b[1] + b[3]);
    b[2] = b[6] = 0.5 * (b[2] + b[6]);
    b[5] = b[7] = 0.5 * (b[5] + b[7]);
}

// a block and its mirror image
static void put_block(double* hessian, int i, int j, const double* block)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            hessian[12 * (3 * i + r) + 3 * j + c] = block[3 * r + c];
            hessian[12 * (3 * j + c) + 3 * i + r] = block[3 * r + c];
        }
    }
}

void fil_solid_element_hessian(const FilSolidElement* element, double scale, const FilSolidTangent* tangent, double* hessian)
{
    const double weight = scale * element->volume;
    double g[3][3], block[9], column[3][9] = {{0.0}}, corner[9] = {0.0};
    for (int i = 0; i < 3; i++) {
        fil_m3_apply_transposed(g[i], tangent->v, element->gradient + 3 + 3 * i);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            hessian_block(tangent, g[i], g[j], weight, block);
            if (i == j) {
                // equal to rounding: made so to the bit
                make_symmetric(block);
            }
            put_block(hessian, i + 1, j + 1, block);
            // row 0 is minus the sum of the rows below it
            for (int k = 0; k < 9; k++) {
                column[j][k] -= block[k];
                if (i != j) {
                    column[i][k] -= block[3 * (k % 3) + k / 3];
                }
            }
        }
    }
    for (int j = 0; j < 3; j++) {
        put_block(hessian, 0, j + 1, column[j]);
        for (int k = 0; k < 9; k++) {
            corner[k] -= 0.5 * (column[j][k] + column[j][3 * (k % 3) + k / 3]);
        }
    }
    put_block(hessian, 0, 0, corner);
}

FilSolidMass fil_solid_element_mass(const FilSolidElement* element, double density, bool lumped)
{
    const double mass = density * element->volume;
    return lumped ? (FilSolidMass){0.25 * mass, 0.0} : (FilSolidMass){0.1 * mass, 0.05 * mass};  // of linear shape functions: 1/10 and 1/20
}

void fil_solid_mass_add_product(const FilSolidMass* mass, double scale, const double* v, double* out)
{
    for (int k = 0; k < 3; k++) {
        const double sum = v[k] + v[3 + k] + v[6 + k] + v[9 + k];
        for (int i = 0; i < 4; i++) {
            out[3 * i + k] += scale * ((mass->own - mass->other) * v[3 * i + k] + mass->other * sum);
        }
    }
}

FilSolidFactors fil_solid_step_factors(double alpha, double beta, double theta, double theta_vq, double dt)
{
    return (FilSolidFactors){1.0 + alpha * theta * dt, theta * dt * (theta_vq * dt + beta)};
}

/* With B = F F' and W the matrix of w x, |dF - W F|^2 is least where W B + B W = dF F' - F dF', in axial vectors
 *     (tr B - B) w = a,  a the axial vector of dF F' - F dF'.                                                       (5)
 * dF -> dF - W F is then an orthogonal projection. */
void fil_solid_spin(const double* f, const double* df, double* w)
{
    double b[9], c[9], inverse[9];
    fil_m3_multiply_right_transposed(b, f, f);
    fil_m3_multiply_right_transposed(c, df, f);
    const double trace = b[0] + b[4] + b[8];
    const double a[3] = {c[7] - c[5], c[2] - c[6], c[3] - c[1]};
    for (int k = 0; k < 9; k++) {
        b[k] = (k % 4 == 0 ? trace : 0.0) - b[k];
    }
    fil_m3_cofactor(inverse, b);
    const double det = fil_v3_dot(b, inverse);
    // eigenvalues are sums of two squared stretches; where F is a line or less, a spin about it is open
    if (!(det > 1e-24 * trace * trace * trace)) {
        fil_v3_set(w, 0.0, 0.0, 0.0);
        return;
    }
    fil_m3_apply(w, inverse, a);
    fil_v3_scale(w, 1.0 / det, w);
}

// df - w x F, column by column
static void remove_spin(const double* f, double* df)
{
    double w[3];
    fil_solid_spin(f, df, w);
    for (int c = 0; c < 3; c++) {
        df[c] -= w[1] * f[6 + c] - w[2] * f[3 + c];
        df[3 + c] -= w[2] * f[c] - w[0] * f[6 + c];
        df[6 + c] -= w[0] * f[3 + c] - w[1] * f[c];
    }
}

void fil_solid_element_add_damping(const FilSolidElement* element, double scale, const FilSolidTangent* tangent, const double* f,
                                   const double* const v[4], bool objective, double* gradient)
{
    double rate[9], stress[9];
    fil_solid_element_deformation(element, v, rate);
    if (objective) {
        remove_spin(f, rate);
    }
    fil_solid_tangent_apply(tangent, rate, stress);
    if (objective) {
        // the projection's transpose is itself: what is dissipated is a square still
        remove_spin(f, stress);
    }
    fil_solid_element_add_gradient(element, scale, stress, gradient);
}

void fil_solid_plane_strain(int axis, double* gradient, double* hessian)
{
    for (int i = axis; i < 12; i += 3) {
        if (gradient != NULL) {
            gradient[i] = 0.0;
        }
        for (int k = 0; hessian != NULL && k < 12; k++) {
            hessian[12 * i + k] = hessian[12 * k + i] = 0.0;
        }
    }
}
