/* Products and solutions with the contacts of a step that bear (gradient_contact.c makes them). */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "linalg/dense.h"
#include "world/gradient.h"

/* ---- products ---- */

/* u = J x, and out += J' f. */
static void multiply(const FilGradientContact* contact, const double* x, double* u)
{
    const int m = contact->size;
    for (int r = 0; r < 3; r++) {
        u[r] = 0.0;
        for (int i = 0; i < m; i++) {
            u[r] += contact->jacobian[r * m + i] * x[contact->unknown[i]];
        }
    }
}

static void add_transposed(const FilGradientContact* contact, const double* f, double* out)
{
    const int m = contact->size;
    for (int i = 0; i < m; i++) {
        out[contact->unknown[i]] += contact->jacobian[i] * f[0] + contact->jacobian[m + i] * f[1] + contact->jacobian[2 * m + i] * f[2];
    }
}

void fil_gradient_contacts_apply(const FilGradient* gradient, const double* x, double* out)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        double u[3], f[3];
        multiply(contact, x, u);
        fil_m3_apply(f, contact->hessian, u);
        add_transposed(contact, f, out);
    }
}

/* How the compliance follows the tangents of bodies that deform. */
static double compliance_change(const FilGradient* gradient, const FilGradientContact* contact, const double* place, const double* at_free)
{
    double sum = 0.0;
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < contact->slope_count[s]; k++) {
            const FilTangentSlope* slope = &contact->slopes[s][k];
            const int i = gradient->world->system.bodies[contact->body[s]].v + slope->unknown;
            sum += slope->by_place * at_free[i] + slope->by_start * place[i];
        }
    }
    return sum;
}

void fil_gradient_contacts_vary(const FilGradient* gradient, const double* place, const double* rate, const double* at_free, double* out)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        const int m = contact->size;
        double u[3], f[3];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                out[contact->unknown[i]] += contact->by_place[i * m + j] * place[contact->unknown[j]];
            }
        }
        multiply(contact, rate, u);
        fil_v3_scale(f, u[2], contact->by_velocity);
        fil_v3_axpy(f, compliance_change(gradient, contact, place, at_free), contact->by_compliance);
        add_transposed(contact, f, out);
    }
}

void fil_gradient_contacts_vary_back(const FilGradient* gradient, const double* weight, double* place, double* rate, double* at_free)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        const int m = contact->size;
        double u[3];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                place[contact->unknown[j]] += contact->by_place[i * m + j] * weight[contact->unknown[i]];
            }
        }
        multiply(contact, weight, u);
        const double f[3] = {0.0, 0.0, fil_v3_dot(u, contact->by_velocity)}, w = fil_v3_dot(u, contact->by_compliance);
        add_transposed(contact, f, rate);
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < contact->slope_count[s]; k++) {
                const FilTangentSlope* slope = &contact->slopes[s][k];
                const int i = gradient->world->system.bodies[contact->body[s]].v + slope->unknown;
                at_free[i] += w * slope->by_place;
                place[i] += w * slope->by_start;
            }
        }
    }
}

/* ---- solutions ---- */

static bool share_body(const FilGradientContact* a, const FilGradientContact* b)
{
    bool shared = false;
    for (int k = 0; k < 4; k++) {
        shared |= a->body[k / 2] >= 0 && a->body[k / 2] == b->body[k % 2];
    }
    return shared;
}

FilStatus fil_gradient_contacts_factor(FilGradient* gradient, void (*solve)(const FilGradient* gradient, const FilBody* body, double* x))
{
    FilGradientContacts* contacts = &gradient->contacts;
    const size_t n = (size_t)gradient->n, rows = 3 * (size_t)contacts->count;
    if (rows == 0) {
        return FIL_OK;
    }
    if (contacts->column_capacity < rows) {
        fil_free(contacts->columns), fil_free(contacts->schur), fil_free(contacts->work), fil_free(contacts->pivots);
        contacts->columns = fil_alloc(rows * n, sizeof(double));
        contacts->schur = fil_alloc(rows * rows, sizeof(double));
        contacts->work = fil_alloc(rows, sizeof(double));
        contacts->pivots = fil_alloc(rows, sizeof(int));
        contacts->column_capacity = rows;
        if (contacts->columns == NULL || contacts->schur == NULL || contacts->work == NULL || contacts->pivots == NULL) {
            contacts->column_capacity = 0;
            return fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
        }
    }
    for (size_t k = 0; k < rows; k++) {
        double unit[3] = {0.0}, *column = contacts->columns + k * n;
        unit[k % 3] = 1.0;
        memset(column, 0, n * sizeof(double));
        const FilGradientContact* own = &contacts->items[k / 3];
        add_transposed(own, unit, column);
        for (int s = 0; s < 2; s++) {
            if (own->body[s] >= 0 && (s == 0 || own->body[0] != own->body[1])) {
                const FilBody* body = &gradient->world->system.bodies[own->body[s]];
                solve(gradient, body, column + body->v);
            }
        }
        for (int c = 0; c < contacts->count; c++) {
            double u[3] = {0.0}, *to = contacts->schur + k * rows + 3 * (size_t)c;
            if (share_body(own, &contacts->items[c])) {
                multiply(&contacts->items[c], column, u);
            }
            fil_m3_apply(to, contacts->items[c].hessian, u);
        }
        contacts->schur[k * rows + k] += 1.0;
    }
    return fil_dense_lu((int)rows, contacts->schur, contacts->pivots)
               ? FIL_OK
               : fil_world_fail(gradient->world, FIL_BAD_INPUT, "the contacts of this step have no derivative");
}

void fil_gradient_contacts_correct(const FilGradient* gradient, double* x)
{
    const FilGradientContacts* contacts = &gradient->contacts;
    const int rows = 3 * contacts->count;
    for (int c = 0; c < contacts->count; c++) {
        double u[3];
        multiply(&contacts->items[c], x, u);
        fil_m3_apply(contacts->work + 3 * c, contacts->items[c].hessian, u);
    }
    if (rows > 0) {
        fil_dense_lu_solve(rows, contacts->schur, contacts->pivots, 1, contacts->work);
        fil_dense_apply(gradient->n, rows, -1.0, contacts->columns, gradient->n, contacts->work, x);
    }
}
