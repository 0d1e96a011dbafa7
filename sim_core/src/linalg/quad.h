/* Four single-precision numbers in one register, with fused multiply-add on arm64, and on amd64 where FILUM_FUSED asks for it: what the
 * preconditioner's block kernels are made of. A lane of b multiplies all four numbers of a. */
#ifndef FILUM_LINALG_QUAD_H
#define FILUM_LINALG_QUAD_H

#include <string.h>

#if defined(__GNUC__) && !defined(FIL_SCALAR_LANES)
#define FIL_QUAD_VECTOR
#if defined(__aarch64__)
#define FIL_QUAD_NEON
#include <arm_neon.h>
#elif defined(__FMA__) && defined(FILUM_FUSED)
#define FIL_QUAD_FMA
#include <immintrin.h>
#endif
#endif

#if defined(FIL_QUAD_VECTOR)
typedef float FilQuad __attribute__((vector_size(16)));
#define FIL_QUAD_GET(a, k) ((a)[k])
#define FIL_QUAD_MAKE(x, y, z, w) ((FilQuad){(x), (y), (z), (w)})
#else
typedef struct FilQuad {
    float e[4];
} FilQuad;
#define FIL_QUAD_GET(a, k) ((a).e[k])
#define FIL_QUAD_MAKE(x, y, z, w) ((FilQuad){{(x), (y), (z), (w)}})
#endif

static inline FilQuad fil_quad_load(const float* p)
{
    FilQuad a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void fil_quad_store(float* p, FilQuad a)
{
    memcpy(p, &a, sizeof a);
}

static inline FilQuad fil_quad_all(float x)
{
    return FIL_QUAD_MAKE(x, x, x, x);
}

/* Every `stride`-th of double precision, rounded. */
static inline FilQuad fil_quad_round(const double* p, int stride)
{
#if defined(FIL_QUAD_NEON)
    if (stride == 1) {
        return vcombine_f32(vcvt_f32_f64(vld1q_f64(p)), vcvt_f32_f64(vld1q_f64(p + 2)));
    }
#endif
    return FIL_QUAD_MAKE((float)p[0], (float)p[stride], (float)p[2 * stride], (float)p[3 * stride]);
}

static inline FilQuad fil_quad_product(FilQuad a, FilQuad b)
{
#if defined(FIL_QUAD_VECTOR)
    return a * b;
#else
    for (int k = 0; k < 4; k++) {
        a.e[k] *= b.e[k];
    }
    return a;
#endif
}

static inline FilQuad fil_quad_add(FilQuad a, FilQuad b)
{
#if defined(FIL_QUAD_VECTOR)
    return a + b;
#else
    for (int k = 0; k < 4; k++) {
        a.e[k] += b.e[k];
    }
    return a;
#endif
}

static inline FilQuad fil_quad_sub(FilQuad a, FilQuad b)
{
#if defined(FIL_QUAD_VECTOR)
    return a - b;
#else
    for (int k = 0; k < 4; k++) {
        a.e[k] -= b.e[k];
    }
    return a;
#endif
}

static inline float fil_quad_sum(FilQuad a)
{
    return (FIL_QUAD_GET(a, 0) + FIL_QUAD_GET(a, 1)) + (FIL_QUAD_GET(a, 2) + FIL_QUAD_GET(a, 3));
}

/* The sums of four. */
static inline FilQuad fil_quad_sums(FilQuad a, FilQuad b, FilQuad c, FilQuad d)
{
#if defined(FIL_QUAD_NEON)
    return vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
#else
    return FIL_QUAD_MAKE(fil_quad_sum(a), fil_quad_sum(b), fil_quad_sum(c), fil_quad_sum(d));
#endif
}

/* Rows of four columns. */
static inline void fil_quad_turn(const FilQuad c[4], FilQuad r[4])
{
#if defined(FIL_QUAD_NEON)
    const float32x4_t a = vtrn1q_f32(c[0], c[1]), b = vtrn2q_f32(c[0], c[1]), d = vtrn1q_f32(c[2], c[3]), e = vtrn2q_f32(c[2], c[3]);
    r[0] = vcombine_f32(vget_low_f32(a), vget_low_f32(d));
    r[1] = vcombine_f32(vget_low_f32(b), vget_low_f32(e));
    r[2] = vcombine_f32(vget_high_f32(a), vget_high_f32(d));
    r[3] = vcombine_f32(vget_high_f32(b), vget_high_f32(e));
#else
    for (int k = 0; k < 4; k++) {
        r[k] = FIL_QUAD_MAKE(FIL_QUAD_GET(c[0], k), FIL_QUAD_GET(c[1], k), FIL_QUAD_GET(c[2], k), FIL_QUAD_GET(c[3], k));
    }
#endif
}

/* c + a b and c - a b, element by element */
static inline FilQuad fil_quad_add_product(FilQuad c, FilQuad a, FilQuad b)
{
#if defined(FIL_QUAD_NEON)
    return vfmaq_f32(c, a, b);
#elif defined(FIL_QUAD_FMA)
    return _mm_fmadd_ps(a, b, c);
#elif defined(FIL_QUAD_VECTOR)
    return c + a * b;
#else
    for (int k = 0; k < 4; k++) {
        c.e[k] += a.e[k] * b.e[k];
    }
    return c;
#endif
}

static inline FilQuad fil_quad_sub_product(FilQuad c, FilQuad a, FilQuad b)
{
#if defined(FIL_QUAD_NEON)
    return vfmsq_f32(c, a, b);
#elif defined(FIL_QUAD_FMA)
    return _mm_fnmadd_ps(a, b, c);
#elif defined(FIL_QUAD_VECTOR)
    return c - a * b;
#else
    for (int k = 0; k < 4; k++) {
        c.e[k] -= a.e[k] * b.e[k];
    }
    return c;
#endif
}

/* c + a b_k and c - a b_k; k is a constant wherever these are called, so that one instruction does it. */
static inline FilQuad fil_quad_add_lane(FilQuad c, FilQuad a, FilQuad b, int k)
{
#if defined(FIL_QUAD_NEON)
    return k == 0   ? vfmaq_laneq_f32(c, a, b, 0)
           : k == 1 ? vfmaq_laneq_f32(c, a, b, 1)
           : k == 2 ? vfmaq_laneq_f32(c, a, b, 2)
                    : vfmaq_laneq_f32(c, a, b, 3);
#else
    return fil_quad_add_product(c, a, fil_quad_all(FIL_QUAD_GET(b, k)));
#endif
}

static inline FilQuad fil_quad_sub_lane(FilQuad c, FilQuad a, FilQuad b, int k)
{
#if defined(FIL_QUAD_NEON)
    return k == 0   ? vfmsq_laneq_f32(c, a, b, 0)
           : k == 1 ? vfmsq_laneq_f32(c, a, b, 1)
           : k == 2 ? vfmsq_laneq_f32(c, a, b, 2)
                    : vfmsq_laneq_f32(c, a, b, 3);
#else
    return fil_quad_sub_product(c, a, fil_quad_all(FIL_QUAD_GET(b, k)));
#endif
}

#endif
