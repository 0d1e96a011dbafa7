/* Objects that slide while the way they slip turns, in closed form, thrown askew to every axis.
 *
 * A puck slides across a slope with mu = tan(angle). Friction takes g sin(angle) against its velocity v, gravity gives as much down the slope: v +
 * v_x stays as it was, so that what is thrown sideways with v0 ends going straight down with v0/2.
 *
 * A ball is thrown with a spin askew to its way. Its slip u = v + w x (-R n) keeps its direction and falls 7/2 times as fast as v: v ends at v0 - 2/7
 * u0.
 *
 * A log is thrown along and across its axis. Friction mu g along -s, s = (s_a, s_p): s_a falls as the speed along the axis does, s_p by its turning
 * three times as fast, so that s_p goes with s_a^3. It ends rolling with v_p - s_p/3; along its axis it slides by the integral of s_a dt, x =
 * s_a^2/(4 mu g) (sqrt(1 + r^2) + asinh(r)/r),  r = s_p/s_a, all of the start. Friction along the axis, a radius below it, shifts the load by up to
 * mu R, and what acts across there yaws the log: it is slender, or hard to yaw.
 *
 * Under sap what is thrown hops first, since its convex approximation takes slip for approach (docs/sap.md): its puck and rigid log are to be
 * seen, not judged; the ball lands again before it rolls, and the rod's contacts give way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

static const double GRAVITY = 9.81, ASKEW = 0.4; /* rad: between two directions of friction of lcp's eight, 45 degrees apart */

typedef struct Thrown {
    const char* model;
    double dt; /* s */
    int edges; /* of a log that is a rod; 0: it is rigid */
} Thrown;

/* A world with its ground; `gap` is what lies between it and what is thrown at the start. */
static FilSandbox begin(FilCheck* check, const Thrown* thrown, double mu, double slope, double* gap)
{
    FilSandbox box = fil_sandbox_begin(check, thrown->model, thrown->dt);
    *gap = 0.0;
    if (!box.failed && strcmp(thrown->model, "ipc") == 0) {
        FilIpcSettings settings = fil_world_ipc_settings(box.world);
        settings.range = 1e-4;
        fil_sandbox_expect(&box, fil_world_set_ipc_settings(box.world, &settings), "setting the range");
        *gap = 0.5 * settings.range;
    }
    const double down = GRAVITY * sin(slope);
    fil_sandbox_set_gravity(&box, down * cos(ASKEW), down * sin(ASKEW), -GRAVITY * cos(slope));
    fil_sandbox_set_friction(&box, mu);
    fil_sandbox_add_ground(&box);
    return box;
}

static FilVec3 level(double along, double across)
{
    return (FilVec3){along * cos(ASKEW) - across * sin(ASKEW), along * sin(ASKEW) + across * cos(ASKEW), 0.0};
}

static double along(FilVec3 v)
{
    return v.x * cos(ASKEW) + v.y * sin(ASKEW);
}

static double across(FilVec3 v)
{
    return v.y * cos(ASKEW) - v.x * sin(ASKEW);
}

static FilId throw(FilSandbox * box, const FilShapeDef* shape, const double* inertia, double height, FilQuat orientation, FilVec3 velocity,
                   FilVec3 spin)
{
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = shape;
    def.shape_count = 1;
    def.mass = 1.0;
    memcpy(def.inertia, inertia, 3 * sizeof *inertia);
    def.position = (FilVec3){0.0, 0.0, height};
    def.orientation = orientation;
    def.velocity = velocity;
    def.angular_velocity = spin;
    def.collision.surface.friction = box->friction;
    return fil_sandbox_add_body(box, &def);
}

/* What a case has to end with, relative to what it should, as far apart as two of its numbers are. */
typedef double Case(FilCheck* check, const Thrown* thrown);

static double throw_puck(FilCheck* check, const Thrown* thrown)
{
    const double slope = 0.5, start = 1.0, height = 0.02;
    double gap, worst = 0.0;
    FilSandbox box = begin(check, thrown, tan(slope), slope, &gap);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){0.1, 0.1, height};
    const FilId puck = throw(&box, &shape, (const double[3]){1e-3, 1e-3, 2e-3}, 0.5 * height + gap, (FilQuat){0.0, 0.0, 0.0, 1.0}, level(0.0, start),
                             (FilVec3){0.0, 0.0, 0.0});
    const int looks = (int)lround(0.05 / thrown->dt);
    for (int k = 0; k < 20; k++) {
        fil_sandbox_run(&box, looks);
        const FilVec3 v = fil_sandbox_velocity(&box, puck);
        worst = fmax(worst, fabs((hypot(v.x, v.y) + along(v)) / start - 1.0));
    }
    const FilVec3 v = fil_sandbox_velocity(&box, puck);
    worst = fmax(worst, hypot(along(v) - 0.5 * start, across(v)) / (0.5 * start));
    const bool failed = box.failed;
    fil_sandbox_end(&box);
    return failed ? NAN : worst;
}

static double throw_ball(FilCheck* check, const Thrown* thrown)
{
    const double radius = 0.03, v0[2] = {0.7, 0.2}, w[2] = {0.8 / radius, -0.3 / radius}, size = 0.4 * radius * radius;
    double gap;
    FilSandbox box = begin(check, thrown, 0.3, 0.0, &gap);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_SPHERE;
    shape.radius = radius;
    FilVec3 spin = level(w[0], w[1]);
    spin.z = 5.0;
    const FilId ball =
        throw(&box, &shape, (const double[3]){size, size, size}, radius + gap, (FilQuat){0.0, 0.0, 0.0, 1.0}, level(v0[0], v0[1]), spin);
    fil_sandbox_run(&box, (int)lround(0.5 / thrown->dt));
    const FilVec3 v = fil_sandbox_velocity(&box, ball);
    const double slip[2] = {v0[0] - radius * w[1], v0[1] + radius * w[0]};
    const double end[2] = {v0[0] - 2.0 / 7.0 * slip[0], v0[1] - 2.0 / 7.0 * slip[1]};
    const bool failed = box.failed;
    fil_sandbox_end(&box);
    return failed ? NAN : hypot(along(v) - end[0], across(v) - end[1]) / hypot(end[0], end[1]);
}

/* How far the log's centre has come, and how fast it is. */
static void look_at_log(const FilSandbox* box, FilId log, int edges, FilVec3* place, FilVec3* velocity)
{
    if (edges == 0) {
        *place = fil_sandbox_position(box, log);
        *velocity = fil_sandbox_velocity(box, log);
    } else if (!box->failed) {
        double x[3];
        const FilVec3 p = fil_world_momentum(box->world);
        const double mass = fil_object_mass(box->world, log);
        fil_rod_get_position(box->world, log, edges / 2, x);
        *place = (FilVec3){x[0], x[1], x[2]};
        *velocity = (FilVec3){p.x / mass, p.y / mass, p.z / mass};
    }
}

static double throw_log(FilCheck* check, const Thrown* thrown)
{
    enum { MAX_COUNT = 41 };
    const double radius = 0.005, length = 0.4, mu = 0.3, v[2] = {0.6, 0.5}, back = thrown->edges == 0 ? 0.4 : 0.0; /* R w */
    double gap, nodes[3 * MAX_COUNT], velocities[3 * MAX_COUNT];
    FilSandbox box = begin(check, thrown, mu, 0.0, &gap);
    FilId log;
    const FilVec3 axis = level(1.0, 0.0), start = level(v[0], v[1]);
    if (thrown->edges == 0) {
        FilShapeDef shape = fil_shape_def_default();
        shape.type = FIL_SHAPE_CAPSULE;
        shape.radius = radius;
        shape.length = length;
        // its axis, z, turned to y = 0's x, then askew: half angles of 90 degrees about y, and of ASKEW about z
        const double c = cos(0.5 * ASKEW), s = sin(0.5 * ASKEW), h = sqrt(0.5);
        log = throw(&box, &shape, (const double[3]){4.0, 4.0, 0.5 * radius * radius}, radius + gap, (FilQuat){-s * h, c * h, s * h, c * h}, start,
                    (FilVec3){back / radius * axis.x, back / radius * axis.y, 0.0});
    } else {
        FilRodDef rod = fil_rod_def_default();
        rod.node_count = thrown->edges + 1;
        rod.nodes = nodes;
        rod.velocities = velocities;
        for (int i = 0; i <= thrown->edges; i++) {
            const double at = length * (i / (double)thrown->edges - 0.5);
            memcpy(nodes + 3 * i, (const double[3]){at * axis.x, at * axis.y, radius + gap}, 3 * sizeof(double));
            memcpy(velocities + 3 * i, (const double[3]){start.x, start.y, 0.0}, 3 * sizeof(double));
        }
        rod.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = radius, .young = 1e8, .poisson = 0.3, .density = 1000.0};
        rod.collision.self = false;
        rod.collision.surface.friction = mu;
        log = fil_sandbox_add_rod(&box, &rod);
    }
    // the slip across the axis: v_p + R w, for a turn about the axis takes the lowest point the way that z x axis points
    const double slip[2] = {v[0], v[1] + back}, r = slip[1] / slip[0];
    const double way = slip[0] * slip[0] / (4.0 * mu * GRAVITY) * (sqrt(1.0 + r * r) + asinh(r) / r), rolls = v[1] - slip[1] / 3.0;
    FilVec3 place = {NAN, NAN, NAN}, velocity = place;
    fil_sandbox_run(&box, (int)lround(0.5 / thrown->dt));
    look_at_log(&box, log, thrown->edges, &place, &velocity);
    fil_sandbox_end(&box);
    return fmax(fabs(along(place) / way - 1.0), hypot(along(velocity), across(velocity) - rolls) / rolls);
}

/* At a step and half of it: within the bound at both, 0: noted. */
static void judge(FilCheck* check, const char* what, Case* run, const char* model, int edges, double bound)
{
    for (int half = 0; half < 2; half++) {
        const Thrown thrown = {model, half == 0 ? 1e-3 : 5e-4, half == 0 ? edges : 2 * edges};
        char line[96];
        snprintf(line, sizeof line, "%s: %s, %g ms: off by", model, what, 1e3 * thrown.dt);
        const double error = run(check, &thrown);
        if (bound > 0.0) {
            fil_check_below(check, line, error, bound);
        } else {
            fil_check_note(check, line, error);
        }
    }
}

void fil_check_thrown(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc", "imc"}; /* imc knows rods alone */
    for (int m = 0; m < 5; m++) {
        if (m < 4) {
            const bool hops = m == 0;
            judge(check, "a puck across a slope", throw_puck, models[m], 0, hops ? 0.0 : 0.005);
            judge(check, "a ball with a spin askew", throw_ball, models[m], 0, 0.005);
            judge(check, "a log, along and across", throw_log, models[m], 0, hops ? 0.0 : 0.01);
        }
        judge(check, "a rod, along and across", throw_log, models[m], 10, 0.01);
    }
}
