/* A rope drawn over an edge: a quarter turn over a rounding as small as the rope is thick, and over the sharp edge of a box.
 *
 * Friction acts at the rope's surface, r inside its centre line at R + r. With tension T, shear Q, normal force n and friction
 * mu n per angle, and no bending stiffness (contact_capstan.c), nu = r/(R + r):
 *     T' = mu (1 - nu) n,    n = T - mu nu n',    Q = mu nu n.
 * Where the rope comes on, its tail lies along the support and carries tension alone: Q = 0, so n rises from 0 over an angle of
 * mu nu. Where it leaves, the tail points along the force, which is turned from the arc by atan(Q/T): the rope has a kink there,
 * touches over theta + atan(Q/T) and pulls with sqrt(T^2 + Q^2). The ends are a matter of (mu nu)^2: nothing at posts, 1 % where
 * R = r, and all there is at a sharp edge (nu = 1), where the rope turns about the edge and T' = 0, whatever the friction. A rope
 * without thickness would have exp(mu theta) = 1.60.
 *
 * Friction turns an edge with the lever r/l (l of an edge): loads that alternate from edge to edge, which push no node without friction, then do,
 * and rigid surfaces leave them open. Every other edge bore all load and stuck under lcp, 1.14 with 8 edges, until rods' contacts gave way a little
 * (docs/lcp.md); its finest mesh has mu r/l = 3. imc's contacts with a box's edge are not those of a point: its figures are noted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

enum { MAX_NODES = 300 };

static const double ROPE = 4e-3; /* m, r */
static const double TAIL = 0.03; /* m, of straight rope on either side */
static const double FRICTION = 0.3;
static const double TENSION = 0.5; /* N, T1 */
static const double STRETCH = 0.01;
static const double BENDING = 2e-8;   /* N m^2: EI/(2 (R + r)^2 T1) is 3e-4 over the rounding, 1e-3 over the edge */
static const double DENSITY = 0.3;    /* kg/m */
static const double VISCOSITY = 5e-3; /* s, of the stretch */
static const double SPEED = 0.01;     /* m/s */
static const double RAMP = 0.4;       /* s */

/* Centre line around a circle of R + r about the origin: up along +y from below at x = -(R + r), over, and out along +x. */
static int draw_rope(double radius, int segments, double* nodes)
{
    const double turn = 0.5 * M_PI / segments, edge = 2.0 * radius * tan(0.5 * turn), out = radius / cos(0.5 * turn);
    const int tail = (int)ceil(TAIL / edge), count = segments + 2 * tail;
    for (int i = 0; i < count; i++) {
        const int corner = i < tail ? 0 : i >= count - tail ? segments - 1 : i - tail;
        const double angle = M_PI - (corner + 0.5) * turn;
        const double before = edge * (i < tail ? tail - i : 0), after = edge * (i >= count - tail ? i - (count - tail) + 1 : 0);
        nodes[3 * i] = out * cos(angle) + after;
        nodes[3 * i + 1] = out * sin(angle) - before;
        nodes[3 * i + 2] = 0.0;
    }
    return count;
}

static void add_support(FilSandbox* box, double rounding)
{
    FilShapeDef shape = fil_shape_def_default();
    FilVec3 place = {0.0, 0.0, 0.0};
    if (rounding > 0.0) {
        shape.type = FIL_SHAPE_CAPSULE;
        shape.radius = rounding;
        shape.length = 0.1;
    } else {  // its edge along z at the origin
        shape.type = FIL_SHAPE_BOX;
        shape.size = (FilVec3){0.1, 0.1, 0.1};
        place = (FilVec3){0.05, -0.05, 0.0};
    }
    fil_sandbox_add_shape(box, &shape, FIL_STATIC, place);
}

/* T2/T1 while the rope slides, over the travel of some whole edges. */
static double measure(FilCheck* check, const char* model, double rounding, int segments)
{
    const double dt = 1e-3, radius = rounding + ROPE;
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    fil_sandbox_set_friction(&box, FRICTION);
    double nodes[3 * MAX_NODES], gap = 0.0;
    if (!box.failed && strcmp(model, "ipc") == 0) {
        FilIpcSettings settings = fil_world_ipc_settings(box.world);
        settings.range = 1e-4;
        gap = 0.5 * settings.range;
        fil_sandbox_expect(&box, fil_world_set_ipc_settings(box.world, &settings), "setting the range");
    }
    add_support(&box, rounding);
    FilRodDef def = fil_rod_def_default();
    def.node_count = draw_rope(radius + gap, segments, nodes);
    def.nodes = nodes;
    def.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                               .radius = ROPE,
                               .ea = TENSION / STRETCH,
                               .ei1 = BENDING,
                               .ei2 = BENDING,
                               .gj = BENDING,
                               .mass_per_length = DENSITY,
                               .inertia_per_length = 0.5 * DENSITY * ROPE * ROPE};
    def.damping_stiffness = VISCOSITY;
    def.collision.self = false;
    def.collision.surface.friction = FRICTION;
    const FilId rope = fil_sandbox_add_rod(&box, &def);

    static const double times[2] = {0.0, RAMP};
    static const double loads[6] = {0.0, 0.0, 0.0, 0.0, -TENSION, 0.0}, speeds[6] = {0.0, 0.0, 0.0, SPEED, 0.0, 0.0};
    const FilId end = fil_sandbox_draw_rope(&box, rope, times, loads, speeds);

    const double edge = 2.0 * radius * tan(0.25 * M_PI / segments);
    const int period = (int)lround(edge / (SPEED * dt)), periods = (int)ceil(2e-3 / edge);
    fil_sandbox_run(&box, (int)(1.5 * RAMP / dt));
    double sum = 0.0;
    for (int k = 0; k < period * periods && !box.failed; k++) {
        fil_sandbox_step(&box);
        sum += fil_attachment_force(box.world, end).x;
    }
    const double ratio = box.failed ? NAN : sum / (period * periods * TENSION);
    fil_sandbox_end(&box);
    return ratio;
}

/* T2/T1 of the equations above, by the midpoint rule. */
static double theory(double rounding)
{
    const double nu = fmin(ROPE / (rounding + ROPE), 1.0 - 1e-9), theta = 0.5 * M_PI, h = 1e-4;
    double tension = 1.0, normal = 0.0, shear = 0.0;
    for (double angle = 0.0; angle - atan2(shear, tension) < theta; angle += h) {
        const double middle = normal + 0.5 * h * (tension - normal) / (FRICTION * nu);
        const double pull = tension + 0.5 * h * FRICTION * (1.0 - nu) * normal;
        normal += h * (pull - middle) / (FRICTION * nu);
        tension += h * FRICTION * (1.0 - nu) * middle;
        shear = FRICTION * nu * normal;
    }
    return hypot(tension, shear);
}

void fil_check_edge(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "ipc", "lcp"};
    static const int finest[] = {8, 8, 8, 32};
    char what[96];
    for (int m = 0; m < 4; m++) {
        for (int s = 4; s <= finest[m]; s *= 2) {
            snprintf(what, sizeof what, "%s: T2/T1 over a rounding as large as the rope, %d edges", models[m], s);
            fil_check_near(check, what, measure(check, models[m], ROPE, s), theory(ROPE), 0.02);
        }
        // what turns by a sixteenth of the quarter at once, and slides at 0.01 m/s, adds a few percent: 5 at 0.01, 1 at 0.003 m/s
        snprintf(what, sizeof what, "%s: T2/T1 over a sharp edge, 8 edges", models[m]);
        fil_check_near(check, what, measure(check, models[m], 0.0, 8), theory(0.0), 0.07);
    }
    fil_check_note(check, "imc: T2/T1 over a rounding as large as the rope, 4 edges", measure(check, "imc", ROPE, 4));
    fil_check_note(check, "imc: T2/T1 over a sharp edge, 4 edges", measure(check, "imc", 0.0, 4));
}
