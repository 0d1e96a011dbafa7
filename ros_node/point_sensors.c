/* Clouds of points of what deforms, and arrays of taxels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "sensor.h"
#include "sensor_msgs/msg/point_cloud2.h"
#include "sensor_msgs/msg/point_field.h"

/* ---- points ---- */

/* what points are of: how many, and where they are */
static const struct {
    FilId (*find)(const FilWorld* world, const char* name);
    int (*count)(const FilWorld* world, FilId object);
    void (*get)(const FilWorld* world, FilId object, double* points);
} clouds[] = {{fil_world_find_rod, fil_rod_node_count, fil_rod_get_positions},
              {fil_world_find_shell, fil_shell_vertex_count, fil_shell_get_positions},
              {fil_world_find_solid, fil_solid_vertex_count, fil_solid_get_positions}};

/* Rows of the table; fields of a taxel below. */
enum { CLOUD_KINDS = sizeof clouds / sizeof *clouds, MAX_FIELDS = 7 };

/* the row of the table that has an object of that name, or CLOUD_KINDS */
static int find_cloud(const FilWorld* world, const char* name, FilId* object)
{
    int k = 0;
    while (k < CLOUD_KINDS && (*object = clouds[k].find(world, name)).index == 0) {
        k++;
    }
    return k;
}

static bool finds_cloud(const FilWorld* world, const char* name)
{
    FilId object;
    return find_cloud(world, name, &object) < CLOUD_KINDS;
}

FIL_MESSAGE_FUNCTIONS(sensor_msgs, PointCloud2)

/* names of numbers that a point has, as floats behind each other; NULL at the end */
static const char* const place_fields[] = {"x", "y", "z", NULL};
static const char* const tactile_fields[] = {"x", "y", "z", "fx", "fy", "fz", "pressure", NULL};

static bool size_cloud(sensor_msgs__msg__PointCloud2* cloud, size_t points, const char* const* names)
{
    size_t fields = 0;
    while (names[fields] != NULL) {
        fields++;
    }
    if (cloud->width == points && cloud->fields.size == fields) {
        return true;
    }
    const size_t step = fields * sizeof(float);
    sensor_msgs__msg__PointField__Sequence__fini(&cloud->fields);
    rosidl_runtime_c__uint8__Sequence__fini(&cloud->data);
    bool good =
        sensor_msgs__msg__PointField__Sequence__init(&cloud->fields, fields) && rosidl_runtime_c__uint8__Sequence__init(&cloud->data, points * step);
    for (uint32_t k = 0; k < fields && good; k++) {
        sensor_msgs__msg__PointField* field = &cloud->fields.data[k];
        good = rosidl_runtime_c__String__assign(&field->name, names[k]);
        field->offset = k * (uint32_t)sizeof(float);
        field->datatype = sensor_msgs__msg__PointField__FLOAT32;
        field->count = 1;
    }
    cloud->height = 1;
    cloud->width = (uint32_t)points;
    cloud->point_step = (uint32_t)step;
    cloud->row_step = (uint32_t)(points * step);
    cloud->is_dense = true;
    return good;
}

static void write_number(sensor_msgs__msg__PointCloud2* cloud, size_t index, double value)
{
    const float number = (float)value;
    memcpy(cloud->data.data + index * sizeof number, &number, sizeof number);
}

static bool measure_points(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, bool due)
{
    FilId object;
    const int kind = due ? find_cloud(world, sensor->object, &object) : CLOUD_KINDS;
    if (kind == CLOUD_KINDS) {
        return false;
    }
    sensor_msgs__msg__PointCloud2* cloud = sensor->message;
    const size_t count = (size_t)clouds[kind].count(world, object);
    double* points = malloc((3 * count + 1) * sizeof *points);
    const bool good = points != NULL && size_cloud(cloud, count, place_fields) && fil_sensor_set_header(sensors, &cloud->header, world, NULL);
    const double noise = fil_sensor_number(sensors, "points_noise");
    if (good) {
        clouds[kind].get(world, object, points);
    }
    for (size_t k = 0; k < 3 * count && good; k++) {
        write_number(cloud, k, points[k] + fil_sensor_noise(sensor, noise));
    }
    free(points);
    return good;
}

/* Rates, in Hz: clouds as depth cameras and people who look at them can follow, taxels as wrenches (body_sensors.c); a cloud of 10000 points is
 * 120 kB, 1.2 MB/s at this rate. @RATE gives another (docs/ros.md). */
const FilSensorKind fil_points_sensor = {"points",
                                         "a rod, shell or solid",
                                         10.0,
                                         "sensor_msgs/msg/PointCloud2",
                                         type_of_PointCloud2,
                                         {sizeof(sensor_msgs__msg__PointCloud2), init_PointCloud2, fini_PointCloud2},
                                         finds_cloud,
                                         measure_points};

/* ---- tactile ---- */

static void place_disk(const FilWorld* world, FilId arm, int disk, FilVec3* place)
{
    fil_arm_disk_pose(world, arm, disk, place, NULL);
}

static void place_body(const FilWorld* world, FilId body, int shape, FilVec3* place)
{
    (void)shape;
    fil_rigid_get_pose(world, body, place, NULL);
}

static void place_link(const FilWorld* world, FilId link, int shape, FilVec3* place)
{
    (void)shape;
    fil_link_pose(world, link, place, NULL);
}

static int count_one(const FilWorld* world, FilId object)
{
    (void)world;
    (void)object;
    return 1;
}

/* objects with taxels: one for each part that contacts tell apart, or one for all; where they are (NULL: as a cloud's points) */
static const struct {
    FilId (*find)(const FilWorld* world, const char* name);
    int (*count)(const FilWorld* world, FilId object);
    void (*place)(const FilWorld* world, FilId object, int taxel, FilVec3* place);
} skins[] = {{fil_world_find_arm, fil_arm_disk_count, place_disk}, {fil_world_find_rigid, fil_rigid_shape_count, place_body},
             {fil_world_find_link, count_one, place_link},         {fil_world_find_shell, fil_shell_vertex_count, NULL},
             {fil_world_find_solid, fil_solid_vertex_count, NULL}, {fil_world_find_rod, fil_rod_edge_count, NULL}};

enum { SKIN_KINDS = sizeof skins / sizeof *skins };

/* the row of the table that has an object of that name, or SKIN_KINDS */
static int find_skin(const FilWorld* world, const char* name, FilId* object)
{
    int k = 0;
    while (k < SKIN_KINDS && (*object = skins[k].find(world, name)).index == 0) {
        k++;
    }
    return k;
}

static bool finds_skin(const FilWorld* world, const char* name)
{
    FilId object;
    return find_skin(world, name, &object) < SKIN_KINDS;
}

/* What touches one taxel. */
typedef struct Taxel {
    FilVec3 place, force; /* m, N on the object */
    double normal, area;  /* N along the normals, m^2 */
} Taxel;

/* the taxel that one side of a contact or patch is on; NULL: none */
static Taxel* taxel_of(FilId side, int part, FilId object, Taxel* taxels, int count)
{
    const int taxel = count == 1 ? 0 : part;
    const bool own = side.index == object.index && side.generation == object.generation;
    return own && taxel >= 0 && taxel < count ? &taxels[taxel] : NULL;
}

/* Contacts over an area press; of a patch only the part that touches counts, where its contacts share what lies just ahead, too. */
static void add_contacts(const FilWorld* world, FilId object, Taxel* taxels, int count)
{
    for (int i = 0; i < fil_world_contact_count(world); i++) {
        const FilContactInfo contact = fil_world_contact(world, i);
        for (int s = 0; s < 2; s++) {
            Taxel* taxel = taxel_of(s == 0 ? contact.a : contact.b, s == 0 ? contact.part_a : contact.part_b, object, taxels, count);
            if (taxel != NULL) {
                taxel->force = fil_vector_sum(taxel->force, fil_vector_scaled(s == 0 ? -1.0 : 1.0, contact.force));  // the force is that on b
                taxel->normal += contact.area > 0.0 ? fabs(fil_vector_dot(contact.force, contact.normal)) : 0.0;
                taxel->area += contact.area;
            }
        }
    }
    for (int i = 0; i < fil_world_patch_count(world); i++) {
        const FilPatchInfo patch = fil_world_patch(world, i);
        double ahead = -patch.area;
        for (int k = patch.first_contact; k < patch.first_contact + patch.contacts; k++) {
            ahead += fil_world_contact(world, k).area;
        }
        for (int s = 0; s < 2; s++) {
            Taxel* taxel = taxel_of(s == 0 ? patch.a : patch.b, s == 0 ? patch.part_a : patch.part_b, object, taxels, count);
            if (taxel != NULL) {
                taxel->area -= ahead;
            }
        }
    }
}

static bool place_taxels(const FilWorld* world, const FilSensor* sensor, int kind, FilId object, Taxel* taxels, int count)
{
    FilId same;
    const int cloud = skins[kind].place == NULL ? find_cloud(world, sensor->object, &same) : CLOUD_KINDS;
    double* points = cloud < CLOUD_KINDS ? malloc((size_t)(3 * clouds[cloud].count(world, object)) * sizeof *points) : NULL;
    if (cloud < CLOUD_KINDS && points == NULL) {
        return false;
    }
    if (points != NULL) {
        clouds[cloud].get(world, object, points);
    }
    for (int k = 0; k < count; k++) {
        if (points != NULL) {
            taxels[k].place = fil_vector(points + 3 * k);
        } else {
            skins[kind].place(world, object, k, &taxels[k].place);
        }
    }
    free(points);
    return true;
}

/* forces of the last step on each part of the object, in the axes of the frame, and the pressure of what touches over an area */
static bool measure_tactile(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, bool due)
{
    FilId object;
    const int kind = due ? find_skin(world, sensor->object, &object) : SKIN_KINDS;
    if (kind == SKIN_KINDS) {
        return false;
    }
    sensor_msgs__msg__PointCloud2* cloud = sensor->message;
    FilEntityState state = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    const bool framed = sensor->frame[0] != '\0' && fil_sensor_see_body(world, sensor->frame, &state);
    const FilQuat back = fil_quat_conjugate(state.orientation);
    const int count = skins[kind].count(world, object);
    const double noise = fil_sensor_number(sensors, "tactile_noise");
    Taxel* taxels = calloc((size_t)count + 1, sizeof *taxels);
    const bool good = taxels != NULL && size_cloud(cloud, (size_t)count, tactile_fields) &&
                      fil_sensor_set_header(sensors, &cloud->header, world, framed ? sensor->frame : NULL) &&
                      place_taxels(world, sensor, kind, object, taxels, count);
    if (good) {
        add_contacts(world, object, taxels, count);
    }
    for (int k = 0; k < count && good; k++) {
        const FilVec3 place = fil_quat_rotate(back, fil_vector_difference(taxels[k].place, state.position));
        const geometry_msgs__msg__Vector3 force = fil_sensor_with_noise(sensor, fil_quat_rotate(back, taxels[k].force), noise);
        const double pressure = taxels[k].area > 0.0 ? taxels[k].normal / taxels[k].area : 0.0;
        const double numbers[MAX_FIELDS] = {place.x, place.y, place.z, force.x, force.y, force.z, pressure};
        for (size_t n = 0; n < MAX_FIELDS; n++) {
            write_number(cloud, (size_t)k * MAX_FIELDS + n, numbers[n]);
        }
    }
    free(taxels);
    return good;
}

const FilSensorKind fil_tactile_sensor = {"tactile",
                                          "an arm, rigid body, link, shell, solid or rod",
                                          100.0,
                                          "sensor_msgs/msg/PointCloud2",
                                          type_of_PointCloud2,
                                          {sizeof(sensor_msgs__msg__PointCloud2), init_PointCloud2, fini_PointCloud2},
                                          finds_skin,
                                          measure_tactile};
