#include "solver/ipc_apart.h"

#include <stddef.h>

#include "base/extrema.h"
#include "base/vector.h"

/* Beyond which a pair is surely out of range, times how far that is: rounding is a millionth of it. A pair that is nearer is left to those who look
 * at one. */
static const double SURELY = 1.0 + 1e-9;

/* Square of the sine between two edges from which on the quotient that closest points follow from is one (geometry/closest.c). */
static const double PARALLEL = 1e-10;

typedef FilDouble4 Wide;

typedef struct Wide3 {
    Wide x, y, z;
} Wide3;

FIL_VECTOR_INLINE Wide3 gather(const double* from, const int* at)
{
    return (Wide3){fil_double4_gather(from, at, 3), fil_double4_gather(from + 1, at, 3), fil_double4_gather(from + 2, at, 3)};
}

FIL_VECTOR_INLINE Wide3 add(Wide3 a, Wide3 b)
{
    return (Wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

FIL_VECTOR_INLINE Wide3 sub(Wide3 a, Wide3 b)
{
    return (Wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

FIL_VECTOR_INLINE Wide3 scaled(Wide a, Wide3 u)
{
    return (Wide3){a * u.x, a * u.y, a * u.z};
}

FIL_VECTOR_INLINE Wide dot(Wide3 a, Wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FIL_VECTOR_INLINE Wide3 cross(Wide3 a, Wide3 b)
{
    return (Wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

FIL_VECTOR_INLINE Wide smaller(Wide a, Wide b)
{
    return _mm256_min_pd(a, b);
}

FIL_VECTOR_INLINE Wide larger(Wide a, Wide b)
{
    return _mm256_max_pd(a, b);
}

FIL_VECTOR_INLINE Wide clamp01(Wide a)
{
    return smaller(larger(a, fil_double4_all(0.0)), fil_double4_all(1.0));
}

FIL_VECTOR_INLINE Wide choose(FilDouble4Bits which, Wide x, Wide y)
{
    return _mm256_blendv_pd(y, x, (Wide)which);
}

FIL_VECTOR_INLINE Wide3 choose3(FilDouble4Bits which, Wide3 x, Wide3 y)
{
    return (Wide3){choose(which, x.x, y.x), choose(which, x.y, y.y), choose(which, x.z, y.z)};
}

/* From the closest point of one feature to that of the other; `known`: where there is no doubt about it. */
typedef struct Between {
    Wide3 way;
    FilDouble4Bits known;
} Between;

/* As fil_segment_segment() has it of edges that are not parallel. */
FIL_VECTOR_INLINE Between between_edges(const Wide3 x[4])
{
    const Wide3 u = sub(x[1], x[0]), v = sub(x[3], x[2]), r = sub(x[0], x[2]);
    const Wide uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
    const Wide det = uu * vv - uv * uv, threshold = PARALLEL * uu * vv;
    const Wide free_s = clamp01((uv * vr - ur * vv) / det), free_t = (uv * free_s + vr) / vv, t = clamp01(free_t);
    const Wide s = choose((FilDouble4Bits)(free_t == t), free_s, clamp01((uv * t - ur) / uu));
    return (Between){sub(sub(scaled(t, v), scaled(s, u)), r), (FilDouble4Bits)(det > threshold)};
}

/* From a point to the nearest of a triangle: below its plane, or on one of its edges. */
FIL_VECTOR_INLINE Between between_point_triangle(const Wide3 x[4])
{
    const Wide3 to[3] = {sub(x[1], x[0]), sub(x[2], x[0]), sub(x[3], x[0])};
    const Wide3 normal = cross(sub(x[2], x[1]), sub(x[3], x[1]));
    Wide3 way = to[0];
    Wide square = dot(way, way);
    FilDouble4Bits inside = fil_double4_not_above(fil_double4_all(0.0), square);
    for (int k = 0; k < 3; k++) {
        const Wide3 side = sub(x[1 + (k + 1) % 3], x[1 + k]), in = cross(to[k], side);
        const Wide3 edge = add(to[k], scaled(clamp01(-dot(to[k], side) / dot(side, side)), side));
        const Wide own = dot(edge, edge);
        way = choose3((FilDouble4Bits)(own < square), edge, way);
        square = smaller(own, square);
        inside &= fil_double4_not_above(fil_double4_all(0.0), dot(in, normal));
    }
    const Wide3 down = scaled(dot(to[0], normal) / dot(normal, normal), normal);
    way = choose3(inside, down, way);
    return (Between){way, fil_double4_not_above(fil_double4_all(0.0), dot(way, way))};  // no, where there is no number
}

/* Where a place is along a way, of the first feature's corners the farthest, of the other's the nearest, and how far each may go beside its own. */
typedef struct Sides {
    Wide square[2], beside[2], front, back;
} Sides;

FIL_VECTOR_INLINE Sides sides_of(const FilIpcAbreast* pairs, int split, const Wide3 x[4], const Wide3 to[4], Wide3 way, const double* slack)
{
    Wide3 motion[4];
    for (int k = 0; k < 4; k++) {
        motion[k] = sub(to[k], x[k]);
    }
    const Wide3 mean = scaled(fil_double4_all(0.25), add(add(motion[0], motion[1]), add(motion[2], motion[3])));
    Sides sides;
    for (int k = 0; k < 4; k++) {
        const Wide3 own = sub(motion[k], mean);
        const Wide square = dot(own, own), beside = fil_double4_gather(slack, pairs->point[k], 1), place = dot(to[k], way);
        const int side = k >= split;
        const bool first = k == 0 || k == split;
        sides.square[side] = first ? square : larger(sides.square[side], square);
        sides.beside[side] = first ? beside : larger(sides.beside[side], beside);
        if (side == 0) {
            sides.front = first ? place : larger(sides.front, place);
        } else {
            sides.back = first ? place : smaller(sides.back, place);
        }
    }
    return sides;
}

FIL_VECTOR_INLINE unsigned stay_apart(const FilIpcAbreast* pairs, bool edges, const double* from, const double* end, const double* slack)
{
    Wide3 x[4], to[4];
    for (int k = 0; k < 4; k++) {
        x[k] = gather(from, pairs->point[k]);
        to[k] = gather(end, pairs->point[k]);
    }
    const Between between = edges ? between_edges(x) : between_point_triangle(x);
    const Sides sides = sides_of(pairs, edges ? 2 : 1, x, to, between.way, slack);
    const Wide distance = fil_double4_sqrt(dot(between.way, between.way)), beside = sides.beside[0] + sides.beside[1];
    const Wide approach = fil_double4_sqrt(sides.square[0]) + fil_double4_sqrt(sides.square[1]) + beside;
    const Wide reach = fil_double4_load(pairs->reach), wanted = SURELY * (reach + beside);
    const FilDouble4Bits far = (FilDouble4Bits)(distance > SURELY * (reach + approach));
    const FilDouble4Bits beyond = (FilDouble4Bits)(distance > wanted) & (FilDouble4Bits)(sides.back - sides.front > wanted * distance);
    return fil_double4_which((far | beyond) & between.known);
}

unsigned fil_ipc_apart_avx2(FilFeature kind, const FilIpcAbreast* pairs, const double* x, const double* end, const double* slack)
{
    return kind == FIL_SEGMENT_SEGMENT ? stay_apart(pairs, true, x, end, slack) : stay_apart(pairs, false, x, end, slack);
}

/* ---- swept bounds ---- */

/* Three numbers and what follows them, which does not count. */
_Static_assert(offsetof(FilIpcSweptBound, half) == 3 * sizeof(double) && offsetof(FilIpcSweptBound, motion) == 6 * sizeof(double) &&
                   sizeof(FilIpcSweptBound) >= 10 * sizeof(double),
               "numbers of a bound follow each other");

FIL_VECTOR_INLINE bool are_unbounded(const FilIpcSweptBound* a, const FilIpcSweptBound* b, double range)
{
    const Wide between = _mm256_blend_pd(fil_double4_load(b->middle) - fil_double4_load(a->middle), fil_double4_all(0.0), 8);
    const Wide passing = (fil_double4_load(b->motion) - fil_double4_load(a->motion)) * between;
    const Wide first = _mm256_hadd_pd(between * between, fil_double4_load(a->half) * between);
    const Wide second = _mm256_hadd_pd(fil_double4_load(b->half) * between, passing);
    // of sums of three the first two, and the third: squares, along a, along b, passing
    const Wide sums = _mm256_permute2f128_pd(first, second, 0x20) + _mm256_permute2f128_pd(first, second, 0x31);
    const double square = sums[0], reach = range + a->reach + b->reach, clear = square - fabs(sums[1]) - fabs(sums[2]);
    return !(clear + fil_min(sums[3], 0.0) > reach * sqrt(square));
}

int fil_ipc_pick_unbounded_avx2(const FilIpcSweptBound* bounds, const FilIndexPair* near, int count, double range, FilIndexPair* picked)
{
    int left = 0;
    for (int k = 0; k < count; k++) {
        const FilIndexPair pair = near[k];
        picked[left] = pair;
        left += are_unbounded(&bounds[pair.a], &bounds[pair.b], range);
    }
    return left;
}
