/* The arc of a section of a soft arm with its derivatives up to the third, for gradients. */
#ifndef FILUM_BODY_SOFT_ARM_JET_H
#define FILUM_BODY_SOFT_ARM_JET_H

/* The arc at one place: by the shape y (bending, m and rad, and length). */
typedef struct FilArcJet {
    double p[3], rotation[9];
    double move[3][3], turn[3][3];           /* dp/dy_c; rotation vector by dy_c: rho_c */
    double move2[3][3][3], turn_by[3][3][3]; /* d2p/dy_j dy_c; drho_j/dy_c */
    double velocity[3], acceleration[3];     /* p', p'' */
    double spin[3], turning[3];              /* omega, omega' */
    double by_shape[4][3][3];                /* those four by y_c ... */
    double by_rate[4][3][3];                 /* ... and by y'_c */
} FilArcJet;

enum { FIL_ARC_VELOCITY, FIL_ARC_ACCELERATION, FIL_ARC_SPIN, FIL_ARC_TURNING };

/* All of the arc at the fraction s of a section of shape y, with its rates y' and accelerations y''. */
void fil_arc_jet(FilArcJet* arc, double s, const double* y, const double* rate, const double* acceleration);

struct FilSoftArm;

/* place += the derivative of w' M z and of the sum of <blocks, M_kk>, M the mass matrix; blocks symmetric, 16 numbers each. `jets` are those of
 * each section's slices and of its tip, of which only p and how it moves and turns count. */
void fil_soft_arm_mass_back(const struct FilSoftArm* arm, const FilArcJet* jets, const double* w, const double* z, const double* blocks,
                            double* place);
/* See body/derivative.h: soft_arm_sweep.c. */
void fil_soft_arm_sweep(const void* arm, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                        double* place, double* by_point);

#endif
