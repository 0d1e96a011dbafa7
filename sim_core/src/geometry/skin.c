#include "geometry/skin.h"

#include "base/error.h"
#include "base/memory.h"

void fil_skin_free(FilSkin* skin)
{
    fil_free(skin->vertices);
    fil_free(skin->feet);
    fil_free(skin->triangles);
    *skin = (FilSkin){0};
}

// ---- building ----

static FilStatus reserve(FilSkin* skin, int vertices, int triangles)
{
    if (skin->vertex_count + vertices > skin->vertex_capacity) {
        const int capacity = 2 * skin->vertex_count + vertices + 64;
        void *v = skin->vertices, *f = skin->feet;
        const bool grown = fil_grow(&v, 3 * (size_t)skin->vertex_count, 3 * (size_t)capacity, sizeof(double));
        skin->vertices = v;
        if (!grown || !fil_grow(&f, 3 * (size_t)skin->vertex_count, 3 * (size_t)capacity, sizeof(double))) {
            return FIL_OUT_OF_MEMORY;
        }
        skin->feet = f;
        skin->vertex_capacity = capacity;
    }
    if (skin->triangle_count + triangles > skin->triangle_capacity) {
        const int capacity = 2 * skin->triangle_count + triangles + 64;
        void* t = skin->triangles;
        if (!fil_grow(&t, 3 * (size_t)skin->triangle_count, 3 * (size_t)capacity, sizeof(int))) {
            return FIL_OUT_OF_MEMORY;
        }
        skin->triangles = t;
        skin->triangle_capacity = capacity;
    }
    return FIL_OK;
}

static int add_vertex(FilSkin* skin, const double* vertex, const double* foot)
{
    fil_v3_copy(skin->vertices + 3 * skin->vertex_count, vertex);
    fil_v3_copy(skin->feet + 3 * skin->vertex_count, foot);
    return skin->vertex_count++;
}

static void add_triangle(FilSkin* skin, int a, int b, int c)
{
    int* t = skin->triangles + 3 * skin->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// parts of a length, each at most `resolution` long
static int parts(double length, double resolution, int at_least)
{
    // a length that is whole but for rounding gets no part more
    const double n = ceil(length / resolution - 1e-9);
    return n <= at_least ? at_least : (n < 1e6 ? (int)n : 1000000);
}

static FilStatus check_size(double triangles, double resolution, FilError* error)
{
    if (!(resolution > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "a resolution must be positive, not %g", resolution);
    }
    if (!(triangles <= FIL_SKIN_MAX_TRIANGLES)) {
        return fil_error(error, FIL_BAD_INPUT, "a resolution of %g m needs about %.3g triangles, more than %d: make it coarser", resolution,
                         triangles, FIL_SKIN_MAX_TRIANGLES);
    }
    return FIL_OK;
}

static double volume(const FilSkin* skin)
{
    double sum = 0.0;
    for (int i = 0; i < skin->triangle_count; i++) {
        const int* t = skin->triangles + 3 * i;
        double n[3];
        fil_v3_cross(n, skin->vertices + 3 * t[1], skin->vertices + 3 * t[2]);
        sum += fil_v3_dot(skin->vertices + 3 * t[0], n) / 6.0;
    }
    return sum;
}

// ---- shapes made of rings ----

// a circle of the skin: its radius and height, and those of its feet
typedef struct Ring {
    double rho, z, foot_rho, foot_z;
} Ring;

// the points of a ring: one on the axis, or enough for the resolution
static int ring_points(const Ring* ring, double resolution)
{
    return ring->rho > 0.0 ? parts(2.0 * FIL_PI * ring->rho, resolution, 8) : 1;
}

static void add_ring(FilSkin* skin, const Ring* ring, int points)
{
    for (int k = 0; k < points; k++) {
        const double angle = 2.0 * FIL_PI * k / points, c = cos(angle), s = sin(angle);
        const double vertex[3] = {ring->rho * c, ring->rho * s, ring->z};
        const double foot[3] = {ring->foot_rho * c, ring->foot_rho * s, ring->foot_z};
        add_vertex(skin, vertex, foot);
    }
}

// triangles between two rings, of any numbers of points each, walking around both; the first one is lower
static void stitch(FilSkin* skin, int low, int low_points, int high, int high_points)
{
    for (int i = 0, j = 0; i < low_points || j < high_points;) {
        // whose next point comes first; of equal ones the lower ring's
        const bool step_low = low_points > 1 && i < low_points &&
                              (j >= high_points || high_points == 1 || (long)(2 * i + 1) * high_points <= (long)(2 * j + 1) * low_points);
        const int a = low + i % low_points, b = high + j % high_points;
        if (step_low) {
            add_triangle(skin, a, low + (i + 1) % low_points, b);
            i++;
        } else {
            if (high_points > 1) {
                add_triangle(skin, a, high + (j + 1) % high_points, b);
            }
            j++;
        }
        if (low_points == 1 && j >= high_points) {
            break;
        }
        if (high_points == 1 && i >= low_points) {
            break;
        }
    }
}

static FilStatus lathe(FilSkin* skin, const Ring* rings, int count, double resolution, FilError* error)
{
    int before = 0, before_points = 0;
    double expected = 0.0;
    for (int k = 0; k < count; k++) {
        expected += 2.0 * ring_points(&rings[k], resolution);
    }
    FilStatus status = check_size(expected, resolution, error);
    for (int k = 0; k < count && status == FIL_OK; k++) {
        const int points = ring_points(&rings[k], resolution);
        status = reserve(skin, points, points + before_points);
        if (status == FIL_OK) {
            const int first = skin->vertex_count;
            add_ring(skin, &rings[k], points);
            if (k > 0) {
                stitch(skin, before, before_points, first, points);
            }
            before = first;
            before_points = points;
        }
    }
    return status;
}

// room on the stack: a ball of 1.3 m by millimetres
enum { RINGS = 4096 };

static FilStatus too_many_rings(double resolution, FilError* error)
{
    return fil_error(error, FIL_BAD_INPUT, "a resolution of %g m needs more than %d rings of triangles: make it coarser", resolution, RINGS);
}

// moves vertices away from their feet until the skin holds `target`; only across the axis if `flat`
static void match_volume(FilSkin* skin, double target, bool flat)
{
    // volumes grow with the second to third power of the factor: a fifth of the error at most is left each time
    for (int round = 0; round < 12; round++) {
        const double factor = pow(target / volume(skin), flat ? 0.5 : 0.4);
        for (int i = 0; i < skin->vertex_count; i++) {
            for (int k = 0; k < (flat ? 2 : 3); k++) {
                double* x = &skin->vertices[3 * i + k];
                const double centre = flat ? 0.0 : skin->feet[3 * i + k];
                *x = centre + factor * (*x - centre);
            }
        }
    }
}

// spheres and capsules
static FilStatus skin_of_capsule(const FilShape* shape, double resolution, FilSkin* skin, FilError* error)
{
    const double radius = shape->radius, half = shape->kind == FIL_PRIMITIVE_CAPSULE ? shape->half[2] : 0.0;
    const int arc = parts(0.5 * FIL_PI * radius, resolution, 2), side = half > 0.0 ? parts(2.0 * half, resolution, 1) : 0;
    Ring rings[RINGS];
    int count = 0;
    if (2 * arc + side + 1 > RINGS) {
        return too_many_rings(resolution, error);
    }
    for (int k = 0; k <= arc; k++) {
        const double angle = 0.5 * FIL_PI * k / arc;
        rings[count++] = (Ring){k > 0 ? radius * sin(angle) : 0.0, -half - radius * cos(angle), 0.0, -half};
    }
    rings[arc] = (Ring){radius, -half, 0.0, -half};
    for (int k = 1; k <= side; k++) {
        const double z = half * (2.0 * k / side - 1.0);
        rings[count++] = (Ring){radius, z, 0.0, z};
    }
    for (int k = arc - 1; k >= 0; k--) {
        rings[count++] = (Ring){rings[k].rho, -rings[k].z, 0.0, half};
    }
    const FilStatus status = lathe(skin, rings, count, resolution, error);
    if (status == FIL_OK) {
        match_volume(skin, fil_shape_mass(shape).volume, false);
    }
    return status;
}

static FilStatus skin_of_cylinder(const FilShape* shape, double resolution, FilSkin* skin, FilError* error)
{
    const double radius = shape->radius, half = shape->half[2];
    const double in = fmax(radius - half, 0.0) / radius, up = fmax(half - radius, 0.0) / half;
    const int across = parts(radius, resolution, 2), along = parts(2.0 * half, resolution, 1);
    Ring rings[RINGS];
    int count = 0;
    if (2 * across + along + 1 > RINGS) {
        return too_many_rings(resolution, error);
    }
    for (int k = 0; k <= across; k++) {
        const double rho = radius * k / across;
        rings[count++] = (Ring){rho, -half, in * rho, -up * half};
    }
    for (int k = 1; k <= along; k++) {
        const double z = half * (2.0 * k / along - 1.0);
        rings[count++] = (Ring){radius, z, in * radius, up * z};
    }
    for (int k = across - 1; k >= 0; k--) {
        const double rho = radius * k / across;
        rings[count++] = (Ring){rho, half, in * rho, up * half};
    }
    const FilStatus status = lathe(skin, rings, count, resolution, error);
    if (status == FIL_OK) {
        match_volume(skin, fil_shape_mass(shape).volume, true);
    }
    return status;
}

FilStatus fil_skin_of_profile(const FilProfile* profile, double resolution, FilSkin* skin, FilError* error)
{
    const double half = profile->half_length;
    double slope;
    const int along = parts(2.0 * half, resolution, 2);
    const double low = fil_profile_radius(profile, -half, &slope), high = fil_profile_radius(profile, half, &slope);
    const int across_low = parts(low, resolution, 1), across_high = parts(high, resolution, 1);
    Ring rings[RINGS];
    int count = 0;
    *skin = (FilSkin){0};
    if (across_low + along + across_high + 1 > RINGS) {
        return too_many_rings(resolution, error);
    }
    for (int k = 0; k < across_low; k++) {
        rings[count++] = (Ring){low * k / across_low, -half, 0.0, 0.0};
    }
    for (int k = 0; k <= along; k++) {
        const double z = half * (2.0 * k / along - 1.0);
        Ring ring = {fil_profile_radius(profile, z, &slope), z, 0.0, 0.0};
        // a polygon of the circle's area
        const double angle = 2.0 * FIL_PI / ring_points(&ring, resolution);
        ring.rho *= sqrt(angle / sin(angle));
        rings[count++] = ring;
    }
    for (int k = across_high - 1; k >= 0; k--) {
        rings[count++] = (Ring){high * k / across_high, half, 0.0, 0.0};
    }
    const FilStatus status = lathe(skin, rings, count, resolution, error);
    if (status != FIL_OK) {
        fil_skin_free(skin);
    }
    return status;
}

// ---- boxes ----

// one face: axis `up` points out of it; a grid of squares, each of them two triangles
static FilStatus add_box_face(FilSkin* skin, const double* half, const double* core, int up, double sign, double resolution, FilError* error)
{
    const int u = (up + 1) % 3, v = (up + 2) % 3;
    const int nu = parts(2.0 * half[u], resolution, 1), nv = parts(2.0 * half[v], resolution, 1);
    FilStatus status = check_size(12.0 * nu * nv, resolution, error);
    status = status == FIL_OK ? reserve(skin, (nu + 1) * (nv + 1), 2 * nu * nv) : status;
    if (status != FIL_OK) {
        return status;
    }
    const int first = skin->vertex_count;
    for (int i = 0; i <= nu; i++) {
        for (int j = 0; j <= nv; j++) {
            double x[3], foot[3];
            x[up] = sign * half[up];
            x[u] = half[u] * (2.0 * i / nu - 1.0);
            x[v] = half[v] * (2.0 * j / nv - 1.0);
            for (int k = 0; k < 3; k++) {
                foot[k] = x[k] / half[k] * core[k];
            }
            add_vertex(skin, x, foot);
        }
    }
    for (int i = 0; i < nu; i++) {
        for (int j = 0; j < nv; j++) {
            const int a = first + i * (nv + 1) + j, b = a + nv + 1;
            const int low = sign > 0.0 ? b : a + 1, high = sign > 0.0 ? a + 1 : b;
            add_triangle(skin, a, low, b + 1);
            add_triangle(skin, a, b + 1, high);
        }
    }
    return FIL_OK;
}

static FilStatus skin_of_box(const FilShape* shape, double resolution, FilSkin* skin, FilError* error)
{
    const double* half = shape->half;
    const double depth = fmin(half[0], fmin(half[1], half[2]));
    const double core[3] = {half[0] - depth, half[1] - depth, half[2] - depth};
    FilStatus status = FIL_OK;
    for (int face = 0; face < 6 && status == FIL_OK; face++) {
        status = add_box_face(skin, half, core, face / 2, face % 2 ? 1.0 : -1.0, resolution, error);
    }
    return status;
}

// ---- hulls ----

// distance from x to the nearest face plane, and which it is
static double inner_distance(const FilHull* hull, const double* x, int* face)
{
    double min = HUGE_VAL;
    for (int f = 0; f < hull->face_count; f++) {
        double to[3];
        fil_v3_sub(to, hull->vertices + 3 * hull->face_corners[hull->face_first[f]], x);
        const double d = fil_v3_dot(to, hull->normals + 3 * f);
        if (d < min) {
            min = d;
            *face = f;
        }
    }
    return min;
}

// centre of the largest ball inside: steps away from the nearest face, ever shorter, from the centre of mass
static double deepest_point(const FilHull* hull, double* centre)
{
    double x[3];
    int face = 0;
    fil_v3_copy(x, hull->mass.centre);
    fil_v3_copy(centre, x);
    const double start = inner_distance(hull, x, &face);
    double best = start;
    // steps fall from half the first depth to 1e-4 of it: what is left to gain is of the size of the last step
    for (int k = 0; k < 400; k++) {
        fil_v3_axpy(x, -0.5 * start * pow(2e-4, k / 399.0), hull->normals + 3 * face);
        const double d = inner_distance(hull, x, &face);
        if (d > best) {
            best = d;
            fil_v3_copy(centre, x);
        }
    }
    return best;
}

// a triangle divided into n^2 equal ones
static FilStatus add_divided(FilSkin* skin, const double* a, const double* b, const double* c, const double* foot, int n)
{
    const FilStatus status = reserve(skin, (n + 1) * (n + 2) / 2, n * n);
    if (status != FIL_OK) {
        return status;
    }
    const int first = skin->vertex_count;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= i; j++) {
            double x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = ((n - i) * a[k] + (i - j) * b[k] + j * c[k]) / n;
            }
            add_vertex(skin, x, foot);
        }
    }
    for (int i = 0; i < n; i++) {
        const int row = first + i * (i + 1) / 2, next = row + i + 1;
        for (int j = 0; j <= i; j++) {
            add_triangle(skin, row + j, next + j, next + j + 1);
            if (j < i) {
                add_triangle(skin, row + j, next + j + 1, row + j + 1);
            }
        }
    }
    return FIL_OK;
}

static FilStatus skin_of_hull(const FilShape* shape, double resolution, FilSkin* skin, FilError* error)
{
    const FilHull* hull = shape->hull;
    double foot[3], expected = 0.0;
    deepest_point(hull, foot);
    FilStatus status = check_size(0.0, resolution, error);
    for (int pass = 0; pass < 2 && status == FIL_OK; pass++) {
        for (int f = 0; f < hull->face_count && status == FIL_OK; f++) {
            const int* corners = hull->face_corners + hull->face_first[f];
            const double* a = hull->vertices + 3 * corners[0];
            for (int k = 2; k < hull->face_first[f + 1] - hull->face_first[f] && status == FIL_OK; k++) {
                const double *b = hull->vertices + 3 * corners[k - 1], *c = hull->vertices + 3 * corners[k];
                const double edge = fmax(fil_v3_distance(a, b), fmax(fil_v3_distance(b, c), fil_v3_distance(c, a)));
                const int n = parts(edge, resolution, 1);
                expected += pass == 0 ? (double)n * n : 0.0;
                status = pass == 1 ? add_divided(skin, a, b, c, foot, n) : FIL_OK;
            }
        }
        status = status == FIL_OK ? check_size(expected, resolution, error) : status;
    }
    return status;
}

// ---- by kind ----

double fil_skin_depth(const FilShape* shape)
{
    double centre[3];
    switch (shape->kind) {
        case FIL_PRIMITIVE_SPHERE:
        case FIL_PRIMITIVE_CAPSULE:
            return shape->radius;
        case FIL_PRIMITIVE_CYLINDER:
            return fmin(shape->radius, shape->half[2]);
        case FIL_PRIMITIVE_BOX:
            return fmin(shape->half[0], fmin(shape->half[1], shape->half[2]));
        case FIL_PRIMITIVE_HULL:
            return deepest_point(shape->hull, centre);
        default:
            return 0.0;
    }
}

FilStatus fil_skin_create(const FilShape* shape, double resolution, FilSkin* skin, FilError* error)
{
    static FilStatus (*const make[FIL_PRIMITIVE_KINDS])(const FilShape*, double, FilSkin*, FilError*) = {
        [FIL_PRIMITIVE_SPHERE] = skin_of_capsule, [FIL_PRIMITIVE_CAPSULE] = skin_of_capsule, [FIL_PRIMITIVE_CYLINDER] = skin_of_cylinder,
        [FIL_PRIMITIVE_BOX] = skin_of_box,        [FIL_PRIMITIVE_HULL] = skin_of_hull,
    };
    *skin = (FilSkin){0};
    FilStatus status = fil_shape_check(shape, error);
    if (status == FIL_OK && make[shape->kind] == NULL) {
        status = fil_error(error, FIL_BAD_INPUT, "a %s has no skin: it has no end", fil_shape_kind_name(shape->kind));
    }
    status = status == FIL_OK ? make[shape->kind](shape, resolution, skin, error) : status;
    if (status == FIL_OUT_OF_MEMORY) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "no memory for the triangles of a %s", fil_shape_kind_name(shape->kind));
    }
    if (status != FIL_OK) {
        fil_skin_free(skin);
    }
    return status;
}
