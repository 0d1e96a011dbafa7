/* The rival of P0 Fig. 1d: the same knot drawn tight as a rod and as a chain of rigid capsules. The chain keeps its
 * topology, but its springs let it collapse where the rod resists: no peak of the pull, no snap-through, another shape. */
#include <math.h>
#include <stdio.h>

#include "validate/contact.h"
#include "validate/knots.h"

enum { NODES = 301, OUTPUT = 100 /* steps */ };

static const double RADIUS = 1.5e-3;

typedef struct Strand {
    double nodes[3 * NODES]; /* at the end */
    double peak;             /* N, highest pull before 0.5 s, as mean over 10 ms */
    double last_pull;        /* N, likewise at the end */
    double penetration;      /* m */
    double min_determinant, largest_determinant;
} Strand;

static int rope_nodes(const FilWorld* world, double* nodes)
{
    if (fil_world_rod_count(world) > 0) {
        fil_rod_get_positions(world, fil_world_rod_at(world, 0), nodes);
        return NODES;
    }
    // centres of the capsules
    for (int k = 0; k < NODES - 1; k++) {
        char name[32];
        FilVec3 place = {0};
        FilQuat orientation;
        snprintf(name, sizeof name, "rope%d", k);
        fil_rigid_get_pose(world, fil_world_find_rigid(world, name), &place, &orientation);
        nodes[3 * k] = place.x;
        nodes[3 * k + 1] = place.y;
        nodes[3 * k + 2] = place.z;
    }
    return NODES - 1;
}

static void watch(FilWorld* world, double pull, Strand* strand)
{
    const double determinant = fil_knots_determinant(strand->nodes, rope_nodes(world, strand->nodes));
    strand->min_determinant = fmin(strand->min_determinant, determinant);
    strand->largest_determinant = fmax(strand->largest_determinant, determinant);
    strand->last_pull = pull;
    if (fil_world_time(world) < 0.5) {
        strand->peak = fmax(strand->peak, pull);
    }
}

static bool draw_tight(FilCheck* check, const char* scene, Strand* strand)
{
    char path[4096];
    FilError error;
    FilWorld* world = NULL;
    *strand = (Strand){.min_determinant = INFINITY};
    if (!fil_scene_find(scene, path, sizeof path, &error) || fil_scene_load(path, NULL, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return false;
    }
    FilStatus status = FIL_OK;
    double sum = 0.0;
    for (int k = 1; k <= 7000 && status == FIL_OK; k++) {
        FilStepInfo info;
        status = fil_world_step(world, &info);
        sum += fil_world_probe_value(world, 0);  // the scenes list the pull first
        strand->penetration = fmax(strand->penetration, info.max_penetration);
        if (status == FIL_OK && k % OUTPUT == 0) {
            watch(world, sum / OUTPUT, strand);
            sum = 0.0;
        }
    }
    if (status != FIL_OK) {
        fil_check_fail(check, "%s: %s", scene, fil_world_error(world));
    }
    fil_world_destroy(world);
    return status == FIL_OK;
}

/* Root mean square distance of the two, edge by edge. */
static double distance_apart(const Strand* a, const Strand* b)
{
    double sum = 0.0;
    for (int k = 0; k < NODES - 1; k++) {
        for (int c = 0; c < 3; c++) {
            // centres of the rod's edges against those of the capsules
            const double d = 0.5 * (a->nodes[3 * k + c] + a->nodes[3 * k + 3 + c]) - b->nodes[3 * k + c];
            sum += d * d;
        }
    }
    return sqrt(sum / (NODES - 1));
}

void fil_check_capsule_chain(FilCheck* check)
{
    Strand rod, chain;
    if (!draw_tight(check, "knot_tightening", &rod) || !draw_tight(check, "capsule_chain", &chain)) {
        return;
    }
    fil_check_near(check, "chain: least determinant", chain.min_determinant, 9.0, 1e-6);
    fil_check_near(check, "chain: largest determinant", chain.largest_determinant, 9.0, 1e-6);
    fil_check_below(check, "chain: penetration / radius", chain.penetration / RADIUS, 0.05);
    fil_check_below(check, "highest pull before 0.5 s, chain / rod", chain.peak / rod.peak, 0.5);
    fil_check_below(check, "pull at the end, chain / rod", chain.last_pull / rod.last_pull, 0.5);
    fil_check_above(check, "distance of the two shapes / diameter", distance_apart(&rod, &chain) / (2.0 * RADIUS), 1.0);
}
