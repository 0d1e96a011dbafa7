/* Elements of a rod's elastic energy whose Hessian K is differentiated: a hinge, and an edge's stretch. Numbers of an edge are its vector and its
 * angle, four; of a hinge eight. Angles turn frames on top of parallel transport. */
#ifndef FILUM_BODY_ROD_BEND_ELEMENT_H
#define FILUM_BODY_ROD_BEND_ELEMENT_H

#include <complex.h>
#include <stdbool.h>

#include "body/rod_hinge.h"

#define NUMBER double complex
#define GENERIC(name) name##C
#define SQRT csqrt
#define LARGEST(a) creal(a)
#define EACH_LANE(out, in, function) ((out) = c##function(in))
#include "body/rod_hinge.inc"
#undef NUMBER
#undef GENERIC
#undef SQRT
#undef LARGEST
#undef EACH_LANE

/* Where its numbers are: its nodes' unknowns and its angle's (-1: none). first < 0: it is held, and does not move. */
typedef struct FilBendEdge {
    int first, next, angle;
} FilBendEdge;

/* Frames of both edges and all second derivatives at x + i h y. */
typedef struct FilBendJet {
    FrameC e, f;
    HingeTermsC terms;
    bool cord;        /* has no terms, only ... */
    double stiffness; /* ... this, N m */
} FilBendJet;

typedef struct FilBendHinge {
    FilBendEdge edge[2];
    Frame1 frame[2];
    bool frameless; /* of a cord: bends alike in all directions, without twist */
    HingeLaw1 law;
    KnownTwist1 known;
    double z[8];            /* v - v^ */
    double damped[3];       /* N m: stiffnesses of strains that rest at the start's */
    double start[3][8];     /* gradients of the strains there */
    double curvature[3][8]; /* second derivatives of the strains, times z */
    /* by fil_bend_begin() */
    FilBendJet jet; /* along z */
    double kz[8];   /* K z */
} FilBendHinge;

/* Energy k (l - natural)^2 / 2. */
typedef struct FilBendStretch {
    FilBendEdge edge;
    double e[3], stiffness, natural;
    double z[3];
    double damped, start[3]; /* N/m, of what rests at the start's length, and the start's direction */
} FilBendStretch;

/* Once edges, frames, law and z are set. */
void fil_bend_begin(FilBendHinge* hinge);
/* out = D_y K z; transposed: the derivative of D_y K z . w by y. */
void fil_bend_vary(const FilBendHinge* hinge, const double* y, double* out);
void fil_bend_vary_back(const FilBendHinge* hinge, const double* w, double* out);
/* out = the derivative of u' K u. */
void fil_bend_vary_square(const FilBendHinge* hinge, const double* u, double* out);
/* out = the second derivatives of strain s (kappa_1, kappa_2, twist), times x. */
void fil_bend_curve(const FilBendHinge* hinge, int s, const double* x, double* out);
/* out = D_y K x of an edge, the same in any order, and the second derivatives of its length, times x; four numbers, the angle's zero. */
void fil_bend_vary_stretch(const FilBendStretch* stretch, const double* y, const double* x, double* out);
void fil_bend_curve_stretch(const FilBendStretch* stretch, const double* x, double* out);

#endif
