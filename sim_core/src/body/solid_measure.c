/* What can be measured of a solid at any state. */
#include <math.h>
#include <string.h>

#include "base/svd3.h"
#include "base/vec3.h"
#include "body/solid.h"

/* The lagged law's energy is that about the present rotation. */
static void strain_of(const FilSolidBody* body, int b, const double* q, FilSolidBatchStrain* strain)
{
    const FilSolidBatch* batch = &body->batches[b];
    *strain = (FilSolidBatchStrain){.kept = body->pressure.kept};
    if (body->nodal) {
        strain->pressure = fil_double4_load(body->pressure.of_elements + FIL_SOLID_LANES * b);
    }
    if (body->rotations != NULL) {
        fil_solid_batch_rotation(batch, q, 4, strain->rotation);
    }
}

double fil_solid_elastic_energy(const FilSolidBody* body, const double* q)
{
    double sum = fil_solid_find_pressure(body, q, false);
    for (int b = 0; b < body->batch_count; b++) {
        FilSolidBatchStrain strain;
        FilSolidBatchResult result;
        strain_of(body, b, q, &strain);
        fil_solid_batch_evaluate(&body->batches[b], &body->material, q, 4, &strain, false, false, 1.0, &result);
        for (int lane = 0; lane < body->batches[b].count; lane++) {
            sum += fil_double4_get(&result.energy, lane);
        }
    }
    return sum;
}

double fil_solid_kinetic_energy(const FilSolidBody* body, const double* v)
{
    double sum = 0.0;
    for (int k = 0; k < body->block_count; k++) {
        const int a = body->block_column[k], b = body->block_row[k];
        sum += (a == b ? 0.5 : 1.0) * body->block_mass[k] * fil_v3_dot(v + 4 * a, v + 4 * b);
    }
    return sum;
}

/* sum of m_ab x_a x v_b */
void fil_solid_angular_momentum(const FilSolidBody* body, const double* q, const double* v, double* add_to)
{
    for (int k = 0; k < body->block_count; k++) {
        const int a = body->block_column[k], b = body->block_row[k];
        double moment[3];
        fil_v3_cross(moment, q + 4 * a, v + 4 * b);
        fil_v3_axpy(add_to, body->block_mass[k], moment);
        if (a != b) {
            fil_v3_cross(moment, q + 4 * b, v + 4 * a);
            fil_v3_axpy(add_to, body->block_mass[k], moment);
        }
    }
}

/* von Mises: sqrt(3/2) |dev sigma| of the Cauchy stress P F'/J */
static double von_mises(const double* p, const double* f, double jacobian)
{
    double sigma[9], sum = 0.0;
    fil_m3_multiply_right_transposed(sigma, p, f);
    const double mean = (sigma[0] + sigma[4] + sigma[8]) / 3.0;
    for (int k = 0; k < 9; k++) {
        const double part = sigma[k] - (k % 4 == 0 ? mean : 0.0);
        sum += part * part;
    }
    return sqrt(1.5 * sum) / fabs(jacobian);
}

FilSolidVolumes fil_solid_volumes_at(const FilSolidBody* body, const double* q)
{
    FilSolidVolumes out = {.min_jacobian = INFINITY};
    for (int e = 0; e < body->mesh.tet_count; e++) {
        const double* corners[4];
        double f[9];
        for (int k = 0; k < 4; k++) {
            corners[k] = q + 4 * body->mesh.tets[4 * e + k];
        }
        fil_solid_element_deformation(&body->elements[e], corners, f);
        const double jacobian = fil_m3_determinant(f);
        out.volume += body->elements[e].volume * jacobian;
        out.min_jacobian = fmin(out.min_jacobian, jacobian);
    }
    return out;
}

FilSolidMeasure fil_solid_measure_at(const FilSolidBody* body, const double* q)
{
    FilSolidMeasure out = {.min_jacobian = INFINITY, .strain_energy = fil_solid_find_pressure(body, q, false)};
    for (int e = 0; e < body->mesh.tet_count; e++) {
        const FilSolidElement* element = &body->elements[e];
        const double* corners[4];
        double u[9], s[3], w[9], p[9];
        FilSolidStrain strain = fil_solid_strain_rest();
        strain.kept = body->pressure.kept;
        for (int k = 0; k < 4; k++) {
            corners[k] = q + 4 * body->mesh.tets[4 * e + k];
        }
        fil_solid_element_deformation(element, corners, strain.f);
        fil_svd3(strain.f, u, s, w);
        if (body->rotations != NULL) {
            fil_m3_multiply_right_transposed(strain.rotation, u, w);
        }
        strain.pressure = body->nodal ? body->pressure.of_elements[e] : 0.0;
        const double jacobian = s[0] * s[1] * s[2];
        out.strain_energy += element->volume * fil_solid_law_evaluate(&body->material, &strain, false, p, NULL);
        out.volume += element->volume * jacobian;
        out.min_jacobian = fmin(out.min_jacobian, jacobian);
        for (int k = 0; k < 3; k++) {
            out.max_strain = fmax(out.max_strain, fabs(s[k] - 1.0));
        }
        if (jacobian != 0.0) {
            out.max_stress = fmax(out.max_stress, von_mises(p, strain.f, jacobian));
        }
    }
    return out;
}
