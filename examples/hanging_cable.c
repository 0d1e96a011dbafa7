/* A cable, clamped at one end, falls and swings for a second; where is its tip? */
#include <filum/filum.h>
#include <stdio.h>

int main(void)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error;
    if (fil_world_create(&def, &world, &error) != FIL_OK) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }

    const double nodes[] = {0, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 0.3, 0, 0};
    FilRodDef rod_def = fil_rod_def_default();
    rod_def.node_count = 4;
    rod_def.nodes = nodes;
    rod_def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 2e-3, .young = 1e7, .poisson = 0.5, .density = 1100};
    FilId rod, clamp;
    bool ok = fil_world_add_rod(world, &rod_def, &rod) == FIL_OK;
    if (ok) {
        FilAttachmentDef clamp_def = fil_attachment_def_default();
        clamp_def.kind = FIL_ATTACH_CLAMP;
        clamp_def.object = rod;
        ok = fil_world_add_attachment(world, &clamp_def, &clamp) == FIL_OK;
    }

    for (int i = 0; ok && i < 1000; ++i) {
        ok = fil_world_step(world, NULL) == FIL_OK;
    }
    if (ok) {
        double positions[12];
        fil_rod_get_positions(world, rod, positions);
        printf("tip at %g %g %g m after %g s\n", positions[9], positions[10], positions[11], fil_world_time(world));
    } else {
        fprintf(stderr, "%s\n", fil_world_error(world));
    }
    fil_world_destroy(world);
    return !ok;
}
