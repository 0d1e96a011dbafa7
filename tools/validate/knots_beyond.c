/* What P2 leaves open: IMC with static friction, friction at contact points that twists, stiffness edge by edge,
 * smaller steps where they are needed, rectangular sections, several rods and rigid shapes. */
#include <math.h>
#include <stdio.h>

#include "validate/contact_sandbox.h"
#include "validate/knot_pull.h"
#include "validate/knots_imc.h"

enum { EDGES = 20, NODES = EDGES + 1 };

static const double LENGTH = 0.2, RADIUS = 5e-3;

static FilSandbox begin(FilCheck* check, double dt, FilImcSettings imc)
{
    FilWorldDef def = fil_world_def_default();
    def.contact_model = "imc";
    def.dt = dt;
    FilSandbox box = fil_sandbox_begin_with(check, &def);
    if (box.world != NULL) {
        (void)fil_sandbox_expect(&box, fil_world_set_imc_settings(box.world, &imc), "setting the contact model");
    }
    return box;
}

/* A straight rod of rubber from `from` along the unit vector `along`. */
static FilId add_rod(FilSandbox* box, FilVec3 from, FilVec3 along, double friction, const FilSection* section)
{
    double nodes[3 * NODES];
    fil_sandbox_line(from, along, LENGTH, NODES, nodes);
    FilRodDef def = fil_rod_def_default();
    def.node_count = NODES;
    def.nodes = nodes;
    def.section = *section;
    def.director = (FilVec3){-along.y, along.x, 0.0};  // level: the width lies flat
    def.damping_mass = 2.0;
    def.collision.surface = (FilSurface){.friction = friction};
    return fil_sandbox_add_rod(box, &def);
}

static FilSection round_section(void)
{
    return (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = RADIUS, .young = 1e7, .poisson = 0.4, .density = 1000.0};
}

static FilVec3 middle(const FilSandbox* box, FilId rod)
{
    double nodes[3 * NODES] = {0.0};
    if (!box->failed) {
        fil_rod_get_positions(box->world, rod, nodes);
    }
    return (FilVec3){nodes[3 * (NODES / 2)], nodes[3 * (NODES / 2) + 1], nodes[3 * (NODES / 2) + 2]};
}

/* ---- static friction ---- */

static double speed_of(const FilSandbox* box, FilId rod)
{
    double velocities[3 * NODES] = {0.0};
    if (!box->failed) {
        fil_rod_get_velocities(box->world, rod, velocities);
    }
    return velocities[3 * (NODES / 2)];
}

/* How far a rod that lies along the slope moves down an incline, mu = 0.5, from 0.5 s on, and how fast it was then. */
static double creep(FilCheck* check, FilImcFriction friction, double angle, double seconds, double* speed)
{
    FilImcSettings imc = fil_imc_settings_default();
    imc.friction = friction;
    FilSandbox box = begin(check, 1e-3, imc);
    fil_sandbox_set_friction(&box, 0.5);
    fil_sandbox_set_gravity(&box, 9.81 * sin(angle), 0.0, -9.81 * cos(angle));
    fil_sandbox_add_ground(&box);
    const FilSection section = round_section();
    const FilId rod = add_rod(&box, (FilVec3){0.0, 0.0, RADIUS}, (FilVec3){1.0, 0.0, 0.0}, 0.5, &section);
    fil_sandbox_run(&box, 500);
    const double before = middle(&box, rod).x;
    *speed = speed_of(&box, rod);
    fil_sandbox_run(&box, (int)(1000.0 * seconds));
    const double moved = middle(&box, rod).x - before;
    fil_sandbox_end(&box);
    return moved;
}

void fil_check_imc_incline(FilCheck* check)
{
    const double steep = atan(0.5) + 0.1, gentle = atan(0.5) - 0.1, full = fil_imc_settings_default().static_speed;
    double speed;
    const double held = creep(check, FIL_IMC_STATIC, gentle, 2.0, &speed);
    // it creeps at u where u / sqrt(u^2 + static_speed^2) is the share of friction that is needed
    const double share = tan(gentle) / 0.5;
    fil_check_near(check, "static, less steep than friction: creep / that at static_speed", held / (2.0 * full), share / sqrt(1.0 - share * share),
                   0.02);
    // published: no friction at rest, so it moves until it slides
    const double published = creep(check, FIL_IMC_SLIDING, gentle, 2.0, &speed);
    fil_check_above(check, "sliding, less steep than friction: creep / that at static_speed", published / (2.0 * full), 10.0);
    // steeper it slides: v' = a - alpha v with mass damping alpha = 2
    const double way = creep(check, FIL_IMC_STATIC, steep, 0.5, &speed), a = 9.81 * (sin(steep) - 0.5 * cos(steep)), t = 0.5;
    fil_check_near(check, "static, steeper than friction: way (m)", way, 0.5 * a * t + (speed - 0.5 * a) * 0.5 * (1.0 - exp(-2.0 * t)), 0.01);
}

/* ---- friction at contact points ---- */

/* Twist of a rod whose axis is held, turned by a second rod that lies across its end and is drawn over it. */
static double rubbed_angle(FilCheck* check, bool contact_points)
{
    FilImcSettings imc = fil_imc_settings_default();
    imc.friction = FIL_IMC_STATIC;
    imc.contact_points = contact_points;
    imc.stiffness = 20.0;  // N: enough friction to turn it
    FilSandbox box = begin(check, 1e-3, imc);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    const FilSection section = round_section();
    const FilId rod = add_rod(&box, (FilVec3){0.0, 0.0, 0.0}, (FilVec3){1.0, 0.0, 0.0}, 0.5, &section);
    const FilId bow = add_rod(&box, (FilVec3){0.185, -0.1, 2.0 * RADIUS + 3e-5}, (FilVec3){0.0, 1.0, 0.0}, 0.5, &section);
    FilAttachmentDef hold = fil_attachment_def_default(), end = fil_attachment_def_default();
    FilDriveDef drive = fil_drive_def_default();
    double angles[EDGES] = {0.0};
    hold.kind = FIL_ATTACH_PIN;
    hold.count = NODES;
    hold.object = end.object = rod;
    end.kind = FIL_ATTACH_TWIST;
    fil_sandbox_attach(&box, &hold);
    fil_sandbox_attach(&box, &end);
    hold.object = end.object = bow;
    end.count = EDGES;  // it does not roll
    fil_sandbox_attach(&box, &end);
    drive.kind = FIL_DRIVE_VELOCITY;
    drive.attachment = fil_sandbox_attach(&box, &hold);
    const FilId pull = fil_sandbox_drive(&box, &drive);
    fil_sandbox_set(&box, pull, 0.0, 2e-3, 0.0);
    fil_sandbox_run(&box, 500);  // 1 mm
    if (!box.failed) {
        fil_rod_get_angles(box.world, rod, angles);
    }
    fil_sandbox_end(&box);
    return fabs(angles[18] - angles[0]);
}

void fil_check_imc_twist(FilCheck* check)
{
    // it sticks: the surface follows the bow, whose own surface is still
    fil_check_near(check, "at contact points: angle of the rubbed edge (rad)", rubbed_angle(check, true), 1e-3 / RADIUS, 0.03);
    fil_check_below(check, "mid-edge: angle of the rubbed edge (rad)", rubbed_angle(check, false), 1e-9);
}

/* ---- stiffness edge by edge ---- */

/* The least distance of a rod from anything, radii. */
static double clearance_of(const FilSandbox* box, FilId rod)
{
    double min = INFINITY;
    for (int k = 0; !box->failed && k < fil_world_contact_count(box->world); k++) {
        const FilContactInfo contact = fil_world_contact(box->world, k);
        const bool touches = contact.a.index == rod.index || contact.b.index == rod.index;
        min = touches ? fmin(min, contact.distance / RADIUS) : min;
    }
    return min;
}

/* A heavy rod and one of a tenth of its weight lie across the same two held ones: how far each hovers, radii. */
static void lay_two(FilCheck* check, bool local, double* heavy, double* light)
{
    FilImcSettings imc = fil_imc_settings_default();
    imc.friction = FIL_IMC_STATIC;
    imc.local_stiffness = local;
    FilSandbox box = begin(check, 1e-3, imc);
    FilSection section = round_section();
    FilAttachmentDef hold = fil_attachment_def_default();
    hold.count = NODES;
    for (int side = -1; side <= 1; side += 2) {
        hold.object = add_rod(&box, (FilVec3){0.055 * side, -0.1, 0.0}, (FilVec3){0.0, 1.0, 0.0}, 0.8, &section);
        fil_sandbox_attach(&box, &hold);
    }
    const double height = 2.0 * RADIUS + 2e-5;
    const FilId loaded = add_rod(&box, (FilVec3){-0.1, -0.055, height}, (FilVec3){1.0, 0.0, 0.0}, 0.8, &section);
    section.density *= 0.1;
    const FilId loose = add_rod(&box, (FilVec3){-0.1, 0.055, height}, (FilVec3){1.0, 0.0, 0.0}, 0.8, &section);
    fil_sandbox_run(&box, 1500);
    *heavy = clearance_of(&box, loaded);
    *light = clearance_of(&box, loose);
    fil_sandbox_end(&box);
}

void fil_check_imc_local(FilCheck* check)
{
    const FilImcSettings imc = fil_imc_settings_default();
    double heavy, light;
    // the force falls by e per 1/sharpness radii: a tenth of it hovers by ln(10 k/F - 1) - ln(k/F - 1) of them, k/F
    // about 2
    lay_two(check, false, &heavy, &light);
    fil_check_above(check, "global: heavy rod, distance / radius", heavy, imc.closest);
    fil_check_below(check, "global: heavy rod, distance / radius", heavy, imc.farthest);
    const double load = 1.0 + exp(imc.sharpness * heavy);  // k/F
    fil_check_near(check, "global: light rod hovers, distance / radius", light, log(10.0 * load - 1.0) / imc.sharpness, 0.02);
    lay_two(check, true, &heavy, &light);
    fil_check_above(check, "local: heavy rod, distance / radius", heavy, imc.closest);
    fil_check_below(check, "local: heavy rod, distance / radius", heavy, imc.farthest);
    fil_check_above(check, "local: light rod, distance / radius", light, imc.closest);
    fil_check_below(check, "local: light rod, distance / radius", light, imc.farthest);
}

/* ---- rectangles ---- */

/* Distance of the middles of two crossed strips, the upper one lying on the lower. */
static double strip_distance(FilCheck* check)
{
    const FilSection section = {.shape = FIL_SECTION_RECTANGLE, .width = 0.02, .height = 0.004, .young = 1e9, .poisson = 0.4, .density = 1000.0};
    FilImcSettings imc = fil_imc_settings_default();
    imc.rectangles = true;
    imc.sharpness = 500.0;  // a fiftieth of a millimetre: the strips are wide and thin
    FilSandbox box = begin(check, 1e-3, imc);
    const FilId low = add_rod(&box, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){1.0, 0.0, 0.0}, 0.3, &section);
    const FilId high = add_rod(&box, (FilVec3){0.0, -0.1, 0.022}, (FilVec3){0.0, 1.0, 0.0}, 0.3, &section);
    FilAttachmentDef hold = fil_attachment_def_default(), angle = fil_attachment_def_default();
    hold.object = angle.object = low;
    hold.count = NODES;
    angle.kind = FIL_ATTACH_TWIST;
    angle.count = EDGES;
    fil_sandbox_attach(&box, &hold);
    fil_sandbox_attach(&box, &angle);
    fil_sandbox_run(&box, 1500);
    const double distance = middle(&box, high).z - middle(&box, low).z;
    fil_sandbox_end(&box);
    return distance;
}

void fil_check_imc_rectangle(FilCheck* check)
{
    // P2's band of distances is up to 70 um of these widths: 2 % of the height; sag and tilt of the strip are of that
    // order
    fil_check_near(check, "rectangles: distance of crossed strips (m)", strip_distance(check), 0.004, 0.05);
}

/* ---- smaller steps ---- */

/* A step four times P2's is as good while the loop is wide. Where it gets small, contacts change by too much in one:
 * friction is too little, and Newton's iterations, which rise at that very place, tell. */
void fil_check_imc_steps(FilCheck* check)
{
    FilPullCurve curves[3] = {{0}};
    FilPullDef def = fil_pull_def_default();
    bool ok = true;
    def.start = 0.2;
    def.shortening = 0.06;
    for (int k = 0; k < 3 && ok; k++) {
        def.dt = k == 0 ? 5e-4 : 2e-3;
        def.imc[0] = k == 2 ? "world.adaptive.iterations=4" : NULL;
        ok = fil_pull_run(check, &def, &curves[k]);
    }
    if (ok) {
        const double wide = fil_pull_force(&curves[0], 0.15, 0.008, false), small = fil_pull_force(&curves[0], 0.066, 0.004, false);
        fil_check_near(check, "0.5 and 2 ms, wide loop: pull (N)", fil_pull_force(&curves[1], 0.15, 0.008, false), wide, 0.01);
        const double fixed = fil_pull_force(&curves[1], 0.066, 0.004, false), divided = fil_pull_force(&curves[2], 0.066, 0.004, false);
        fil_check_above(check, "2 ms, small loop: pull is off by", fabs(fixed / small - 1.0), 0.10);
        fil_check_near(check, "2 ms and less, small loop: pull (N)", divided, small, 0.05);
        fil_check_below(check, "steps that were divided, share", curves[2].divided / curves[2].steps, 0.5);
        fil_check_below(check, "iterations against those of 0.5 ms throughout, share", curves[2].iterations / curves[0].iterations, 0.6);
    }
    for (int k = 0; k < 3; k++) {
        fil_pull_free(&curves[k]);
    }
}

/* ---- several rods, and shapes ---- */

/* A rod laid over two fixed rods and another over a ball: what the contacts give is what they weigh. */
void fil_check_imc_rods(FilCheck* check)
{
    FilImcSettings imc = fil_imc_settings_default();
    imc.friction = FIL_IMC_STATIC;
    imc.contact_points = true;
    FilSandbox box = begin(check, 1e-3, imc);
    fil_sandbox_set_friction(&box, 0.8);
    const FilSection section = round_section();
    FilAttachmentDef hold = fil_attachment_def_default();
    hold.count = NODES;
    for (int side = -1; side <= 1; side += 2) {
        hold.object = add_rod(&box, (FilVec3){0.05 * side, -0.1, 0.0}, (FilVec3){0.0, 1.0, 0.0}, 0.8, &section);
        fil_sandbox_attach(&box, &hold);
    }
    const FilId hung = add_rod(&box, (FilVec3){-0.1, 0.0, 2.0 * RADIUS + 1e-4}, (FilVec3){1.0, 0.0, 0.0}, 0.8, &section);
    const FilId saddled = add_rod(&box, (FilVec3){0.9, 0.0, 0.02 + RADIUS + 1e-4}, (FilVec3){1.0, 0.0, 0.0}, 0.8, &section);
    FilShapeDef bar = fil_shape_def_default();
    bar.type = FIL_SHAPE_SPHERE;
    bar.radius = 0.02;
    fil_sandbox_add_shape(&box, &bar, FIL_STATIC, (FilVec3){1.0, 0.0, 0.0});
    fil_sandbox_run(&box, 1000);
    if (!box.failed) {
        const double weight = 1000.0 * M_PI * RADIUS * RADIUS * LENGTH * 9.81;
        FilVec3 force, torque;
        fil_world_contact_wrench(box.world, hung, &force, &torque);
        fil_check_near(check, "a rod over two rods: force / weight", force.z / weight, 1.0, 0.01);
        fil_world_contact_wrench(box.world, saddled, &force, &torque);
        fil_check_near(check, "a rod over a ball: force / weight", force.z / weight, 1.0, 0.01);
        // P2's band about touching, here wide of 5 mm radius
        fil_check_below(check, "least distance / radius", fabs(box.last.min_distance) / RADIUS, 0.02);
        fil_check_below(check, "crossings", box.crossings, 0.0);
    }
    fil_sandbox_end(&box);
}
