/* Joints: what they bear, against statics. */
#include <math.h>
#include <stdio.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

enum { EDGES = 40, NODES = EDGES + 1 };

static const double GRAVITY = 9.81, LENGTH = 0.5, RADIUS = 4e-3;

/* A rubber rod along x or down, from the origin. */
static FilId add_beam(FilSandbox* box, FilVec3 along)
{
    double nodes[3 * NODES];
    for (int i = 0; i < NODES; i++) {
        const double s = LENGTH * i / EDGES;
        nodes[3 * i] = s * along.x;
        nodes[3 * i + 1] = s * along.y;
        nodes[3 * i + 2] = s * along.z;
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = NODES;
    def.nodes = nodes;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = RADIUS, .young = 2e8, .poisson = 0.4, .density = 1000.0};
    def.damping_mass = 5.0;
    def.damping_stiffness = 1e-3;
    return fil_sandbox_add_rod(box, &def);
}

static double beam_mass(void)
{
    return 1000.0 * M_PI * RADIUS * RADIUS * LENGTH;
}

static FilId join(FilSandbox* box, FilJointKind kind, FilId a, int node_a, FilId b, int node_b, FilVec3 point)
{
    FilJointDef def = fil_joint_def_default();
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.node_a = node_a;
    def.node_b = node_b;
    def.point = point;
    return fil_sandbox_add_joint(box, &def);
}

static FilVec3 node_position(const FilSandbox* box, FilId rod, int node)
{
    double nodes[3 * NODES] = {0};
    if (!box->failed) {
        fil_rod_get_positions(box->world, rod, nodes);
    }
    return (FilVec3){nodes[3 * node], nodes[3 * node + 1], nodes[3 * node + 2]};
}

/* ---- weights ---- */

/* A rod pinned to the world, a cube welded to its lower end, and another welded to that one's side. */
void fil_check_joint_weight(FilCheck* check)
{
    const double size = 0.05, mass = 1000.0 * size * size * size;
    const FilId world = {0, 0};
    FilSandbox box = fil_sandbox_begin(check, "sap", 2e-3);
    const FilId rod = add_beam(&box, (FilVec3){0.0, 0.0, -1.0});
    const FilId upper = fil_sandbox_add_cube(&box, size, (FilVec3){0.0, 0.0, -LENGTH - 0.5 * size});
    const FilId lower = fil_sandbox_add_cube(&box, size, (FilVec3){0.0, 0.0, -LENGTH - 1.5 * size});
    const FilId pin = join(&box, FIL_JOINT_PIN, rod, 0, world, 0, (FilVec3){0.0, 0.0, 0.0});
    const FilId weld = join(&box, FIL_JOINT_WELD, rod, -1, upper, 0, (FilVec3){0.0, 0.0, 0.0});
    const FilId last = join(&box, FIL_JOINT_WELD, upper, 0, lower, 0, (FilVec3){0.0, 0.0, -LENGTH - size});
    fil_sandbox_run(&box, 1500);
    if (!box.failed) {
        // what the joint does to its second body, or to the world
        fil_check_near(check, "pin on the world (N)", fil_joint_force(box.world, pin).z, -(2.0 * mass + beam_mass()) * GRAVITY, 1e-4);
        fil_check_near(check, "weld of rod and cube (N)", fil_joint_force(box.world, weld).z, 2.0 * mass * GRAVITY, 1e-4);
        fil_check_near(check, "weld of two cubes (N)", fil_joint_force(box.world, last).z, mass * GRAVITY, 1e-4);
        fil_check_below(check, "swing (m)", hypot(fil_sandbox_position(&box, lower).x, fil_sandbox_position(&box, lower).y), 1e-9);
        fil_sandbox_check_solution(&box, "weights");
    }
    fil_sandbox_end(&box);
}

/* ---- welds ---- */

/* A cantilever under its own weight: held by a clamp, or welded to the side of a static body, or of a body that another
 * weld holds in turn. */
static double tip_of_welded(FilCheck* check, int chain, double* moment)
{
    FilSandbox box = fil_sandbox_begin(check, "sap", 5e-3);
    const FilId rod = add_beam(&box, (FilVec3){1.0, 0.0, 0.0}), world = {0, 0};
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){0.1, 0.1, 0.1};
    FilId joint = {0, 0};
    if (chain == 0) {
        FilAttachmentDef clamp = fil_attachment_def_default();
        clamp.kind = FIL_ATTACH_CLAMP;
        clamp.object = rod;
        fil_sandbox_attach(&box, &clamp);
    } else {
        const FilVec3 place = {-0.05, 0.0, 0.0};
        const FilId body = fil_sandbox_add_shape(&box, &shape, chain == 1 ? FIL_STATIC : FIL_DYNAMIC, place);
        if (chain == 2) {
            join(&box, FIL_JOINT_WELD, body, 0, world, 0, place);
        }
        joint = join(&box, FIL_JOINT_WELD, body, 0, rod, 0, place);
    }
    fil_sandbox_run(&box, 1500);
    const double tip = node_position(&box, rod, NODES - 1).z;
    if (!box.failed && chain > 0) {
        *moment = fil_joint_torque(box.world, joint).y;
        fil_sandbox_check_solution(&box, chain == 1 ? "static body" : "held body");
    }
    fil_sandbox_end(&box);
    return tip;
}

void fil_check_joint_weld(FilCheck* check)
{
    double moment[3] = {0.0};
    const double clamped = tip_of_welded(check, 0, &moment[0]);
    const double welded = tip_of_welded(check, 1, &moment[1]), held = tip_of_welded(check, 2, &moment[2]);
    fil_check_near(check, "tip of a rod welded to a static body (m)", welded, clamped, 0.01);
    fil_check_near(check, "tip of a rod welded to a body that is held (m)", held, clamped, 0.01);
    // m g L/2, a little less as the tip sinks; on the rod, upwards at its tip: about -y
    fil_check_near(check, "moment of the weld (N m)", moment[1], -0.5 * beam_mass() * GRAVITY * LENGTH, 0.02);
}

/* ---- bushings ---- */

void fil_check_joint_bushing(FilCheck* check)
{
    const double size = 0.05, mass = 1000.0 * size * size * size, arm = 0.2;
    const FilId world = {0, 0};
    // hung by a spring: m g / k
    FilSandbox box = fil_sandbox_begin(check, "sap", 1e-3);
    const FilId hung = fil_sandbox_add_cube(&box, size, (FilVec3){0.0, 0.0, 0.0});
    FilJointDef def = fil_joint_def_default();
    def.kind = FIL_JOINT_BUSHING;
    def.a = hung;
    def.b = world;
    def.stiffness = 50.0;
    def.damping = 3.0;
    def.angular_stiffness = 1.0;
    def.angular_damping = 0.05;
    const FilId spring = fil_sandbox_add_joint(&box, &def);
    fil_sandbox_run(&box, 3000);
    if (!box.failed) {
        fil_check_near(check, "deflection (m)", fil_sandbox_position(&box, hung).z, -mass * GRAVITY / def.stiffness, 1e-3);
        fil_check_near(check, "force (N)", fil_joint_force(box.world, spring).z, -mass * GRAVITY, 1e-4);
        fil_sandbox_check_solution(&box, "hung");
    }
    fil_sandbox_end(&box);

    // off its centre: it turns until the angular spring bears m g arm cos(angle)
    box = fil_sandbox_begin(check, "sap", 1e-3);
    const FilId turned = fil_sandbox_add_cube(&box, size, (FilVec3){arm, 0.0, 0.0});
    def.a = turned;
    def.stiffness = 1e5;
    def.damping = 100.0;
    def.angular_stiffness = 2.0;
    def.angular_damping = 0.1;
    const FilId hinge = fil_sandbox_add_joint(&box, &def);
    fil_sandbox_run(&box, 5000);
    if (!box.failed) {
        const FilVec3 p = fil_sandbox_position(&box, turned);
        const double angle = atan2(-p.z, p.x);
        fil_check_near(check, "angle (rad)", angle, mass * GRAVITY * arm * cos(angle) / def.angular_stiffness, 5e-3);
        fil_check_near(check, "torque (N m)", fabs(fil_joint_torque(box.world, hinge).y), mass * GRAVITY * arm * cos(angle), 5e-3);
        fil_sandbox_check_solution(&box, "turned");
    }
    fil_sandbox_end(&box);
}
