#include "world_parameters.h"

#include <math.h>
#include <string.h>

static FilStatus set_contact_model(FilWorld* world, const FilParameterValue* value)
{
    return fil_world_set_contact_model(world, value->text);
}

static FilStatus set_time_step(FilWorld* world, const FilParameterValue* value)
{
    return fil_world_set_dt(world, value->real);
}

/* changes the size of gravity; a scene without any gets it downwards */
static FilStatus set_gravity(FilWorld* world, const FilParameterValue* value)
{
    const FilVec3 now = fil_world_gravity(world);
    const double size = sqrt(now.x * now.x + now.y * now.y + now.z * now.z);
    const double scale = size > 0.0 ? value->real / size : 0.0;
    const FilVec3 wanted = size > 0.0 ? (FilVec3){scale * now.x, scale * now.y, scale * now.z} : (FilVec3){0.0, 0.0, -value->real};
    return fil_world_set_gravity(world, wanted);
}

static FilStatus set_friction(FilWorld* world, const FilParameterValue* value)
{
    return fil_world_set_friction(world, value->real);
}

static FilStatus set_threads(FilWorld* world, const FilParameterValue* value)
{
    return fil_world_set_threads(world, (int)value->integer);
}

FilWorldParameterSet fil_world_parameter(const char* name)
{
    static const struct {
        const char* name;
        FilWorldParameterSet set;
    } table[] = {
        {"contact_model", set_contact_model}, {"time_step", set_time_step}, {"gravity", set_gravity},
        {"friction", set_friction},           {"threads", set_threads},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return table[i].set;
        }
    }
    return NULL;
}
