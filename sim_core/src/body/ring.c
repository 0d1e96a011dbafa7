#include "body/ring.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

FilRingBody* fil_ring_create(int count)
{
    FilRingBody* body = fil_alloc(1, sizeof *body);
    if (body == NULL || (body->nodes = fil_alloc(2 * (size_t)count, sizeof(int))) == NULL) {
        fil_free(body);
        return NULL;
    }
    body->angles = body->nodes + count;
    body->track = (FilTrack){.count = count, .node = body->nodes};
    return body;
}

static void destroy(void* pointer)
{
    FilRingBody* body = pointer;
    if (body != NULL) {
        fil_free(body->nodes);
        fil_free(body);
    }
}

static bool own_point(const void* pointer)
{
    return ((const FilRingBody*)pointer)->mass > 0.0;
}

static int dofs(const void* pointer)
{
    return own_point(pointer) ? 3 : 0;
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    const FilRingBody* body = pointer;
    if (own_point(pointer)) {
        memcpy(q, body->initial_q, sizeof body->initial_q);
        memcpy(v, body->initial_v, sizeof body->initial_v);
    }
    h[FIL_RING_THREADED] = 1.0;
    h[FIL_RING_PIECE] = body->initial_place.piece;
    h[FIL_RING_U] = body->initial_place.u;
    h[FIL_RING_STUCK] = 0.0;
}

/* ---- a step: a free mass point ---- */

static void begin(void* pointer, const FilStepSetup* setup, const double* q, const double* v, const double* h)
{
    FilRingBody* body = pointer;
    body->setup = *setup;
    body->q0 = q;
    body->v0 = v;
    body->h0 = h;
    memcpy(body->place, h, sizeof body->place);
}

static void guess(const void* pointer, const double* change, double* v)
{
    const FilRingBody* body = pointer;
    for (int k = 0; k < 3 && own_point(pointer); k++) {
        v[k] = body->v0[k] + change[k];
        v[3] = 0.0;
    }
}

static bool evaluate(void* pointer, const double* v, double shift, double* residual, double* potential)
{
    (void)shift;  // the tangent is mass
    const FilRingBody* body = pointer;
    *potential = 0.0;
    for (int k = 0; k < 3 && own_point(pointer); k++) {
        // m (v - v0 - dt (g + f / m))
        const double off = v[k] - body->v0[k] - body->setup.dt * (body->setup.gravity[k] + body->load[k] / body->mass);
        residual[k] = body->mass * off;
        residual[3] = 0.0;
        *potential += 0.5 * body->mass * off * off;
    }
    return isfinite(*potential);
}

static void diagonal(const void* pointer, const double* v, double* out, double* scale)
{
    const FilRingBody* body = pointer;
    for (int k = 0; k < 4 && own_point(pointer); k++) {
        out[k] = k < 3 ? body->mass : 0.0;
        scale[k] = k < 3 ? body->mass * (fabs(v[k]) + body->setup.dt * fabs(body->setup.gravity[k])) : 0.0;
    }
}

static bool factor(void* pointer)
{
    (void)pointer;
    return true;
}

static void solve(void* pointer, double* x)
{
    const FilRingBody* body = pointer;
    for (int k = 0; k < 4 && own_point(pointer); k++) {
        x[k] = k < 3 ? x[k] / body->mass : 0.0;
    }
}

static void finish(void* pointer, const double* v, double* q1, double* v1, double* h1)
{
    const FilRingBody* body = pointer;
    const double vq = body->setup.theta_vq;
    for (int k = 0; k < 3 && own_point(pointer); k++) {
        q1[k] = body->q0[k] + body->setup.dt * (vq * v[k] + (1.0 - vq) * body->v0[k]);
        v1[k] = v[k];
        q1[3] = v1[3] = 0.0;
    }
    memcpy(h1, body->place, sizeof body->place);
}

/* ---- measures ---- */

static void energy(const void* pointer, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to)
{
    (void)h;
    const FilRingBody* body = pointer;
    if (own_point(pointer)) {
        add_to->kinetic += 0.5 * body->mass * fil_v3_dot(v, v);
        add_to->gravity -= body->mass * fil_v3_dot(gravity, q);
    }
}

static void momentum(const void* pointer, const double* q, const double* v, const double* h, double* linear, double* angular)
{
    (void)h;
    const FilRingBody* body = pointer;
    if (own_point(pointer)) {
        double moment[3];
        fil_v3_cross(moment, q, v);
        fil_v3_axpy(linear, body->mass, v);
        fil_v3_axpy(angular, body->mass, moment);
    }
}

/* ---- boundary ---- */

static FilStatus attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error)
{
    (void)pointer, (void)object, (void)def, (void)q, (void)h, (void)slot;
    return fil_error(error, FIL_BAD_INPUT, "a ring cannot be held; hold the rod or the body it belongs to");
}

static void clear_loads(void* pointer)
{
    fil_v3_set(((FilRingBody*)pointer)->load, 0.0, 0.0, 0.0);
}

static void load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    (void)object, (void)kind, (void)first, (void)count, (void)h;
    fil_v3_axpy(((FilRingBody*)pointer)->load, 1.0, value);
}

static int load_range(const void* pointer, int object, FilDriveKind kind)
{
    (void)object;
    return kind == FIL_DRIVE_FORCE && own_point(pointer) ? 1 : 0;
}

/* ---- contact: nothing but the track ---- */

static int collider_count(const void* pointer)
{
    (void)pointer;
    return 0;
}

static int tangent_pattern(void* pointer, int* columns, int* rows)
{
    if (columns != NULL && rows != NULL && own_point(pointer)) {
        columns[0] = rows[0] = 0;
    }
    return own_point(pointer) ? 1 : 0;
}

static void tangent(void* pointer, double* values)
{
    const FilRingBody* body = pointer;
    memset(values, 0, 16 * sizeof(double));
    values[0] = values[5] = values[10] = body->mass;
    values[15] = 1.0;
}

/* ---- its point ---- */

static int place_count(const void* pointer)
{
    return own_point(pointer) ? 1 : 0;
}

static void place_velocity(const void* pointer, int place, const double* q, const double* v, double* velocity)
{
    (void)pointer, (void)place, (void)q;
    fil_v3_copy(velocity, v);
}

static double mass_of(const void* pointer)
{
    return ((const FilRingBody*)pointer)->mass;
}

/* Its own point, the node or vertex that it belongs to, or the body that it is the hole of. */
static FilStatus side_of(const void* pointer, int object, int node, const double* q, FilBodySide* side, FilError* error)
{
    (void)object, (void)node, (void)q, (void)error;
    const FilRingBody* ring = pointer;
    side->body = ring->carrier_body;
    side->point = ring->holed ? -1 : ring->carrier_node;
    if (ring->holed) {
        side->placed = true;
        side->carrier = 0;
        fil_v3_add(side->offset, ring->hole.center, ring->hole_origin);
    }
    return FIL_OK;
}

static FilRingBody* ring_of(void* pointer)
{
    return pointer;
}

const FilBodyOps fil_ring_ops = {
    .kind = "ring",
    .points = true,
    .carries_history = true,
    .destroy = destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = begin,
    .guess = guess,
    .evaluate = evaluate,
    .diagonal = diagonal,
    .factor = factor,
    .solve = solve,
    .finish = finish,
    .energy = energy,
    .momentum = momentum,
    .place_count = place_count,
    .place_velocity = place_velocity,
    .mass = mass_of,
    .attach = attach,
    .clear_loads = clear_loads,
    .load = load,
    .load_range = load_range,
    .collider_count = collider_count,
    .side = side_of,
    .ring = ring_of,
    .tangent_pattern = tangent_pattern,
    .tangent = tangent,
};
