/* Ropes and piles under the complementarity model: islands with hundreds of contacts, which are solved on sparse
 * matrices (docs/lcp.md). */
#include <math.h>
#include <stdio.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

static const double GRAVITY = 9.81; /* m/s^2 */
static const double FRICTION = 0.5;
static const double RADIUS = 2.5e-3; /* m, of the rope */
static const double LENGTH = 0.5;    /* m */
static const double DENSITY = 1000.0;

/* A straight rope on the ground, along x. Gravity is tilted by `slope` towards -x, as if the ground rose. */
static void lay_rope(FilSandbox* box, int segments, double slope, double* nodes)
{
    fil_sandbox_set_gravity(box, -GRAVITY * sin(slope), 0.0, -GRAVITY * cos(slope));
    fil_sandbox_set_friction(box, FRICTION);
    fil_sandbox_add_ground(box);
    for (int i = 0; i <= segments; i++) {
        nodes[3 * i] = LENGTH * i / segments;
        nodes[3 * i + 1] = 0.0;
        nodes[3 * i + 2] = RADIUS;
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = segments + 1;
    def.nodes = nodes;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = RADIUS, .young = 1e7, .poisson = 0.5, .density = DENSITY};
    def.damping_stiffness = 1e-3;
    def.collision.self = false;
    def.collision.surface.friction = FRICTION;
    fil_sandbox_add_rod(box, &def);
}

/* |f_t| - mu f_n at the end, against mu times the mean load: the pyramid lies within the cone. */
static double cone_error(const FilSandbox* box)
{
    const int count = fil_world_contact_count(box->world);
    double worst = 0.0, sum = 0.0;
    for (int k = 0; k < count; k++) {
        const FilContactInfo c = fil_world_contact(box->world, k);
        const double n = c.force.x * c.normal.x + c.force.y * c.normal.y + c.force.z * c.normal.z;
        const double square = c.force.x * c.force.x + c.force.y * c.force.y + c.force.z * c.force.z;
        worst = fmax(worst, sqrt(fmax(square - n * n, 0.0)) - FRICTION * n);
        sum += n;
    }
    return worst * count / (FRICTION * sum);
}

/* What every step must have: complementarity to what was asked, and friction within the cone. */
static void check_solution(FilSandbox* box, const char* where)
{
    if (!box->failed) {
        char what[96];
        snprintf(what, sizeof what, "%s: complementarity residual", where);
        fil_check_below(box->check, what, box->residual, 1e-6);  // 1e-8 of velocities, 1e-4 of the friction of what slides slowly
        snprintf(what, sizeof what, "%s: friction beyond the cone / mean", where);
        fil_check_below(box->check, what, cone_error(box), 1e-6);  // within the pyramid in every round, lcp_multiplier.c
        snprintf(what, sizeof what, "%s: halvings", where);
        fil_check_below(box->check, what, box->halvings, 2.0);  // of 100 steps or more
    }
}

static double ground_load(const FilSandbox* box)
{
    double load = 0.0;
    for (int k = 0; k < fil_world_contact_count(box->world); k++) {
        load += fabs(fil_world_contact(box->world, k).force.z);
    }
    return load;
}

/* A rope on a slope: below the angle of friction it stays, above it slides with g (sin - mu cos). */
static void check_slope(FilCheck* check, int segments, double slope)
{
    enum { STEPS = 100 };
    double nodes[3 * 201];
    const double dt = 1e-3, slides = fmax(0.0, sin(slope) - FRICTION * cos(slope));
    FilSandbox box = fil_sandbox_begin(check, "lcp", dt);
    lay_rope(&box, segments, slope, nodes);
    fil_sandbox_run(&box, STEPS);
    char where[64], what[128];
    snprintf(where, sizeof where, "rope of %d on %.2f", segments, slope);
    if (!box.failed) {
        const double weight = DENSITY * M_PI * RADIUS * RADIUS * LENGTH * GRAVITY * cos(slope);
        const double speed = -fil_world_momentum(box.world).x / (weight / (GRAVITY * cos(slope)));
        snprintf(what, sizeof what, "%s: load / weight", where);
        fil_check_near(check, what, ground_load(&box) / weight, 1.0, 1e-3);
        if (slides > 0.0) {
            snprintf(what, sizeof what, "%s: speed after 0.1 s, m/s", where);
            fil_check_near(check, what, speed, GRAVITY * slides * STEPS * dt, 0.01);
        } else {
            snprintf(what, sizeof what, "%s: creeps, m/s", where);
            fil_check_below(check, what, fabs(speed), 1e-6);
        }
    }
    check_solution(&box, where);
    fil_sandbox_end(&box);
}

void fil_check_lcp_rope(FilCheck* check)
{
    for (int segments = 50; segments <= 200; segments *= 2) {
        check_slope(check, segments, 0.95 * atan(FRICTION));
        check_slope(check, segments, 1.3 * atan(FRICTION));
    }
}

/* Boxes in a pyramid, each on two: as many contacts as a pile has, and every one of them in one island. */
void fil_check_lcp_pile(FilCheck* check)
{
    enum { ROWS = 8 };
    const double size = 0.1, dt = 2e-3;
    FilSandbox box = fil_sandbox_begin(check, "lcp", dt);
    fil_sandbox_set_friction(&box, FRICTION);
    fil_sandbox_add_ground(&box);
    int count = 0;
    FilId last = {0, 0};
    for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < ROWS - row; k++, count++) {
            // apart from each other by 5 mm: they touch above and below only
            last = fil_sandbox_add_cube(&box, size, (FilVec3){(k + 0.5 * row) * 1.05 * size, 0.0, (row + 0.5) * size});
        }
    }
    fil_sandbox_run(&box, 500);
    if (!box.failed) {
        double load = 0.0;
        for (int k = 0; k < fil_world_contact_count(box.world); k++) {
            const FilContactInfo contact = fil_world_contact(box.world, k);
            load += contact.point.z < 0.01 * size ? fabs(contact.force.z) : 0.0;
        }
        const double mass = fil_rigid_mass(box.world, last);
        fil_check_near(check, "load on the ground / weight", load / (count * mass * GRAVITY), 1.0, 1e-6);
        fil_check_below(check, "kinetic energy after 1 s, J", fil_world_energy(box.world).kinetic, 1e-10);
        fil_check_above(check, "contacts", fil_world_contact_count(box.world), 200);
    }
    check_solution(&box, "pyramid of boxes");
    fil_sandbox_end(&box);
}
