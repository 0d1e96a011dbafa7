/* Small helpers on dense vectors and row-major matrices. */
#ifndef TEST_DENSE_H
#define TEST_DENSE_H

/* Largest difference of a from b, relative to the largest entry of b. */
double dense_mismatch(const double* a, const double* b, int count);

/* Largest |a_ij - a_ji|, relative to the largest entry. */
double dense_asymmetry(const double* a, int n);

/* b = a x */
void dense_multiply(const double* a, const double* x, int n, double* b);

#endif
