/* Making worlds, registering what is in them, and the settings that may change while running. */
#include "world/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "contact/imc.h"

FilWorldDef fil_world_def_default(void)
{
    return (FilWorldDef){.gravity = {0.0, 0.0, -9.81},
                         .dt = 1e-3,
                         .integrator = FIL_BACKWARD_EULER,
                         .friction = -1.0,
                         .newton_tolerance = 1e-6,
                         .newton_max_iterations = 50,
                         .max_halvings = 8,
                         .contact_tolerance = 1e-6,
                         .contact_max_iterations = 100,
                         .lcp = fil_lcp_settings_default(),
                         .imc = fil_imc_settings_default(),
                         .ipc = fil_ipc_settings_default()};
}

int fil_contact_model_count(void)
{
    return fil_contact_models_count;
}

const char* fil_contact_model_name(int index)
{
    return index >= 0 && index < fil_contact_model_count() ? fil_contact_models[index].name : NULL;
}

static int find_contact_model(const char* name)
{
    for (int k = 0; k < fil_contact_model_count(); k++) {
        if (name == NULL || strcmp(fil_contact_models[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
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
        return fil_error(error, FIL_BAD_INPUT, "world: newton_tolerance must lie between 0 and 1, not %g",
                         def->newton_tolerance);
    }
    if (def->newton_max_iterations < 1) {
        return fil_error(error, FIL_BAD_INPUT, "world: newton_max_iterations must be at least 1, not %d",
                         def->newton_max_iterations);
    }
    if (def->max_halvings < 0 || def->max_halvings > 40) {
        return fil_error(error, FIL_BAD_INPUT, "world: max_halvings must lie between 0 and 40, not %d", def->max_halvings);
    }
    const int model = find_contact_model(def->contact_model);
    if (model < 0) {
        return fil_error(error, FIL_BAD_INPUT, "world: unknown contact model '%s'", def->contact_model);
    }
    const FilPotentialModel* potential = fil_contact_models[model].potential;
    const bool forces = fil_contact_models[model].contacts || potential != NULL, field = potential != NULL && potential->field != NULL;
    if (forces && (def->integrator == FIL_MIDPOINT || (def->integrator == FIL_SDIRK2 && !field))) {
        return fil_error(error, FIL_BAD_INPUT, "world: contact model '%s' needs backward or symplectic Euler, not %s",
                         def->contact_model, def->integrator == FIL_MIDPOINT ? "midpoint" : "sdirk2");
    }
    if (!(def->contact_tolerance > 0.0 && def->contact_tolerance < 1.0) || def->contact_max_iterations < 1 ||
        def->relinearisations < 0) {
        return fil_error(error, FIL_BAD_INPUT, "world: contact_tolerance must lie between 0 and 1, contact_max_iterations must "
                         "be positive and relinearisations not negative");
    }
    const char* problem = fil_imc_settings_problem(&def->imc);
    return problem == NULL ? fil_lcp_settings_check(&def->lcp, error)
                           : fil_error(error, FIL_BAD_INPUT, "world: imc: %s", problem);
}

FilStatus fil_world_create(const FilWorldDef* def, FilWorld** out, FilError* error)
{
    *out = NULL;
    const FilStatus status = check_def(def, error);
    if (status != FIL_OK) {
        return status;
    }
    FilWorld* world = fil_alloc(1, sizeof *world);
    if (world == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    world->def = *def;
    world->contact_model = find_contact_model(def->contact_model);
    world->def.contact_model = fil_contact_models[world->contact_model].name;
    // of this world and no other, not even of one that stood at the same address before
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t origin[] = {(uint64_t)(uintptr_t)world, (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec};
    world->generation = (uint32_t)fil_hash_bytes(FIL_HASH_SEED, origin, sizeof origin) & ~UINT32_C(7);
    if (fil_world_add_memory(world, FIL_POTENTIAL_MEMORY, &world->memory) != FIL_OK) {
        fil_world_destroy(world);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    *out = world;
    return FIL_OK;
}

static FilState* states_of(FilWorld* world, int which)
{
    FilState* states[] = {&world->state, &world->next, &world->initial, &world->saved, &world->origin, &world->middle};
    return states[which];
}

enum { STATE_COUNT = 6 };

void fil_world_destroy(FilWorld* world)
{
    if (world == NULL) {
        return;
    }
    for (int b = 0; b < world->body_count; b++) {
        world->bodies[b].ops->destroy(world->bodies[b].impl);
        fil_free(world->bodies[b].name);
    }
    for (int e = 0; e < world->object_count; e++) {
        fil_free(world->objects[e].name);
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
    for (int s = 0; s < STATE_COUNT; s++) {
        FilState* state = states_of(world, s);
        fil_free(state->q);
        fil_free(state->v);
        fil_free(state->h);
        fil_free(state->change);
        fil_free(state->controls);
    }
    double* scratch[] = {world->scratch.residual, world->scratch.direction, world->scratch.trial,
                         world->scratch.weight,   world->scratch.scale,     world->scratch.solution};
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++) {
        fil_free(scratch[k]);
    }
    fil_arena_free(&world->arena);
    fil_collision_free(&world->collision);
    fil_contact_stage_free(&world->contact);
    fil_potential_stage_free(&world->potential);
    fil_ipc_field_free(&world->ipc);
    fil_free(world->takes_part);
    fil_free(world->bodies);
    fil_free(world->objects);
    fil_free(world->attachments);
    fil_free(world->drives);
    fil_free(world->probes);
    fil_free(world->robots);
    fil_free(world);
}

FilStatus fil_world_fail(FilWorld* world, FilStatus status, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(world->error.text, sizeof world->error.text, format, arguments);
    va_end(arguments);
    return status;
}

FilStatus fil_world_set_error(FilWorld* world, FilStatus status, const char* text)
{
    return fil_world_fail(world, status, "%s", text);
}

const char* fil_world_error(const FilWorld* world)
{
    return world->error.text;
}

/* ---- ids and names ---- */

FilId fil_make_id(const FilWorld* world, FilIdClass kind, int index)
{
    return (FilId){(uint32_t)index + 1, world->generation | (uint32_t)kind};
}

int fil_id_index(const FilWorld* world, FilIdClass kind, FilId id)
{
    const int counts[] = {0, world->object_count, world->attachment_count, world->drive_count, world->probe_count,
                          world->contact.joint_count, world->robot_count};
    const bool known = id.generation == (world->generation | (uint32_t)kind) && id.index >= 1 &&
                       id.index <= (uint32_t)counts[kind];
    return known ? (int)id.index - 1 : -1;
}

char* fil_world_new_name(FilWorld* world, const char* name, const char* prefix, int number, FilFinder* find)
{
    char made[64];
    do {
        snprintf(made, sizeof made, "%s%d", prefix, number++);
    } while (name == NULL && find(world, made).index != 0);
    if (name != NULL && find(world, name).index != 0) {
        fil_world_fail(world, FIL_BAD_INPUT, "there is already a %s named '%s'", prefix, name);
        return NULL;
    }
    if (name != NULL && name[0] == '\0') {
        fil_world_fail(world, FIL_BAD_INPUT, "a %s's name must not be empty", prefix);
        return NULL;
    }
    char* copy = fil_strdup(name != NULL ? name : made);
    if (copy == NULL) {
        fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    return copy;
}

/* ---- growing ---- */

FilStatus fil_world_reserve(FilWorld* world, void** array, int count, int* capacity, size_t size)
{
    if (count < *capacity) {
        return FIL_OK;
    }
    const int wanted = 2 * *capacity + 8;
    if (!fil_grow(array, (size_t)*capacity, (size_t)wanted, size)) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    *capacity = wanted;
    return FIL_OK;
}

static bool grow_doubles(double** array, int old_count, int new_count)
{
    return fil_grow((void**)array, (size_t)old_count, (size_t)new_count, sizeof(double)) != 0;
}

FilStatus fil_world_grow_controls(FilWorld* world, int attachments, int drives)
{
    const int old_attachments = FIL_CONTROL_SIZE * world->attachment_count;
    const int old_count = old_attachments + FIL_CONTROL_SIZE * world->drive_count;
    const int added = FIL_CONTROL_SIZE * (attachments + drives);
    for (int s = 0; s < STATE_COUNT; s++) {
        FilState* state = states_of(world, s);
        if (!grow_doubles(&state->controls, old_count, old_count + added)) {
            return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
        }
        if (attachments > 0) { // drives stand behind attachments
            double* at = state->controls + old_attachments;
            memmove(at + FIL_CONTROL_SIZE * attachments, at, sizeof(double) * (size_t)(old_count - old_attachments));
            memset(at, 0, sizeof(double) * (size_t)(FIL_CONTROL_SIZE * attachments));
        }
    }
    return FIL_OK;
}

FilStatus fil_world_add_memory(FilWorld* world, int count, int* first)
{
    const int rounded = (count + 7) / 8 * 8; // histories of bodies stay aligned
    for (int s = 0; s < STATE_COUNT; s++) {
        FilState* state = states_of(world, s);
        if (!grow_doubles(&state->h, world->h_count, world->h_count + rounded)) {
            return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
        }
    }
    *first = world->h_count;
    world->h_count += rounded;
    return FIL_OK;
}

FilStatus fil_world_add_body(FilWorld* world, FilBodyKind kind, void* impl, int q_count, int v_count, int h_count,
                             const char* name, int* index)
{
    FilBody body = {.ops = fil_body_kinds[kind], .impl = impl, .q = world->q_count, .q_count = q_count, .v = world->v_count,
                    .v_count = v_count, .h = world->h_count, .h_count = h_count, .moves = fil_body_kinds[kind]->dofs(impl) > 0};
    FilStatus status =
        fil_world_reserve(world, (void**)&world->bodies, world->body_count, &world->body_capacity, sizeof body);
    body.name = status == FIL_OK ? fil_strdup(name) : NULL;
    bool ok = body.name != NULL;
    for (int s = 0; s < STATE_COUNT && ok; s++) {
        FilState* state = states_of(world, s);
        ok = grow_doubles(&state->q, world->q_count, world->q_count + q_count) &&
             grow_doubles(&state->v, world->v_count, world->v_count + v_count) &&
             grow_doubles(&state->change, world->v_count, world->v_count + v_count) &&
             grow_doubles(&state->h, world->h_count, world->h_count + h_count);
    }
    double** scratch[] = {&world->scratch.residual, &world->scratch.direction, &world->scratch.trial,
                          &world->scratch.weight,   &world->scratch.scale,     &world->scratch.solution};
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0] && ok; k++) {
        ok = grow_doubles(scratch[k], world->v_count, world->v_count + v_count);
    }
    ok = ok && fil_grow((void**)&world->takes_part, (size_t)world->body_count, (size_t)world->body_count + 1, sizeof(bool));
    if (!ok) {
        body.ops->destroy(impl);
        fil_free(body.name);
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int s = 0; s < STATE_COUNT; s++) {
        FilState* state = states_of(world, s);
        body.ops->init_state(impl, state->q + body.q, state->v + body.v, state->h + body.h);
    }
    world->q_count += q_count;
    world->v_count += v_count;
    world->h_count += h_count;
    world->bodies[world->body_count] = body;
    *index = world->body_count++;
    return FIL_OK;
}

FilStatus fil_world_add_object(FilWorld* world, const char* name, FilBodyKind kind, int body, int local, int* index)
{
    const FilStatus status = fil_world_reserve(world, (void**)&world->objects, world->object_count,
                                               &world->object_capacity, sizeof *world->objects);
    if (status != FIL_OK) {
        return status;
    }
    char* copy = fil_strdup(name);
    if (copy == NULL) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    world->objects[world->object_count] = (FilObject){copy, kind, body, local};
    *index = world->object_count++;
    return FIL_OK;
}

int fil_world_find_object(const FilWorld* world, const char* name)
{
    for (int e = 0; e < world->object_count; e++) {
        if (strcmp(world->objects[e].name, name) == 0) {
            return e;
        }
    }
    return -1;
}

int fil_kind_index(const FilWorld* world, FilBodyKind kind, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_OBJECT, id);
    return index >= 0 && world->objects[index].kind == kind ? index : -1;
}

FilId fil_kind_find(const FilWorld* world, FilBodyKind kind, const char* name)
{
    const int index = fil_world_find_object(world, name);
    const bool found = index >= 0 && world->objects[index].kind == kind;
    return found ? fil_make_id(world, FIL_ID_OBJECT, index) : (FilId){0};
}

const char* fil_kind_name(const FilWorld* world, FilBodyKind kind, FilId id)
{
    const int index = fil_kind_index(world, kind, id);
    return index < 0 ? NULL : world->objects[index].name;
}

const FilBody* fil_kind_body(const FilWorld* world, FilBodyKind kind, FilId id)
{
    const int index = fil_kind_index(world, kind, id);
    return index < 0 ? NULL : &world->bodies[world->objects[index].body];
}

FilId fil_kind_at(const FilWorld* world, FilBodyKind kind, int k)
{
    for (int e = 0; e < world->object_count; e++) {
        if (world->objects[e].kind == kind && k-- == 0) {
            return fil_make_id(world, FIL_ID_OBJECT, e);
        }
    }
    return (FilId){0};
}

int fil_kind_count(const FilWorld* world, FilBodyKind kind)
{
    int count = 0;
    for (int e = 0; e < world->object_count; e++) {
        count += world->objects[e].kind == kind;
    }
    return count;
}

int fil_world_object_count(const FilWorld* world)
{
    return world->object_count;
}

FilId fil_world_object_at(const FilWorld* world, int index)
{
    return index >= 0 && index < world->object_count ? fil_make_id(world, FIL_ID_OBJECT, index) : (FilId){0};
}

const char* fil_object_name(const FilWorld* world, FilId thing)
{
    const int index = fil_id_index(world, FIL_ID_OBJECT, thing);
    return index < 0 ? NULL : world->objects[index].name;
}

FilStatus fil_world_name_object(FilWorld* world, const char* given, const char* prefix, char made[64], const char** name)
{
    *name = given;
    if (given == NULL) {
        int number = world->object_count + 1;
        do {
            snprintf(made, 64, "%s%d", prefix, number++);
        } while (fil_world_find_object(world, made) >= 0);
        *name = made;
    } else if (given[0] == '\0') {
        return fil_world_fail(world, FIL_BAD_INPUT, "a %s's name must not be empty", prefix);
    } else if (fil_world_find_object(world, given) >= 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "there is already a rod or rigid body named '%s'", given);
    }
    return FIL_OK;
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
    const FilStatus status = check_def(&def, &world->error);
    if (status == FIL_OK) {
        world->def = def;
        world->contact_model = find_contact_model(def.contact_model);
        world->def.contact_model = fil_contact_models[world->contact_model].name;
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

FilStatus fil_world_set_contact_model(FilWorld* world, const char* name)
{
    FilWorldDef def = world->def;
    def.contact_model = name;
    return change(world, def);
}

int fil_world_body_count(const FilWorld* world)
{
    return world->body_count;
}

const char* fil_world_body_name(const FilWorld* world, int body)
{
    return world->bodies[body].name;
}

const char* fil_world_body_kind(const FilWorld* world, int body)
{
    return world->bodies[body].ops->kind;
}

int fil_world_body_dofs(const FilWorld* world, int body)
{
    return world->bodies[body].ops->dofs(world->bodies[body].impl);
}

int fil_world_dofs(const FilWorld* world)
{
    int count = 0;
    for (int b = 0; b < world->body_count; b++) {
        count += fil_world_body_dofs(world, b);
    }
    return count;
}
