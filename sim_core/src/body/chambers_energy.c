/* Energy of the gas in chambers; chambers.c has the equations. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/chambers.h"

/* Where the corners of a triangle are, from an origin near the chamber. */
typedef struct Corners {
    int vertex[3]; /* of the body */
    double x[3][3];
} Corners;

static Corners corners_of(const FilChamber* item, int triangle, const double* q)
{
    Corners out;
    for (int k = 0; k < 3; k++) {
        out.vertex[k] = item->vertices[item->triangles[3 * triangle + k]];
        fil_v3_sub(out.x[k], q + 4 * out.vertex[k], q + 4 * item->vertices[0]);
    }
    return out;
}

double fil_chambers_volume(const FilChambers* chambers, int chamber, const double* q)
{
    const FilChamber* item = &chambers->items[chamber];
    double sum = 0.0;
    for (int t = 0; t < item->triangle_count; t++) {
        const Corners at = corners_of(item, t, q);
        double normal[3];
        fil_v3_cross(normal, at.x[1], at.x[2]);
        sum += fil_v3_dot(at.x[0], normal) / 6.0;
    }
    return sum;
}

/* dV/dx of the chamber's vertices. */
static void set_gradient(const FilChamber* item, const double* q)
{
    memset(item->gradient, 0, sizeof(double) * 3 * (size_t)item->vertex_count);
    for (int t = 0; t < item->triangle_count; t++) {
        const Corners at = corners_of(item, t, q);
        for (int k = 0; k < 3; k++) {
            double normal[3];
            fil_v3_cross(normal, at.x[(k + 1) % 3], at.x[(k + 2) % 3]);
            fil_v3_axpy(item->gradient + 3 * item->triangles[3 * t + k], 1.0 / 6.0, normal);
        }
    }
}

double fil_chambers_gradient(const FilChambers* chambers, const double* q, double* gradient, bool* ok)
{
    double energy = 0.0;
    *ok = true;
    for (int c = 0; c < chambers->count; c++) {
        const FilChamber* item = &chambers->items[c];
        FilGasState gas;
        *ok = fil_gas_at(&chambers->gas, item->value, item->rest_volume, fil_chambers_volume(chambers, c, q), &gas) && *ok;
        energy += gas.energy;
        set_gradient(item, q);
        for (int i = 0; i < item->vertex_count; i++) {
            fil_v3_axpy(gradient + 4 * item->vertices[i], -gas.pressure, item->gradient + 3 * i);
        }
    }
    return energy;
}

/* Adds to an entry of the block of vertices a and b, by components: the row is the larger vertex. */
static void add_entry(double* block, int a, int b, int of_a, int of_b, double value)
{
    block[a < b ? 4 * of_a + of_b : 4 * of_b + of_a] += value;
}

/* scale d2V: of corners a and b with c opposite, -[x_c]x/6. */
static void add_volume_hessian(const FilChamber* item, const double* q, double scale, double* values)
{
    for (int t = 0; t < item->triangle_count; t++) {
        const Corners at = corners_of(item, t, q);
        for (int k = 0; k < 3; k++) {
            const int a = at.vertex[k], b = at.vertex[(k + 1) % 3];
            const double* x = at.x[(k + 2) % 3];
            double* block = values + FIL_BLOCK_SIZE * (size_t)item->sides[3 * t + k];
            for (int i = 0; i < 3; i++) {  // rows of -[x]x: (0, z, -y), (-z, 0, x), (y, -x, 0)
                const int j = (i + 1) % 3, m = (i + 2) % 3;
                add_entry(block, a, b, i, j, scale / 6.0 * x[m]);
                add_entry(block, a, b, i, m, -scale / 6.0 * x[j]);
            }
        }
    }
}

/* Eq. 3 of one vertex. */
static void add_springs(const FilChamber* item, int i, double r, double* values)
{
    const double* g = item->gradient + 3 * i;
    double* own = values + FIL_BLOCK_SIZE * (size_t)item->own[i];
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            own[4 * k + j] += r * r * g[k] * g[j];
        }
        own[4 * k + 3] -= r * g[k];
        own[12 + k] -= r * g[k];
    }
    own[15] += 2.0;  // of e_i and of its parent's e, or of the last spring
    if (item->parents[i] >= 0) {
        const double* above = item->gradient + 3 * item->parents[i];
        double* branch = values + FIL_BLOCK_SIZE * (size_t)item->branches[i];
        for (int k = 0; k < 3; k++) {
            add_entry(branch, item->vertices[item->parents[i]], item->vertices[i], k, 3, r * above[k]);
        }
        branch[15] -= 1.0;
    }
}

void fil_chambers_stiffness(const FilChambers* chambers, const double* q, double scale, bool definite, double* values)
{
    const bool sealed = chambers->gas.law == FIL_GAS_SEALED;
    for (int c = 0; c < chambers->count; c++) {
        const FilChamber* item = &chambers->items[c];
        FilGasState gas;
        if (!fil_gas_at(&chambers->gas, item->value, item->rest_volume, fil_chambers_volume(chambers, c, q), &gas)) {
            continue;  // out of reach, as the gradient says
        }
        if (!definite) {
            add_volume_hessian(item, q, -scale * gas.pressure, values);
        }
        set_gradient(item, q);
        const double r = sqrt((item->vertex_count + 1.0) * scale * gas.stiffness);
        for (int i = 0; i < item->vertex_count && sealed; i++) {
            add_springs(item, i, r, values);
        }
    }
    for (int k = 0; k < chambers->sibling_count && sealed; k++) {
        values[FIL_BLOCK_SIZE * (size_t)chambers->sibling_slots[k] + 15] += 1.0;
    }
}

FilGasState fil_chambers_state(const FilChambers* chambers, int chamber, const double* q, const double* h)
{
    FilGasState gas;
    fil_gas_at(&chambers->gas, h[FIL_CHAMBER_HISTORY * chamber], chambers->items[chamber].rest_volume, fil_chambers_volume(chambers, chamber, q),
               &gas);
    return gas;
}

double fil_chambers_energy(const FilChambers* chambers, const double* q, const double* h)
{
    double sum = 0.0;
    for (int c = 0; c < chambers->count && chambers->gas.law == FIL_GAS_SEALED; c++) {
        sum += fil_chambers_state(chambers, c, q, h).energy;
    }
    return sum;
}
