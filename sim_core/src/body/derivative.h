/* How a body's step varies with where it starts: what gradients are made of (docs/gradients.md).
 *
 * A variation of a body's state has a number per unknown for its place, and one for its velocity. That of the place is a motion: as if the body had
 * moved with it as its velocity for a unit of time, however small; so orientations and frames need no numbers of their own. The step's end v solves
 * m(v) = 0 from its start; to first order dm = S_place place + S_rate rate + J end_rate        must be zero where the body is free, and end_place =
 * E_place place + E_rate end_rate. */
#ifndef FILUM_BODY_DERIVATIVE_H
#define FILUM_BODY_DERIVATIVE_H

#include <stdbool.h>

typedef struct FilDerivativeOps {
    /* After the step whose end is v, evaluated there: takes what the products need. Returns NULL, or why this step has no derivative here, to be
     * read after the body's name. Allocates when first called. */
    const char* (*prepare)(void* body, const double* v);
    /* dm, zero where held, and the variation of the end's place; `place` and `rate` may be NULL, which is zero, and so may what is not wanted. */
    void (*vary)(void* body, const double* place, const double* rate, const double* end_rate, double* residual, double* end_place);
    /* Transposed: adds to `place`, `rate` and `end_rate` what a unit of dm and of the end's place does, weighted by `residual` and
     * `end_place`, of which either may be NULL. So may, without end_place, be `place` and `rate` together: they are not wanted. */
    void (*vary_back)(void* body, const double* residual, const double* end_place, double* place, double* rate, double* end_rate);
    /* Velocities of held unknowns follow from where they start: writes them. Transposed: adds to `place`. NULL: nothing is held. */
    void (*lead)(const void* body, const double* place, double* end_rate);
    void (*lead_back)(const void* body, const double* end_rate, double* place);
    /* For contacts: adds to `place` the derivative of force . velocity of what lies at `point` of a collider's part, where the body moves with z: the
     * point stays, the part moves on; a sum over `count` forces, each with its z. Bodies that deform have z and place on the blocks of
     * point_jacobian() only. `by_point`, of rods only: adds the derivative by the point, where the part stays; NULL: that is not wanted. NULL: all of
     * this is not known, nor is the next. */
    void (*sweep)(const void* body, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                  double* place, double* by_point);
    /* How a part stretches along its third axis, on the blocks of point_jacobian(): by how much faster what is a metre further along it moves that
     * way. NULL: parts do not stretch. */
    void (*stretch)(const void* body, int index, int part, const double* q, double* row);
    /* Adds `share` times the derivative of z' A z, A the tangent. NULL: A is constant, or as below. */
    void (*vary_tangent)(const void* body, double share, const double* z, double* place);

    /* ---- bodies that deform, in contact: free motion v^ solves m(v^) = p, and the end v solves A (v - v^) + p = J' gamma with A of v^ ---- */

    /* After prepare() with v^: the step ended with v, and that is where vary()'s end_place is from now on. NULL, or why not, as above. */
    const char* (*linearised)(void* body, const double* v_free, const double* v);
    /* out = A x, on what is free; and the diagonal of A, zero elsewhere. */
    void (*tangent)(const void* body, const double* x, double* out);
    /* That A is what contacts are solved with, to the last bits: solutions need no correction. */
    bool is_factored;
    void (*tangent_diagonal)(const void* body, double* out);
    /* The variation of the place at v^, which A is of (of rods, as bend(), as linearised() left it, wherever prepare() was called since); transposed:
     * adds, and `place` is scratch afterwards. */
    void (*at_free)(void* body, const double* start, const double* free_rate, double* place);
    void (*at_free_back)(void* body, double* place, double* start, double* free_rate);
    /* out += the change of A (v - v^), on what is free, by the place at v^ and at the start, and blocks += that of A's diagonal blocks, 16 numbers
     * each. Transposed: adds what both are weighted by, blocks symmetrically. */
    void (*bend)(const void* body, const double* place, const double* start, double* out, double* blocks);
    void (*bend_back)(const void* body, const double* weight, double* blocks, double* place, double* start);
} FilDerivativeOps;

#endif
