#include "misuse.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool misuse_chance(Misuse* m, int percent)
{
    return misuse_below(m, 100) < percent;
}

int misuse_below(Misuse* m, int count)
{
    return (int)(random_bits(&m->random) % (uint64_t)count);
}

/* ---- the model ---- */

static FilWorld* make_world(Misuse* m)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    // steps of a world that random calls have shaped may fail, but shall do so soon
    def.max_halvings = 1;
    def.newton_max_iterations = 8;
    def.contact_model = fil_contact_model_name(misuse_below(m, fil_contact_model_count()));
    if (fil_world_create(&def, &world, NULL) != FIL_OK) {
        abort();
    }
    return world;
}

static void add_foreign(Misuse* m, FilId id)
{
    m->foreign[m->foreign_count < FOREIGN_MAX ? m->foreign_count++ : misuse_below(m, FOREIGN_MAX)] = id;
}

void misuse_begin(Misuse* m)
{
    m->world = make_world(m);
    m->other = make_world(m);
    m->count = m->made = m->layout = 0;
    memset(m->counts, 0, sizeof m->counts);
    FilShapeDef ball = fil_shape_def_default();
    FilRigidDef body = fil_rigid_def_default();
    FilId id;
    ball.radius = 0.1;
    body.motion = FIL_STATIC;
    body.shapes = &ball;
    body.shape_count = 1;
    for (int k = 0; k < 3; k++) {
        if (fil_world_add_rigid(m->other, &body, &id) != FIL_OK) {
            abort();
        }
        add_foreign(m, id);
    }
}

void misuse_end(Misuse* m)
{
    for (int k = 0; k < m->count; k++) {
        add_foreign(m, m->known[k].id);
    }
    fil_world_destroy(m->world);
    fil_world_destroy(m->other);
    free(m->snapshot);
    m->snapshot = NULL;
    m->count = 0;
}

bool misuse_full(const Misuse* m)
{
    return m->count + 4 > KNOWN_MAX;
}

Known* misuse_know(Misuse* m, Kind kind, FilId id)
{
    Known* known = &m->known[m->count++];
    *known = (Known){.id = id, .kind = kind};
    m->counts[kind]++;
    m->layout += kind != PROBE;
    return known;
}

static bool is_of(const Known* known, Kind kind)
{
    return known->kind == kind || (kind == OBJECT && known->kind <= LINK);
}

const Known* misuse_find(const Misuse* m, FilId id, Kind kind)
{
    for (int k = 0; k < m->count; k++) {
        const Known* known = &m->known[k];
        if (known->id.index == id.index && known->id.generation == id.generation && is_of(known, kind)) {
            return known;
        }
    }
    return NULL;
}

/* ---- draws ---- */

FilId misuse_sound_id(Misuse* m, Kind kind)
{
    const int start = misuse_below(m, KNOWN_MAX);
    for (int k = 0; k < m->count; k++) {
        const Known* known = &m->known[(start + k) % m->count];
        if (is_of(known, kind)) {
            return known->id;
        }
    }
    return (FilId){0};
}

/* Any id at all: stale, foreign, of any kind, null or made up. */
static FilId any_id(Misuse* m)
{
    FilId id = m->count > 0 ? m->known[misuse_below(m, m->count)].id : (FilId){0};
    switch (misuse_below(m, 8)) {
        case 0:
            return (FilId){0};
        case 1:
            return (FilId){(uint32_t)random_bits(&m->random), (uint32_t)random_bits(&m->random)};
        case 2:  // beyond the last
            id.index += (uint32_t)misuse_below(m, 1000);
            return id;
        case 3:
            id.index = UINT32_MAX - (uint32_t)misuse_below(m, 2);
            return id;
        case 4:  // of another class
            id.generation ^= (uint32_t)misuse_below(m, 8);
            return id;
        case 5:
            id.index = 0;
            return id;
        case 6:
            return m->foreign[misuse_below(m, m->foreign_count)];
        default:
            return id;
    }
}

FilId misuse_id(Misuse* m, Kind kind)
{
    return misuse_chance(m, 60) ? misuse_sound_id(m, kind) : any_id(m);
}

FilId misuse_wrong_id(Misuse* m, Kind kind)
{
    FilId id;
    do {
        id = any_id(m);
    } while (misuse_find(m, id, kind) != NULL || id.index == 0);
    return id;
}

int misuse_index(Misuse* m, int count)
{
    const int wrong[] = {-1, INT_MIN, INT_MAX, count, -count - 1, INT_MAX / 4, (int)(random_bits(&m->random) >> 33)};
    return count > 0 && misuse_chance(m, 75) ? misuse_below(m, count) : wrong[misuse_below(m, 7)];
}

bool misuse_has(const Known* known, Part part, int index)
{
    return known != NULL && index >= 0 && index < known->parts[part];
}

int misuse_wrong_kind(Misuse* m)
{
    const int wrong[] = {99, -1, INT_MAX, INT_MIN, 1000};
    return wrong[misuse_below(m, 5)];
}

double misuse_wrong_number(Misuse* m)
{
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    return wrong[misuse_below(m, 3)];
}

void misuse_fill(Misuse* m, int count, double size, bool wrong)
{
    for (int k = 0; k < NUMBERS_MAX; k++) {
        m->numbers[k] = random_between(&m->random, -size, size);
    }
    if (wrong) {
        m->numbers[misuse_below(m, count)] = misuse_wrong_number(m);
    }
}

const char* misuse_new_name(Misuse* m, const char* prefix)
{
    snprintf(m->name, sizeof m->name, "%s %d", prefix, ++m->made);
    return m->name;
}
