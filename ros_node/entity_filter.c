#include "entity_filter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "entities.h"
#include "simulation_interfaces/msg/entity_category.h"

/* A bound of ours, beyond which a filter is refused. */
enum { PATTERN_MAX = 256 };

#define BOUNDS(name) simulation_interfaces__msg__Bounds__TYPE_##name

/* ---- bounds ---- */

/* Why bounds cannot be used; NULL: they can. A box is two opposite corners, a sphere its centre and (radius, 0, 0). */
static const char* find_fault(const simulation_interfaces__msg__Bounds* bounds, FilFilterFault* fault)
{
    *fault = FIL_FILTER_WRONG;
    for (size_t i = 0; i < bounds->points.size; i++) {
        const geometry_msgs__msg__Vector3* p = &bounds->points.data[i];
        if (!isfinite(p->x + p->y + p->z)) {
            return "a point of the bounds is not finite";
        }
    }
    switch (bounds->type) {
        case BOUNDS(EMPTY):
            return NULL;
        case BOUNDS(BOX):
            return bounds->points.size == 2 ? NULL : "a box is bounded by two points, opposite corners";
        case BOUNDS(SPHERE):
            return bounds->points.size == 2 && bounds->points.data[1].x >= 0.0 ? NULL
                                                                               : "a sphere is bounded by its centre and a point (radius, 0, 0)";
        default:
            *fault = FIL_FILTER_UNSUPPORTED;
            return "entities can be filtered by boxes and spheres";
    }
}

static bool is_between(double x, double a, double b)
{
    return x >= fmin(a, b) && x <= fmax(a, b);
}

static bool is_within(const simulation_interfaces__msg__Bounds* bounds, const double x[3])
{
    const geometry_msgs__msg__Vector3 *a = &bounds->points.data[0], *b = &bounds->points.data[1];
    if (bounds->type == BOUNDS(BOX)) {
        return is_between(x[0], a->x, b->x) && is_between(x[1], a->y, b->y) && is_between(x[2], a->z, b->z);
    }
    return hypot(hypot(x[0] - a->x, x[1] - a->y), x[2] - a->z) <= b->x;
}

static bool has_place_within(const FilWorld* world, int entity, const simulation_interfaces__msg__Bounds* bounds)
{
    const int count = fil_entity_place_count(world, entity);
    bool within = bounds->type == BOUNDS(EMPTY);
    for (int k = 0; k < count && !within; k++) {
        double place[3];
        fil_entity_place(world, entity, k, place);
        within = is_within(bounds, place);
    }
    return within;
}

/* ---- all conditions ---- */

FilFilterFault fil_entity_filter_init(FilEntityFilter* filter, const simulation_interfaces__msg__EntityFilters* wanted, const char** reason)
{
    char whole[PATTERN_MAX + 8];
    FilFilterFault fault;
    filter->wanted = wanted;
    filter->all = wanted->filter.size == 0;
    *reason = find_fault(&wanted->bounds, &fault);
    if (*reason != NULL) {
        return fault;
    }
    if (wanted->filter.size >= PATTERN_MAX) {
        *reason = "the filter is too long";
        return FIL_FILTER_WRONG;
    }
    // repeats of repeats take memory without bounds to compile
    if (!filter->all && strchr(wanted->filter.data, '{') != NULL) {
        *reason = "a filter cannot count repeats: write them out, or use * and +";
        return FIL_FILTER_UNSUPPORTED;
    }
    if (!filter->all) {
        snprintf(whole, sizeof whole, "^(%s)$", wanted->filter.data);
    }
    if (!filter->all && regcomp(&filter->pattern, whole, REG_EXTENDED | REG_NOSUB) != 0) {
        *reason = "the filter is not an extended regular expression";
        return FIL_FILTER_WRONG;
    }
    return FIL_FILTER_GOOD;
}

void fil_entity_filter_fini(FilEntityFilter* filter)
{
    if (!filter->all) {
        regfree(&filter->pattern);
    }
}

bool fil_entity_filter_accepts(const FilEntityFilter* filter, const FilWorld* world, int entity)
{
    const simulation_interfaces__msg__EntityFilters* wanted = filter->wanted;
    const uint8_t own = fil_entity_is_robot(world, entity)    ? simulation_interfaces__msg__EntityCategory__CATEGORY_ROBOT
                        : fil_entity_is_static(world, entity) ? simulation_interfaces__msg__EntityCategory__CATEGORY_STATIC_OBJECT
                                                              : simulation_interfaces__msg__EntityCategory__CATEGORY_DYNAMIC_OBJECT;
    bool category = wanted->categories.size == 0;
    for (size_t i = 0; i < wanted->categories.size; i++) {
        category |= wanted->categories.data[i].category == own;
    }
    return category && wanted->tags.tags.size == 0 && (filter->all || regexec(&filter->pattern, fil_entity_name(world, entity), 0, NULL, 0) == 0) &&
           has_place_within(world, entity, &wanted->bounds);
}
