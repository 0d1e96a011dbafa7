#include "lively.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BEAM_NODES = 14, RING_NODES = 15, CORD_NODES = 6 };

static const FilSection steel_wire = {.shape = FIL_SECTION_CIRCLE, .radius = 2e-3, .young = 1e8, .poisson = 0.3, .density = 2000.0};
static const FilSection flat_bar = {.shape = FIL_SECTION_RECTANGLE, .width = 1e-2, .height = 3e-3, .young = 1e7, .poisson = 0.4, .density = 1200.0};

/* a clamped, twisted, damped bar with a ramped load and a ramped rest curvature */
static void add_beam(FilWorld* world)
{
    double nodes[3 * BEAM_NODES], angles[BEAM_NODES];
    for (int i = 0; i < BEAM_NODES; ++i) {
        nodes[3 * i] = 0.05 * i;
        nodes[3 * i + 1] = 0.02 * sin(0.4 * i);
        nodes[3 * i + 2] = 0.5;
        angles[i] = 0.1 * i;
    }
    FilRodDef def = fil_rod_def_default();
    def.name = "beam";
    def.node_count = BEAM_NODES;
    def.nodes = nodes;
    def.angles = angles;
    def.section = flat_bar;
    def.damping_mass = 0.5;
    def.damping_stiffness = 1e-4;
    FilId rod, clamp, drive;
    assert_int_equal(fil_world_add_rod(world, &def, &rod), FIL_OK);

    FilAttachmentDef attachment = fil_attachment_def_default();
    attachment.name = "clamp";
    attachment.kind = FIL_ATTACH_CLAMP;
    attachment.object = rod;
    assert_int_equal(fil_world_add_attachment(world, &attachment, &clamp), FIL_OK);

    FilDriveDef load = fil_drive_def_default();
    load.name = "load";
    load.kind = FIL_DRIVE_FORCE;
    load.object = rod;
    load.first = -1;
    load.count = 1;
    load.knot_count = 2;
    load.times = (double[]){0.0, 0.05};
    load.values = (double[]){0.0, 0.0, 0.0, 0.05, 0.1, -0.02};
    assert_int_equal(fil_world_add_drive(world, &load, &drive), FIL_OK);

    FilDriveDef curl = fil_drive_def_default();
    curl.name = "curl";
    curl.kind = FIL_DRIVE_CURVATURE;
    curl.object = rod;
    curl.ramp = FIL_RAMP_SMOOTH;
    curl.knot_count = 2;
    curl.times = (double[]){0.02, 0.08};
    curl.values = (double[]){0.0, 0.0, 2.0, 1.0};
    assert_int_equal(fil_world_add_drive(world, &curl, &drive), FIL_OK);

    FilDriveDef shake = fil_drive_def_default();
    shake.name = "shake";
    shake.kind = FIL_DRIVE_POSITION;
    shake.attachment = clamp;
    shake.knot_count = 3;
    shake.times = (double[]){0.0, 0.03, 0.09};
    shake.values = (double[]){0.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, -0.01, 0.02};
    assert_int_equal(fil_world_add_drive(world, &shake, &drive), FIL_OK);
}

/* a ring on a handle */
static void add_ring(FilWorld* world)
{
    double nodes[3 * RING_NODES];
    for (int i = 0; i < RING_NODES; ++i) {
        double a = 2.0 * M_PI * i / RING_NODES;
        nodes[3 * i] = 0.1 * cos(a);
        nodes[3 * i + 1] = 0.1 * sin(a);
        nodes[3 * i + 2] = 0.01 * cos(3.0 * a);
    }
    FilRodDef def = fil_rod_def_default();
    def.name = "ring";
    def.node_count = RING_NODES;
    def.nodes = nodes;
    def.closed = true;
    def.section = steel_wire;
    def.rest_shape = FIL_REST_INITIAL;
    def.drag = 0.01;
    FilId rod, handle;
    assert_int_equal(fil_world_add_rod(world, &def, &rod), FIL_OK);
    FilAttachmentDef attachment = fil_attachment_def_default();
    attachment.name = "handle";
    attachment.kind = FIL_ATTACH_HANDLE;
    attachment.object = rod;
    attachment.first = 3;
    attachment.stiffness = 50.0;
    attachment.damping = 0.1;
    assert_int_equal(fil_world_add_attachment(world, &attachment, &handle), FIL_OK);
}

/* two cords that cross and fall, one pinned */
static void add_cross(FilWorld* world)
{
    double nodes[2][3 * CORD_NODES];
    FilRodDef defs[2];
    for (int c = 0; c < 2; ++c) {
        for (int i = 0; i < CORD_NODES; ++i) {
            nodes[c][3 * i] = c == 0 ? 0.1 * i : 0.2;
            nodes[c][3 * i + 1] = c == 0 ? 0.0 : 0.1 * (i - 2);
            nodes[c][3 * i + 2] = -0.5;
        }
        defs[c] = fil_rod_def_default();
        defs[c].node_count = CORD_NODES;
        defs[c].nodes = nodes[c];
        defs[c].section = steel_wire;
    }
    FilRodJunction junction = {0, 2, 1, 2};
    FilId rods[2], pin;
    assert_int_equal(fil_world_add_rod_network(world, defs, 2, &junction, 1, rods), FIL_OK);
    FilAttachmentDef attachment = fil_attachment_def_default();
    attachment.name = "pin";
    attachment.kind = FIL_ATTACH_PIN;
    attachment.object = rods[0];
    assert_int_equal(fil_world_add_attachment(world, &attachment, &pin), FIL_OK);
}

FilWorld* lively_world(FilIntegrator integrator)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, -9.81};
    def.dt = integrator == FIL_SYMPLECTIC_EULER ? 2e-5 : 1e-3;
    def.integrator = integrator;
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    add_beam(world);
    add_ring(world);
    add_cross(world);
    FilProbeDef probe = fil_probe_def_default();
    FilId id;
    probe.name = "energy";
    probe.quantity = "total_energy";
    assert_int_equal(fil_world_add_probe(world, &probe, &id), FIL_OK);
    return world;
}

void lively_run(FilWorld* world, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
}
