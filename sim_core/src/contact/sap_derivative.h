/* How the impulse of a contact under SAP varies with what its law is made of. */
#ifndef FILUM_CONTACT_SAP_DERIVATIVE_H
#define FILUM_CONTACT_SAP_DERIVATIVE_H

#include "contact/sap_constraint.h"

/* gamma and its derivatives: by v_c it is -hessian. */
typedef struct FilSapSlopes {
    double impulse[3], hessian[9];
    double by_distance[3];   /* at the step's start */
    double by_compliance[3]; /* w */
    double by_velocity[3];   /* normal, at the step's start */
} FilSapSlopes;

/* Of a constraint of kind FIL_SAP_CONTACT at v_c. */
void fil_sap_contact_slopes(const FilSapConstraint* constraint, double compliance, const FilSapScales* scales, const double* v_c, FilSapSlopes* out);

#endif
