/* An overhand knot is pulled tight: a scene by its name, changed by settings, and the force at one end of the rope. */
#include <filum/filum.h>
#include <stdio.h>

static FilStatus load(FilWorld** world, FilError* error)
{
    const FilSetting settings[] = {{"knot.n", "1"}, {"speed", "1"}};
    const FilSceneOptions options = {.settings = settings, .setting_count = 2};
    char path[4096];
    if (!fil_scene_find("knot_tightening", path, sizeof path, error)) {
        return FIL_BAD_INPUT;
    }
    return fil_scene_load(path, &options, world, NULL, error);
}

int main(void)
{
    FilWorld* world = NULL;
    FilError error;
    if (load(&world, &error) != FIL_OK) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }
    const FilId rope = fil_world_find_rod(world, "rope");
    const FilId right = fil_world_find_attachment(world, "right");
    bool ok = true;
    for (int period = 1; ok && period <= 4; ++period) {
        double force = 0;
        for (int i = 0; ok && i < 800; ++i) {
            ok = fil_world_step(world, NULL) == FIL_OK;
            force += fil_attachment_force(world, right).y / 800; /* its mean: the rope swings as it is pulled */
        }
        double first[3], last[3];
        fil_rod_get_position(world, rope, 0, first);
        fil_rod_get_position(world, rope, fil_rod_node_count(world, rope) - 1, last);
        printf("%.2f s: ends %.3f m apart, pull %.2f N\n", fil_world_time(world), last[1] - first[1], force);
    }
    if (!ok) {
        fprintf(stderr, "%s\n", fil_world_error(world));
    }
    fil_world_destroy(world);
    return !ok;
}
