/* Average nodal pressure (Bonet, Burton 1998) as an energy. With the volumetric energy k/2 theta_e^2 of an element e
 * (solid_law.h) and V_a = sum_e V_e/4 over the elements at vertex a:
 *     theta_a = sum_e (V_e/4) theta_e / V_a,  E = sum_a V_a k/2 theta_a^2,  p_a = k theta_a                        (1)
 *     dE = sum_a p_a sum_e (V_e/4) dtheta_e = sum_e V_e p_e dtheta_e,  p_e = (sum of the four p_a)/4               (2)
 *     d2E = sum_a (k/V_a) w_a w_a' + sum_e V_e p_e d2theta_e,  w_a = sum_e (V_e/4) dtheta_e/dx                     (3)
 * Elements therefore see p_e as FilSolidStrain.pressure, and the second term of (3) is in their tangents, clamped with
 * the rest where asked for. The first term is positive semi-definite, couples second neighbours, and its product with a
 * velocity is (2) with the pressures of theta's rates. A mesh has about five times more elements than vertices: that
 * many fewer constraints of volume. Alone it leaves modes that alternate from element to element without stiffness:
 * elements keep as much of k as their shear stiffness mu. A share of k would lock again: with 5 % of it a cantilever of
 * four layers at nu = 0.4999 bends by 0.13 of what it should, with mu by 0.64, with nothing by 0.67, without nodal
 * pressure by 0.07 (test_solid_static). */
#include "body/solid_nodal.h"

#include <string.h>

double fil_solid_nodal_kept(const FilSolidMaterial* material)
{
    return material->stiffness > material->mu ? material->mu / material->stiffness : 1.0;
}

void fil_solid_nodal_volumes(const FilSolidNodal* nodal, double* volumes)
{
    memset(volumes, 0, (size_t)nodal->vertex_count * sizeof *volumes);
    for (int e = 0; e < nodal->element_count; e++) {
        for (int k = 0; k < 4; k++) {
            volumes[nodal->tets[4 * e + k]] += 0.25 * nodal->elements[e].volume;
        }
    }
}

double fil_solid_nodal_pressures(const FilSolidNodal* nodal, const double* theta, double* vertex_pressures, double* element_pressures)
{
    double energy = 0.0;
    memset(vertex_pressures, 0, (size_t)nodal->vertex_count * sizeof *vertex_pressures);
    for (int e = 0; e < nodal->element_count; e++) {
        const double part = 0.25 * nodal->elements[e].volume * theta[e];
        for (int k = 0; k < 4; k++) {
            vertex_pressures[nodal->tets[4 * e + k]] += part;
        }
    }
    for (int a = 0; a < nodal->vertex_count; a++) {
        if (nodal->volumes[a] > 0.0) {
            const double mean = vertex_pressures[a] / nodal->volumes[a];
            vertex_pressures[a] = nodal->stiffness * mean;
            energy += 0.5 * nodal->volumes[a] * nodal->stiffness * mean * mean;
        }
    }
    for (int e = 0; e < nodal->element_count; e++) {
        const int* tet = nodal->tets + 4 * e;
        element_pressures[e] = 0.25 * (vertex_pressures[tet[0]] + vertex_pressures[tet[1]] + vertex_pressures[tet[2]] + vertex_pressures[tet[3]]);
    }
    return energy;
}
