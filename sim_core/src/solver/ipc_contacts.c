/* Barriers between surfaces and their friction, over the pairs that ipc_list.c has listed (P4 eq. 5 to 7). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "solver/solver.h"

/* How near surfaces may come, in ranges, before barriers get stiffer, and how far apart all must stay before they relax. */
static const double TOO_NEAR = 0.02, FAR_ENOUGH = 0.3;
static const double GROWTH = 1.05; /* of the stiffness in a step, and so of the energy that barriers hold */
static const double MAX_SCALE = 1e4;

/* ---- friction ---- */

/* Nearly parallel segments push each other at their ends as well (contact/ipc_barrier.h), with more than the closest points alone
 * do: friction acts with that force, where it does. Returns it; `weight` becomes the corners' shares. */
static double parallel_force(const FilSolver* solver, const FilIpcPair* pair, const double* normal, double* weight)
{
    double gradient[12], force = 0.0;
    if (!(fil_ipc_pair_energy(solver, pair, gradient, NULL, true) > 0.0)) {
        return 0.0;
    }
    for (int i = 2; i < 4; i++) {
        force -= fil_v3_dot(gradient + 3 * i, normal);
    }
    for (int side = 0; side < 2 && force > 0.0; side++) {
        // blending turns edges as well: an end may be pulled. Shares are not negative and add up to one, or momentum would change
        const double sign = side == 0 ? -1.0 : 1.0;
        double *own = weight + 2 * side, share[2];
        for (int i = 0; i < 2; i++) {
            share[i] = fmax(-sign * fil_v3_dot(gradient + 6 * side + 3 * i, normal), 0.0);
        }
        own[0] = sign * share[0] / (share[0] + share[1]);
        own[1] = sign - own[0];
    }
    return fmax(force, 0.0);
}

/* Room for the blocks of all pairs' friction. */
static bool make_room(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    FilIpcSlides* slides = &field->slides;
    size_t max = 0;
    for (int k = 0; k < field->pair_count; k++) {
        max += field->pairs[k].friction > 0.0 ? fil_ipc_slide_blocks(solver, &field->pairs[k]) : 0;
    }
    slides->count = 0;
    return fil_ints_reserve(&slides->variable, max) && fil_ints_reserve(&slides->column, max) && fil_doubles_reserve(&slides->jacobian, 12 * max);
}

/* Whether a pair rubs where points are; with its gap, normal, weights and normal force there. */
static bool rubs(const FilSolver* solver, const FilIpcPair* pair, double* gap, double* normal, double* weight, double* force)
{
    if (!(pair->friction > 0.0 && pair->times > 0.0)) {
        return false;
    }
    *gap = fil_ipc_pair_see(solver, pair, normal, weight);
    if (!(*gap > 0.0 && *gap < pair->repulsion.range) || fil_ipc_beside(solver, pair)) {
        return false;
    }
    if (fil_ipc_of_mesh(solver, pair)) {
        *force = fil_ipc_mesh_force(solver, pair, *gap);
        return *force > 0.0;
    }
    *force = fil_ipc_nearly_parallel(solver, pair) ? parallel_force(solver, pair, normal, weight)
                                                   : -fil_barrier(*gap, pair->repulsion.range, pair->repulsion.stiffness).first;
    return true;
}

FilStatus fil_ipc_contacts_begin(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    FilStatus status = make_room(solver) ? FIL_OK : FIL_OUT_OF_MEMORY;
    for (int k = 0; k < field->pair_count && status == FIL_OK; k++) {
        const FilIpcPair* pair = &field->pairs[k];
        double gap, normal[3], weight[4], force;
        if (rubs(solver, pair, &gap, normal, weight, &force)) {
            // shares are those of now: with those of the step's end it would rub where it will be, along what is there now
            const double share = pair->plane >= 0 ? 1.0 : fil_ipc_share(solver, &pair->repulsion, pair->point, field->points.at);
            status = share > 0.0 ? fil_ipc_slide_add(solver, pair, normal, weight, gap, force * share / pair->share) : FIL_OK;
        }
    }
    return status;
}

FilStatus fil_ipc_contacts_follow(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    FilStatus status = make_room(solver) ? FIL_OK : FIL_OUT_OF_MEMORY;
    int from = 0;
    for (int k = 0; k < field->pair_count && status == FIL_OK; k++) {
        const FilIpcPair* pair = &field->pairs[k];
        double gap, normal[3], weight[4], force;
        if (rubs(solver, pair, &gap, normal, weight, &force)) {
            const int s = solver->system->staged ? -1 : fil_ipc_slide_find(&field->other_slides, pair, from);
            from = s >= 0 ? s + 1 : from;
            status =
                s >= 0 ? fil_ipc_slide_keep(solver, &field->other_slides.at[s], force) : fil_ipc_slide_add(solver, pair, normal, weight, gap, force);
            if (s < 0 && status == FIL_OK) {
                field->slides.at[field->slides.count - 1].born = field->lag_round + 1;
            }
        }
    }
    return status;
}

static double add_slides(const FilSolver* solver, const double* v, double* residual)
{
    const FilIpcField* field = &solver->ipc;
    double energy = 0.0;
    for (int s = 0; s < field->slides.count; s++) {
        const FilSlipping slipping = fil_slide_slipping(&field->slides, &field->slides.at[s]);
        energy += fil_friction_add(&field->slides.at[s].friction, &slipping, solver->settings.model.ipc.slip_speed, v, residual);
    }
    return energy;
}

/* ---- forces ---- */

/* A batch of pairs, in parallel. */
typedef struct Batch {
    FilSolver* solver;
    int first;
    int near[FIL_IPC_BATCH / FIL_IPC_GRAIN]; /* pairs of each chunk that are in range */
} Batch;

/* A pair in range. */
typedef struct Push {
    double energy, gradient[12];
    int blocks[4]; /* of its corners */
    int pair;
} Push;

_Static_assert(sizeof(Push) <= FIL_IPC_WORK * sizeof(double), "a pair in range has to fit in its share of the work");

/* Those of a chunk that begins with the k-th of a batch: one after the other, so that whoever adds them up sees no others. */
static Push* pushes_from(const FilIpcField* field, int k)
{
    return (Push*)(void*)(field->work.at + (ptrdiff_t)FIL_IPC_WORK * k);
}

static void find_energies(void* context, int first, int end, int worker)
{
    Batch* batch = context;
    FilIpcField* field = &batch->solver->ipc;
    Push* push = pushes_from(field, first);
    (void)worker;
    for (int k = first; k < end; k++) {
        FilIpcPair* pair = &field->pairs[batch->first + k];
        pair->gap = fil_ipc_gap(batch->solver, pair);
        pair->beside = pair->gap < pair->repulsion.range && fil_ipc_beside(batch->solver, pair);
        if (pair->gap >= pair->repulsion.range || pair->beside) {
            continue;
        }
        push->energy = fil_ipc_pair_energy(batch->solver, pair, push->gradient, NULL, true);
        push->pair = batch->first + k;
        for (int i = 0; i < 4; i++) {
            push->blocks[i] = i < pair->corner_count ? field->surface.node_block[pair->point[i]] : FIL_IPC_NO_CORNER;
        }
        push++;
    }
    batch->near[first / FIL_IPC_GRAIN] = (int)(push - pushes_from(field, first));
}

double fil_ipc_contacts_add(FilSolver* solver, const double* v, double* residual)
{
    const FilIpcField* field = &solver->ipc;
    double energy = 0.0;
    int pushes = 0;
    for (Batch batch = {.solver = solver}; batch.first < field->pair_count; batch.first += FIL_IPC_BATCH) {
        const int left = field->pair_count - batch.first, count = left < FIL_IPC_BATCH ? left : FIL_IPC_BATCH;
        fil_workers_run(solver->system->workers, count, FIL_IPC_GRAIN, find_energies, &batch);
        for (int k = 0; k < count; k += FIL_IPC_GRAIN) {
            const Push* push = pushes_from(field, k);
            for (const Push* end = push + batch.near[k / FIL_IPC_GRAIN]; push < end; push++, pushes++) {
                energy += push->energy;
                if (!isfinite(energy)) {
                    return INFINITY;
                }
                memcpy(field->pushes.at + 12 * (size_t)pushes, push->gradient, sizeof push->gradient);
                memcpy(field->pushed.at + 4 * (size_t)pushes, push->blocks, sizeof push->blocks);
                field->pushing.at[pushes] = push->pair;
            }
        }
    }
    fil_ipc_add_gradients(solver, pushes, field->pushing.at, NULL, residual);
    return energy + add_slides(solver, v, residual);
}

FilStatus fil_ipc_contacts_accept(FilSolver* solver, bool* changed)
{
    FilIpcField* field = &solver->ipc;
    if (!fil_ints_reserve(&field->was_active, (size_t)field->pair_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    int count = 0;
    for (int k = 0; k < field->pair_count; k++) {
        if (field->pairs[k].gap < field->pairs[k].repulsion.range && !field->pairs[k].beside) {
            field->was_active.at[count++] = k;
        }
    }
    const bool same = !field->relisted && count == field->active_count &&
                      (count == 0 || memcmp(field->active.at, field->was_active.at, sizeof(int) * (size_t)count) == 0);
    *changed = *changed || !same;
    field->relisted = false;
    const FilInts swap = field->active;
    field->active = field->was_active;
    field->was_active = swap;
    field->active_count = count;
    void* jets = field->jets;
    // both grow at once: which is which depends on the number of iterations
    const bool room = fil_ints_reserve(&field->was_active, (size_t)field->pair_count) &&
                      fil_buffer_reserve(&jets, &field->jet_capacity, (size_t)count, sizeof *field->jets) &&
                      fil_doubles_reserve(&field->held, (size_t)solver->system->v_count / 4);
    field->jets = jets;
    return room ? FIL_OK : FIL_OUT_OF_MEMORY;
}

/* ---- the end of a step ---- */

/* Which collider and part the corners from..to of a pair belong to: the edge of a rod that both lie on, the vertex of cloth that is
 * nearest, or the shape. */
static int side_part(const FilSolver* solver, const FilIpcPair* pair, int from, int to, const double* weight, int* part)
{
    const FilIpcPoint* points = solver->ipc.surface.points;
    int nearest = from;
    for (int i = from + 1; i < to; i++) {
        nearest = fabs(weight[i]) > fabs(weight[nearest]) ? i : nearest;
    }
    const FilIpcPoint* point = &points[pair->point[nearest]];
    const FilWorldCollider* c = &solver->collision->colliders[point->collider];
    *part = 0;
    if (c->collider.kind != FIL_COLLIDER_ROW) {  // vertices of sheets are colliders one after the other
        return point->node >= 0 ? point->collider + point->after : point->collider;
    }
    const FilIpcPoint *first = &points[pair->point[from]], *last = &points[pair->point[to - 1]];
    const bool shared = first->part[0] == last->part[0] || first->part[0] == last->part[1];
    *part = first == last ? first->part[1] : shared ? first->part[0] : first->part[1];
    return point->collider;
}

/* What the barrier does to the second feature, N: nearly parallel segments push with their ends as well. */
static void push_of(const FilSolver* solver, const FilIpcPair* pair, double gap, const double* normal, double* force)
{
    double gradient[12];
    if (fil_ipc_beside(solver, pair)) {  // it rubbed, but has left
        fil_v3_set(force, 0.0, 0.0, 0.0);
        return;
    }
    if (!fil_ipc_nearly_parallel(solver, pair)) {
        fil_v3_scale(force, -fil_barrier(gap, pair->repulsion.range, pair->repulsion.stiffness).first, normal);
        return;
    }
    fil_v3_set(force, 0.0, 0.0, 0.0);
    if (fil_ipc_pair_energy(solver, pair, gradient, NULL, true) > 0.0) {
        fil_v3_axpy(force, -1.0, gradient + 6);
        fil_v3_axpy(force, -1.0, gradient + 9);
    }
}

/* A pair as a contact at the step's end, side 1 being its second feature, or the point over a plane. */
static FilContact contact_of(const FilSolver* solver, const FilIpcPair* pair, const FilIpcSlide* slide, const double* v)
{
    const FilIpcField* field = &solver->ipc;
    double normal[3], weight[4], rubbed[3], force[3], pushed[3];
    const double gap = fil_ipc_pair_see(solver, pair, normal, weight);
    const int split = pair->plane >= 0 ? 0 : fil_feature_split(pair->repulsion.pair);
    FilContact contact = {.distance = gap, .ended = true, .mu = pair->friction, .first_block = solver->collision->set.block_count};
    contact.collider[0] = pair->plane >= 0 ? field->surface.planes[pair->plane] : side_part(solver, pair, 0, split, weight, &contact.part[0]);
    contact.collider[1] = side_part(solver, pair, split, pair->corner_count, weight, &contact.part[1]);
    for (int side = 0; side < 2; side++) {
        contact.body[side] = solver->collision->colliders[contact.collider[side]].body;
    }
    // midway in the gap: from the second feature, or the point over a plane
    for (int i = split; i < pair->corner_count; i++) {
        fil_v3_axpy(contact.point, fabs(weight[i]), field->points.at + 3 * pair->point[i]);
    }
    fil_v3_axpy(contact.point, -field->surface.points[pair->point[split]].radius - 0.5 * gap, normal);
    fil_v3_orthogonal(contact.frame, normal);
    fil_v3_cross(contact.frame + 3, normal, contact.frame);
    fil_v3_copy(contact.frame + 6, normal);
    if (slide != NULL) {
        double moved[3];
        const FilSlipping slipping = fil_slide_slipping(&field->slides, slide);
        (void)fil_friction_energy(&slide->friction, &slipping, solver->settings.model.ipc.slip_speed, v, rubbed);
        fil_v3_scale(rubbed, -1.0, rubbed);
        fil_m3_apply(contact.impulse, contact.frame, rubbed);
        // without Jacobian all of its velocity is reported as that of bodies without unknowns
        fil_friction_velocity(&slide->friction, &slipping, v, moved);
        fil_m3_apply(contact.bias, contact.frame, moved);
    }
    push_of(solver, pair, gap, normal, force);
    fil_m3_apply(pushed, contact.frame, force);
    fil_v3_axpy(contact.impulse, field->dt, pushed);
    return contact;
}

/* Contacts of active pairs, in parallel. */
typedef struct Reports {
    const FilSolver* solver;
    const double* v;
    const int* slide; /* of each: where it rubs; -1: it does not */
    FilContact* contacts;
} Reports;

static void report_some(void* context, int first, int end, int worker)
{
    const Reports* reports = context;
    const FilIpcField* field = &reports->solver->ipc;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilIpcSlide* slide = reports->slide[k] >= 0 ? &field->slides.at[reports->slide[k]] : NULL;
        reports->contacts[k] = contact_of(reports->solver, &field->pairs[field->active.at[k]], slide, reports->v);
    }
}

/* Contacts of all pairs in range, and of those that have left it but rubbed. */
static FilStatus report_all(FilSolver* solver, const double* v, double* min)
{
    FilIpcField* field = &solver->ipc;
    FilContactSet* set = &solver->collision->set;
    const int before = set->count;
    int* slide = field->was_active.at;  // free until the next state is accepted
    int from = 0;
    if (!fil_contact_set_extend(set, before + field->active_count, set->block_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int k = 0; k < field->active_count; k++) {
        slide[k] = fil_ipc_slide_find(&field->slides, &field->pairs[field->active.at[k]], from);
        if (slide[k] >= 0) {
            field->slides.at[slide[k]].reported = true;
            from = slide[k] + 1;
        }
    }
    Reports reports = {solver, v, slide, set->contacts + before};
    fil_workers_run(solver->system->workers, field->active_count, FIL_IPC_GRAIN, report_some, &reports);
    FilStatus status = FIL_OK;
    for (int s = 0; s < field->slides.count && status == FIL_OK; s++) {
        if (!field->slides.at[s].reported) {
            const FilContact contact = contact_of(solver, &field->slides.at[s].pair, &field->slides.at[s], v);
            status = fil_contact_set_add(set, &contact);
        }
    }
    for (int k = before; k < set->count; k++) {
        *min = fmin(*min, set->contacts[k].distance);
    }
    return status;
}

FilStatus fil_ipc_contacts_finish(FilSolver* solver, const double* v, FilStepInfo* info)
{
    FilIpcField* field = &solver->ipc;
    double min = INFINITY;
    const FilStatus status = report_all(solver, v, &min);
    info->contacts = field->active_count;
    info->min_distance = fmin(info->min_distance, min);
    // stiffer where surfaces come too near, softer again where all keep away
    double* scale = &solver->system->next.h[solver->memory + FIL_MEMORY_SCALE];
    *scale = field->scale;
    if (min < TOO_NEAR * solver->settings.model.ipc.range) {
        *scale = fmin(GROWTH * field->scale, MAX_SCALE);
    } else if (min > FAR_ENOUGH * solver->settings.model.ipc.range) {
        *scale = fmax(field->scale / GROWTH, 1.0);
    }
    return status;
}

double fil_ipc_scale(const FilSolver* solver)
{
    const double kept = solver->system->state.h[solver->memory + FIL_MEMORY_SCALE];
    return kept > 0.0 ? kept : 1.0;
}
