/* Where objects stand: vectors and orientations. */
#include <math.h>

#include "base/vec3.h"
#include "scene/scene_build.h"

bool fil_scene_read_vec3(FilReader* reader, const FilYaml* mapping, const char* key, FilVec3* vector)
{
    double v[3];
    const bool given = fil_read_vector(reader, mapping, key, FIL_OPTIONAL, 3, v);
    if (given) {
        *vector = (FilVec3){v[0], v[1], v[2]};
    }
    return given;
}

const double* fil_scene_read_velocities(FilReader* reader, const FilYaml* mapping, int count)
{
    FilVec3 velocity;
    if (!fil_scene_read_vec3(reader, mapping, "velocity", &velocity) || reader->status != FIL_OK) {
        return NULL;
    }
    double* v = fil_reader_alloc(reader, (size_t)count, 3 * sizeof *v);
    for (int i = 0; i < count && v != NULL; i++) {
        fil_v3_set(v + 3 * i, velocity.x, velocity.y, velocity.z);
    }
    return v;
}

void fil_scene_read_orientation(FilReader* reader, const FilYaml* mapping, FilQuat* orientation)
{
    double q[4], w[3];
    const bool turned = fil_read_vector(reader, mapping, "rotation", FIL_OPTIONAL, 3, w);
    if (turned) {
        // (sin(a/2) w/a, cos(a/2)) with a = |w|
        const double angle = fil_v3_norm(w), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
        *orientation = (FilQuat){s * w[0], s * w[1], s * w[2], cos(0.5 * angle)};
    }
    if (!fil_read_vector(reader, mapping, "orientation", FIL_OPTIONAL, 4, q)) {
        return;
    }
    const FilYaml* at = fil_yaml_find(mapping, "orientation");
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (turned) {
        fil_reader_fail(reader, at, "only one of 'rotation' and 'orientation' may be given");
    } else if (!(fabs(size - 1.0) < 1e-3)) {  // people write three digits or more
        fil_reader_fail(reader, at, "a quaternion [x, y, z, w] must have length 1, got %g", size);
    } else {
        *orientation = (FilQuat){q[0] / size, q[1] / size, q[2] / size, q[3] / size};
    }
}
