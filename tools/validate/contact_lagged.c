/* Friction must follow the material, not the list of contacts: what slides from edge to edge rubs as much on fine meshes as on
 * coarse ones. */
#include <math.h>
#include <stdio.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

enum { MAX_NODES = 200 };

static const double RADIUS = 2e-3; /* m */
static const double FRICTION = 0.3;
static const double SPEED = 0.35;     /* m/s */
static const double STEP = 2e-3;      /* s: 0.7 mm travelled in each */
static const double CLEARANCE = 1e-3; /* m, before the upper rod's ends are lowered: ipc's range */
static const double BEND = 2e-3;      /* m: by so much the upper rod is lifted where they cross */

/* A rod of edges as long as `edge` from one point to another. */
static FilId add_straight(FilSandbox* box, FilVec3 from, FilVec3 to, double edge, double* nodes, int* count)
{
    const FilVec3 along = {to.x - from.x, to.y - from.y, to.z - from.z};
    const double length = sqrt(along.x * along.x + along.y * along.y + along.z * along.z);
    const int edges = (int)lround(length / edge);
    for (int i = 0; i <= edges; i++) {
        nodes[3 * i] = from.x + along.x * i / edges;
        nodes[3 * i + 1] = from.y + along.y * i / edges;
        nodes[3 * i + 2] = from.z + along.z * i / edges;
    }
    FilRodDef def = fil_rod_def_default();
    def.nodes = nodes;
    def.node_count = *count = edges + 1;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = RADIUS, .young = 1e8, .poisson = 0.4, .density = 1000.0};
    def.damping_mass = 20.0;
    def.collision.self = false;
    def.collision.surface.friction = FRICTION;
    return fil_sandbox_add_rod(box, &def);
}

/* Friction over normal force of a rod that is drawn along itself under another one, which is held at its ends. */
static double rub(FilCheck* check, const char* model, double edge)
{
    FilSandbox box = fil_sandbox_begin(check, model, STEP);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    double nodes[3 * MAX_NODES];
    int drawn_nodes, held_nodes;
    // edges pass the crossing at places of their own in each mesh
    const FilId drawn = add_straight(&box, (FilVec3){-0.15, 0.0, 0.0}, (FilVec3){0.05, 0.0, 0.0}, edge, nodes, &drawn_nodes);
    const double z = 2.0 * RADIUS + CLEARANCE;
    const FilId held = add_straight(&box, (FilVec3){0.0013, -0.048, z}, (FilVec3){0.0013, 0.052, z}, edge, nodes, &held_nodes);
    static const double times[2] = {0.0, 0.05};
    const double speeds[6] = {0.0, 0.0, 0.0, SPEED, 0.0, 0.0}, depths[6] = {0.0, 0.0, 0.0, 0.0, 0.0, -(CLEARANCE + BEND)};
    FilAttachmentDef all = fil_attachment_def_default(), end = fil_attachment_def_default();
    FilDriveDef draw = fil_drive_def_default(), lower = fil_drive_def_default();
    draw.ramp = lower.ramp = FIL_RAMP_SMOOTH;
    draw.knot_count = lower.knot_count = 2;
    draw.times = lower.times = times;
    all.kind = FIL_ATTACH_PIN;
    all.object = drawn;
    all.count = drawn_nodes;
    end.object = held;
    for (int k = 0; k < 4; k++) {  // places and angles of both ends: else it would roll
        end.kind = k < 2 ? FIL_ATTACH_PIN : FIL_ATTACH_TWIST;
        end.first = k % 2 == 0 ? 0 : -1;
        lower.attachment = fil_sandbox_attach(&box, &end);
        lower.kind = FIL_DRIVE_POSITION;
        lower.values = depths;
        if (k < 2) {
            fil_sandbox_drive(&box, &lower);
        }
    }
    draw.kind = FIL_DRIVE_VELOCITY;
    draw.attachment = fil_sandbox_attach(&box, &all);
    draw.values = speeds;
    fil_sandbox_drive(&box, &draw);
    fil_sandbox_run(&box, 75);  // until it slides steadily
    // 70 mm: whole edges of all meshes
    double friction = 0.0, normal = 0.0;
    for (int k = 0; k < 100 && !box.failed; k++) {
        FilVec3 force, torque;
        fil_sandbox_step(&box);
        fil_world_contact_wrench(box.world, held, &force, &torque);
        friction += force.x;
        normal += force.z;
    }
    fil_sandbox_end(&box);
    return friction / normal;
}

void fil_check_crossed_rods(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "imc", "ipc"};
    for (int m = 0; m < 5; m++) {
        for (double edge = 10e-3; edge > 1e-3; edge *= 0.5) {
            char what[96];
            snprintf(what, sizeof what, "%s: friction / (mu N), edges of %g mm", models[m], 1e3 * edge);
            fil_check_near(check, what, rub(check, models[m], edge) / FRICTION, 1.0, 0.02);
        }
    }
}
