#include "random_rod.h"

#include <math.h>
#include <string.h>

static const double edge_length = 0.1;

/* a wandering chain, or a bumpy ring when closed */
static void place_nodes(Random* random, int n, bool closed, double* q)
{
    double radius = edge_length * n / (2.0 * M_PI);
    double heading[3] = {1.0, 0.0, 0.0};
    double x[3] = {0.3, -0.2, 0.1};
    for (int i = 0; i < n; ++i) {
        double phi = 2.0 * M_PI * i / n;
        const double ring[3] = {radius * cos(phi), radius * sin(phi), 0.0};
        for (int k = 0; k < 3; ++k) {
            double bump = random_between(random, -0.25, 0.25) * edge_length;
            q[4 * i + k] = closed ? ring[k] + bump : x[k];
        }
        double norm = 0.0;
        for (int k = 0; k < 3; ++k) {
            heading[k] += random_between(random, -0.5, 0.5);
        }
        for (int k = 0; k < 3; ++k) {
            norm += heading[k] * heading[k];
        }
        double length = edge_length * random_between(random, 0.7, 1.3);
        for (int k = 0; k < 3; ++k) {
            heading[k] /= sqrt(norm);
            x[k] += length * heading[k];
        }
    }
}

/* any unit vector normal to the tangent */
static void pick_director(Random* random, const double t[3], double m1[3])
{
    double along = 0.0, norm = 0.0;
    for (int k = 0; k < 3; ++k) {
        m1[k] = random_between(random, -1.0, 1.0);
        along += m1[k] * t[k];
    }
    for (int k = 0; k < 3; ++k) {
        m1[k] -= along * t[k];
        norm += m1[k] * m1[k];
    }
    for (int k = 0; k < 3; ++k) {
        m1[k] /= sqrt(norm);
    }
}

/* carries m1 from edge to edge by the shortest rotation, so that only `angle` twists */
static void carry_director(const double a[3], const double b[3], const double d[3], double out[3])
{
    double db = 0.0, ab = 0.0;
    for (int k = 0; k < 3; ++k) {
        db += d[k] * b[k];
        ab += a[k] * b[k];
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = d[k] - db / (1.0 + ab) * (a[k] + b[k]);
    }
}

void random_rod(Random* random, int node_count, bool closed, ReferenceRod* rod, double* q)
{
    memset(rod, 0, sizeof *rod);
    rod->node_count = node_count;
    rod->closed = closed;
    place_nodes(random, node_count, closed, q);
    int edges = reference_edge_count(rod);

    for (int i = 0; i < edges; ++i) {
        double norm = 0.0;
        for (int k = 0; k < 3; ++k) {
            rod->base_tangent[i][k] = q[4 * ((i + 1) % node_count) + k] - q[4 * i + k];
            norm += rod->base_tangent[i][k] * rod->base_tangent[i][k];
        }
        for (int k = 0; k < 3; ++k) {
            rod->base_tangent[i][k] /= sqrt(norm);
        }
        if (i == 0) {
            pick_director(random, rod->base_tangent[0], rod->base_director[0]);
        } else {
            carry_director(rod->base_tangent[i - 1], rod->base_tangent[i], rod->base_director[i - 1], rod->base_director[i]);
        }
        q[4 * i + 3] = (i > 0 ? q[4 * i - 1] : 0.0) + random_between(random, -1.0, 1.0);
        rod->ea[i] = random_between(random, 50.0, 100.0);
        rod->rest_length[i] = sqrt(norm) * random_between(random, 0.9, 1.1);
    }
    for (int i = 0; i < node_count; ++i) {
        rod->bend1[i] = random_between(random, 0.5, 1.0);
        rod->bend2[i] = random_between(random, 0.1, 2.0);
        rod->torsion[i] = random_between(random, 0.3, 1.5);
        rod->rest_kappa1[i] = random_between(random, -0.3, 0.3);
        rod->rest_kappa2[i] = random_between(random, -0.3, 0.3);
        rod->rest_twist[i] = random_between(random, -0.3, 0.3);
    }
    reference_rebase(rod, q);

    /* half of the hinges carry whole turns of twist */
    for (int i = 0; i < node_count; ++i) {
        if (random_bits(random) % 2 == 0) {
            rod->previous_twist[i] = 2.0 * M_PI * (double)(random_bits(random) % 3);
        }
    }
}
