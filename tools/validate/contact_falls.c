/* Two falls along smooth supports, whose motion is known in closed form.
 *
 * A ladder slides down between wall and floor. Its ends are the centres of its caps, 2 l apart; s = sin of its inclination, k = I/(m l^2). While
 * it touches both, w^2 = 2 g (s0 - s)/(l (1 + k)), and the wall presses with m g cos (3 s - 2 s0)/(1 + k): it leaves the wall at s = 2/3 s0,
 * whatever its inertia, and keeps the horizontal speed that it has there, 2/3 s0 l w. Energy gives w at any s after that.
 *
 * A rope slides off a table over a rounded edge. All of it moves at one speed, driven by the weight of what is below the table's top: with the
 * length L of all and the depth X of its end, X'' = g X/L, X = X0 cosh(t sqrt(g/L)), until it lifts off the edge, where v^2 > g X (L - X)/L. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

static const double GRAVITY = 9.81;

/* Half of the range that ipc keeps: gaps at the start. */
static double set_gap(FilSandbox* box, const char* model)
{
    if (box->failed || strcmp(model, "ipc") != 0) {
        return 0.0;
    }
    FilIpcSettings settings = fil_world_ipc_settings(box->world);
    settings.range = 1e-4;
    fil_sandbox_expect(box, fil_world_set_ipc_settings(box->world, &settings), "setting the range");
    return 0.5 * settings.range;
}

/* ---- a ladder ---- */

static const double CAP = 0.01, LENGTH = 1.0, TILT = 1.2, LOW = 0.4; /* m; rad; s where it is measured */

/* Horizontal speed and turning, m/s and rad/s, when the inclination has fallen to s = LOW; first order between steps. */
static void slide_ladder(FilCheck* check, const char* model, double dt, double* speed, double* turning)
{
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    fil_sandbox_set_friction(&box, 0.0);
    fil_sandbox_add_ground(&box);
    const double gap = set_gap(&box, model), l = 0.5 * LENGTH;
    FilShapeDef wall = fil_shape_def_default(), ladder = wall;
    wall.type = FIL_SHAPE_BOX;
    wall.size = (FilVec3){1.0, 2.0, 4.0};
    fil_sandbox_add_shape(&box, &wall, FIL_STATIC, (FilVec3){-0.5, 0.0, 1.0});
    ladder.type = FIL_SHAPE_CAPSULE;
    ladder.radius = CAP;
    ladder.length = LENGTH;
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = &ladder;
    def.shape_count = 1;
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = LENGTH * LENGTH / 12.0;
    def.inertia[2] = 1e-4;
    def.position = (FilVec3){l * cos(TILT) + CAP + gap, 0.0, l * sin(TILT) + CAP + gap};
    // its upper end at the wall: turned back from the vertical
    const double back = -0.5 * (0.5 * M_PI - TILT);
    def.orientation = (FilQuat){0.0, sin(back), 0.0, cos(back)};
    def.collision.surface.friction = 0.0;
    const FilId id = fil_sandbox_add_body(&box, &def);
    double s = sin(TILT), last = s, v = 0.0, w = 0.0, v_last = 0.0, w_last = 0.0;
    while (s > LOW && !box.failed && fil_world_time(box.world) < 2.0) {
        last = s, v_last = v, w_last = w;
        fil_sandbox_step(&box);
        FilVec3 p;
        FilQuat q;
        fil_rigid_get_pose(box.world, id, &p, &q);
        s = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);  // z of its axis
        v = fil_sandbox_velocity(&box, id).x;
        w = fabs(fil_sandbox_spin(&box, id).y);
    }
    const double share = (last - LOW) / (last - s);
    *speed = box.failed ? NAN : v_last + share * (v - v_last);
    *turning = box.failed ? NAN : w_last + share * (w - w_last);
    fil_sandbox_end(&box);
}

void fil_check_ladder(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc"};
    const double l = 0.5 * LENGTH, s0 = sin(TILT), k = 1.0 / 3.0;
    const double speed = 2.0 / 3.0 * s0 * l * sqrt(2.0 * GRAVITY * s0 / (3.0 * l * (1.0 + k)));
    // 1/2 (v^2 + (l cos w)^2 + k l^2 w^2) = g l (s0 - s)
    const double turning = sqrt((2.0 * GRAVITY * l * (s0 - LOW) - speed * speed) / (l * l * (1.0 - LOW * LOW + k)));
    for (int m = 0; m < 4; m++) {
        double coarse = 0.0;
        for (int half = 0; half < 2; half++) {
            char what[96];
            double v, w;
            slide_ladder(check, models[m], half == 0 ? 1e-3 : 5e-4, &v, &w);
            snprintf(what, sizeof what, "%s: speed of a ladder that has left its wall, %g ms, m/s", models[m], half == 0 ? 1.0 : 0.5);
            fil_check_near(check, what, v, speed, 0.01);
            snprintf(what, sizeof what, "%s: its turning, %g ms, rad/s", models[m], half == 0 ? 1.0 : 0.5);
            fil_check_near(check, what, w, turning, 0.01);
            const double error = hypot(v / speed - 1.0, w / turning - 1.0);
            if (half == 1) {
                snprintf(what, sizeof what, "%s: error at half the step", models[m]);
                fil_check_below(check, what, error, 0.7 * coarse);
            }
            coarse = error;
        }
    }
}

/* ---- a rope ---- */

static const double ROPE = 3e-3, EDGE = 0.03, ALL = 0.6, START = 0.15; /* m: radius, of the edge, L, X0 */

/* A point of the centre line at the length u behind the rope's lower end, which hangs START below the table's top. */
static void place(double u, double bend, double* x)
{
    const double radius = EDGE + ROPE + bend, straight = START - radius, arc = 0.5 * M_PI * radius;
    const double angle = fmin(fmax((u - straight) / radius, 0.0), 0.5 * M_PI);
    x[0] = radius * cos(angle) - fmax(u - straight - arc, 0.0);
    x[1] = 0.0;
    x[2] = -EDGE + radius * sin(angle) - fmax(straight - u, 0.0);
}

/* Depth of its end when it should have doubled, over what it was, less what it should be. */
static double slide_rope(FilCheck* check, const char* model, int edges, double dt)
{
    enum { MAX_COUNT = 200 };
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    fil_sandbox_set_friction(&box, 0.0);
    const double gap = set_gap(&box, model), edge = ALL / edges;
    FilShapeDef table = fil_shape_def_default(), round = table;
    table.type = FIL_SHAPE_BOX;
    table.size = (FilVec3){1.0, 0.4, 0.2};
    fil_sandbox_add_shape(&box, &table, FIL_STATIC, (FilVec3){-0.5, 0.0, -0.1});
    round.type = FIL_SHAPE_CAPSULE;
    round.radius = EDGE;
    round.length = 0.4;
    FilRigidDef def = fil_rigid_def_default();
    def.motion = FIL_STATIC;
    def.shapes = &round;
    def.shape_count = 1;
    def.position = (FilVec3){0.0, 0.0, -EDGE};
    def.orientation = (FilQuat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)};  // along y
    def.collision.surface.friction = 0.0;
    fil_sandbox_add_body(&box, &def);

    double nodes[3 * (MAX_COUNT + 1)];
    FilRodDef rod = fil_rod_def_default();
    rod.node_count = edges + 1;
    rod.nodes = nodes;
    for (int i = 0; i <= edges; i++) {  // chords stay outside the edge
        place(i * edge, gap + 0.125 * edge * edge / (EDGE + ROPE), nodes + 3 * i);
    }
    const double density = 0.05;  // kg/m: EI/(L w R^2) is 2e-4
    rod.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                               .radius = ROPE,
                               .ea = 500.0,
                               .ei1 = 1e-7,
                               .ei2 = 1e-7,
                               .gj = 1e-7,
                               .mass_per_length = density,
                               .inertia_per_length = 0.5 * density * ROPE * ROPE};
    rod.damping_stiffness = 1e-3;
    rod.collision.self = false;
    rod.collision.surface.friction = 0.0;
    const FilId rope = fil_sandbox_add_rod(&box, &rod);
    const double rate = sqrt(GRAVITY / ALL), top = ROPE + gap, from = top - nodes[2];
    const int steps = (int)lround(acosh(2.0) / rate / dt);
    fil_sandbox_run(&box, steps);
    double end[3] = {NAN, NAN, NAN};
    if (!box.failed) {
        fil_rod_get_position(box.world, rope, 0, end);
    }
    const double depth = top - end[2];
    fil_sandbox_end(&box);
    return (depth - from) / (from * (cosh(rate * steps * dt) - 1.0));
}

void fil_check_rope_falls(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc", "imc"};
    for (int m = 0; m < 5; m++) {
        for (int fine = 0; fine < 2; fine++) {
            char what[96];
            snprintf(what, sizeof what, "%s: way of a rope off a table, over theory, %d edges", models[m], fine == 0 ? 60 : 120);
            fil_check_near(check, what, slide_rope(check, models[m], fine == 0 ? 60 : 120, fine == 0 ? 1e-3 : 5e-4), 1.0, 0.02);
        }
    }
}
