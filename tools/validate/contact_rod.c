/* Rods against plates and each other: rolling, twisting by surface friction, momentum. */
#include <math.h>
#include <stdio.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

enum { EDGES = 20, NODES = EDGES + 1 };

static const double LENGTH = 0.2, RADIUS = 5e-3;

/* A straight rod of rubber from `from` along the unit vector `along`. */
static FilRodDef straight_rod(FilVec3 from, FilVec3 along, double* nodes)
{
    fil_sandbox_line(from, along, LENGTH, NODES, nodes);
    FilRodDef def = fil_rod_def_default();
    def.node_count = NODES;
    def.nodes = nodes;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = RADIUS, .young = 1e7, .poisson = 0.4, .density = 1000.0};
    return def;
}

/* A plate that a script moves, its lower or upper face at height z. */
static FilId add_plate(FilSandbox* box, FilVec3 size, FilVec3 position, FilSurface surface, FilMotion motion, FilId* drive)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = size;
    FilRigidDef def = fil_rigid_def_default();
    def.motion = motion;
    def.position = position;
    def.shapes = &shape;
    def.shape_count = 1;
    def.collision.surface = surface;
    const FilId plate = fil_sandbox_add_body(box, &def);
    if (!box->failed && motion == FIL_KINEMATIC) {
        FilDriveDef move = fil_drive_def_default();
        move.kind = FIL_DRIVE_VELOCITY;
        move.attachment = fil_world_find_attachment(box->world, fil_rigid_name(box->world, plate));
        *drive = fil_sandbox_drive(box, &move);
    }
    return plate;
}

/* ---- rolling ---- */

/* The lower plate rests, the upper one moves by U: the rod's axis moves by U/2 and it turns by U/(2 r). */
static void check_rolling(FilCheck* check, const char* model)
{
    const double speed = 0.1, squeeze = 1e-5;
    const FilSurface surface = {.friction = 0.5, .stiffness = 2e4, .dissipation_time = 1e-3, .dissipation = 1.0};
    FilSandbox box = fil_sandbox_begin(check, model, 1e-3);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    double nodes[3 * NODES], velocities[3 * NODES], spins[EDGES];
    FilRodDef def = straight_rod((FilVec3){0.0, -0.5 * LENGTH, 0.0}, (FilVec3){0.0, 1.0, 0.0}, nodes);
    def.collision.surface = surface;
    const FilId rod = fil_sandbox_add_rod(&box, &def);
    const FilVec3 size = {0.4, 0.4, 0.02};
    FilId drive = {0, 0};
    add_plate(&box, size, (FilVec3){0.0, 0.0, -0.01 - RADIUS + squeeze}, surface, FIL_STATIC, NULL);
    add_plate(&box, size, (FilVec3){0.0, 0.0, 0.01 + RADIUS - squeeze}, surface, FIL_KINEMATIC, &drive);
    fil_sandbox_set(&box, drive, speed, 0.0, 0.0);
    fil_sandbox_run(&box, 1000);
    if (!box.failed) {
        char what[96];
        fil_rod_get_velocities(box.world, rod, velocities);
        fil_rod_get_spins(box.world, rod, spins);
        double slip = 0.0;
        for (int k = 0; k < fil_world_contact_count(box.world); k++) {
            const FilContactInfo c = fil_world_contact(box.world, k);
            slip = fmax(slip, sqrt(c.slip.x * c.slip.x + c.slip.y * c.slip.y + c.slip.z * c.slip.z));
        }
        snprintf(what, sizeof what, "%s: speed of the axis (m/s)", model);
        fil_check_near(check, what, velocities[3 * (NODES / 2)], 0.5 * speed, 1e-3);
        snprintf(what, sizeof what, "%s: spin (rad/s)", model);
        fil_check_near(check, what, fabs(spins[EDGES / 2]), 0.5 * speed / RADIUS, 5e-3);  // squeezed by 0.2 %
        snprintf(what, sizeof what, "%s: largest slip / speed", model);
        fil_check_below(check, what, slip / speed, 1e-3);
        snprintf(what, sizeof what, "%s: contacts", model);
        fil_check_above(check, what, box.last.contacts, 2.0 * EDGES);
        fil_sandbox_check_solution(&box, model);
    }
    fil_sandbox_end(&box);
}

void fil_check_rolling_rod(FilCheck* check)
{
    check_rolling(check, "sap");
    check_rolling(check, "sap_lagged");
}

/* ---- twisting by friction ---- */

/* What friction does to a rod along x whose axis is held, and the angle of its first edge too, when a plate on top of
 * its far end moves sideways. */
typedef struct Twisted {
    double angle;  /* rad, of the rubbed end against the held one */
    double twist;  /* rad/m, midway */
    double torque; /* N m about the axis, of all contacts */
    double normal; /* N, of all contacts */
} Twisted;

static const double SQUEEZE = 1e-4; /* m: the plate is pressed on by so much compliance */

static Twisted rub(FilSandbox* box, double distance)
{
    const FilSurface surface = {.friction = 0.5, .stiffness = 2e4, .dissipation_time = 1e-3};
    double nodes[3 * NODES], angles[EDGES], twists[NODES];
    fil_sandbox_set_gravity(box, 0.0, 0.0, 0.0);
    FilRodDef def = straight_rod((FilVec3){0.0, 0.0, 0.0}, (FilVec3){1.0, 0.0, 0.0}, nodes);
    def.collision.surface = surface;
    const FilId rod = fil_sandbox_add_rod(box, &def);
    FilAttachmentDef axis = fil_attachment_def_default(), end = fil_attachment_def_default();
    axis.kind = FIL_ATTACH_PIN;
    axis.object = end.object = rod;
    axis.count = NODES;
    end.kind = FIL_ATTACH_TWIST;
    fil_sandbox_attach(box, &axis);
    fil_sandbox_attach(box, &end);
    FilId drive = {0, 0};
    const FilVec3 place = {LENGTH, 0.0, RADIUS + 0.01 - SQUEEZE};
    add_plate(box, (FilVec3){0.03, 0.4, 0.02}, place, surface, FIL_KINEMATIC, &drive);  // over the last edges
    fil_sandbox_set(box, drive, 0.0, distance, 0.0);
    fil_sandbox_run(box, 1000);  // 1 s
    fil_sandbox_set(box, drive, 0.0, 0.0, 0.0);
    fil_sandbox_run(box, 200);
    if (box->failed) {
        return (Twisted){0.0, 0.0, 0.0, 0.0};
    }
    FilVec3 force, torque;
    fil_rod_get_angles(box->world, rod, angles);
    fil_rod_get_twists(box->world, rod, twists);
    fil_world_contact_wrench(box->world, rod, &force, &torque);
    return (Twisted){fabs(angles[EDGES - 1] - angles[0]), fabs(twists[NODES / 2]), fabs(torque.x), fabs(force.z)};
}

void fil_check_surface_twist(FilCheck* check)
{
    const double gj = 1e7 / 2.8 * 0.5 * M_PI * pow(RADIUS, 4.0);
    // the contact lies midway in the squeeze
    const double lever = RADIUS - 0.5 * SQUEEZE;
    FilSandbox box = fil_sandbox_begin(check, "sap", 1e-3);
    const Twisted stuck = rub(&box, 2e-3);
    if (!box.failed) {
        fil_check_near(check, "sticking: angle of the end (rad)", stuck.angle, 2e-3 / lever,
                       5e-3);  // edges at the plate's rim give way
        fil_check_near(check, "sticking: torque of friction (N m)", stuck.torque, gj * stuck.twist, 1e-3);
        fil_check_below(check, "sticking: torque / (mu N r)", stuck.torque / (0.5 * stuck.normal * lever), 0.9);
        fil_sandbox_check_solution(&box, "sticking");
    }
    fil_sandbox_end(&box);

    box = fil_sandbox_begin(check, "sap", 1e-3);
    const Twisted slid = rub(&box, 40e-3);
    if (!box.failed) {
        fil_check_near(check, "sliding: torque of friction (N m)", slid.torque, 0.5 * slid.normal * lever, 1e-3);
        fil_check_near(check, "sliding: torque by the twist (N m)", gj * slid.twist, slid.torque, 1e-3);
        fil_sandbox_check_solution(&box, "sliding");
    }
    fil_sandbox_end(&box);
}

/* ---- momentum ---- */

static double norm(FilVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static FilVec3 minus(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Two rods cross in free space, one at rest, the other coming at 1 m/s off its middle. */
static void check_rod_collision(FilCheck* check, const char* model)
{
    FilSandbox box = fil_sandbox_begin(check, model, 1e-4);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    double nodes[3 * NODES], velocities[3 * NODES];
    FilRodDef def = straight_rod((FilVec3){0.0, 0.0, 0.0}, (FilVec3){1.0, 0.0, 0.0}, nodes);
    fil_sandbox_add_rod(&box, &def);
    def = straight_rod((FilVec3){0.15, -0.08, 0.013}, (FilVec3){0.0, 1.0, 0.0}, nodes);
    for (int i = 0; i < NODES; i++) {
        velocities[3 * i] = 0.2;
        velocities[3 * i + 1] = 0.0;
        velocities[3 * i + 2] = -1.0;
    }
    def.velocities = velocities;
    fil_sandbox_add_rod(&box, &def);
    if (!box.failed) {
        const FilVec3 p = fil_world_momentum(box.world), l = fil_world_angular_momentum(box.world);
        const double energy = fil_sandbox_energy(&box);
        int touched = 0;
        double rise = 0.0, last = energy;
        for (int k = 0; k < 500 && !box.failed; k++) {
            fil_sandbox_step(&box);
            touched += box.last.max_penetration > 0.0;
            rise = fmax(rise, fil_sandbox_energy(&box) - last);
            last = fil_sandbox_energy(&box);
        }
        const FilVec3 dp = minus(fil_world_momentum(box.world), p), dl = minus(fil_world_angular_momentum(box.world), l);
        char what[96];
        snprintf(what, sizeof what, "%s: steps in contact", model);
        fil_check_above(check, what, touched, 1.0);
        snprintf(what, sizeof what, "%s: change of the momentum", model);
        fil_check_below(check, what, norm(dp) / norm(p), 1e-6);
        snprintf(what, sizeof what, "%s: change of the angular momentum", model);
        fil_check_below(check, what, norm(dl) / norm(l), 1e-3);
        snprintf(what, sizeof what, "%s: largest rise of the energy in a step / start", model);
        fil_check_below(check, what, rise / energy, 1e-6);
        fil_sandbox_check_solution(&box, model);
    }
    fil_sandbox_end(&box);
}

void fil_check_rod_collision(FilCheck* check)
{
    check_rod_collision(check, "sap");
    check_rod_collision(check, "sap_lagged");
}
