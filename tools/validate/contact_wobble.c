/* A coin that wobbles down (Euler's disk).
 *
 * A cylinder (radius R, thickness h, axial and diametral inertia I_a, I_d) rolls on its lower rim, its plane inclined to the
 * ground by alpha; the contact runs round at Omega. With n the axis, e the direction up the plane and t = n X e, the vertical is
 * z = sin(alpha) e + cos(alpha) n, the contact lies at c = -(R e + h/2 n) from the centre, and in steady motion
 *     w = Omega sin(alpha) e + w_n n,   L = I_d Omega sin(alpha) e + I_a w_n n,
 *     v = -w X c = V t,   V = w_n R - Omega sin(alpha) h/2,   a = Omega V u,   u = z X t = sin(alpha) n - cos(alpha) e.
 * The ground's force is m (g z + a). L turns with the contact, Omega z X L = c X m (g z + a), all along t:
 *     Omega sin(alpha) (I_d Omega cos(alpha) - I_a w_n)
 *         = m g (R cos(alpha) - h/2 sin(alpha)) + m Omega V (R sin(alpha) + h/2 cos(alpha)),
 * a quadratic equation for Omega. Where the centre rests (V = 0) and h = 0 it is Omega^2 = 4 g/(R sin(alpha)): the lower the coin
 * lies the faster the contact runs.
 *
 * It begins in that motion. What takes energy away slowly, here drag of the air (1/s, of the spin), leads from one steady motion
 * to the next: Omega of each turn must agree with the equation at that turn's alpha and w_n, while energy falls. Without drag the
 * motion would go on for ever: what energy changes then in a turn is the error of the step, and must fall with it. Under ipc that is
 * backward Euler's: momenta that turn by an angle a in a step shorten by a^2/2, which two stages of second order do not. imc refuses
 * rigid bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

static const double GRAVITY = 9.81;
static const double RADIUS = 0.05, THICKNESS = 0.005; /* m */
static const double START = 0.5, FLAT = 0.2;          /* rad, alpha */

typedef struct Coin {
    FilSandbox box;
    FilId id;
    double dt;
} Coin;

/* Means over a turn of the contact. */
typedef struct Turn {
    double alpha, rate, spin; /* rad, rad/s: alpha, Omega, w_n */
    double energy;            /* J, at its end */
} Turn;

/* Omega of the steady motion with inclination alpha and spin w_n; per mass. */
static double steady_rate(double alpha, double spin)
{
    const double h = THICKNESS, r = RADIUS, across = r * r / 4.0 + h * h / 12.0, axial = r * r / 2.0;
    const double s = sin(alpha), c = cos(alpha), lever = r * s + 0.5 * h * c;
    const double square = across * s * c + 0.5 * h * s * lever, linear = -spin * (axial * s + r * lever);
    const double constant = -GRAVITY * (r * c - 0.5 * h * s);
    return (-linear + sqrt(linear * linear - 4.0 * square * constant)) / (2.0 * square);
}

/* The spin w_n of the motion whose centre rests: w is parallel to c, so w_n = Omega sin(alpha) h/(2 R). */
static double start_spin(void)
{
    double spin = 0.0;
    for (int k = 0; k < 50; k++) {  // a fixed point; contracts by h/R
        spin = steady_rate(START, spin) * sin(START) * 0.5 * THICKNESS / RADIUS;
    }
    return spin;
}

static Coin begin(FilCheck* check, const char* model, FilIntegrator integrator, double drag, double dt)
{
    Coin coin = {.box = fil_sandbox_begin(check, model, dt), .dt = dt};
    fil_sandbox_set_friction(&coin.box, 0.5);
    if (!coin.box.failed) {
        fil_sandbox_expect(&coin.box, fil_world_set_integrator(coin.box.world, integrator), "setting the integrator");
    }
    double gap = 0.0;
    if (!coin.box.failed && strcmp(model, "ipc") == 0) {
        FilIpcSettings settings = fil_world_ipc_settings(coin.box.world);
        settings.range = 1e-4;  // 0.2 % of the radius
        gap = settings.range;   // a barrier pushed in would throw it up
        fil_sandbox_expect(&coin.box, fil_world_set_ipc_settings(coin.box.world, &settings), "setting the range");
    }
    fil_sandbox_add_ground(&coin.box);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_CYLINDER;
    shape.radius = RADIUS;
    shape.length = THICKNESS;
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.damping_angular = drag;
    def.collision.surface.friction = 0.5;
    // turned about x: n = (0, -sin, cos), e = (0, cos, sin)
    const double s = sin(START), c = cos(START), spin = start_spin(), rate = steady_rate(START, spin) * s;
    def.orientation = (FilQuat){sin(0.5 * START), 0.0, 0.0, cos(0.5 * START)};
    def.position = (FilVec3){0.0, 0.0, RADIUS * s + 0.5 * THICKNESS * c + gap};
    def.angular_velocity = (FilVec3){0.0, rate * c - spin * s, rate * s + spin * c};
    coin.id = fil_sandbox_add_body(&coin.box, &def);
    return coin;
}

static FilVec3 axis(const Coin* coin)
{
    FilVec3 p = {0.0, 0.0, 0.0};
    FilQuat q = {0.0, 0.0, 0.0, 1.0};
    if (!coin->box.failed) {
        fil_rigid_get_pose(coin->box.world, coin->id, &p, &q);
    }
    return (FilVec3){2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)};
}

/* Height half a step back: so measured the integrator's own free flight keeps energy. */
static double energy(const Coin* coin)
{
    const double mass = coin->box.failed ? 0.0 : fil_rigid_mass(coin->box.world, coin->id);
    return fil_sandbox_energy(&coin->box) - 0.5 * mass * GRAVITY * coin->dt * fil_sandbox_velocity(&coin->box, coin->id).z;
}

/* One turn of the contact. False if it does not turn within a second. */
static bool turn(Coin* coin, Turn* t)
{
    const int max = (int)(1.0 / coin->dt);
    double angle = 0.0, alpha = 0.0, spin = 0.0;
    FilVec3 last = axis(coin);
    for (int k = 1; k <= max && !coin->box.failed; k++) {
        fil_sandbox_step(&coin->box);
        const FilVec3 n = axis(coin), w = fil_sandbox_spin(&coin->box, coin->id);
        angle += atan2(last.x * n.y - last.y * n.x, last.x * n.x + last.y * n.y);
        alpha += acos(n.z);
        spin += w.x * n.x + w.y * n.y + w.z * n.z;
        last = n;
        if (angle >= 2.0 * M_PI) {
            *t = (Turn){.alpha = alpha / k, .rate = angle / (k * coin->dt), .spin = spin / k, .energy = energy(coin)};
            return true;
        }
    }
    return false;
}

/* Relative change of energy in a turn without drag, mean over some. */
static double keep(FilCheck* check, const char* model, FilIntegrator integrator, double dt)
{
    enum { TURNS = 10 };
    Coin coin = begin(check, model, integrator, 0.0, dt);
    Turn first = {0}, last = {0};
    bool turns = turn(&coin, &first);
    for (int k = 0; k < TURNS && turns; k++) {
        turns = turn(&coin, &last);
    }
    fil_sandbox_end(&coin.box);
    return turns ? (last.energy / first.energy - 1.0) / TURNS : NAN;
}

/* Drag brings the coin down to FLAT of its inclination at the start. */
static void fall(FilCheck* check, const char* model)
{
    enum { MAX_COUNT = 100 };
    Coin coin = begin(check, model, FIL_BACKWARD_EULER, 0.3, 1e-4);
    Turn now = {0}, last = {0};
    double worst = 0.0, rise = -INFINITY, first = 0.0;
    for (int done = 0; done < MAX_COUNT && turn(&coin, &now); done++) {
        worst = fmax(worst, fabs(now.rate / steady_rate(now.alpha, now.spin) - 1.0));
        rise = done > 0 ? fmax(rise, now.energy / last.energy - 1.0) : rise;
        first = done == 0 ? now.rate : first;
        last = now;
        if (now.alpha < FLAT) {
            break;
        }
    }
    if (!coin.box.failed) {
        char what[96];
        snprintf(what, sizeof what, "%s: inclination at the end", model);
        fil_check_below(check, what, now.alpha, FLAT);
        // 4 g/(R sin(alpha)) alone would give 1.56
        snprintf(what, sizeof what, "%s: rate of the last turn / first", model);
        fil_check_above(check, what, now.rate / first, 1.3);
        snprintf(what, sizeof what, "%s: rate of a turn / steady rate at its inclination - 1, worst", model);
        fil_check_below(check, what, worst, 0.01);
        snprintf(what, sizeof what, "%s: change of energy in a turn, relative, highest", model);
        fil_check_below(check, what, rise, 0.0);
    }
    fil_sandbox_end(&coin.box);
}

void fil_check_wobble(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc"};
    for (int m = 0; m < 4; m++) {
        char what[96];
        const bool ipc = strcmp(models[m], "ipc") == 0;
        fall(check, models[m]);
        const double coarse = keep(check, models[m], FIL_BACKWARD_EULER, 2e-4), fine = keep(check, models[m], FIL_BACKWARD_EULER, 1e-4);
        snprintf(what, sizeof what, "%s: without drag, |change of energy in a turn|, relative, 0.1 ms", models[m]);
        fil_check_below(check, what, fabs(fine), ipc ? 0.015 : 1e-3);  // backward Euler's, of Omega = 41 rad/s: 2 pi Omega dt of what turns
        snprintf(what, sizeof what, "%s: ... over that with steps twice as long", models[m]);
        fil_check_below(check, what, fabs(fine / coarse), 0.6);
    }
    fil_check_below(check, "ipc, sdirk2: without drag, |change of energy in a turn|, relative, 0.1 ms", fabs(keep(check, "ipc", FIL_SDIRK2, 1e-4)),
                    1e-3);
}
