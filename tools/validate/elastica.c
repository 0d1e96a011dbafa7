/* With theta the angle below the horizontal and sigma the arc length from the tip, moment balance reads
 *     theta'' = -(tip_load + weight sigma) cos(theta),   theta'(0) = 0 at the free tip,   theta(1) = 0 at the clamp,
 * which is integrated from the tip with RK4. The unknown tip angle is bisected as pi/2 - angle on a logarithmic scale,
 * since the tip of a heavy beam hangs exponentially close to the vertical.
 */
#include "validate/elastica.h"

#include <math.h>

/* state: theta, theta', and the vector from the tip to here: x, z */
enum { THETA, SLOPE, X, Z, STATE_SIZE };

static void slope(double sigma, const double* y, double weight, double tip_load, double* out)
{
    out[THETA] = y[SLOPE];
    out[SLOPE] = -(tip_load + weight * sigma) * cos(y[THETA]);
    out[X] = -cos(y[THETA]);
    out[Z] = sin(y[THETA]);
}

static void integrate(double tip_angle, double weight, double tip_load, double y[STATE_SIZE])
{
    /* RK4 with 4000 steps: errors far below 1e-10 for the loads used */
    const int steps = 4000;
    const double h = 1.0 / steps;
    y[THETA] = tip_angle;
    y[SLOPE] = y[X] = y[Z] = 0.0;
    for (int i = 0; i < steps; ++i) {
        static const double stage[4] = {0.0, 0.5, 0.5, 1.0};
        static const double part[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
        double k[STATE_SIZE] = {0}, sum[STATE_SIZE] = {0};
        for (int s = 0; s < 4; ++s) {
            double at[STATE_SIZE];
            for (int j = 0; j < STATE_SIZE; ++j) {
                at[j] = y[j] + stage[s] * h * k[j];
            }
            slope((i + stage[s]) * h, at, weight, tip_load, k);
            for (int j = 0; j < STATE_SIZE; ++j) {
                sum[j] += part[s] * h * k[j];
            }
        }
        for (int j = 0; j < STATE_SIZE; ++j) {
            y[j] += sum[j];
        }
    }
}

FilElasticaTip fil_elastica_cantilever(double weight, double tip_load)
{
    /* ever closer to the vertical at the tip means ever higher at the clamp */
    double low = log(1e-12), high = log(0.5 * M_PI);
    double y[STATE_SIZE];
    for (int i = 0; i < 100; ++i) {
        double middle = 0.5 * (low + high);
        integrate(0.5 * M_PI - exp(middle), weight, tip_load, y);
        if (y[THETA] > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (FilElasticaTip){.x = -y[X], .z = -y[Z], .angle = 0.5 * M_PI - exp(high)};
}
