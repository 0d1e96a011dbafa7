/* Decompositions of 3 x 3 matrices (row-major): singular values with a sign, polar rotation, eigenvalues of symmetric
 * ones. They never fail: singular, inverted and zero matrices have an answer, always the same one. Nothing allocates.
 */
#ifndef FILUM_BASE_SVD3_H
#define FILUM_BASE_SVD3_H

/* F = U diag(s) V' with rotations U and V (both of determinant +1) and s[0] >= s[1] >= |s[2]|; s[2] has the sign of
 * det F. F must be finite. */
void fil_svd3(const double* f, double* u, double* s, double* v);

/* The rotation R = U V' of F = R S, of determinant +1 even where F is inverted; S is symmetric, its smallest eigenvalue
 * then negative. F must be finite. */
void fil_polar3(const double* f, double* r);

/* Eigenvalues of a symmetric matrix {00, 11, 22, 01, 02, 12} in falling order, and a rotation whose columns are its
 * eigenvectors. */
void fil_eigen3(const double* a, double* values, double* vectors);

static inline double fil_m3_det(const double* f)
{
    return f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
}

/* Cofactors: det F times the inverse of F'. Must not alias. */
static inline void fil_m3_cofactor(double* out, const double* f)
{
    out[0] = f[4] * f[8] - f[5] * f[7];
    out[1] = f[5] * f[6] - f[3] * f[8];
    out[2] = f[3] * f[7] - f[4] * f[6];
    out[3] = f[2] * f[7] - f[1] * f[8];
    out[4] = f[0] * f[8] - f[2] * f[6];
    out[5] = f[1] * f[6] - f[0] * f[7];
    out[6] = f[1] * f[5] - f[2] * f[4];
    out[7] = f[2] * f[3] - f[0] * f[5];
    out[8] = f[0] * f[4] - f[1] * f[3];
}

static inline double fil_m3_dot(const double* a, const double* b)
{
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* out = a b, a' b and a b'; out must not alias. */
static inline void fil_m3_multiply(double* out, const double* a, const double* b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

static inline void fil_m3_multiply_left_transposed(double* out, const double* a, const double* b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

static inline void fil_m3_multiply_right_transposed(double* out, const double* a, const double* b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

#endif
