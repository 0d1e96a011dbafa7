#include "geometry/mass.h"

static FilMassProperties diagonal(double volume, double ixx, double iyy, double izz)
{
    return (FilMassProperties){.volume = volume, .inertia = {ixx, 0.0, 0.0, 0.0, iyy, 0.0, 0.0, 0.0, izz}};
}

FilMassProperties fil_mass_of_sphere(double radius)
{
    const double v = 4.0 / 3.0 * FIL_PI * radius * radius * radius;
    // 2/5 m r^2
    const double i = 0.4 * v * radius * radius;
    return diagonal(v, i, i, i);
}

FilMassProperties fil_mass_of_cylinder(double radius, double half_length)
{
    const double r2 = radius * radius, l = 2.0 * half_length, v = FIL_PI * r2 * l;
    const double across = v * (3.0 * r2 + l * l) / 12.0;
    return diagonal(v, across, across, 0.5 * v * r2);
}

FilMassProperties fil_mass_of_capsule(double radius, double half_length)
{
    // a cylinder and two half balls, whose centres of mass lie 3/8 radius beyond its ends
    const FilMassProperties barrel = fil_mass_of_cylinder(radius, half_length);
    const FilMassProperties ball = fil_mass_of_sphere(radius);
    const double shift = half_length * half_length + 0.75 * half_length * radius;
    const double across = barrel.inertia[0] + ball.inertia[0] + ball.volume * shift;
    return diagonal(barrel.volume + ball.volume, across, across, barrel.inertia[8] + ball.inertia[8]);
}

FilMassProperties fil_mass_of_box(const double* half)
{
    const double v = 8.0 * half[0] * half[1] * half[2];
    const double xx = half[0] * half[0], yy = half[1] * half[1], zz = half[2] * half[2];
    return diagonal(v, v * (yy + zz) / 3.0, v * (zz + xx) / 3.0, v * (xx + yy) / 3.0);
}

FilMassProperties fil_mass_of_profile(const FilProfile* profile)
{
    // Gauss's rule of five points on each cubic piece: r^2 exactly, r^4 to rounding for pieces that are short
    static const double at[5] = {0.0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
    static const double weight[5] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891, 0.2369268850561891};
    const double half = profile->half_length / (profile->count - 1);
    double r2 = 0.0, zr2 = 0.0, zzr2 = 0.0, r4 = 0.0;
    for (int k = 0; k < profile->count - 1; k++) {
        for (int g = 0; g < 5; g++) {
            double slope;
            const double z = half * (2 * k + 1 + at[g]) - profile->half_length, r = fil_profile_radius(profile, z, &slope);
            const double w = half * weight[g] * r * r;
            r2 += w;
            zr2 += w * z;
            zzr2 += w * z * z;
            r4 += w * r * r;
        }
    }
    const double middle = zr2 / r2, across = FIL_PI * (0.25 * r4 + zzr2 - r2 * middle * middle);
    FilMassProperties mass = diagonal(FIL_PI * r2, across, across, 0.5 * FIL_PI * r4);
    mass.centre[2] = middle;
    return mass;
}

// the inertia tensor of second moments s = int x x' dV
static void inertia_of_moments(double* inertia, const double* s)
{
    const double trace = s[0] + s[4] + s[8];
    for (int k = 0; k < 9; k++) {
        inertia[k] = (k % 4 == 0 ? trace : 0.0) - s[k];
    }
}

// inertia += weight * (|d|^2 1 - d d'): moving a weight's axis by d
static void add_steiner(double* inertia, double weight, const double* d)
{
    const double dd = fil_v3_dot(d, d);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inertia[3 * i + j] += weight * ((i == j ? dd : 0.0) - d[i] * d[j]);
        }
    }
}

FilMassProperties fil_mass_of_mesh(const FilMesh* mesh)
{
    FilMassProperties mass = {0};
    if (mesh->triangle_count == 0) {
        return mass;
    }
    // signed tetrahedra from one of the vertices, which keeps digits when the mesh lies far away
    const double* origin = mesh->vertices;
    double first[3] = {0.0, 0.0, 0.0}, second[9] = {0.0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], cross[3], sum[3];
        for (int k = 0; k < 3; k++) {
            fil_v3_sub(p[k], mesh->vertices + 3 * mesh->triangles[3 * t + k], origin);
        }
        fil_v3_cross(cross, p[1], p[2]);
        const double v = fil_v3_dot(p[0], cross) / 6.0;
        fil_v3_add(sum, p[0], p[1]);
        fil_v3_add(sum, sum, p[2]);
        mass.volume += v;
        fil_v3_axpy(first, v / 4.0, sum);
        // int x x' = v/20 (a a' + b b' + c c' + (a + b + c)(a + b + c)')
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                second[3 * i + j] += v / 20.0 * (p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + sum[i] * sum[j]);
            }
        }
    }
    inertia_of_moments(mass.inertia, second);
    if (mass.volume != 0.0) {
        double centre[3];
        fil_v3_scale(centre, 1.0 / mass.volume, first);
        add_steiner(mass.inertia, -mass.volume, centre);
        fil_v3_add(mass.centre, origin, centre);
    }
    return mass;
}

FilMassProperties fil_mass_posed(const FilMassProperties* mass, const FilPose* pose)
{
    FilMassProperties out = {.volume = mass->volume};
    fil_pose_apply(out.centre, pose, mass->centre);
    // r I r'
    double left[9];
    for (int i = 0; i < 3; i++) {
        fil_m3_apply_transposed(left + 3 * i, mass->inertia, pose->r + 3 * i);
    }
    for (int i = 0; i < 3; i++) {
        fil_m3_apply(out.inertia + 3 * i, pose->r, left + 3 * i);
    }
    return out;
}

void fil_mass_add(FilMassProperties* sum, double density, const FilMassProperties* part)
{
    const double weight = density * part->volume, total = sum->volume + weight;
    double between[3];
    fil_v3_sub(between, part->centre, sum->centre);
    for (int k = 0; k < 9; k++) {
        sum->inertia[k] += density * part->inertia[k];
    }
    if (total != 0.0) {
        // both move to the common centre: reduced weight times distance squared
        add_steiner(sum->inertia, sum->volume * weight / total, between);
        fil_v3_axpy(sum->centre, weight / total, between);
    }
    sum->volume = total;
}
