/* Making worlds, and the settings that may change while running. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "world/sleep.h"
#include "world/world.h"

FilWorldDef fil_world_def_default(void)
{
    // dt: P0 sec. V asks for 1 ms or less. newton_tolerance: the tip of cantilever is the same to 1e-9 m with 1e-9, and 7e-8 m off with 1e-4.
    // Iterations, halvings (2^8 parts), contacts and the speed of sleepers: chosen; the first three are bounds, beyond which a step fails
    return (FilWorldDef){.gravity = {0.0, 0.0, -9.81},
                         .dt = 1e-3,
                         .integrator = FIL_BACKWARD_EULER,
                         .friction = -1.0,
                         .newton_tolerance = 1e-6,
                         .newton_max_iterations = 50,
                         .max_halvings = 8,
                         .max_contacts = 100000,
                         .sleep_speed = 1e-3,
                         .threads = 1};
}

int fil_contact_model_count(void)
{
    return fil_contact_models_count;
}

const char* fil_contact_model_name(int index)
{
    return index >= 0 && index < fil_contact_model_count() ? fil_contact_models[index].name : NULL;
}

/* Names of integrators, as scenes write them. */
static const char* const integrator_names[] = {
    [FIL_BACKWARD_EULER] = "backward_euler",
    [FIL_MIDPOINT] = "midpoint",
    [FIL_SYMPLECTIC_EULER] = "symplectic_euler",
    [FIL_SDIRK2] = "sdirk2",
};

static FilStatus check_integrator(const FilWorldDef* def, const FilContactModel* model, FilError* error)
{
    if ((model->integrators >> def->integrator & 1u) != 0) {
        return FIL_OK;
    }
    char fits[96] = "";
    for (int k = 0; k <= FIL_SDIRK2; k++) {
        if ((model->integrators >> k & 1u) != 0) {
            strncat(fits, fits[0] != '\0' ? ", " : "", sizeof fits - strlen(fits) - 1);
            strncat(fits, integrator_names[k], sizeof fits - strlen(fits) - 1);
        }
    }
    return fil_error(error, FIL_BAD_INPUT, "world: contact model '%s' does not go with integrator %s, only with %s", model->name,
                     integrator_names[def->integrator], fits);
}

static FilStatus check_sleep(const FilWorldDef* def, const FilContactModel* model, FilError* error)
{
    if (!(def->sleep_time >= 0.0 && isfinite(def->sleep_time)) || !(def->sleep_speed > 0.0 && isfinite(def->sleep_speed))) {
        return fil_error(error, FIL_BAD_INPUT, "world: sleep needs a time that is not negative, not %g s, and a positive speed, not %g m/s",
                         def->sleep_time, def->sleep_speed);
    }
    // barriers and penalties find their contacts themselves, and have no islands
    return def->sleep_time == 0.0 || (model->contacts && !model->coupled)
               ? FIL_OK
               : fil_error(error, FIL_BAD_INPUT, "world: bodies sleep under contact models sap, sap_lagged and lcp, not under '%s'", model->name);
}

static FilStatus check_def(const FilWorldDef* def, FilError* error)
{
    if (!(isfinite(def->dt) && def->dt > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "world: dt must be a positive number of seconds, not %g", def->dt);
    }
    if (!isfinite(def->gravity.x) || !isfinite(def->gravity.y) || !isfinite(def->gravity.z)) {
        return fil_error(error, FIL_BAD_INPUT, "world: gravity is not finite");
    }
    if (!isfinite(def->friction)) {
        return fil_error(error, FIL_BAD_INPUT, "world: friction is not finite");
    }
    if ((unsigned)def->integrator > FIL_SDIRK2) {
        return fil_error(error, FIL_BAD_INPUT, "world: unknown integrator %d", (int)def->integrator);
    }
    if (!(def->euler_dt >= 0.0 && isfinite(def->euler_dt))) {
        return fil_error(error, FIL_BAD_INPUT, "world: euler_dt must not be negative, and finite, not %g", def->euler_dt);
    }
    if (!(def->accuracy >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "world: accuracy must not be negative, and is %g", def->accuracy);
    }
    if (!(def->newton_tolerance > 0.0 && def->newton_tolerance < 1.0)) {
        return fil_error(error, FIL_BAD_INPUT, "world: newton_tolerance must lie between 0 and 1, not %g", def->newton_tolerance);
    }
    if (def->newton_max_iterations < 1) {
        return fil_error(error, FIL_BAD_INPUT, "world: newton_max_iterations must be at least 1, not %d", def->newton_max_iterations);
    }
    // 2^-40 of a step is a trillionth: beyond it times of parts of a step would be rounded away from each other
    if (def->max_halvings < 0 || def->max_halvings > 40) {
        return fil_error(error, FIL_BAD_INPUT, "world: max_halvings must lie between 0 and 40, not %d", def->max_halvings);
    }
    if (!(def->max_depth >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "world: max_depth must not be negative, got %g", def->max_depth);
    }
    if (def->max_contacts < 1 || def->max_contacts > FIL_MAX_CONTACTS) {
        return fil_error(error, FIL_BAD_INPUT, "world: max_contacts must lie between 1 and %d, not %d", FIL_MAX_CONTACTS, def->max_contacts);
    }
    if (def->linearisation != FIL_ABOUT_MOTION && def->linearisation != FIL_ABOUT_START) {
        return fil_error(error, FIL_BAD_INPUT, "world: linearisation is none of FilLinearisation, %d", (int)def->linearisation);
    }
    if (def->relinearisations < 0) {
        return fil_error(error, FIL_BAD_INPUT, "world: relinearisations must not be negative");
    }
    if (def->adaptive_iterations != 0 && def->adaptive_iterations < 2) {
        return fil_error(error, FIL_BAD_INPUT, "world: adaptive_iterations must be 0, for steps of equal size, or at least 2, not %d",
                         def->adaptive_iterations);
    }
    if (def->threads < 0 || def->threads > FIL_WORKERS_MAX) {
        return fil_error(error, FIL_BAD_INPUT, "world: threads must lie between 0, one for each processor, and %d, not %d", FIL_WORKERS_MAX,
                         def->threads);
    }
    const int index = fil_contact_model_find(def->contact_model);
    if (index < 0) {
        return fil_error(error, FIL_BAD_INPUT, "world: unknown contact model '%s'", def->contact_model);
    }
    const FilStatus status = check_sleep(def, &fil_contact_models[index], error);
    return status == FIL_OK ? check_integrator(def, &fil_contact_models[index], error) : status;
}

/* The definition in force: where collision and the solver look. */
static void apply_def(FilWorld* world, const FilWorldDef* def)
{
    FilSolver* solver = &world->solver;
    world->def = *def;
    solver->model = &fil_contact_models[fil_contact_model_find(def->contact_model)];
    world->def.contact_model = solver->model->name;
    solver->settings.dt = def->dt;
    fil_v3_set(solver->settings.gravity, def->gravity.x, def->gravity.y, def->gravity.z);
    solver->settings.newton_tolerance = def->newton_tolerance;
    solver->settings.newton_max_iterations = def->newton_max_iterations;
    solver->settings.linearisation = def->linearisation;
    solver->settings.relinearisations = def->relinearisations;
    solver->settings.max_depth = def->max_depth;
    solver->settings.check_nonlinear = def->check_nonlinear;
    world->collision.friction = def->friction;
    world->collision.max_contacts = def->max_contacts;
}

/* As many workers as the definition asks for, in the place of the old ones. */
static FilStatus start_workers(FilWorld* world)
{
    FilSystem* system = &world->system;
    const int asked = world->def.threads, wanted = asked > 0 ? asked : fil_workers_processors();
    if (fil_workers_count(system->workers) == wanted) {
        return FIL_OK;
    }
    fil_workers_destroy(system->workers);
    system->workers = fil_workers_create(wanted);
    const int count = fil_workers_count(system->workers);
    return count == wanted
               ? FIL_OK
               : fil_world_fail(world, FIL_OUT_OF_MEMORY, "world: the system gives only %d of %d threads; steps go on with these", count, wanted);
}

/* A number of this world and no other, not even of one that stood at the same address before. */
static uint32_t new_generation(const FilWorld* world)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t origin[] = {(uint64_t)(uintptr_t)world, (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec};
    return (uint32_t)fil_hash_bytes(FIL_HASH_SEED, origin, sizeof origin) & FIL_GENERATION_MASK;
}

FilStatus fil_world_create(const FilWorldDef* def, FilWorld** out, FilError* error)
{
    if (def == NULL || out == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "world: needs a definition and a place to put it");
    }
    *out = NULL;
    const FilStatus status = check_def(def, error);
    if (status != FIL_OK) {
        return status;
    }
    FilWorld* world = fil_alloc(1, sizeof *world);
    FilError* text = fil_alloc(1, sizeof *text);
    if (world == NULL || text == NULL) {
        fil_free(world);
        fil_free(text);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    world->error = text;
    world->collision.system = &world->system;
    world->solver.system = &world->system;
    world->solver.collision = &world->collision;
    world->solver.error = text;
    world->solver.watch = world->collision.watch = &world->watch;
    world->solver.settings.model = fil_model_settings_default();
    world->generation = new_generation(world);
    apply_def(world, def);
    if (fil_system_begin(&world->system) != FIL_OK || fil_system_add_memory(&world->system, FIL_POTENTIAL_MEMORY, &world->solver.memory) != FIL_OK) {
        fil_world_destroy(world);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    (void)start_workers(world);  // it can do without
    *out = world;
    return FIL_OK;
}

void fil_world_destroy(FilWorld* world)
{
    if (world == NULL) {
        return;
    }
    fil_workers_destroy(world->system.workers);
    for (int e = 0; e < world->object_count; e++) {
        FilObject* object = &world->objects[e];
        fil_free(object->name);
        for (int v = 0; v < object->visual_count; v++) {
            fil_free((void*)(uintptr_t)object->visuals[v].shape.points);
            fil_free((void*)(uintptr_t)object->visuals[v].shape.triangles);
        }
        fil_free(object->visuals);
    }
    for (int a = 0; a < world->attachment_count; a++) {
        fil_free(world->attachments[a].name);
    }
    for (int d = 0; d < world->drive_count; d++) {
        fil_free(world->drives[d].name);
        fil_free(world->drives[d].times);
        fil_free(world->drives[d].values);
    }
    for (int p = 0; p < world->probe_count; p++) {
        fil_free(world->probes[p].name);
    }
    for (int r = 0; r < world->robot_count; r++) {
        fil_free(world->robots[r].name);
    }
    fil_system_free(&world->system);
    fil_arena_free(&world->arena);
    fil_collision_free(&world->collision);
    fil_sleep_free(&world->sleep);
    fil_solver_free(&world->solver);
    fil_free(world->objects);
    fil_free(world->attachments);
    fil_free(world->drives);
    fil_free(world->probes);
    fil_free(world->robots);
    fil_free(world->error);
    fil_free(world);
}

/* ---- settings ---- */

double fil_world_time(const FilWorld* world)
{
    return world->time;
}

uint64_t fil_world_step_count(const FilWorld* world)
{
    return world->step;
}

double fil_world_dt(const FilWorld* world)
{
    return world->def.dt;
}

FilVec3 fil_world_gravity(const FilWorld* world)
{
    return world->def.gravity;
}

double fil_world_friction(const FilWorld* world)
{
    return world->def.friction;
}

FilIntegrator fil_world_integrator(const FilWorld* world)
{
    return world->def.integrator;
}

const char* fil_world_contact_model(const FilWorld* world)
{
    return world->def.contact_model;
}

/* Takes a changed definition if it is sound. */
static FilStatus change(FilWorld* world, FilWorldDef def)
{
    const FilStatus status = check_def(&def, world->error);
    if (status == FIL_OK) {
        apply_def(world, &def);
        fil_sleep_wake_all(world);
    }
    return status;
}

FilStatus fil_world_set_dt(FilWorld* world, double dt)
{
    FilWorldDef def = world->def;
    def.dt = dt;
    const FilStatus status = change(world, def);
    if (status == FIL_OK) {
        world->clock.time = world->time;
        world->clock.step = world->step;
    }
    return status;
}

FilStatus fil_world_set_gravity(FilWorld* world, FilVec3 gravity)
{
    FilWorldDef def = world->def;
    def.gravity = gravity;
    return change(world, def);
}

FilStatus fil_world_set_friction(FilWorld* world, double friction)
{
    FilWorldDef def = world->def;
    def.friction = friction;
    return change(world, def);
}

FilStatus fil_world_set_integrator(FilWorld* world, FilIntegrator integrator)
{
    FilWorldDef def = world->def;
    def.integrator = integrator;
    return change(world, def);
}

int fil_world_threads(const FilWorld* world)
{
    return fil_workers_count(world->system.workers);
}

int fil_world_threads_asked(const FilWorld* world)
{
    return world->def.threads;
}

FilStatus fil_world_set_threads(FilWorld* world, int threads)
{
    FilWorldDef def = world->def;
    def.threads = threads;
    const FilStatus status = change(world, def);
    return status == FIL_OK ? start_workers(world) : status;
}

void fil_world_set_stop(FilWorld* world, bool (*stop)(void* context), void* context)
{
    world->watch.stop = stop;
    world->watch.context = context;
}

FilStatus fil_world_set_time_limit(FilWorld* world, double seconds)
{
    if (!(isfinite(seconds) && seconds >= 0.0)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the time limit of a step is %g s: it must be finite and not negative", seconds);
    }
    world->watch.limit = seconds;
    return FIL_OK;
}

void fil_world_set_memory_limit(FilWorld* world, size_t bytes, size_t used)
{
    world->budget = (FilMemoryBudget){.limit = bytes, .used = used};
}

double fil_world_time_limit(const FilWorld* world)
{
    return world->watch.limit;
}

FilStatus fil_world_set_contact_model(FilWorld* world, const char* name)
{
    const FilWorldDef old = world->def;
    FilWorldDef def = old;
    def.contact_model = name;
    FilStatus status = change(world, def);
    if (status == FIL_OK && (status = fil_world_check(world)) != FIL_OK) {
        apply_def(world, &old);
    }
    return status;
}

/* ---- settings of contact models ---- */

/* Takes changed settings if the model that they are of finds them sound. */
static FilStatus change_model(FilWorld* world, const char* model, const FilModelSettings* settings)
{
    const FilStatus status = fil_contact_models[fil_contact_model_find(model)].check(settings, world->error);
    if (status == FIL_OK) {
        world->solver.settings.model = *settings;
        world->suitable.model = NULL;
        fil_sleep_wake_all(world);
    }
    return status;
}

/* Takes settings of one model, which lie at `offset` among those of all. */
static FilStatus change_settings(FilWorld* world, const char* model, const void* settings, size_t offset, size_t size)
{
    FilModelSettings changed = world->solver.settings.model;
    if (settings == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "%s: the settings are missing", model);
    }
    memcpy((char*)&changed + offset, settings, size);
    return change_model(world, model, &changed);
}

FilSapSettings fil_world_sap_settings(const FilWorld* world)
{
    return world->solver.settings.model.sap;
}

FilStatus fil_world_set_sap_settings(FilWorld* world, const FilSapSettings* settings)
{
    return change_settings(world, "sap", settings, offsetof(FilModelSettings, sap), sizeof *settings);
}

FilLcpSettings fil_world_lcp_settings(const FilWorld* world)
{
    return world->solver.settings.model.lcp;
}

FilStatus fil_world_set_lcp_settings(FilWorld* world, const FilLcpSettings* settings)
{
    return change_settings(world, "lcp", settings, offsetof(FilModelSettings, lcp), sizeof *settings);
}

FilImcSettings fil_world_imc_settings(const FilWorld* world)
{
    return world->solver.settings.model.imc;
}

FilStatus fil_world_set_imc_settings(FilWorld* world, const FilImcSettings* settings)
{
    return change_settings(world, "imc", settings, offsetof(FilModelSettings, imc), sizeof *settings);
}

FilIpcSettings fil_world_ipc_settings(const FilWorld* world)
{
    return world->solver.settings.model.ipc;
}

FilStatus fil_world_set_ipc_settings(FilWorld* world, const FilIpcSettings* settings)
{
    return change_settings(world, "ipc", settings, offsetof(FilModelSettings, ipc), sizeof *settings);
}
