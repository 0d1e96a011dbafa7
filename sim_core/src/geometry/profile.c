#include "geometry/profile.h"

#include "base/error.h"
#include "base/memory.h"

void fil_profile_free(FilProfile* profile)
{
    fil_free(profile->radius);
    fil_free(profile->slope);
    *profile = (FilProfile){0};
}

// slopes of third order or better where there are samples enough: differences over five, three or two of them
static double slope_at(const double* r, int count, int k, double step)
{
    if (k >= 2 && k + 2 < count) {
        // central differences of fourth order
        return (8.0 * (r[k + 1] - r[k - 1]) - (r[k + 2] - r[k - 2])) / (12.0 * step);
    }
    if (count >= 4 && (k == 0 || k == count - 1)) {
        const int by = k == 0 ? 1 : -1;
        // one-sided differences of third order
        return by * (-11.0 * r[k] + 18.0 * r[k + by] - 9.0 * r[k + 2 * by] + 2.0 * r[k + 3 * by]) / (6.0 * step);
    }
    if (count >= 4) {
        const int by = k == 1 ? 1 : -1;
        // of third order, one side further
        return by * (-2.0 * r[k - by] - 3.0 * r[k] + 6.0 * r[k + by] - r[k + 2 * by]) / (6.0 * step);
    }
    const int lo = k > 0 ? k - 1 : 0, hi = k + 1 < count ? k + 1 : count - 1;
    return (r[hi] - r[lo]) / ((hi - lo) * step);
}

FilStatus fil_profile_create(const double* radii, int count, double half_length, FilProfile* profile, FilError* error)
{
    *profile = (FilProfile){0};
    if (count < 2 || !(half_length > 0.0) || !isfinite(half_length)) {
        return fil_error(error, FIL_BAD_INPUT, "a profile needs at least 2 radii over a positive length, not %d over %g m", count, 2.0 * half_length);
    }
    for (int k = 0; k < count; k++) {
        if (!(radii[k] > 0.0) || !isfinite(radii[k])) {
            return fil_error(error, FIL_BAD_INPUT, "radius %d of %d of a profile is %g: radii must be positive", k + 1, count, radii[k]);
        }
    }
    profile->radius = fil_alloc((size_t)count, sizeof(double));
    profile->slope = fil_alloc((size_t)count, sizeof(double));
    if (profile->radius == NULL || profile->slope == NULL) {
        fil_profile_free(profile);
        return fil_error(error, FIL_OUT_OF_MEMORY, "no memory for a profile of %d radii", count);
    }
    profile->count = count;
    profile->half_length = half_length;
    const double step = 2.0 * half_length / (count - 1);
    for (int k = 0; k < count; k++) {
        profile->radius[k] = radii[k];
        profile->slope[k] = slope_at(radii, count, k, step);
        profile->highest = fmax(profile->highest, radii[k]);
    }
    return FIL_OK;
}

FilStatus fil_profile_sample(double (*radius)(const void* context, double z), const void* context, int count, double half_length, FilProfile* profile,
                             FilError* error)
{
    *profile = (FilProfile){0};
    double* radii = fil_alloc((size_t)(count > 0 ? count : 0), sizeof(double));
    if (radii == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "no memory for a profile of %d radii", count);
    }
    for (int k = 0; k < count; k++) {
        radii[k] = radius(context, count > 1 ? half_length * (2.0 * k / (count - 1) - 1.0) : 0.0);
    }
    const FilStatus status = fil_profile_create(radii, count, half_length, profile, error);
    fil_free(radii);
    return status;
}

// radius, slope and curvature r'' at z, which is within the ends
static double read_at(const FilProfile* profile, double z, double* slope, double* curvature)
{
    const double step = 2.0 * profile->half_length / (profile->count - 1);
    const double at = (z + profile->half_length) / step;
    int k = (int)at;
    k = k < 0 ? 0 : (k > profile->count - 2 ? profile->count - 2 : k);
    const double u = at - k;
    const double r0 = profile->radius[k], r1 = profile->radius[k + 1];
    const double s0 = step * profile->slope[k], s1 = step * profile->slope[k + 1];
    // Hermite: r = r0 + u (s0 + u (c + u d))
    const double c = 3.0 * (r1 - r0) - 2.0 * s0 - s1, d = 2.0 * (r0 - r1) + s0 + s1;
    *slope = (s0 + u * (2.0 * c + 3.0 * d * u)) / step;
    *curvature = (2.0 * c + 6.0 * d * u) / (step * step);
    return r0 + u * (s0 + u * (c + u * d));
}

double fil_profile_radius(const FilProfile* profile, double z, double* slope)
{
    double curvature;
    const double h = profile->half_length;
    return read_at(profile, z < -h ? -h : (z > h ? h : z), slope, &curvature);
}

// the point of the curve r(z), |z| <= h, nearest to (rho, z0): stationary where (r - rho) r' + (z - z0) = 0
static double nearest_z(const FilProfile* profile, double rho, double z0)
{
    const double h = profile->half_length;
    double z = z0 < -h ? -h : (z0 > h ? h : z0), slope, curvature;
    for (int iteration = 0; iteration < 12; iteration++) {
        const double r = read_at(profile, z, &slope, &curvature);
        const double f = (r - rho) * slope + z - z0;
        const double full = 1.0 + slope * slope + (r - rho) * curvature;
        // beyond a centre of curvature Newton's denominator changes sign; Gauss-Newton's does not. 0.25: chosen, as Newton's step gets long before
        // that
        const double next = z - f / (full > 0.25 ? full : 1.0 + slope * slope);
        const double clamped = next < -h ? -h : (next > h ? h : next);
        // the next step would be of the size of this one squared
        if (fabs(clamped - z) <= 1e-8 * h) {
            return clamped;
        }
        z = clamped;
    }
    return z;
}

double fil_profile_distance(const FilProfile* profile, const double* p, double* normal)
{
    const double h = profile->half_length, rho = sqrt(p[0] * p[0] + p[1] * p[1]);
    const double out[2] = {rho > 0.0 ? p[0] / rho : 1.0, rho > 0.0 ? p[1] / rho : 0.0};
    const double end = p[2] < 0.0 ? -1.0 : 1.0, above = fabs(p[2]) - h;
    double slope, curvature;
    const double z = nearest_z(profile, rho, p[2]);
    const double r = read_at(profile, z, &slope, &curvature);
    double ends_slope;
    const double rim = fil_profile_radius(profile, end * h, &ends_slope);
    if (above > 0.0 && rho <= rim) {
        fil_v3_set(normal, 0.0, 0.0, end);
        return above;
    }
    // outward normal of the curve: (1, -r') / |.|
    const double scale = 1.0 / sqrt(1.0 + slope * slope);
    double nr = scale, nz = -slope * scale;
    const double side = (rho - r) * nr + (p[2] - z) * nz;
    double distance = side;
    if (above > 0.0 || (side > 0.0 && fabs(z) >= h)) {
        // outside, past the rim: the way to the rim itself
        const double dr = rho - r, dz = p[2] - z, length = sqrt(dr * dr + dz * dz);
        if (length > 0.0) {
            nr = dr / length;
            nz = dz / length;
        }
        distance = length;
    } else if (side <= 0.0 && above > side) {
        fil_v3_set(normal, 0.0, 0.0, end);
        return above;
    }
    fil_v3_set(normal, nr * out[0], nr * out[1], nz);
    return distance;
}
