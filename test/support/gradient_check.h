/* Gradients of steps against differences of the steps themselves. */
#ifndef TEST_GRADIENT_CHECK_H
#define TEST_GRADIENT_CHECK_H

#include "filum/filum.h"
#include "random.h"

/* A world of a scene's text; fails the test if it is wrong. */
FilWorld* gradient_load(const char* text);
/* Fails the test with the world's message. */
void gradient_ok(const FilWorld* world, FilStatus status);

double gradient_norm(const double* a, int n);
double gradient_dot(const double* a, const double* b, int n);

/* A variation, zero where unknowns are idle (nothing depends on them) or held (they do not take it), and of what contacts remember. Steps the world.
 */
void gradient_choose(FilGradient* gradient, FilWorld* world, Random* random, double* variation);

/* Velocities after so many steps from a snapshot, varied by a share of a variation. */
void gradient_run(FilWorld* world, const void* snapshot, size_t size, const double* variation, double share, int steps, double* v);

/* How many contacts bear. */
int gradient_bearing(const FilWorld* world);

/* Forward products through so many steps, `end` from `start`, and how far backward ones are from them at most, of their size. From a snapshot. */
double gradient_products(FilGradient* gradient, FilWorld* world, Random* random, const void* snapshot, size_t size, int steps, const double* start,
                         double* end);

/* Differences at two sizes that are no further from each other, of the mean, show what a gradient is. */
static const double GRADIENT_DECIDES = 5e-7;

/* What a variation came to. Differences are central, extrapolated, at the size where the gradient is nearest to them of those that decide: what
 * Newton leaves is below its tolerance, but varies by the root of that, and where variations are so small that they change no number of iterations
 * differences agree with each other on that, too. Where none decides, at the size where two sizes agree best. */
typedef struct GradientCheck {
    double error;   /* of forward products, of the mean */
    double doubt;   /* how far differences at two sizes are from each other, of the mean: what they can show */
    double adjoint; /* backward products against forward ones */
    bool kink;      /* the variation crosses one: differences to both sides differ at every size */
} GradientCheck;

/* Of one random variation over so many steps from where the world stands, to which it returns. */
GradientCheck gradient_check(FilGradient* gradient, FilWorld* world, Random* random, int steps);

#endif
