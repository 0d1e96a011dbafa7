#include "gradient_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

FilWorld* gradient_load(const char* text)
{
    FilWorld* world = NULL;
    FilError error = {""};
    if (fil_scene_load_text(FILUM_SOURCE_DIR "/config/scenes/test.yaml", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

void gradient_ok(const FilWorld* world, FilStatus status)
{
    if (status != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
}

double gradient_norm(const double* a, int n)
{
    return sqrt(gradient_dot(a, a, n));
}

double gradient_dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

int gradient_bearing(const FilWorld* world)
{
    int count = 0;
    for (int k = 0; k < fil_world_contact_count(world); k++) {
        const FilVec3 force = fil_world_contact(world, k).force;
        count += force.x * force.x + force.y * force.y + force.z * force.z > 0.0;
    }
    return count;
}

void gradient_choose(FilGradient* gradient, FilWorld* world, Random* random, double* variation)
{
    const int n = fil_gradient_size(gradient), numbers = fil_gradient_variation_size(gradient);
    double *weight = malloc(sizeof(double) * (size_t)numbers), *share = malloc(sizeof(double) * (size_t)numbers);
    for (int k = 0; k < numbers; k++) {
        weight[k] = random_between(random, -1.0, 1.0);
    }
    gradient_ok(world, fil_gradient_step(gradient, NULL));
    gradient_ok(world, fil_gradient_backward(gradient, weight, share, NULL));
    for (int k = 0; k < n; k++) {
        // velocities of held and idle unknowns do nothing
        const bool counts = share[n + k] != 0.0;
        variation[k] = counts ? random_between(random, -1.0, 1.0) : 0.0;
        variation[n + k] = counts ? random_between(random, -1.0, 1.0) : 0.0;
    }
    memset(variation + 2 * n, 0, sizeof(double) * (size_t)(numbers - 2 * n));
    free(weight);
    free(share);
}

void gradient_run(FilWorld* world, const void* snapshot, size_t size, const double* variation, double share, int steps, double* v)
{
    int n;
    (void)fil_world_velocities(world, &n);
    double* varied = malloc(2 * sizeof(double) * (size_t)n);
    for (int k = 0; k < 2 * n; k++) {
        varied[k] = share * variation[k];
    }
    gradient_ok(world, fil_world_restore(world, snapshot, size));
    gradient_ok(world, fil_world_vary(world, varied));
    for (int s = 0; s < steps; s++) {
        gradient_ok(world, fil_world_step(world, NULL));
    }
    memcpy(v, fil_world_velocities(world, NULL), sizeof(double) * (size_t)n);
    free(varied);
}

double gradient_products(FilGradient* gradient, FilWorld* world, Random* random, const void* snapshot, size_t size, int steps, const double* start,
                         double* end)
{
    const int numbers = fil_gradient_variation_size(gradient);
    const size_t bytes = sizeof(double) * (size_t)numbers;
    double *weight = malloc(bytes), *adjoint = malloc(bytes), *from = malloc(bytes), worst = 0.0;
    memcpy(end, start, bytes);
    gradient_ok(world, fil_world_restore(world, snapshot, size));
    for (int s = 0; s < steps; s++) {
        memcpy(from, end, bytes);
        gradient_ok(world, fil_gradient_step(gradient, NULL));
        for (int k = 0; k < numbers; k++) {
            weight[k] = random_between(random, -1.0, 1.0);
        }
        // <w, J x> = <J' w, x>: of the first product with a step, which is found in another way, and of a later one
        gradient_ok(world, fil_gradient_backward(gradient, weight, adjoint, NULL));
        gradient_ok(world, fil_gradient_forward(gradient, from, NULL, end));
        for (int k = 0; k < 2; k++) {
            const double forward = gradient_dot(weight, end, numbers), backward = gradient_dot(adjoint, from, numbers);
            worst = fmax(worst, fabs(forward - backward) / (gradient_norm(weight, numbers) * gradient_norm(end, numbers)));
            gradient_ok(world, fil_gradient_backward(gradient, weight, adjoint, NULL));
        }
    }
    free(weight), free(adjoint), free(from);
    return worst;
}

/* Sizes of the variation, each a quarter of the one before: m and m/s, rad and rad/s. */
enum { SIZES = 7, QUARTER = 4 };

static const double LARGEST = 1e-4;

/* Differences of what a variation does, size by size: central ones, and to both sides apart from each other. */
typedef struct Differences {
    double *central[SIZES], *apart[SIZES];
} Differences;

static double largest(const double* a, const double* b, const double* counts, int n)
{
    double max = 0.0;
    for (int k = 0; k < n; k++) {
        max = counts[k] != 0.0 ? fmax(max, fabs(a[k] - (b != NULL ? b[k] : 0.0))) : max;
    }
    return max;
}

static void compare(const Differences* d, const double* start, const double* end, int n, GradientCheck* check)
{
    const double mean = gradient_norm(end + n, n) / sqrt(n), *counts = start + n;
    double* extrapolated[SIZES];
    for (int k = 0; k + 1 < SIZES; k++) {
        extrapolated[k] = d->central[k];
        for (int j = 0; j < n; j++) {
            extrapolated[k][j] = (QUARTER * QUARTER * d->central[k + 1][j] - d->central[k][j]) / (QUARTER * QUARTER - 1);
        }
    }
    check->doubt = check->error = INFINITY;
    for (int k = 0; k + 2 < SIZES; k++) {
        const double doubt = largest(extrapolated[k], extrapolated[k + 1], counts, n) / mean;
        const double error = largest(extrapolated[k + 1], end + n, counts, n) / mean;
        const bool decides = doubt <= GRADIENT_DECIDES;
        if (decides && check->doubt <= GRADIENT_DECIDES ? error < check->error : doubt < check->doubt) {
            check->doubt = doubt;
            check->error = error;
        }
    }
    // smooth: the second difference falls with the square of the size, its quotient with the size
    const double last = largest(d->apart[SIZES - 1], NULL, counts, n) / mean, before = largest(d->apart[SIZES - 3], NULL, counts, n) / mean;
    check->kink = last > 1e-6 && last > 0.3 * before;
}

GradientCheck gradient_check(FilGradient* gradient, FilWorld* world, Random* random, int steps)
{
    const int n = fil_gradient_size(gradient), numbers = fil_gradient_variation_size(gradient);
    const size_t size = fil_world_snapshot_size(world), bytes = sizeof(double) * (size_t)numbers;
    void* snapshot = malloc(size);
    double *start = malloc(bytes), *end = malloc(bytes), *less = malloc(bytes), *middle = malloc(bytes);
    Differences d;
    GradientCheck check = {0};
    fil_world_save(world, snapshot);
    gradient_choose(gradient, world, random, start);
    check.adjoint = gradient_products(gradient, world, random, snapshot, size, steps, start, end);
    gradient_run(world, snapshot, size, start, 0.0, steps, middle);
    double h = LARGEST;
    for (int k = 0; k < SIZES; k++, h /= QUARTER) {
        d.central[k] = malloc(bytes);
        d.apart[k] = malloc(bytes);
        gradient_run(world, snapshot, size, start, h, steps, d.apart[k]);
        gradient_run(world, snapshot, size, start, -h, steps, less);
        for (int j = 0; j < n; j++) {
            const double more = d.apart[k][j];
            d.central[k][j] = (more - less[j]) / (2.0 * h);
            d.apart[k][j] = (more - 2.0 * middle[j] + less[j]) / h;
        }
    }
    compare(&d, start, end, n, &check);
    gradient_ok(world, fil_world_restore(world, snapshot, size));
    for (int k = 0; k < SIZES; k++) {
        free(d.central[k]);
        free(d.apart[k]);
    }
    free(snapshot), free(start), free(end), free(less), free(middle);
    return check;
}
