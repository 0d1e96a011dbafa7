/* The public face of rays. */
#include "filum/ray.h"

#include <math.h>

#include "collision/rays.h"
#include "world/world.h"

/* The object whose carrier all shapes fixed to an object have. */
static int carrier_of(const FilWorld* world, int index)
{
    const FilObject* object = &world->objects[index];
    const FilBody* body = &world->system.bodies[object->body];
    const int local = body->ops->carrier != NULL ? body->ops->carrier(body->impl, object->local) : object->local;
    for (int k = 0; k < world->object_count; k++) {
        if (world->objects[k].body == object->body && world->objects[k].local == local) {
            return k;
        }
    }
    return index;
}

static bool is_ray(const FilRay* ray, FilHalfLine* line)
{
    *line = (FilHalfLine){{ray->origin.x, ray->origin.y, ray->origin.z}, {ray->direction.x, ray->direction.y, ray->direction.z}};
    // (scaled first: the square of a length may be out of range where the length is not)
    const double largest = fmax(fmax(fabs(ray->direction.x), fabs(ray->direction.y)), fabs(ray->direction.z));
    const bool good = fil_all_finite(line->origin, 3) && fil_all_finite(line->direction, 3) && largest > 0.0 && ray->reach > 0.0;
    for (int k = 0; k < 3 && good; k++) {
        line->direction[k] /= largest;
    }
    fil_v3_normalise(line->direction);
    return good;
}

FilStatus fil_world_cast_rays(const FilWorld* world, const FilRay* rays, int count, FilId ignored, FilRayHit* hits)
{
    const int index = ignored.index != 0 ? fil_id_find(world, FIL_ID_OBJECT, ignored) : -1;
    if (ignored.index != 0 && index < 0) {
        return FIL_BAD_INPUT;
    }
    if (count < 0 || count > FIL_COUNT_MAX || (count > 0 && (rays == NULL || hits == NULL))) {
        fil_world_refuse(world, "rays: there cannot be %d, nor any without arrays for them", count);
        return FIL_BAD_INPUT;
    }
    FilHalfLine* lines = fil_alloc((size_t)count, sizeof *lines);
    double* reach = fil_alloc((size_t)count, sizeof *reach);
    FilRayFound* found = fil_alloc((size_t)count, sizeof *found);
    FilStatus status = lines != NULL && reach != NULL && found != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        reach[k] = rays[k].reach;
        if (!is_ray(&rays[k], &lines[k])) {
            fil_world_refuse(world, "ray %d: origin and direction must be finite, the direction not zero, the reach positive", k);
            status = FIL_BAD_INPUT;
        }
    }
    if (status == FIL_OK) {
        status = fil_collision_cast(&world->collision, lines, reach, count, index < 0 ? -1 : carrier_of(world, index), found);
    }
    for (int k = 0; k < count && status == FIL_OK; k++) {
        const FilRayMeeting* met = &found[k].met;
        const FilVec3 normal = {met->normal[0], met->normal[1], met->normal[2]};
        const FilId object = found[k].object < 0 ? (FilId){0} : fil_make_id(world, FIL_ID_OBJECT, found[k].object);
        hits[k] = (FilRayHit){object, found[k].part, met->distance, normal};
    }
    fil_free(lines);
    fil_free(reach);
    fil_free(found);
    if (status == FIL_OUT_OF_MEMORY) {
        fil_world_refuse(world, "out of memory");
    }
    return status;
}
