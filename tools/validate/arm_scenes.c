/* P1's scenarios A and B: contact modes, penetration, and the models and solvers against each other. */
#include <math.h>

#include "base/memory.h"
#include "cli.h"
#include "validate/arm.h"

/* A scene of the project's under a contact model; NULL after a failure. */
static FilWorld* load(FilCheck* check, const char* name, const char* model, const FilSetting* settings, int count)
{
    char path[4096];
    FilError error;
    FilWorld* world = NULL;
    const FilSceneOptions options = {.contact_model = model, .settings = settings, .setting_count = count};
    if (!fil_scene_find(name, path, sizeof path, &error) || fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    return world;
}

static double size_of(FilVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static double dot(FilVec3 a, FilVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static FilVec3 tip_of(const FilWorld* world)
{
    FilVec3 position;
    FilQuat orientation;
    fil_arm_tip_pose(world, fil_world_find_arm(world, "arm"), &position, &orientation);
    return position;
}

/* What the contacts that bear load do in one state. */
typedef struct Modes {
    int loaded;
    double min_slip, max_slip;   /* m/s */
    double min_share, max_share; /* friction over mu times the normal force */
} Modes;

static Modes modes_of(const FilWorld* world, double mu)
{
    Modes modes = {.min_slip = INFINITY, .min_share = INFINITY};
    for (int i = 0; i < fil_world_contact_count(world); i++) {
        const FilContactInfo contact = fil_world_contact(world, i);
        const double normal = dot(contact.force, contact.normal), slip = size_of(contact.slip);
        if (fabs(normal) < 1e-3) {  // N: of some 10 N in all
            continue;
        }
        const double along = sqrt(fmax(0.0, dot(contact.force, contact.force) - normal * normal));
        const double share = along / (mu * fabs(normal));
        modes.loaded++;
        modes.min_slip = fmin(modes.min_slip, slip);
        modes.max_slip = fmax(modes.max_slip, slip);
        modes.min_share = fmin(modes.min_share, share);
        modes.max_share = fmax(modes.max_share, share);
    }
    return modes;
}

/* Two worlds in step: how far apart the tips of their arms come. */
typedef struct Race {
    double apart;       /* m, tips */
    double penetration; /* m, of the first */
    int failures;       /* contact problems of the first that were not solved, or by its second method only */
} Race;

static bool run_both(FilCheck* check, FilWorld* first, FilWorld* second, double until, Race* race)
{
    while (fil_world_time(first) < until - 1e-9) {
        FilStepInfo info;
        if (fil_world_step(first, &info) != FIL_OK || fil_world_step(second, NULL) != FIL_OK) {
            fil_check_fail(check, "%s%s", fil_world_error(first), fil_world_error(second));
            return false;
        }
        const FilVec3 a = tip_of(first), b = tip_of(second);
        race->apart = fmax(race->apart, size_of((FilVec3){a.x - b.x, a.y - b.y, a.z - b.z}));
        race->penetration = fmax(race->penetration, info.max_penetration);
        race->failures += info.contact_failures + info.contact_fallbacks;
    }
    return true;
}

static void check_race(FilCheck* check, const Race* race)
{
    fil_check_below(check, "contact problems that Newton's method did not solve", race->failures, 0.0);
    fil_check_below(check, "penetration, m (P1 allows 10 mm)", race->penetration, 1e-3);
    fil_check_below(check, "tip under sap against lcp, m", race->apart, 3e-3);  // required: a few millimetres
}

void fil_check_arm_box(FilCheck* check)
{
    const double mu = 0.8;  // the scene's
    FilWorld* lcp = load(check, "arm_box", "lcp", NULL, 0);
    FilWorld* sap = load(check, "arm_box", "sap", NULL, 0);
    Race race = {0};
    if (lcp != NULL && sap != NULL && run_both(check, lcp, sap, 1.01, &race)) {
        const Modes stuck = modes_of(lcp, mu);
        fil_check_above(check, "contacts that bear load, ramp just begun", stuck.loaded, 1.0);
        fil_check_below(check, "their fastest slip, m/s", stuck.max_slip, 1e-6);
        fil_check_below(check, "their friction over mu f", stuck.max_share, 1.0 + 1e-6);
        if (run_both(check, lcp, sap, 2.0, &race)) {
            // what slides does so with the friction of a pyramid of eight sides: cos(pi/8) to 1 times the cone's
            const Modes sliding = modes_of(lcp, mu);
            fil_check_above(check, "contacts that bear load, 40 N", sliding.loaded, 1.0);
            fil_check_above(check, "their slowest slip, m/s", sliding.min_slip, 0.01);
            fil_check_above(check, "their least friction over mu f", sliding.min_share, cos(0.125 * M_PI) - 1e-6);
            fil_check_below(check, "their most friction over mu f", sliding.max_share, 1.0 + 1e-6);
            check_race(check, &race);
        }
    }
    fil_world_destroy(lcp);
    fil_world_destroy(sap);
}

void fil_check_arm_spheres(FilCheck* check)
{
    FilWorld* lcp = load(check, "arm_spheres", "lcp", NULL, 0);
    FilWorld* sap = load(check, "arm_spheres", "sap", NULL, 0);
    Race race = {0};
    if (lcp != NULL && sap != NULL && run_both(check, lcp, sap, 1.0, &race)) {
        FilVec3 upper, lower, torque;
        fil_world_contact_wrench(lcp, fil_world_find_rigid(lcp, "upper"), &upper, &torque);
        fil_world_contact_wrench(lcp, fil_world_find_rigid(lcp, "lower"), &lower, &torque);
        fil_check_above(check, "force on the upper sphere at 1 s, N", size_of(upper), 1.0);
        fil_check_below(check, "force on the lower one, N", size_of(lower), 0.0);
        if (run_both(check, lcp, sap, 3.0, &race)) {
            fil_world_contact_wrench(lcp, fil_world_find_rigid(lcp, "upper"), &upper, &torque);
            fil_world_contact_wrench(lcp, fil_world_find_rigid(lcp, "lower"), &lower, &torque);
            fil_check_above(check, "force on the upper sphere at 3 s, N", size_of(upper), 1.0);
            fil_check_above(check, "force on the lower one, N", size_of(lower), 1.0);
            check_race(check, &race);
        }
    }
    fil_world_destroy(lcp);
    fil_world_destroy(sap);
}

/* ---- the same step by three solvers ---- */

/* Steps of a scene, one in every `period`, taken by each solver from the same state; returns the largest difference of
 * tip velocities, m/s. */
static double differ(FilCheck* check, const char* scene, double from, double until, int period, int* compared)
{
    static const char* const solvers[] = {"newton", "lemke", "gauss_seidel"};
    FilWorld* worlds[3] = {NULL};
    double worst = 0.0;
    bool good = true;
    for (int k = 0; k < 3; k++) {
        const FilSetting settings[] = {{"world.lcp.solver", solvers[k]},
                                       {"world.lcp.fallback", "false"},
                                       {"world.lcp.regularisation", "false"},
                                       {"world.lcp.max_iterations", "1000"}};
        worlds[k] = load(check, scene, "lcp", settings, 4);
        good = good && worlds[k] != NULL;
    }
    const size_t bytes = good ? fil_world_snapshot_size(worlds[0]) : 0;
    void* snapshot = fil_alloc(bytes, 1);
    good = good && snapshot != NULL;
    for (int step = 0; good && fil_world_time(worlds[0]) < until; step++) {
        const bool compare = step % period == 0 && fil_world_time(worlds[0]) >= from;
        FilVec3 v[3], spin;
        if (compare) {
            fil_world_save(worlds[0], snapshot);
        }
        for (int k = 0; k < (compare ? 3 : 1) && good; k++) {
            good = (k == 0 || fil_world_restore(worlds[k], snapshot, bytes) == FIL_OK) && fil_world_step(worlds[k], NULL) == FIL_OK;
            if (!good) {
                fil_check_fail(check, "%s: %s", solvers[k], fil_world_error(worlds[k]));
                break;
            }
            const FilId arm = fil_world_find_arm(worlds[k], "arm");
            fil_arm_disk_velocity(worlds[k], arm, fil_arm_disk_count(worlds[k], arm) - 1, &v[k], &spin);
        }
        if (compare && good && fil_world_contact_count(worlds[0]) > 0) {
            ++*compared;
            for (int k = 1; k < 3; k++) {
                worst = fmax(worst, size_of((FilVec3){v[k].x - v[0].x, v[k].y - v[0].y, v[k].z - v[0].z}));
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        fil_world_destroy(worlds[k]);
    }
    fil_free(snapshot);
    return worst;
}

void fil_check_arm_solvers(FilCheck* check)
{
    int compared = 0;
    const double box = differ(check, "arm_box", 0.05, 1.4, 100, &compared);
    fil_check_above(check, "steps of scenario A compared", compared, 100.0);
    // solved to 1e-9 m/s; the tip moves up to ten times as fast as the contacts near the base
    fil_check_below(check, "tip velocity by Newton, Lemke and Gauss-Seidel, A, m/s", box, 1e-7);
    compared = 0;
    const double spheres = differ(check, "arm_spheres", 0.05, 2.4, 150, &compared);
    fil_check_above(check, "steps of scenario B compared", compared, 100.0);
    fil_check_below(check, "tip velocity by Newton, Lemke and Gauss-Seidel, B, m/s", spheres, 1e-7);
}
