/* Three rings slide on a cable between two pins, which sags under them, until friction stops them near its lowest point. */
#include <filum/filum.h>
#include <math.h>
#include <stdio.h>

enum { NODES = 31, RINGS = 3 };

/* A parabola of 1 m span and 0.15 m sag. */
static double height(double x)
{
    return 0.6 * x * (x - 1);
}

static FilStatus add_cable(FilWorld* world, FilId* cable)
{
    double nodes[3 * NODES] = {0};
    for (int i = 0; i < NODES; ++i) {
        nodes[3 * i] = i / (NODES - 1.0);
        nodes[3 * i + 2] = height(nodes[3 * i]);
    }
    FilRodDef def = fil_rod_def_default();
    def.name = "cable";
    def.node_count = NODES;
    def.nodes = nodes;
    def.rest_shape = FIL_REST_INITIAL;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 2e-3, .young = 1e8, .poisson = 0.3, .density = 1000};
    def.damping_stiffness = 0.01;
    return fil_world_add_rod(world, &def, cable);
}

static FilStatus pin(FilWorld* world, FilId cable, int node)
{
    FilAttachmentDef def = fil_attachment_def_default();
    def.kind = FIL_ATTACH_PIN;
    def.object = cable;
    def.first = node;
    FilId attachment;
    return fil_world_add_attachment(world, &def, &attachment);
}

static FilStatus add_ring(FilWorld* world, FilId cable, double x, FilId* ring)
{
    FilRingDef def = fil_ring_def_default();
    def.rods = &cable;
    def.rod_count = 1;
    def.mass = 0.02;
    def.position = (FilVec3){x, 0, height(x)};
    def.range = 0.01;
    def.stiffness = 100;
    def.friction = 0.1;
    return fil_world_add_ring(world, &def, ring);
}

int main(void)
{
    FilWorldDef def = fil_world_def_default();
    def.contact_model = "ipc"; /* rings are its barriers */
    FilWorld* world = NULL;
    if (fil_world_create(&def, &world, NULL) != FIL_OK) {
        return 1;
    }
    FilId cable, rings[RINGS];
    bool ok = add_cable(world, &cable) == FIL_OK && pin(world, cable, 0) == FIL_OK && pin(world, cable, -1) == FIL_OK;
    for (int k = 0; ok && k < RINGS; ++k) {
        ok = add_ring(world, cable, 0.1 + 0.1 * k, &rings[k]) == FIL_OK;
    }
    for (int i = 0; ok && i < 2000; ++i) {
        ok = fil_world_step(world, NULL) == FIL_OK;
    }
    for (int k = 0; ok && k < RINGS; ++k) {
        printf("ring %d is %.3f m along the cable and presses on it with %.2f N\n", k, fil_ring_travel(world, rings[k]),
               fil_ring_force(world, rings[k]));
    }
    if (!ok) {
        fprintf(stderr, "%s\n", fil_world_error(world));
    }
    fil_world_destroy(world);
    return !ok;
}
