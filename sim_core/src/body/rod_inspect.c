#include "body/rod_inspect.h"

#include <string.h>

typedef struct Dense {
    const FilRodBody* body;
    int first; /* unknown of the rod's first node */
    double* matrix;
} Dense;

static void add(void* context, int row, int column, double value)
{
    const Dense* dense = context;
    const size_t size = 4 * (size_t)dense->body->node_count;
    const size_t r = (size_t)fil_rod_owner(dense->body, dense->first + row), c = (size_t)fil_rod_owner(dense->body, dense->first + column);
    dense->matrix[r * size + c] += value;
    if (r != c) {
        dense->matrix[c * size + r] += value;
    }
}

void fil_rod_body_stiffness(FilRodBody* body, const double* q, const double* h, double* matrix, bool* is_free)
{
    const size_t size = 4 * (size_t)body->node_count;
    memset(matrix, 0, sizeof(double) * size * size);
    body->begun = false;
    body->setup = (FilStepSetup){.dt = 1.0, .theta = 1.0, .theta_vq = 1.0};
    body->q0 = q;
    body->h0 = (const FilRodHistory*)h;
    fil_rod_apply_holds(body);
    memcpy(body->q_theta, q, sizeof(double) * size);
    memset(body->v_theta, 0, sizeof(double) * size);
    memset(body->diagonal, 0, sizeof(double) * size);
    for (int r = 0; r < body->rod_count; r++) {
        FilRod* rod = &body->rods[r];
        const size_t first = (size_t)rod->first_node;
        fil_rod_chain_begin(&rod->chain, q + 4 * first, body->h0 + first, rod->law, 0.0, body->diagonal + 4 * first);
        (void)fil_rod_chain_assemble(&rod->chain, q + 4 * first, 0.0, true);  // q is a state: it is within reach
    }
    (void)fil_rod_add_springs(body);
    for (int r = 0; r < body->rod_count; r++) {
        Dense dense = {body, 4 * body->rods[r].first_node, matrix};
        fil_rod_chain_visit(&body->rods[r].chain, add, &dense);
    }
    for (size_t k = 0; k < size; k++) {
        is_free[k] = !body->held[k] && body->mass[k] > 0.0;
    }
}
