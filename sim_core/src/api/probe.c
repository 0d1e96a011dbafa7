/* Probes: named numbers read off the current state. What can be measured stands in the rows of the kinds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/kinds.h"
#include "base/error.h"
#include "filum/state.h"
#include "world/world.h"

/* ---- quantities ---- */

/* The k-th of all quantities and whose it is; NULL if there are not as many. */
static const FilQuantity* quantity_at(int k, const FilKindRow** row)
{
    for (int r = 0; r < fil_kind_row_count && k >= 0; r++) {
        *row = fil_kind_rows[r];
        if (k < (*row)->quantity_count) {
            return &(*row)->quantities[k];
        }
        k -= (*row)->quantity_count;
    }
    return NULL;
}

int fil_quantity_count(void)
{
    int count = 0;
    for (int r = 0; r < fil_kind_row_count; r++) {
        count += fil_kind_rows[r]->quantity_count;
    }
    return count;
}

FilQuantityInfo fil_quantity_info(int quantity)
{
    const FilKindRow* row = NULL;
    const FilQuantity* q = quantity_at(quantity, &row);
    if (q == NULL) {
        return (FilQuantityInfo){0};
    }
    return (FilQuantityInfo){q->name, row->word, q->part != NULL ? q->part->word : NULL, q->unit, q->components};
}

int fil_find_quantity(const char* name)
{
    const FilKindRow* row;
    const FilQuantity* q;
    for (int k = 0; name != NULL && (q = quantity_at(k, &row)) != NULL; k++) {
        if (strcmp(q->name, name) == 0) {
            return k;
        }
    }
    return -1;
}

static bool is_of(const FilWorld* world, const FilKindRow* row, FilId of)
{
    return row->name == NULL || row->name(world, of) != NULL;
}

static int width_of(const FilWorld* world, const FilQuantity* q, FilId of)
{
    return q->width != NULL ? q->width(world, of) : q->components;
}

int fil_quantity_components(const FilWorld* world, int quantity, FilId of)
{
    const FilKindRow* row;
    const FilQuantity* q = quantity_at(quantity, &row);
    return q != NULL && is_of(world, row, of) ? width_of(world, q, of) : 0;
}

/* ---- probes ---- */

FilProbeDef fil_probe_def_default(void)
{
    return (FilProbeDef){.quantity = "position", .component = -1};
}

/* Whether there is such an object, part and component; `who` wants to know. */
static FilStatus check(FilWorld* world, const char* who, const FilKindRow* row, const FilQuantity* q, FilProbeDef* def)
{
    if (!is_of(world, row, def->of)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "%s'%s' needs %s of this world", who, q->name, row->phrase);
    }
    if (def->component < -1 || def->component >= width_of(world, q, def->of)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "%s'%s' has no component %d", who, q->name, def->component);
    }
    if (q->part != NULL) {
        const int count = q->part->count(world, def->of);
        def->index = def->index < 0 ? def->index + count : def->index;
        if (def->index < 0 || def->index >= count) {
            return fil_world_fail(world, FIL_BAD_INPUT, "%s%s '%s' has %d %s", who, row->word, row->name(world, def->of), count, q->part->plural);
        }
    }
    return FIL_OK;
}

static FilId find_probe(const FilWorld* world, const char* name)
{
    for (int p = 0; p < world->probe_count; p++) {
        if (strcmp(world->probes[p].name, name) == 0) {
            return fil_make_id(world, FIL_ID_PROBE, p);
        }
    }
    return (FilId){0};
}

FilStatus fil_world_add_probe(FilWorld* world, const FilProbeDef* given, FilId* id)
{
    FilProbeDef def = given != NULL ? *given : (FilProbeDef){0};
    if (def.name == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a probe needs a name");
    }
    const FilKindRow* row;
    const FilQuantity* q = def.quantity != NULL ? quantity_at(fil_find_quantity(def.quantity), &row) : NULL;
    if (q == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': unknown quantity '%s'", def.name, def.quantity != NULL ? def.quantity : "");
    }
    char who[128];
    snprintf(who, sizeof who, "probe '%.100s': ", def.name);
    FilStatus status = check(world, who, row, q, &def);
    if (status == FIL_OK) {
        status = fil_world_reserve(world, (void**)&world->probes, world->probe_count, &world->probe_capacity, sizeof *world->probes);
    }
    if (status != FIL_OK) {
        return status;
    }
    char* name = fil_world_new_name(world, def.name, "probe", 0, find_probe);
    if (name == NULL) {
        return FIL_BAD_INPUT;
    }
    world->probes[world->probe_count] = (FilProbe){name, q, def.of, def.index, def.component};
    fil_give_id(world, FIL_ID_PROBE, world->probe_count++, id);
    return FIL_OK;
}

int fil_world_probe_count(const FilWorld* world)
{
    return world->probe_count;
}

const char* fil_world_probe_name(const FilWorld* world, int index)
{
    return index >= 0 && index < world->probe_count ? world->probes[index].name : NULL;
}

double fil_world_probe_value(const FilWorld* world, int index)
{
    if (index < 0 || index >= world->probe_count) {
        fil_world_refuse(world, "there is no probe %d of %d", index, world->probe_count);
        return NAN;
    }
    const FilProbe* probe = &world->probes[index];
    double value[3] = {0.0, 0.0, 0.0};
    probe->quantity->measure(world, probe->of, probe->index, value);
    if (probe->component >= 0) {
        return value[probe->component];
    }
    return probe->quantity->components == 1 ? value[0] : hypot(hypot(value[0], value[1]), value[2]);
}

FilStatus fil_world_measure(FilWorld* world, const char* quantity, FilId of, int index, double* numbers, int* count)
{
    const FilKindRow* row;
    const FilQuantity* q = quantity_at(fil_find_quantity(quantity), &row);
    if (q == NULL || numbers == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, q == NULL ? "unknown quantity '%s'" : "there is no room for the numbers of '%s'",
                              quantity != NULL ? quantity : "");
    }
    FilProbeDef def = {.of = of, .index = index};
    const FilStatus status = check(world, "", row, q, &def);
    if (status == FIL_OK) {
        q->measure(world, def.of, def.index, numbers);
        if (count != NULL) {
            *count = width_of(world, q, def.of);
        }
    }
    return status;
}
