#include "geometry/rod_field.h"

#include "base/error.h"

static int add_ray(FilRodField* field, double x, double y)
{
    const double depth = fil_rod_field_depth(field);
    const int k = field->ray_count++;
    field->outline[k][0] = x;
    field->outline[k][1] = y;
    field->foot[k][0] = x * (field->half[0] - depth) / field->half[0];
    field->foot[k][1] = y * (field->half[1] - depth) / field->half[1];
    return k;
}

int fil_rod_field_cells(double length, double resolution, int min, int max)
{
    // a length that is whole but for rounding gets no cell more
    const double n = ceil(length / resolution - 1e-9);
    return n <= min ? min : (n < max ? (int)n : max);
}

FilStatus fil_rod_field_init(FilRodField* field, bool round, double half_x, double half_y, double modulus, double resolution, FilError* error)
{
    *field = (FilRodField){.round = round, .half = {half_x, half_y}, .modulus = modulus, .resolution = resolution};
    const double all[4] = {half_x, half_y, modulus, resolution};
    for (int k = 0; k < 4; k++) {
        if (!(all[k] > 0.0) || !isfinite(all[k])) {
            return fil_error(error, FIL_BAD_INPUT, "a rod's pressure field needs positive sides, modulus and resolution, not %g m, %g m, %g Pa, %g m",
                             2.0 * half_x, 2.0 * half_y, modulus, resolution);
        }
    }
    if (round) {
        return FIL_OK;
    }
    // sides one after the other: -y, +x, +y, -x; an odd number of cells each: a ray from the middle of a side may lie
    // in the surface
    const int max = FIL_ROD_RAYS / 4 - 1;
    for (int side = 0; side < 4; side++) {
        const double length = 2.0 * field->half[side % 2];
        const int cells = fil_rod_field_cells(length, resolution, FIL_ROD_MIN_AROUND, max - 1) / 2 * 2 + 1;
        for (int k = 0; k < cells; k++) {
            const double u = 2.0 * k / cells - 1.0;
            const double corner[4][2] = {{u, -1.0}, {1.0, u}, {-u, 1.0}, {-1.0, -u}};
            add_ray(field, half_x * corner[side][0], half_y * corner[side][1]);
        }
    }
    add_ray(field, -half_x, -half_y);
    return FIL_OK;
}

double fil_rod_field_pressure(const FilRodField* field, const double* x, double* gradient)
{
    const double depth = fil_rod_field_depth(field), slope = field->modulus / depth;
    fil_v3_set(gradient, 0.0, 0.0, 0.0);
    if (field->round) {
        const double rho = sqrt(x[0] * x[0] + x[1] * x[1]);
        if (rho > 0.0) {
            gradient[0] = -slope * x[0] / rho;
            gradient[1] = -slope * x[1] / rho;
        }
        return slope * (depth - rho);
    }
    const double left[2] = {field->half[0] - fabs(x[0]), field->half[1] - fabs(x[1])};
    const int k = left[0] < left[1] ? 0 : 1;
    gradient[k] = x[k] > 0.0 ? -slope : slope;
    return slope * left[k];
}

double fil_rod_field_reach(const FilRodField* field, const double* n, double inset)
{
    if (field->round) {
        return (field->half[0] - inset) * sqrt(n[0] * n[0] + n[1] * n[1]);
    }
    return (field->half[0] - inset) * fabs(n[0]) + (field->half[1] - inset) * fabs(n[1]);
}
