/* One contact of an LCP whose impulse is kept as a multiplier (contact/lcp_augmented.h). */
#ifndef FILUM_CONTACT_LCP_MULTIPLIER_H
#define FILUM_CONTACT_LCP_MULTIPLIER_H

#include "contact/lcp_polygon.h"

typedef struct FilLcpMultiplier {
    double mu, target;
    double compliance; /* R */
    double scale;      /* velocity per impulse, of its own */
    double rho;        /* 0: cannot move */
    double kept[3];    /* impulse (t1, t2, n) */
    double slip;       /* slip speed, m/s, that the normal row makes room for */
} FilLcpMultiplier;

/* Impulse and Hessian (3 x 3) of a contact that moves with c. */
void fil_lcp_multiplier_respond(const FilLcpMultiplier* item, const FilLcpPolygon* polygon, const double* c, double* gamma, double* g);

/* How far from complementary a contact is with its impulse within mu f, as a velocity. */
double fil_lcp_multiplier_miss(const FilLcpMultiplier* item, const FilLcpPolygon* polygon, const double* c, const double* gamma);

#endif
