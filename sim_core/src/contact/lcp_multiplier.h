/* One contact of an LCP whose impulse is kept as a multiplier (contact/lcp_augmented.h). */
#ifndef FILUM_CONTACT_LCP_MULTIPLIER_H
#define FILUM_CONTACT_LCP_MULTIPLIER_H

#include "contact/lcp_polygon.h"

typedef struct FilLcpMultiplier {
    double mu, target;
    double said, compliance; /* R: of the problem, and as used */
    bool rigid;              /* said is 0, or what rods need (docs/lcp.md): no spring */
    double scale;            /* velocity per impulse, of its own */
    double rho;              /* 0: cannot move */
    double kept[3];          /* impulse (t1, t2, n) */
    double slip;             /* slip speed, m/s, that the normal row makes room for */
} FilLcpMultiplier;

/* How rigid contacts give way: as said of each; not at all, which leaves open how those of rods share loads, but is sooner found where
 * friction turns nothing; all by the same share of their own compliance. */
typedef enum FilLcpYield { FIL_LCP_YIELD_AS_SAID, FIL_LCP_YIELD_NOT, FIL_LCP_YIELD_ALL, FIL_LCP_YIELDS } FilLcpYield;

double fil_lcp_multiplier_compliance(const FilLcpMultiplier* item, FilLcpYield yield);

/* Normal impulse per velocity, and whether that is its compliance alone, without a multiplier. rho > 0. */
double fil_lcp_multiplier_slope(const FilLcpMultiplier* item, bool* soft);

/* Impulse and Hessian (3 x 3) of a contact that moves with c. */
void fil_lcp_multiplier_respond(const FilLcpMultiplier* item, const FilLcpPolygon* polygon, const double* c, double* gamma, double* g);

/* How far from complementary a contact is with its impulse within mu f, as a velocity. */
double fil_lcp_multiplier_miss(const FilLcpMultiplier* item, const FilLcpPolygon* polygon, const double* c, const double* gamma);

#endif
