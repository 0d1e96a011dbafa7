/* Forward kinematics of a soft arm written anew, to compare with: the pose of a section is the exponential of a
 * constant twist, by its power series, on complex numbers, so that complex steps give exact derivatives. Knows nothing
 * of closed forms or of special cases near straight. */
#ifndef TEST_ARM_REFERENCE_H
#define TEST_ARM_REFERENCE_H

#include <complex.h>
#include <math.h>
#include <string.h>

#include "body/soft_arm.h"

typedef double complex Complex;

static inline void reference_multiply(const Complex* a, const Complex* b, Complex* out)
{
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            out[4 * i + j] = 0.0;
            for (int k = 0; k < 4; ++k) {
                out[4 * i + j] += a[4 * i + k] * b[4 * k + j];
            }
        }
    }
}

/* 4 x 4 transform at the fraction s of a section with elongations q of chambers at angle + 120 degrees j */
static inline void reference_section(const FilArmSection* section, double s, const Complex* q, Complex* transform)
{
    Complex bx = 0.0, by = 0.0, length = section->length;
    for (int j = 0; j < 3; ++j) {
        double phi = section->chamber_angle + j * 2.0943951023931953;
        bx -= 2.0 / 3.0 * q[j] * cos(phi) / section->chamber_offset;
        by -= 2.0 / 3.0 * q[j] * sin(phi) / section->chamber_offset;
        length += q[j] / 3.0;
    }
    /* angular velocity (-by, bx, 0) and velocity (0, 0, length) per unit of s */
    Complex twist[16] = {0.0, 0.0, s * bx, 0.0, 0.0, 0.0, s * by, 0.0, -s * bx, -s * by, 0.0, s * length, 0.0, 0.0, 0.0, 0.0};
    Complex term[16], next[16];
    memset(term, 0, sizeof term);
    for (int k = 0; k < 4; ++k) {
        term[5 * k] = 1.0;
    }
    memcpy(transform, term, sizeof term);
    for (int order = 1; order <= 40; ++order) {
        reference_multiply(term, twist, next);
        for (int k = 0; k < 16; ++k) {
            term[k] = next[k] / order;
            transform[k] += term[k];
        }
    }
}

/* transform of a place on the arm; q has 4 numbers a section */
static inline void reference_pose(const FilSoftArm* arm, FilArmPlace place, const Complex* q, Complex* transform)
{
    Complex local[16], sum[16];
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            transform[4 * i + j] = i < 3 && j < 3 ? arm->base.r[3 * i + j] : (i == j ? 1.0 : 0.0);
        }
        transform[4 * i + 3] = i < 3 ? arm->base.p[i] : 1.0;
    }
    for (int k = 0; k <= place.section; ++k) {
        reference_section(&arm->sections[k], k < place.section ? 1.0 : place.s, q + 4 * k, local);
        reference_multiply(transform, local, sum);
        memcpy(transform, sum, sizeof sum);
    }
}

/* dp/dq_k and the rotation vector by dq_k, world frame, by a complex step */
static inline void reference_derivative(const FilSoftArm* arm, FilArmPlace place, const double* q, int k, double* move, double* turn)
{
    const double step = 1e-30;
    Complex z[4 * FIL_ARM_SECTIONS], t[16];
    for (int i = 0; i < 4 * arm->section_count; ++i) {
        z[i] = q[i] + (i == k ? step * I : 0.0);
    }
    reference_pose(arm, place, z, t);
    double spin[9];
    for (int i = 0; i < 3; ++i) {
        move[i] = cimag(t[4 * i + 3]) / step;
        for (int j = 0; j < 3; ++j) { /* R' R^T */
            spin[3 * i + j] = 0.0;
            for (int m = 0; m < 3; ++m) {
                spin[3 * i + j] += cimag(t[4 * i + m]) / step * creal(t[4 * j + m]);
            }
        }
    }
    turn[0] = spin[7];
    turn[1] = spin[2];
    turn[2] = spin[3];
}

/* weights of the eighth-order central difference at 1, 2, 3 and 4 steps */
static const double reference_weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

#endif
