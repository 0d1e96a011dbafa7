/* A wedge between two boxes: a cube on its edge, held by the inner upper edges of two boxes of the same mass that stand on the
 * ground. It presses them apart; whether they give way is a matter of friction on the ground (mu) and on the faces (nu).
 *
 * With the faces at 45 degrees the boxes move as fast outwards as the wedge falls. With n = N/sqrt(2) of the force N on a face,
 *     m a = m g - 2 n (1 + nu),    m a = n (1 - nu) - mu (m g + n (1 + nu))
 * so that with k = (1 - nu)/(1 + nu) - mu the acceleration is a = g (k - 2 mu)/(2 + k), or 0 where that is negative and nu = 0:
 * then N = m g/sqrt(2), and mu must be at least 1/3. */
#include <math.h>
#include <stdio.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

static const double GRAVITY = 9.81;
static const double WIDTH = 0.2, DEPTH = 0.3, HEIGHT = 0.1; /* m, of a box; the wedge has the same section */
static const double GAP = 0.06;                             /* m, between the boxes */

typedef struct Wedge {
    FilSandbox box;
    FilId wedge, side[2];
} Wedge;

static Wedge begin(FilCheck* check, const char* model, double mu, double nu)
{
    Wedge w = {.box = fil_sandbox_begin(check, model, 1e-3)};
    fil_sandbox_set_friction(&w.box, mu);
    fil_sandbox_add_ground(&w.box);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){WIDTH, DEPTH, HEIGHT};
    for (int k = 0; k < 2; k++) {
        const double x = (k == 0 ? -0.5 : 0.5) * (GAP + WIDTH);
        w.side[k] = fil_sandbox_add_shape(&w.box, &shape, FIL_DYNAMIC, (FilVec3){x, 0.0, 0.5 * HEIGHT});
    }
    const double edge = sqrt(WIDTH * HEIGHT);
    shape.size = (FilVec3){edge, DEPTH, edge};
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = (FilVec3){0.0, 0.0, HEIGHT + edge / sqrt(2.0) - 0.5 * GAP};
    def.orientation = (FilQuat){0.0, sin(M_PI / 8.0), 0.0, cos(M_PI / 8.0)};
    w.wedge = fil_sandbox_add_body(&w.box, &def);
    FilSurface face = fil_surface_default();
    face.friction = nu;
    for (int k = 0; k < 2 && !w.box.failed; k++) {
        fil_sandbox_expect(&w.box, fil_world_set_pair_surface(w.box.world, w.wedge, w.side[k], &face), "setting a face's friction");
    }
    return w;
}

static bool same(FilId a, FilId b)
{
    return a.index == b.index;
}

/* Normal force between the wedge and a side. */
static double face_force(const Wedge* w, int k)
{
    double sum = 0.0;
    for (int i = 0; i < fil_world_contact_count(w->box.world); i++) {
        const FilContactInfo c = fil_world_contact(w->box.world, i);
        const bool meet = (same(c.a, w->wedge) && same(c.b, w->side[k])) || (same(c.b, w->wedge) && same(c.a, w->side[k]));
        sum += meet ? fabs(c.force.x * c.normal.x + c.force.y * c.normal.y + c.force.z * c.normal.z) : 0.0;
    }
    return sum;
}

static void check_holds(FilCheck* check, const char* model)
{
    Wedge w = begin(check, model, 0.4, 0.0);
    fil_sandbox_run(&w.box, 500);
    if (!w.box.failed) {
        const double weight = fil_rigid_mass(w.box.world, w.wedge) * GRAVITY;
        char what[96];
        for (int k = 0; k < 2; k++) {
            snprintf(what, sizeof what, "%s: mu 0.4, force on face %d / (m g / sqrt 2)", model, k + 1);
            fil_check_near(check, what, face_force(&w, k) / weight * sqrt(2.0), 1.0, 2e-3);
        }
        snprintf(what, sizeof what, "%s: mu 0.4, speed of the wedge, m/s", model);
        fil_check_below(check, what, fabs(fil_sandbox_velocity(&w.box, w.wedge).z), 1e-4);
    }
    fil_sandbox_end(&w.box);
}

static void check_gives_way(FilCheck* check, const char* model, double mu, double nu)
{
    enum { STEPS = 50 };
    Wedge w = begin(check, model, mu, nu);
    fil_sandbox_run(&w.box, 10);
    const double start = w.box.failed ? 0.0 : fil_sandbox_velocity(&w.box, w.wedge).z;
    fil_sandbox_run(&w.box, STEPS);
    if (!w.box.failed) {
        const double k = (1.0 - nu) / (1.0 + nu) - mu, time = STEPS * 1e-3;
        char what[96];
        snprintf(what, sizeof what, "%s: mu %g, faces %g: acceleration, m/s^2", model, mu, nu);
        fil_check_near(check, what, (start - fil_sandbox_velocity(&w.box, w.wedge).z) / time, GRAVITY * (k - 2.0 * mu) / (2.0 + k), 0.01);
        snprintf(what, sizeof what, "%s: mu %g, faces %g: speeds of a box and the wedge", model, mu, nu);
        fil_check_near(check, what, -fil_sandbox_velocity(&w.box, w.side[1]).x / fil_sandbox_velocity(&w.box, w.wedge).z, 1.0, 0.02);
    }
    fil_sandbox_end(&w.box);
}

void fil_check_wedge(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp"};
    for (int m = 0; m < 3; m++) {
        check_holds(check, models[m]);
        check_gives_way(check, models[m], 0.2, 0.0);
        check_gives_way(check, models[m], 0.1, 0.2);
    }
}
