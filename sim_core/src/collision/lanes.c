/* The narrow phase shared by workers: items in rows of equal length, each with contacts of its own, which are put in line afterwards. Which
 * item stands in which row depends on their number alone, so that rows grow with the state, never with who has been faster. */
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "collision/collision.h"

/* Rows: enough for the slowest of them to be short against all (four workers have eight each). */
enum { LANES = 32 };

/* Fewer items than this are met before anyone has come to help; so many edges of rows that may touch themselves take as long as one. Chosen: a row of
 * 130 edges that touches nothing takes 2 us. */
enum { MIN_ITEMS = 64, EDGES_AN_ITEM = 16 };

struct FilCollisionLane {
    FilCollisionStage stage; /* the world's, but for what items write */
    FilStatus status;
    int contact, block; /* where its contacts and their blocks go */
    int set_count;      /* of its contacts that do: all, unless there are too many */
};

typedef struct Run {
    FilCollisionStage* stage;
    FilCollisionMeet* meet;
    double dt;
    int grain;
} Run;

/* What items write is the lane's own, and empty; the rest is as the world has it now. */
static void begin_lane(const FilCollisionStage* stage, FilCollisionStage* lane)
{
    const FilContactSet set = lane->set;
    const FilPairs parts = lane->parts, near = lane->near;
    const FilPatchStage patches = lane->patches;
    *lane = *stage;
    lane->set = set;
    lane->parts = parts;
    lane->near = near;
    lane->patches.work = patches.work;
    lane->patches.records = patches.records;
    lane->patches.record_capacity = patches.record_capacity;
    fil_contact_set_clear(&lane->set);
    lane->parts.count = lane->near.count = lane->patches.record_count = lane->patches.polygons = 0;
    lane->patches.change = 0.0;
}

static void meet_items(void* context, int first, int end, int worker)
{
    const Run* run = context;
    FilCollisionLane* lane = &run->stage->lanes[first / run->grain];
    (void)worker;
    begin_lane(run->stage, &lane->stage);
    lane->status = FIL_OK;
    for (int k = first; k < end && lane->status == FIL_OK; k++) {
        lane->status = run->meet(&lane->stage, k, run->dt);
    }
}

static void copy_lanes(void* context, int first, int end, int worker)
{
    const Run* run = context;
    const FilContactSet* set = &run->stage->set;
    (void)worker;
    for (int l = first; l < end; l++) {
        const FilCollisionLane* lane = &run->stage->lanes[l];
        const FilContactSet* own = &lane->stage.set;
        for (int k = 0; k < lane->set_count; k++) {
            FilContact* contact = &set->contacts[lane->contact + k];
            *contact = own->contacts[k];
            contact->first_block += lane->block;
        }
        if (own->block_count > 0) {
            memcpy(set->variable + lane->block, own->variable, sizeof(int) * (size_t)own->block_count);
            memcpy(set->jacobian + 12 * (size_t)lane->block, own->jacobian, 12 * sizeof(double) * (size_t)own->block_count);
        }
    }
}

/* Edges that came close, and records of patches. */
static FilStatus gather_notes(FilCollisionStage* stage, const FilCollisionLane* lane)
{
    FilPatchStage* patches = &stage->patches;
    const FilPatchStage* own = &lane->stage.patches;
    const FilPairs* near = &lane->stage.near;
    if (near->count > 0) {
        if (fil_pairs_reserve(&stage->near, near->count) != FIL_OK) {
            return FIL_OUT_OF_MEMORY;
        }
        memcpy(stage->near.items + stage->near.count, near->items, sizeof *near->items * (size_t)near->count);
        stage->near.count += near->count;
        stage->near_axes = lane->stage.near_axes < stage->near_axes ? lane->stage.near_axes : stage->near_axes;
    }
    for (int k = 0; k < own->record_count; k++) {
        if (!fil_array_reserve((void**)&patches->records, patches->record_count, &patches->record_capacity, sizeof *patches->records)) {
            return FIL_OUT_OF_MEMORY;
        }
        FilPatchRecord* record = &patches->records[patches->record_count++];
        *record = own->records[k];
        record->first += lane->contact;
    }
    patches->polygons += own->polygons;
    patches->change = own->change > patches->change ? own->change : patches->change;
    return FIL_OK;
}

/* All that the first `count` lanes found, behind what there is, in order. */
static FilStatus gather(const Run* run, int count)
{
    FilCollisionStage* stage = run->stage;
    FilStatus status = FIL_OK;
    int contacts = stage->set.count, blocks = stage->set.block_count, used = 0;
    for (; used < count && status == FIL_OK; used++) {
        FilCollisionLane* lane = &stage->lanes[used];
        const FilContactSet* own = &lane->stage.set;
        lane->contact = contacts;
        lane->block = blocks;
        lane->set_count = own->count < stage->max_contacts - contacts ? own->count : stage->max_contacts - contacts;
        contacts += lane->set_count;
        blocks += own->block_count;
        status = lane->set_count < own->count ? FIL_BAD_INPUT : lane->status;
        if (gather_notes(stage, lane) != FIL_OK) {
            return FIL_OUT_OF_MEMORY;
        }
    }
    if (!fil_contact_set_extend(&stage->set, contacts, blocks)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_workers_run(stage->system->workers, used, 1, copy_lanes, (void*)(uintptr_t)run);
    return status;
}

static bool has_lanes(FilCollisionStage* stage)
{
    if (stage->lanes == NULL) {
        stage->lanes = fil_alloc(LANES, sizeof *stage->lanes);
    }
    return stage->lanes != NULL;
}

/* Pairs of some items, in the lane's list of parts, which nobody needs yet. */
static void find_pairs(void* context, int first, int end, int worker)
{
    const Run* run = context;
    FilCollisionLane* lane = &run->stage->lanes[first / run->grain];
    (void)worker;
    lane->stage.parts.count = 0;
    lane->status = fil_tree_pairs_of(&run->stage->tree, first, end, &lane->stage.parts);
}

FilStatus fil_collision_tree_pairs(FilCollisionStage* stage)
{
    const int items = stage->tree.item_capacity;
    if (stage->system->workers == NULL || items < MIN_ITEMS) {
        return fil_tree_self_pairs(&stage->tree, &stage->pairs);
    }
    if (!has_lanes(stage)) {
        return FIL_OUT_OF_MEMORY;
    }
    Run run = {.stage = stage, .grain = 1 + (items - 1) / LANES};
    fil_workers_run(stage->system->workers, items, run.grain, find_pairs, &run);
    FilStatus status = FIL_OK;
    for (int l = 0; l < 1 + (items - 1) / run.grain && status == FIL_OK; l++) {
        const FilPairs* own = &stage->lanes[l].stage.parts;
        status = stage->lanes[l].status;
        status = status == FIL_OK && own->count > 0 ? fil_pairs_reserve(&stage->pairs, own->count) : status;
        if (status == FIL_OK && own->count > 0) {
            memcpy(stage->pairs.items + stage->pairs.count, own->items, sizeof *own->items * (size_t)own->count);
            stage->pairs.count += own->count;
        }
    }
    return status;
}

/* Whether all is over before anyone has come to help. */
static bool is_little(const FilCollisionStage* stage, int count)
{
    int edges = 0;
    for (int k = 0; k < stage->collider_count && count < MIN_ITEMS; k++) {
        edges += stage->colliders[k].collider.edge_count;
    }
    return count + edges / EDGES_AN_ITEM < MIN_ITEMS;
}

FilStatus fil_collision_run(FilCollisionStage* stage, int count, FilCollisionMeet* meet, double dt)
{
    if (stage->system->workers == NULL || is_little(stage, count)) {
        FilStatus status = FIL_OK;
        for (int k = 0; k < count && status == FIL_OK; k++) {
            status = meet(stage, k, dt);
        }
        return status;
    }
    if (!has_lanes(stage)) {
        return FIL_OUT_OF_MEMORY;
    }
    Run run = {stage, meet, dt, 1 + (count - 1) / LANES};
    fil_workers_run(stage->system->workers, count, run.grain, meet_items, &run);
    return gather(&run, 1 + (count - 1) / run.grain);
}

void fil_collision_free_lanes(FilCollisionStage* stage)
{
    for (int k = 0; k < LANES && stage->lanes != NULL; k++) {
        FilCollisionStage* own = &stage->lanes[k].stage;
        fil_contact_set_free(&own->set);
        fil_pairs_free(&own->parts);
        fil_pairs_free(&own->near);
        fil_patch_free(&own->patches.work);
        fil_free(own->patches.records);
    }
    fil_free(stage->lanes);
}
