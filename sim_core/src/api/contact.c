/* The public face of contacts: pairs of surfaces, and what touched in the last step. */
#include <math.h>

#include "api/give.h"
#include "base/vec3.h"
#include "contact/surface.h"
#include "geometry/closest.h"
#include "world/sleep.h"
#include "world/world.h"

FilStatus fil_world_set_pair_surface(FilWorld* world, FilId a, FilId b, const FilSurface* surface)
{
    const int ia = fil_id_index(world, FIL_ID_OBJECT, a), ib = fil_id_index(world, FIL_ID_OBJECT, b);
    if (ia < 0 || ib < 0 || surface == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a pair of surfaces needs two rods or rigid bodies of this world, and a surface");
    }
    if (surface->modulus > 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a pair of surfaces has no modulus of its own: give it to the objects");
    }
    FilStatus status = fil_surface_check(surface, world->error);
    fil_sleep_wake_all(world);
    if (status == FIL_OK && (status = fil_collision_set_pair(&world->collision, ia, ib, surface)) != FIL_OK) {
        return fil_world_fail(world, status, "out of memory");
    }
    return status;
}

/* ---- the last step's contacts ---- */

int fil_world_contact_count(const FilWorld* world)
{
    return world->collision.set.count;
}

static FilVec3 to_vec(const double* a)
{
    return (FilVec3){a[0], a[1], a[2]};
}

/* Which part of its object touches. */
static int part_of(const FilWorldCollider* c, int part)
{
    return c->collider.kind == FIL_COLLIDER_ROW ? part : c->collider.part;
}

/* Distance of two round edges where their nodes are now. */
static double edge_distance(const FilWorld* world, const FilContact* contact)
{
    const FilSystem* system = &world->system;
    double ends[4][3], radii = 0.0, s, t;
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* c = &world->collision.colliders[contact->collider[side]];
        const FilBody* body = &system->bodies[c->body];
        FilPlacement place;
        body->ops->place(body->impl, c->index, system->state.q + body->q, system->state.v + body->v, &place);
        const int i = contact->part[side], j = i + 1 == c->collider.node_count ? 0 : i + 1;
        fil_v3_copy(ends[2 * side], place.nodes + 4 * i);
        fil_v3_copy(ends[2 * side + 1], place.nodes + 4 * j);
        radii += c->collider.radii[i];
    }
    return sqrt(fil_segment_segment(ends[0], ends[1], ends[2], ends[3], &s, &t)) - radii;
}

/* Between the surfaces at the step's end: as the model says, of round edges by their nodes, else as far as the points have parted
 * along the normal. */
static double end_distance(const FilWorld* world, const FilContact* contact, double parting)
{
    const FilCollisionStage* stage = &world->collision;
    const FilCollider *a = &stage->colliders[contact->collider[0]].collider, *b = &stage->colliders[contact->collider[1]].collider;
    const bool rows = a->kind == FIL_COLLIDER_ROW && b->kind == FIL_COLLIDER_ROW;
    if (contact->ended) {
        return contact->distance;
    }
    return rows && (stage->wants.round || (!a->boxes && !b->boxes)) ? edge_distance(world, contact)
                                                                    : contact->distance + world->solver.last_dt * parting;
}

/* s that impulses are forces over; while no step has succeeded there are contacts, but no forces. */
static double force_time(const FilWorld* world)
{
    return world->solver.last_dt > 0.0 ? world->solver.last_dt : INFINITY;
}

FilContactInfo fil_world_contact(const FilWorld* world, int index)
{
    const FilCollisionStage* stage = &world->collision;
    if (index < 0 || index >= stage->set.count) {
        fil_world_refuse(world, "there is no contact %d of %d", index, stage->set.count);
        return (FilContactInfo){.distance = NAN};
    }
    const FilContact* c = &stage->set.contacts[index];
    const FilWorldCollider *a = &stage->colliders[c->collider[0]], *b = &stage->colliders[c->collider[1]];
    double force[3], torque[3], slip[3] = {0.0}, v_c[3];
    fil_contact_wrench(c, 1, c->point, force_time(world), force, torque);
    fil_collision_velocity(stage, c, world->system.state.v, v_c);
    fil_v3_axpy(slip, v_c[0], c->frame);
    fil_v3_axpy(slip, v_c[1], c->frame + 3);
    return (FilContactInfo){.a = fil_make_id(world, FIL_ID_OBJECT, a->object),
                            .b = fil_make_id(world, FIL_ID_OBJECT, b->object),
                            .part_a = part_of(a, c->part[0]),
                            .part_b = part_of(b, c->part[1]),
                            .point = to_vec(c->point),
                            .normal = to_vec(c->frame + 6),
                            .distance = end_distance(world, c, v_c[2]),
                            .force = to_vec(force),
                            .slip = to_vec(slip),
                            .area = c->area};
}

/* ---- the last step's patches ---- */

int fil_world_patch_count(const FilWorld* world)
{
    return world->collision.patches.record_count;
}

FilPatchInfo fil_world_patch(const FilWorld* world, int index)
{
    const FilCollisionStage* stage = &world->collision;
    if (index < 0 || index >= stage->patches.record_count) {
        fil_world_refuse(world, "there is no patch %d of %d", index, stage->patches.record_count);
        return (FilPatchInfo){.area = NAN};
    }
    const FilPatchRecord* r = &stage->patches.records[index];
    const FilWorldCollider *a = &stage->colliders[r->collider[0]], *b = &stage->colliders[r->collider[1]];
    double center[3] = {0.0}, normal[3] = {0.0}, force[3] = {0.0}, torque[3] = {0.0}, f[3], t[3], load = 0.0;
    // the centre of pressure is that of the normal impulses; of contacts that bear nothing, the middle
    for (int k = r->first; k < r->first + r->count; k++) {
        load += stage->set.contacts[k].impulse[2];
    }
    for (int k = r->first; k < r->first + r->count; k++) {
        const FilContact* c = &stage->set.contacts[k];
        const double share = load > 0.0 ? c->impulse[2] / load : 1.0 / r->count;
        fil_v3_axpy(center, share, c->point);
        fil_v3_axpy(normal, share, c->frame + 6);
    }
    for (int k = r->first; k < r->first + r->count; k++) {
        fil_contact_wrench(&stage->set.contacts[k], 1, center, world->solver.last_dt, f, t);
        fil_v3_axpy(force, 1.0, f);
        fil_v3_axpy(torque, 1.0, t);
    }
    fil_v3_normalise(normal);
    return (FilPatchInfo){.a = fil_make_id(world, FIL_ID_OBJECT, a->object),
                          .b = fil_make_id(world, FIL_ID_OBJECT, b->object),
                          .part_a = part_of(a, r->part[0]),
                          .part_b = part_of(b, r->part[1]),
                          .first_contact = r->first,
                          .contacts = r->count,
                          .polygons = r->polygons,
                          .center = to_vec(center),
                          .normal = to_vec(normal),
                          .force = to_vec(force),
                          .torque = to_vec(torque),
                          .area = r->area,
                          .mean_pressure = r->area > 0.0 ? fil_v3_dot(force, normal) / r->area : 0.0,
                          .highest_pressure = r->highest};
}

void fil_world_contact_wrench(const FilWorld* world, FilId object, FilVec3* force, FilVec3* torque)
{
    const FilCollisionStage* stage = &world->collision;
    const int index = fil_id_find(world, FIL_ID_OBJECT, object);
    if (index < 0) {
        fil_give_no_vectors(force, torque);
        return;
    }
    static const double origin[3] = {0.0, 0.0, 0.0};
    double f[3], t[3], sum_f[3] = {0.0}, sum_t[3] = {0.0};
    for (int k = 0; k < stage->set.count; k++) {
        const FilContact* c = &stage->set.contacts[k];
        for (int side = 0; side < 2; side++) {
            if (stage->colliders[c->collider[side]].object == index) {
                fil_contact_wrench(c, side, origin, force_time(world), f, t);
                fil_v3_axpy(sum_f, 1.0, f);
                fil_v3_axpy(sum_t, 1.0, t);
            }
        }
    }
    fil_give_vec3(force, sum_f);
    fil_give_vec3(torque, sum_t);
}
