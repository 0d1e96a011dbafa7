/* Contacts that are found and not wanted leave the set, which closes up behind them. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "collision/collision.h"
#include "linalg/buffer.h"

void fil_collision_drop(FilCollisionStage* stage, FilCollisionGoes* goes, void* context)
{
    FilPatchStage* patches = &stage->patches;
    FilContactSet* set = &stage->set;
    int kept = 0, block = 0, record = 0;
    for (int k = 0; k < set->count; k++) {
        for (; record < patches->record_count && patches->records[record].first <= k; record++) {
            patches->records[record].first = kept;
        }
        if (goes(stage, k, context)) {
            continue;
        }
        FilContact* c = &set->contacts[kept++];
        *c = set->contacts[k];
        for (int b = 0; b < c->block_count; b++) {
            set->variable[block + b] = set->variable[c->first_block + b];
        }
        for (int b = 0; b < 12 * c->block_count; b++) {
            set->jacobian[12 * (size_t)block + (size_t)b] = set->jacobian[12 * (size_t)c->first_block + (size_t)b];
        }
        c->first_block = block;
        block += c->block_count;
    }
    for (; record < patches->record_count; record++) {
        patches->records[record].first = kept;
    }
    set->count = kept;
    set->block_count = block;
}

/* ---- what is held ---- */

/* Of the smaller part's size: how near to the normal through a held point what touches is touched there alone, and the lever by which it turns. */
#define AT 1e-3

enum { ALL = 7 }; /* axes */

/* Whether what is touched is the body's point of a block of unknowns. */
static bool touches(const FilCollisionStage* stage, const FilContact* c, const FilBody* body, int block)
{
    double off[3];
    fil_v3_sub(off, c->point, stage->system->state.q + body->q + 4 * block);
    fil_v3_axpy(off, -fil_v3_dot(off, c->frame + 6), c->frame + 6);
    return fil_v3_norm(off) <= AT * c->size;
}

/* Whether pushes do not move what is touched of a side: it has no unknowns, all that it has are held, or a held point is touched. Where one
 * body is on both sides, whose points may be of either, only that all are held counts. */
static bool is_fast(const FilCollisionStage* stage, const FilContact* c, int side)
{
    const FilBody* body = c->body[side] >= 0 ? &stage->system->bodies[c->body[side]] : NULL;
    bool all = true;
    for (int b = c->first_block; b < c->first_block + c->block_count && body != NULL; b++) {
        const int block = stage->set.variable[b] - body->v / 4;
        if (block < 0 || 4 * block >= body->v_count) {
            continue;
        }
        const bool fast = stage->held[stage->set.variable[b]] == ALL;
        if (fast && c->body[0] != c->body[1] && touches(stage, c, body, block)) {
            return true;
        }
        all = all && fast && (c->plain || fabs(stage->set.jacobian[12 * (size_t)b + 11]) <= AT * c->size);
    }
    return all;
}

static bool is_stuck(const FilCollisionStage* stage, int k, void* context)
{
    (void)context;
    const FilContact* c = &stage->set.contacts[k];
    bool held = false;
    for (int b = c->first_block; b < c->first_block + c->block_count && !held; b++) {
        held = stage->held[stage->set.variable[b]] == ALL;
    }
    return held && !isfinite(c->stiffness) && is_fast(stage, c, 0) && is_fast(stage, c, 1);
}

/* Whether there are any. */
static bool mark_held(FilCollisionStage* stage)
{
    const FilSystem* system = stage->system;
    bool any = false;
    memset(stage->held, 0, (size_t)system->v_count / 4);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->ops->mark_held != NULL) {
            body->ops->mark_held(body->impl, stage->held + body->v / 4);
        }
    }
    for (int k = 0; k < system->v_count / 4 && !any; k++) {
        any = stage->held[k] == ALL;
    }
    return any;
}

FilStatus fil_collision_drop_stuck(FilCollisionStage* stage)
{
    void* held = stage->held;
    const bool room = fil_buffer_reserve(&held, &stage->held_capacity, (size_t)stage->system->v_count / 4 + 1, 1);
    stage->held = held;
    if (!room) {
        return FIL_OUT_OF_MEMORY;
    }
    const int count = !stage->wants.held && mark_held(stage) ? stage->set.count : 0;
    bool any = false;
    for (int k = 0; k < count && !any; k++) {
        any = is_stuck(stage, k, NULL);
    }
    if (any) {
        fil_collision_drop(stage, is_stuck, NULL);
    }
    return FIL_OK;
}
