/* Mass properties of solids of uniform density. */
#ifndef FILUM_GEOMETRY_MASS_H
#define FILUM_GEOMETRY_MASS_H

#include "geometry/mesh.h"
#include "geometry/pose.h"
#include "geometry/profile.h"

typedef struct FilMassProperties {
    double volume;     /* m^3 */
    double centre[3];  /* m */
    double inertia[9]; /* m^5, about the centre, row-major; times the density it is kg m^2 */
} FilMassProperties;

FilMassProperties fil_mass_of_sphere(double radius);
FilMassProperties fil_mass_of_capsule(double radius, double half_length);
FilMassProperties fil_mass_of_cylinder(double radius, double half_length);
FilMassProperties fil_mass_of_box(const double* half);

/* Of a surface of revolution. */
FilMassProperties fil_mass_of_profile(const FilProfile* profile);

/* Of a closed mesh that faces outwards. */
FilMassProperties fil_mass_of_mesh(const FilMesh* mesh);

/* Moved to a pose. */
FilMassProperties fil_mass_posed(const FilMassProperties* mass, const FilPose* pose);

/* sum += density * part: a body made of posed parts. Start from zero; the sum's volume is then a mass (kg) and its
 * inertia in kg m^2. */
void fil_mass_add(FilMassProperties* sum, double density, const FilMassProperties* part);

#endif
